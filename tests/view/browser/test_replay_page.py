"""Replay, recording and exports in a real browser."""

import io
import itertools
import zipfile

import numpy as np
import pytest
from PIL import Image

import gelenk as gk
from gelenk.run.run import load_run
from view.browser.chromium import needs_browser, open_page, wait
from view.models import H, falling_simulation
from view.pages import viewed

pytestmark = needs_browser
DT = 20 * H


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    made = []
    for name, push in (("first", 0.0), ("second", 60.0), ("third", -60.0)):
        sim = falling_simulation()
        sim["ball"].apply_impulse((push, 0.0, 0.0), at=tuple(sim["ball"].com))
        made.append(sim.run(1.0, output_dt=DT, file=folder / f"{name}.h5"))
    return made


@pytest.fixture
def view(runs):
    with gk.replay(*runs, wait=False, playing=False, browser=False) as made:
        yield made


def pose(run, name, k):
    return np.concatenate([run[name].position[k], run[name].orientation[k]]).astype(np.float32)


def scrub(page, t):
    page.evaluate(
        f"(s => {{ s.value = '{t!r}'; s.dispatchEvent(new Event('input')) }})(document.querySelector('#scrub'))"
    )
    wait(page, f"gelenk.time === {t!r}")


def test_it_shows_the_recorded_poses(chromium, runs, view):
    with open_page(chromium, view) as page:
        for k in (0, 17, 50):
            t = float(runs[0].time[k])
            scrub(page, t)
            for name in ("ball", "box"):
                assert np.array_equal(np.float32(page.evaluate(f"gelenk.pose('{name}')")), pose(runs[0], name, k))
                for ghost in (1, 2):
                    shown = np.float32(page.evaluate(f"gelenk.ghostPose({ghost}, '{name}')"))
                    assert np.array_equal(shown, pose(runs[ghost], name, k))


def test_buttons_and_keys_step_play_and_turn_round(chromium, runs, view):
    times = [float(t) for t in runs[0].time]
    with open_page(chromium, view) as page:
        page.click("#sample-on")
        wait(page, f"gelenk.time === {times[1]!r}")
        page.keyboard.press("ArrowRight")
        page.click("#stage canvas", position={"x": 20, "y": 300})
        page.keyboard.press("ArrowRight")
        wait(page, f"gelenk.time === {times[3]!r} || gelenk.time === {times[2]!r}")
        page.click("#sample-back")
        page.keyboard.press("End")
        page.check("#backwards")
        page.check("#loop")
        wait(page, "document.querySelector('#backwards').checked && document.querySelector('#loop').checked")
        page.click("#stage canvas", position={"x": 20, "y": 300})
        page.keyboard.press("End")
        wait(page, f"gelenk.time === {times[-1]!r}")
        page.click("#play")
        wait(page, f"gelenk.time < {times[-1]!r} && gelenk.status.factor < 0")
        page.click("#play")
        wait(page, "gelenk.status.run === 'paused'")
        assert view.session.loop
        assert view.session.backwards
        assert page.inner_text("#runs").split() == ["first.h5", "second.h5", "third.h5"]


def test_trails_grow_with_time(chromium, runs, view):
    with open_page(chromium, view) as page:
        assert page.evaluate("gelenk.runTrailPoints") == 0
        page.check("#run-trails")
        wait(page, "gelenk.runTrailPoints === 6")  # two bodies of three runs, one point each
        page.click("#stage canvas", position={"x": 20, "y": 300})
        page.keyboard.press("End")
        wait(page, f"gelenk.runTrailPoints === {6 * len(runs[0])}")
        assert page.is_hidden("#record")


def test_what_is_recorded_cannot_be_touched(chromium, runs, view):
    with open_page(chromium, view) as page:
        assert page.is_hidden("#touch")
        x, y = page.evaluate("gelenk.onPage(...gelenk.pose('ball').slice(0, 3))")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 60, y, steps=3)
        assert not page.evaluate("gelenk.held")
        page.mouse.up()
        assert page.inner_text("#notes") == ""


def test_ghosts_are_seen(chromium, runs):
    seen = []
    for count in (1, 3):
        with (
            gk.replay(*runs[:count], wait=False, playing=False, browser=False) as view,
            open_page(chromium, view) as page,
        ):
            drawn = page.evaluate("gelenk.pictures")
            scrub(page, 0.5)
            wait(page, f"gelenk.pictures > {drawn} + 1 || gelenk.pictures > {drawn} && gelenk.time === 0.5")
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
            assert page.evaluate("gelenk.ghosts") == count - 1
            page.wait_for_timeout(300)
            picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)[:480]
            seen.append(((picture[..., 0] - picture[..., 2]) > 25).mean())
    assert seen[1] > seen[0] + 0.001, "the red of the first ghost"


def test_recording_from_the_page(chromium, tmp_path):
    with viewed(falling_simulation(), playing=False, runs=tmp_path) as view, open_page(chromium, view) as page:
        page.click("#recording summary")
        page.select_option("#record-every", "step")
        page.click("#record")
        wait(page, "gelenk.status.recording")
        wait(page, "document.querySelector('#recorded').textContent.includes('falling.h5')")
        page.fill("#count", "30")
        page.click("#step")
        wait(page, "gelenk.status.steps === 30")
        page.click("#record")
        wait(page, "document.querySelector('#recorded').textContent.includes('31 samples')")
        words = "document.querySelector('#record').textContent"
        wait(page, f"!gelenk.status.recording && {words} === 'Record'")
        page.keyboard.press("Shift+R")
        wait(page, f"gelenk.status.recording && {words} === 'Stop'")
        page.keyboard.press("Shift+R")
        wait(page, f"!gelenk.status.recording && {words} === 'Record'")
        shown = np.float32(page.evaluate("gelenk.pose('box')"))
    with load_run(tmp_path / "falling.h5") as run:
        assert len(run) == 31
        assert np.array_equal(shown, pose(run, "box", -1)), "what was seen is what was recorded"
    assert (tmp_path / "falling-2.h5").exists()


def test_pictures_and_images_are_saved(chromium, tmp_path):
    with viewed(falling_simulation(), playing=False, runs=tmp_path) as view, open_page(chromium, view) as page:
        page.click("#recording summary")
        with page.expect_download() as waiting:
            page.click("#png")
        picture = Image.open(waiting.value.path())
        assert picture.format == "PNG"
        assert len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3) // 16, axis=0)) > 20, "not blank"
        page.fill("#images-count", "4")
        page.fill("#images-every", "0.05")
        with page.expect_download() as waiting:
            page.click("#images")
        archive = zipfile.ZipFile(waiting.value.path())
        assert archive.testzip() is None
        assert archive.namelist() == [f"{k:05d}_t{0.05 * k:.4f}.png" for k in range(4)]
        images = [
            np.asarray(Image.open(io.BytesIO(archive.read(name))).convert("RGB")).astype(int)
            for name in archive.namelist()
        ]
        for a, b in itertools.pairwise(images):
            assert (np.abs(a - b).sum(axis=2) > 60).mean() > 5e-4, "each one shows another moment"
        wait(page, f"gelenk.status.steps === 150 && gelenk.time === {150 * H!r}")


def test_a_video_is_saved(chromium, tmp_path):
    with viewed(falling_simulation(), runs=tmp_path) as view, open_page(chromium, view) as page:
        page.click("#recording summary")
        if page.is_disabled("#video"):
            pytest.skip("this browser records no video: " + page.get_attribute("#video", "title"))
        page.click("#video")
        before = page.evaluate("gelenk.pictures")
        wait(page, f"gelenk.pictures > {before} + 15")
        page.wait_for_timeout(1200)
        with page.expect_download() as waiting:
            page.click("#video")
        name, data = waiting.value.suggested_filename, waiting.value.path().read_bytes()
        assert len(data) > 2000
        if name.endswith(".webm"):
            assert data[:4] == b"\x1aE\xdf\xa3"
        else:
            assert name.endswith(".mp4")
            assert data[4:8] == b"ftyp"


def test_the_page_comes_back_to_a_new_server_at_the_old_place(chromium):
    with viewed(falling_simulation(), playing=False) as view:
        port = view.server.door.port
        with open_page_that_may_fail(chromium, view) as page:
            view.close()
            wait(page, "gelenk.link === 'lost'")
            sim = falling_simulation()
            sim.step(77)
            with viewed(sim, playing=False, port=port):
                wait(page, f"gelenk.link === 'connected' && gelenk.time === {77 * H!r}")
                page.click("#step")
                wait(page, "gelenk.status.steps === 1")


def open_page_that_may_fail(chromium, view):
    """A page whose socket may be refused for a while, which the browser reports as an error."""
    from contextlib import contextmanager

    @contextmanager
    def opened():
        context = chromium.new_context()
        page = context.new_page()
        page.goto(view.address)
        wait(page, "!!window.gelenk && gelenk.frames > 0")
        yield page
        context.close()

    return opened()
