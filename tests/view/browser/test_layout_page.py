"""The panels of the page: what is fitted is not behind them, and all of them can be reached."""

import numpy as np
import pytest

from view.browser.chromium import needs_browser, open_page, wait
from view.models import falling_simulation
from view.pages import viewed

pytestmark = needs_browser


def corners(page, width=0.3):
    """Places on the page of points around the ball and the box."""
    middles = [page.evaluate(f"gelenk.pose('{name}')")[:3] for name in ("ball", "box")]
    return np.array(
        [page.evaluate(f"gelenk.onPage({x}, {y}, {z + up})") for x, y, z in middles for up in (-width, width)]
    )


def fits(page, right, low):
    places = corners(page)
    return (places > 0).all() and (places[:, 0] < right).all() and (places[:, 1] < low).all()


@pytest.fixture
def view():
    with viewed(falling_simulation(), playing=False) as made:
        yield made


def test_the_scene_is_fitted_beside_the_panels(chromium, view):
    with open_page(chromium, view) as page:
        right, low = page.locator("#side").bounding_box()["x"], page.locator("#bar").bounding_box()["y"]
        assert fits(page, right, low)
        page.keyboard.press("1")
        page.keyboard.press("+")
        page.keyboard.press("f")
        assert fits(page, right, low)
        assert np.ptp(corners(page)[:, 0]) > 0.3 * right, "and fills what is free"


def test_a_narrow_page_puts_the_panels_away(chromium, view):
    with open_page(chromium, view) as page:
        assert page.is_hidden("#panels")
        page.set_viewport_size({"width": 420, "height": 760})
        assert page.is_hidden("#side")
        page.wait_for_timeout(300)
        page.keyboard.press("f")
        assert fits(page, 420, page.locator("#bar").bounding_box()["y"])
        page.click("#panels")
        assert page.is_visible("#touch")
        page.click("#panels")
        assert page.is_hidden("#side")


def test_one_sees_that_there_are_more_panels_below(chromium, view):
    with open_page(chromium, view) as page:
        wait(page, "!document.querySelector('#side').classList.contains('more')")
        page.click("#picture summary")
        wait(page, "document.querySelector('#side').classList.contains('more')")
        page.evaluate("document.querySelector('#side').scrollTo(0, 5000)")
        wait(page, "!document.querySelector('#side').classList.contains('more')")


def test_the_time_between_images_is_readable(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#recording summary")
        assert page.locator("#images-every").bounding_box()["width"] > 60
