"""Panels of a world's own."""

import pytest

import gelenk as gk
from gelenk.view.panels import check_panels, panels_now
from gelenk.view.server import PAGE
from view.models import falling_simulation
from view.pages import Page, viewed


def test_rows_are_told_and_a_failure_says_so():
    sim = falling_simulation()
    told = panels_now(sim, {"Race": lambda sim: {"lap": 3, "speed": 12.34567}, "Broken": lambda sim: {}["none"]}).panels
    assert told[0].rows == (("lap", "3"), ("speed", "12.3"))
    assert "KeyError" in told[1].rows[0][1]


def test_only_functions_are_panels():
    with pytest.raises(gk.InputError, match="function"):
        check_panels({"a": 3})
    with pytest.raises(gk.InputError, match="dict"):
        check_panels([print])


@pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")
def test_the_page_hears_of_them():
    panels = {"Flight": lambda sim: {"height": sim["ball"].position[2]}}
    with viewed(falling_simulation(), playing=False, panels=panels) as view, Page(view) as page:
        page.until(lambda: "panels" in page.newest)
        assert page.newest["panels"]["panels"] == [{"title": "Flight", "rows": [["height", "2"]]}]
