"""Debian's chromium without a screen, driven by playwright, pictures computed without a graphics processor."""

import io
import shutil
import time
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image

from gelenk.view.server import PAGE

LONG = 60.0  # generous: pictures are computed, and machines differ [s]
NAMES = ("chromium", "chromium-browser", "google-chrome")
PROGRAM = next((found for name in NAMES if (found := shutil.which(name))), None)
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]


needs_browser = [
    pytest.mark.skipif(PROGRAM is None, reason="no browser: apt-get install chromium"),
    pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install"),
]


@contextmanager
def open_page(chromium, view, script=""):
    """A page of its own that is connected; an error in its script fails the test. A script may run before its own."""
    context = chromium.new_context(viewport={"width": 960, "height": 640})
    if script:
        context.add_init_script(script)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(view.address)
    wait(page, "!!window.gelenk && gelenk.frames > 0 && gelenk.status !== null && gelenk.status.driver !== null")
    try:
        yield page
    finally:
        context.close()
    assert not errors, errors


def pixels(page, **clip):
    """Red, green and blue (height, width, 3) of the page, or of a clip of it."""
    shot = page.screenshot(clip=clip) if clip else page.screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def wait(page, condition):
    """Until a condition holds; asked from outside, since the page lets nothing be evaluated inside."""
    end = time.monotonic() + LONG
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"waited too long for {condition}: {page.evaluate('gelenk.status')}"
        page.wait_for_timeout(30)


def until(page, holds):
    """Until something holds outside the page, in the session."""
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, "waited too long"
        page.wait_for_timeout(30)
