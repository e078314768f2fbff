"""How bodies look: what is selected is marked; small things of the panels."""

import io

import numpy as np
import pytest
from PIL import Image

from view.browser.chromium import needs_browser, open_page, wait
from view.models import falling_simulation
from view.pages import viewed

pytestmark = needs_browser
ORANGE = (255, 138, 31)


def pixels(page):
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)


@pytest.fixture
def view():
    with viewed(falling_simulation(), playing=False) as made:
        yield made


def test_what_is_selected_is_marked(chromium, view):
    def orange():
        page.wait_for_timeout(300)
        return (np.abs(pixels(page)[60:560, :660] - ORANGE).max(axis=2) < 30).sum()

    with open_page(chromium, view) as page:
        assert orange() == 0
        for name in ("ball", "box"):
            page.mouse.click(*page.evaluate(f"gelenk.onPage(...gelenk.pose('{name}').slice(0, 3))"))
            wait(page, f"document.querySelector('#selected').value.startsWith('{name}')")
            assert orange() > 100
        page.mouse.click(30, 500)
        wait(page, "document.querySelector('#selected').value.startsWith('press')")
        assert orange() == 0


def test_the_scale_of_colours_is_told(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#picture summary")
        assert page.is_hidden("#scale")
        for colouring, words in (("load", "largest force [N]"), ("speed", "largest speed [m/s]")):
            page.select_option("#colouring", colouring)
            assert words in page.inner_text("#scale")
        page.select_option("#colouring", "cluster")
        assert page.is_hidden("#scale")


def test_space_plays_after_a_box_was_ticked_with_the_pointer(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#drags")
        page.keyboard.press(" ")
        wait(page, "gelenk.status.run === 'playing'")
        assert not page.is_checked("#drags")
        page.focus("#drags")
        page.keyboard.press(" ")
        assert page.is_checked("#drags"), "with keys it is ticked as ever"
        assert page.evaluate("document.activeElement.id") == "drags"
        assert page.evaluate("gelenk.status.run") == "playing"


def test_an_error_goes_when_it_is_tried_again(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#adding > summary")
        page.fill("#add-name", "ball")
        page.click("#add")
        wait(page, "document.querySelector('#notes').textContent.includes('taken')")
        page.fill("#add-name", "other")
        page.click("#add")
        wait(page, "gelenk.pose('other') !== null")
        assert page.inner_text("#notes") == ""
