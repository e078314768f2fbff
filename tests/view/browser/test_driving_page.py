"""Driving in a real browser: cameras, overlay, dialog, sounds, ghost, traces, and a gamepad that vanishes."""

import math

import numpy as np
import pytest

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, until, wait
from view.models import H
from view.pages import viewed

pytestmark = needs_browser
SPEED, TURN = 10.0, 0.5  # of the sled [m/s], [rad/s]


def turning(playing_turn=TURN):
    """A box that flies ahead and turns about the upright, without weight."""
    b = gk.Builder(name="chute", gravity=(0, 0, 0))
    box = gk.Box((2, 0.6, 0.5))
    b.body("sled", shape=box, density=100, at=(0, 0, 1), velocity=(SPEED, 0, 0), angular_velocity=(0, 0, playing_turn))
    return gk.Simulation(b.build(), gk.FreeMotion(h=H))


CAMERAS = [
    gk.CockpitCamera("pilot", "sled", (0.5, 0, 0.6), fov_deg=75, damping=0.0),
    gk.FollowCamera("behind", "sled", behind=5, above=2, damping=0.0),
    gk.TracksideCamera("side", "sled", [(0, -8, 2), (40, -8, 2)], width=8),
]


def test_declared_cameras_sit_follow_and_stand_beside(chromium):
    with viewed(turning(), playing=False, cameras=CAMERAS, camera="pilot") as view, open_page(chromium, view) as page:
        wait(page, "gelenk.rig() === 'pilot'")
        np.testing.assert_allclose(page.evaluate("gelenk.eye()"), (0.5, 0, 1.6), atol=1e-5)
        assert page.evaluate("gelenk.fov()") == pytest.approx(75)
        steps = round(0.6 / H)
        view.live.call(lambda: view.sim.step(steps))
        view.live.call(view.session.refresh)
        wait(page, "gelenk.time > 0.59")
        x, angle = SPEED * 0.6, TURN * 0.6
        eye = (x + 0.5 * math.cos(angle), 0.5 * math.sin(angle), 1.6)
        np.testing.assert_allclose(page.evaluate("gelenk.eye()"), eye, atol=1e-4)
        page.keyboard.press("c")
        wait(page, "gelenk.rig() === 'behind'")
        eye = (x - 5 * math.cos(angle), -5 * math.sin(angle), 3)
        np.testing.assert_allclose(page.evaluate("gelenk.eye()"), eye, atol=1e-4)
        page.keyboard.press("c")
        wait(page, "gelenk.rig() === 'side'")
        np.testing.assert_allclose(page.evaluate("gelenk.eye()"), (0, -8, 2), atol=1e-5)
        right, up, _ = page.evaluate("gelenk.onScreen('sled')")
        assert abs(right) < 1e-3  # it looks at it
        assert abs(up) < 1e-3
        near = page.evaluate("gelenk.fov()")
        view.live.call(lambda: view.sim.step(round(2.4 / H)))
        view.live.call(view.session.refresh)
        wait(page, "gelenk.time > 2.9")
        np.testing.assert_allclose(page.evaluate("gelenk.eye()"), (40, -8, 2), atol=1e-5)  # nearer to 30 m
        assert page.evaluate("gelenk.fov()") != pytest.approx(near)
        view.look("top")
        wait(page, "gelenk.rig() === null && gelenk.looked === 2")
        assert page.evaluate("gelenk.fov()") == pytest.approx(40)


def test_a_head_follows_a_turn_softly(chromium):
    camera = gk.CockpitCamera("pilot", "sled", (0, 0, 0), damping=0.2)
    with (
        viewed(turning(2.0), playing=False, cameras=[camera], camera="pilot") as view,
        open_page(chromium, view) as page,
    ):
        wait(page, "gelenk.rig() === 'pilot'")
        view.live.call(lambda: view.sim.step(round(0.1 / H)))
        view.live.call(view.session.refresh)
        wait(page, "gelenk.time > 0.09")
        # a point straight ahead of the body is left of the middle: the head is behind
        x, y = SPEED * 0.1 + 10 * math.cos(0.2), 10 * math.sin(0.2)
        at = page.evaluate(f"gelenk.onPage({x}, {y}, 1)")[0]
        assert at < 0.5 * page.evaluate("innerWidth") - 20


def test_the_overlay_shows_values_and_escape_brings_panels_back(chromium):
    overlay = gk.Overlay()
    overlay.speed, overlay.clock, overlay.steering = 30.0, 61.25, 0.5
    overlay.splits = [("280 m", 16.2, -0.03)]
    overlay.g = (3.0, 4.0, 0.0)
    overlay.say("New best", seconds=60)
    with viewed(turning(), playing=False, overlay=overlay) as view, open_page(chromium, view) as page:
        wait(page, "document.body.classList.contains('driving')")
        assert not page.is_visible("#side")
        assert not page.is_visible("#bar")
        assert page.text_content("#hud-speed") == "108"  # km/h
        assert page.text_content("#hud-clock") == "1:01.25"
        assert page.text_content("#hud-words") == "New best"
        assert page.text_content("#hud-g output") == "5.0 g"
        assert "280 m16.20−0.03" in page.text_content("#hud-splits")
        needle, wheel = (
            page.evaluate(f"document.querySelector('{s}').getBoundingClientRect().x")
            for s in ("#hud-wheel i", "#hud-wheel")
        )
        width = page.evaluate("document.querySelector('#hud-wheel').getBoundingClientRect().width")
        assert needle + 4 - wheel == pytest.approx(0.25 * width, abs=1.0)  # half way to the left, on a pixel
        page.keyboard.press("Escape")
        wait(page, "!document.body.classList.contains('driving')")
        assert page.is_visible("#side")
        page.keyboard.press("h")
        wait(page, "document.body.classList.contains('driving')")


def test_a_set_up_is_chosen_saved_loaded_and_applied(chromium, tmp_path):
    applied = []
    dialog = gk.Dialog(
        "Set-up",
        [gk.NumberField("start", 8, low=0, high=20, unit="m/s"), gk.ChoiceField("springs", "soft", ["soft", "hard"])],
        apply=applied.append,
        folder=tmp_path,
        write=lambda path, values: path.write_text(f"{values['start']} {values['springs']}"),
        read=lambda path: dict(
            zip(("start", "springs"), (float(path.read_text().split()[0]), path.read_text().split()[1]))
        ),
    )
    with viewed(turning(), playing=False, dialog=dialog) as view, open_page(chromium, view) as page:
        wait(page, "!document.querySelector('#form-open').hidden")
        page.keyboard.press("o")
        wait(page, "document.querySelector('#form').open")
        page.evaluate(
            "(() => { const s = document.querySelector('#form-field-start'); s.value = 12.5;"
            "s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')); })()"
        )
        page.select_option("#form-field-springs", "hard")
        page.fill("#form-name", "mine")
        page.click("#form-save")
        until(page, lambda: dialog.names == ["mine"])
        assert (tmp_path / "mine.toml").read_text() == "12.5 hard"
        page.select_option("#form-field-springs", "soft")
        until(page, lambda: dialog.values["springs"] == "soft")
        wait(page, "document.querySelector('#form-saved').value === 'mine'")
        page.click("#form-load")
        wait(page, "document.querySelector('#form-said').textContent === 'loaded mine'")
        assert page.input_value("#form-field-springs") == "hard"
        page.click("#form-apply")
        until(page, lambda: applied)
        assert applied == [{"start": 12.5, "springs": "hard"}]
        wait(page, "!document.querySelector('#form').open")


def test_noise_follows_its_value_and_every_hit_sounds_once(chromium):
    wind, hit = gk.Noise("wind", cutoff=300, volume=0.1), gk.Hit("bumper")
    hit.strike(1.0)  # before anyone listens
    with viewed(turning(), outputs=[wind, hit]) as view, open_page(chromium, view) as page:
        page.keyboard.press("x")  # a page may sound only after somebody has touched it
        wait(page, "gelenk.heard.noises.wind?.[1] === 0.1")
        assert page.evaluate("gelenk.heard.hits") == 0
        wind.cutoff, wind.volume = 900, 0.6
        wait(page, "gelenk.heard.noises.wind[0] === 900 && gelenk.heard.noises.wind[1] === 0.6")
        for k in (1, 2):
            hit.strike(0.7)
            wait(page, f"gelenk.heard.hits === {k}")
        page.wait_for_timeout(300)
        assert page.evaluate("gelenk.heard.hits") == 2


def test_a_ghost_goes_along_and_traces_stay(chromium, tmp_path):
    with turning(0.0).run(2.0, output_dt=0.02, file=tmp_path / "best.h5") as run:
        ghost = gk.Ghost(run, since=lambda sim: sim.time + 0.5)
        trace = gk.Trace("way", lambda sim: sim["sled"].position, spacing=0.05)
        how = {"ghosts": [ghost], "traces": [trace], "camera": "top"}
        with viewed(turning(0.0), playing=False, **how) as view, open_page(chromium, view) as page:
            wait(page, "gelenk.ghosts === 1 && gelenk.ghostPose(1, 'sled') !== null")
            assert page.evaluate("gelenk.ghostPose(1, 'sled')")[0] == pytest.approx(0.5 * SPEED, abs=1e-4)
            page.keyboard.press("Space")
            until(page, lambda: view.sim.time > 0.3)
            wait(page, "gelenk.status.run === 'playing'")  # else the page would ask to play once more
            page.keyboard.press("Space")
            until(page, lambda: not view.live.clock.playing)
            view.live.call(view.session.refresh)
            wait(page, f"Math.abs(gelenk.time - {view.sim.time}) < 1e-6")
            ahead = page.evaluate("gelenk.ghostPose(1, 'sled')[0] - gelenk.pose('sled')[0]")
            assert ahead == pytest.approx(0.5 * SPEED, abs=1e-3)
            wait(page, f"gelenk.traces === {len(trace.points) - 1}")
            page.reload()
            wait(
                page, f"!!window.gelenk && gelenk.frames > 0 && gelenk.traces === {len(trace.points) - 1}"
            )  # all of it


def test_what_a_vanished_gamepad_held_goes_to_rest_and_comes_back(chromium):
    lever = gk.Input("lever", axis=0)
    with viewed(turning(), inputs=[lever], playing=False) as view, open_page(chromium, view) as page:
        page.evaluate(
            "(() => { window.pads = [{ axes: [0.8], buttons: [], id: 'wheel' }];"
            "navigator.getGamepads = () => window.pads; })()"
        )
        until(page, lambda: lever.value > 0.7)
        held = lever.value
        page.evaluate(
            "(() => { window.pads = []; const gone = new Event('gamepaddisconnected');"
            "gone.gamepad = { id: 'wheel' }; window.dispatchEvent(gone); })()"
        )
        wait(page, "document.querySelector('#notes').textContent.includes('wheel is gone')")
        values = []
        until(page, lambda: values.append(lever.value) or lever.value == 0.0)
        assert any(0.05 < value < held for value in values)  # it eases, and does not jump
        page.evaluate("(() => { window.pads = [{ axes: [-0.6], buttons: [], id: 'wheel' }]; })()")
        until(page, lambda: lever.value < -0.5)


def test_a_short_tap_counts_once(chromium):
    """Down and up between two looks at the keys, which are 16 ms apart."""
    taps = []
    lamp = gk.Input("lamp", digital=True, low=0.0, up="KeyN", to=lambda sim, value: taps.append(value))
    with viewed(turning(), inputs=[lamp], playing=False) as view, open_page(chromium, view) as page:
        for wanted in (1, 2):
            page.keyboard.press("n")
            until(page, lambda wanted=wanted: taps.count(1.0) == wanted and taps[-1] == 0.0)
        page.wait_for_timeout(200)
        assert taps == [1.0, 0.0, 1.0, 0.0]
