"""Pictures without a desktop: of scenes, worlds and runs, in a browser without a screen or made of rays."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import gelenk as gk
from gelenk.view import snapshot
from gelenk.view.browser import Browser, find_browser
from gelenk.view.server import PAGE
from gelenk.view.snapshot import checked_size, picture_times, snapshots
from view.models import H, falling, falling_simulation

needs_page = [
    pytest.mark.skipif(find_browser() is None, reason="no browser: apt-get install chromium"),
    pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install"),
]


def pixels(path):
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def standing():
    """A box and a ball that collide, so that rays see them."""
    b = gk.Builder(name="standing")
    b.body("box", shape=gk.Box((0.6, 0.4, 0.5)), at=(0, 0, 0.5), density=1000)
    b.body("ball", shape=gk.Sphere(0.3), at=(1, 0, 0.5), density=1000)
    return b.build()


def test_times_of_pictures():
    sim = falling_simulation()
    assert picture_times(sim, None, None) == [0.0]
    assert picture_times(sim, 0.5, None) == [0.5]
    assert picture_times(sim, 0.3, 0.1) == pytest.approx([0.0, 0.1, 0.2, 0.3])
    run = falling_simulation().run(0.2, output_dt=0.05)
    assert picture_times(run, None, 0.1) == pytest.approx([0.0, 0.1, 0.2])
    for wrong in ((-1.0, None), (None, 0.1), (1.0, 0.0), (1.0, 1e-9)):
        with pytest.raises(gk.InputError):
            picture_times(sim, *wrong)
    with pytest.raises(gk.InputError, match="a time of the run"):
        picture_times(run, 0.3, None)


def test_sizes_and_cameras():
    assert checked_size("640x480") == checked_size((640, 480)) == (640, 480)
    for wrong in ("640", "0x0", "9000x9000", "axb", (1, 2, 3)):
        with pytest.raises(gk.InputError, match="WIDTHxHEIGHT"):
            checked_size(wrong)
    with pytest.raises(gk.InputError, match="camera"):
        next(snapshots(falling_simulation(), "never.png", camera="above"))


@pytest.mark.parametrize(
    ("camera", "same"), [("fixed:rod:0.5,-3,1", True), ("fixed:rod", True), ("follow:rod:0.5,-3,1", False)]
)
@pytest.mark.parametrize("recorded", [False, True], ids=["simulation", "run"])
def test_rays_turn_along_with_the_body_that_a_camera_is_fixed_to(tmp_path, camera, same, recorded):
    """A rod that turns about z: seen from its own axes its outline stays, seen from the world it does not."""
    b = gk.Builder(name="rod", gravity=(0, 0, 0))
    b.body("rod", shape=gk.Box((0.9, 0.2, 0.2)), at=(0, 0, 0.5), density=1000, angular_velocity=(0, 0, np.pi))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=H))
    source = sim.run(0.5, output_dt=0.25) if recorded else sim
    made = list(snapshots(source, tmp_path / "a.png", at=0.5, every=0.25, size="200x150", camera=camera, rays=True))
    first, _, last = (np.abs(pixels(path) - pixels(path)[2, 2]).sum(axis=2) > 30 for path in made)
    assert first.mean() > 0.02, "it is seen"
    assert ((first != last).mean() < 0.2 * first.mean()) == same, "but for pixels on its edge"


def test_rays_are_the_way_where_there_is_no_browser(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "find_browser", lambda: None)
    notes = []
    sim = gk.Simulation(standing(), gk.FreeMotion(h=H))
    (path,) = snapshots(sim, tmp_path / "a.png", at=0.01, size="200x120", note=notes.append)
    assert "no chromium" in notes[0]
    made = pixels(path)
    assert made.shape == (120, 200, 3)
    seen = (made.min(axis=2) < 200).mean()
    assert 0.05 < seen < 0.9, "two bodies on white"
    assert sim.time == 0.01


@pytest.mark.parametrize("kind", ["simulation", "run"])
class TestPage:
    pytestmark = needs_page

    @pytest.fixture
    def source(self, kind):
        sim = falling_simulation()
        return sim if kind == "simulation" else sim.run(0.4, output_dt=0.02)

    def test_pictures_at_fixed_times(self, source, tmp_path):
        made = list(snapshots(source, tmp_path / "a.png", at=0.4, every=0.2, size="320x200"))
        assert [path.name for path in made] == ["a_0000.png", "a_0001.png", "a_0002.png"]
        first, second, third = (pixels(path) for path in made)
        assert first.shape == (200, 320, 3)
        for a, b in ((first, second), (second, third)):
            assert (np.abs(a - b).sum(axis=2) > 60).mean() > 0.002, "what moves is seen to move"

    def test_nothing_but_the_picture_is_seen(self, source, tmp_path):
        (path,) = snapshots(source, tmp_path / "a.png", size="320x200", camera="front", dark=True)
        assert pixels(path).mean() < 140, "dark"
        corner = pixels(path)[:30, :100]
        assert np.ptp(corner, axis=1).max() < 30, "no panel stands there"


class TestBrowser:
    pytestmark = needs_page

    def test_values_and_pictures(self):
        with Browser(find_browser(), (200, 100)) as browser:
            browser.open("data:text/html,<body style='background:rgb(10,200,30)'>")
            browser.wait("document.body !== null && document.readyState === 'complete'")
            assert browser.value("1 + 1") == 2
            assert browser.value("innerWidth") == 200
            made = np.asarray(Image.open(io.BytesIO(browser.picture())).convert("RGB"))
            assert made.shape == (100, 200, 3)
            assert tuple(made[50, 50]) == (10, 200, 30)

    def test_the_command(self, tmp_path):
        scene, out = tmp_path / "falling.toml", tmp_path / "made.png"
        gk.save_scene(falling(), scene)
        command = [sys.executable, "-m", "gelenk", "snapshot", str(scene), "--at", "0.1", "--out", str(out)]
        options = ["--size", "300x200", "--method", "free", "--camera", "3,-4,3:0.5,0,2"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, env=os.environ, check=False)
        assert done.returncode == 0, done.stderr
        assert "wrote" in done.stdout
        assert pixels(out).shape == (200, 300, 3)
        wrong = subprocess.run([*command, "--size", "big"], capture_output=True, text=True, env=os.environ, check=False)
        assert wrong.returncode == 2
        assert "WIDTHxHEIGHT" in wrong.stderr


@pytest.mark.skipif(find_browser() is None or not (PAGE / "index.html").exists(), reason="no browser, or no page")
def test_a_run_wears_what_is_around_it(tmp_path):
    """Scenery below, a declared camera above, a body left out, a line that was drawn."""
    x, y = np.meshgrid((-40.0, 40.0), (-40.0, 40.0), indexing="ij")
    ground = np.stack((x, y, 0 * x - 30.0), axis=-1).reshape(-1, 3)
    trace = gk.Trace("line", colour=(0.0, 0.0, 0.0))
    for k in range(3):
        trace.add(0.01 * k, (k - 1.0, 0.0, -29.9))
    clothes = {
        "scenery": [gk.ScenerySurface("ground", ground, [(0, 2, 3), (0, 3, 1)], colours=(0.9, 0.1, 0.1))],
        "light": gk.Daylight(180, 60), "cameras": [gk.FollowCamera("above", "ball", behind=0.1, above=20.0)],
        "camera": "above", "hidden": ("box",), "traces": [trace],
    }  # fmt: skip
    run = falling_simulation().run(0.2, output_dt=0.05)
    (file,) = snapshots(run, tmp_path / "dressed.png", at=0.1, size=(320, 240), clothes=clothes)
    seen = pixels(file)
    red = (seen[..., 0] > 1.8 * seen[..., 1]) & (seen[..., 0] > 90)
    assert red.mean() > 0.5
