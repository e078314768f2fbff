"""One browser for all tests here, and a view that most of them look at."""

import pytest

from view.browser.chromium import FLAGS, PROGRAM
from view.models import falling_simulation
from view.pages import viewed


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def view():
    """A ball and a box in free flight that wait to be played."""
    with viewed(falling_simulation(), playing=False) as made:
        yield made
