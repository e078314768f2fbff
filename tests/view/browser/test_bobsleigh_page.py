"""The bobsleigh in a real browser: driven with the keyboard, through a night, a pause, and a wheel that vanishes."""

import csv

import numpy as np
import pytest

from gelenk import compile as compiler
from gelenk.run.run import load_run
from gelenk.worlds.bobsleigh.drive.game import PAUSED, WAITS, play
from gelenk.worlds.bobsleigh.drive.scene import Grounds
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track
from view.browser.chromium import needs_browser, open_page, pixels, until, wait

pytestmark = [*needs_browser, pytest.mark.skipif(not compiler.ENABLED, reason="some thousand steps of a sled")]
SKY = {"x": 400, "y": 5, "width": 160, "height": 40}


@pytest.fixture(scope="module")
def grounds():
    return Grounds(load_track("s13"))


@pytest.fixture
def game(grounds, tmp_path):
    """A page that waits at the start."""
    view = play(grounds, Setup(start_speed=14.0), folder=tmp_path, wait=False, browser=False)
    try:
        yield view
    finally:
        view.close()


def angle(view):
    return float(view.sim.sensors["steering.angle"])


def rows(folder):
    file = folder / "runs.csv"
    return list(csv.DictReader(file.read_text().splitlines())) if file.exists() else []


def test_a_descent_is_driven_with_the_keyboard(chromium, game, tmp_path):
    with open_page(chromium, game) as page:
        wait(page, "document.querySelector('#hud-words').textContent.startsWith('Space starts')")
        assert game.sim.time == 0.0
        day = pixels(page, **SKY).mean()
        page.keyboard.press("Space")
        until(page, lambda: game.sim.time > 0.2)
        page.keyboard.down("ArrowLeft")
        until(page, lambda: angle(game) > 0.05)  # to the left it is positive
        page.keyboard.up("ArrowLeft")
        until(page, lambda: abs(angle(game)) < 0.01)
        page.keyboard.down("ArrowRight")
        until(page, lambda: angle(game) < -0.05)
        page.keyboard.up("ArrowRight")
        assert float(page.text_content("#hud-speed")) == pytest.approx(3.6 * 14.0, rel=0.3)
        for camera in ("behind", "trackside", "pilot"):
            page.keyboard.press("c")
            wait(page, f"gelenk.rig() === '{camera}'")
        page.keyboard.press("n")
        until(page, lambda: pixels(page, **SKY).mean() < 0.5 * day)
        page.keyboard.press("Space")
        wait(page, f"document.querySelector('#hud-note').textContent === '{PAUSED}'")
        stood = game.sim.time
        page.wait_for_timeout(300)
        assert game.sim.time == stood
        page.keyboard.press("r")
        until(page, lambda: len(rows(tmp_path)) == 1)
        until(page, lambda: game.sim.time == 0.0)
        wait(page, f"document.querySelector('#hud-note').textContent === '{WAITS}'")
    (row,) = rows(tmp_path)
    with load_run(tmp_path / "runs" / row["file"]) as run:
        assert run.status == "finished"
        assert run.time[-1] == pytest.approx(stood, abs=0.011)  # whole samples
        assert np.ptp(run["steering"].angle) > 0.09


def test_a_wheel_that_vanishes_ends_no_run(chromium, game, tmp_path):
    """Its steering goes softly to rest, the page says which device it was, and the run goes on and is kept."""
    with open_page(chromium, game) as page:
        page.evaluate(
            "(() => { window.pads = [{ axes: [-0.8], buttons: [], id: 'wheel' }];"
            "navigator.getGamepads = () => window.pads; })()"
        )
        page.keyboard.press("Space")
        until(page, lambda: angle(game) > 0.05)
        page.evaluate(
            "(() => { window.pads = []; const gone = new Event('gamepaddisconnected');"
            "gone.gamepad = { id: 'wheel' }; window.dispatchEvent(gone); })()"
        )
        wait(page, "document.querySelector('#notes').textContent.includes('wheel is gone')")
        until(page, lambda: abs(angle(game)) < 0.01)
        then = game.sim.time
        until(page, lambda: game.sim.time > then + 0.3)
    game.close()
    (row,) = rows(tmp_path)
    with load_run(tmp_path / "runs" / row["file"]) as run:
        assert run.time[-1] > then + 0.28
