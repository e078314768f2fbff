"""Pictures where drawing is slow: what stays and what is kept is at the full level, a video has one size."""

import io
import zipfile
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, wait
from view.models import H, gallery
from view.pages import viewed

pytestmark = needs_browser
SLOW = (
    "(() => { const draw = window.requestAnimationFrame.bind(window);"
    " window.requestAnimationFrame = (f) => setTimeout(() => draw(f), 90); })()"
)
SIZE = "(c => [c.width, c.height])(document.querySelector('#stage canvas'))"
NO_SHADOWS = 5  # level from which on there are none


@contextmanager
def slow_page(chromium, tmp_path):
    """A page whose pictures have become as cheap as they get, and that pauses now."""
    sim = gk.Simulation(gallery(), gk.FreeMotion(h=H))
    with viewed(sim, runs=tmp_path) as view, open_page(chromium, view) as page:
        page.evaluate(SLOW)
        wait(page, f"gelenk.quality > {NO_SHADOWS}")
        assert page.evaluate(SIZE) != [960, 640]
        page.click("#play")
        wait(page, "gelenk.status.run === 'paused'")
        yield page


def sharp(page):
    wait(page, f"{SIZE}.join() === '960,640'")


def dark(picture):
    """The share of what is darker than the floor: bodies and their shadows."""
    grey = np.asarray(picture.convert("L")).astype(int)[80:540, 20:640]
    return (grey < 165).mean()


def test_a_picture_that_stays_has_its_shadows_again(chromium, tmp_path):
    with slow_page(chromium, tmp_path) as page:
        page.click("#reset")
        wait(page, "gelenk.time === 0")
        sharp(page)
        page.wait_for_timeout(500)
        shown = dark(Image.open(io.BytesIO(page.screenshot())))
        page.click("#picture summary")
        page.uncheck("[data-layer=shadows]")
        page.wait_for_timeout(300)
        sharp(page)
        page.wait_for_timeout(500)
        assert shown > dark(Image.open(io.BytesIO(page.screenshot()))) + 1e-3


def test_pictures_that_are_kept_are_at_the_full_level(chromium, tmp_path):
    with slow_page(chromium, tmp_path) as page:
        page.click("#recording summary")
        page.fill("#count", "5")
        page.click("#step")
        wait(page, f"{SIZE}[0] < 960")
        with page.expect_download() as waiting:
            page.click("#png")
        assert Image.open(io.BytesIO(waiting.value.path().read_bytes())).size == (960, 640)
        page.fill("#images-count", "3")
        with page.expect_download() as waiting:
            page.click("#images")
        archive = zipfile.ZipFile(io.BytesIO(waiting.value.path().read_bytes()))
        sizes = {Image.open(io.BytesIO(archive.read(name))).size for name in archive.namelist()}
        assert sizes == {(960, 640)}
        page.click("#step")
        wait(page, f"{SIZE}[0] < 960")  # what moves is cheap again
        sharp(page)


def test_a_video_has_one_size(chromium, tmp_path):
    with slow_page(chromium, tmp_path) as page:
        sharp(page)
        page.click("#recording summary")
        if page.is_disabled("#video"):
            pytest.skip("this browser records no video: " + page.get_attribute("#video", "title"))
        page.click("#video")
        size = page.evaluate(SIZE)
        for _ in range(2):  # plays, and pauses long enough to be drawn sharp
            page.click("#play")
            for _ in range(8):
                page.wait_for_timeout(150)
                assert page.evaluate(SIZE) == size
        with page.expect_download():
            page.click("#video")
        sharp(page)


GRAPHICS = (  # what the browser says of its renderer
    "(() => { const gl = WebGL2RenderingContext.prototype, get = gl.getParameter;"
    " gl.getParameter = function (p) { return p === 37446 ? 'a graphics processor' : get.call(this, p); }; })()"
)


def test_with_a_graphics_processor_pictures_are_supersampled_until_they_are_late(chromium):
    """B-79: four samples a pixel while there is room; pictures of more than 25 ms, and there is one at most."""
    sim = gk.Simulation(gallery(), gk.FreeMotion(h=H))
    with viewed(sim, playing=False) as view, open_page(chromium, view, GRAPHICS) as page:
        assert page.evaluate("gelenk.quality") == 0
        assert page.evaluate(SIZE) == [1920, 1280]
        page.evaluate(SLOW)
        view.live.call(view.live.play)
        wait(page, "gelenk.quality >= 1")
        assert page.evaluate(SIZE)[0] <= 960
