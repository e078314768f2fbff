"""The explorer in a real browser: a tree of the model; what is removed, attached or edited there acts at once.

V-102, V-103, V-104, V-108, V-148.
"""

import numpy as np
import pytest

from view.browser.chromium import needs_browser, open_page, until, wait
from view.pages import viewed
from view.test_editor import sledge
from view.test_touch import arm

pytestmark = needs_browser


def unfold(page, branch, name):
    """Unfold an entry of the explorer, and wait until its properties are there."""
    if page.get_attribute("#explorer", "open") is None:
        page.click("#explorer > summary")
    if page.get_attribute(f"[data-key={branch}]", "open") is None:
        page.click(f"[data-key={branch}] > summary")
    if page.get_attribute(f"[data-key='/{name}']", "open") is None:
        page.click(f"[data-key='/{name}'] > summary")
    page.wait_for_selector(f".properties[data-name='{name}'] input")


def write(page, name, field, *values):
    for k, value in enumerate(values):
        page.fill(f".properties[data-name='{name}'] [data-field='{field}'][data-part='{k}']", str(value))
    page.keyboard.press("Enter")


@pytest.fixture
def view():
    with viewed(arm(), playing=False) as made:
        yield made


def test_the_tree_shows_frames_and_joints_of_a_body(chromium, view):
    """The tree hangs frames and joints on bodies, and drives on joints; a press goes there (V-102)."""
    with open_page(chromium, view) as page:
        unfold(page, "Bodies", "lower")
        parts = page.inner_text("[data-key='/lower'] .parts")
        assert "frame hand at 0, 0, -0.5 m" in parts
        assert "joint elbow" in parts
        assert "shoulder" not in parts
        page.click("[data-key='/lower'] .link")
        page.wait_for_selector(".properties[data-name='elbow'] input")
        assert "drive drive" in page.inner_text("[data-key='/elbow'] .parts")


def test_a_joint_breaks_where_the_explorer_removes_it(chromium, view):
    """Its motor goes with it, the rod falls from where it was, the scene of the page has the joint no more (V-104)."""
    with open_page(chromium, view) as page:
        unfold(page, "Joints", "elbow")
        page.keyboard.press(" ")
        wait(page, "gelenk.status.steps > 20")
        page.click("[data-remove=elbow]")
        until(page, lambda: [joint.name for joint in view.sim.model.joints] == ["shoulder"])
        assert view.sim.time > 0.02, "it went on from there"
        wait(page, "gelenk.pose('lower')?.[2] < -1.8")
        assert page.query_selector("[data-key='/elbow']") is None
        assert abs(page.evaluate("gelenk.pose('upper')")[2] + 0.5) < 0.05


def test_forces_and_drives_are_removed_and_others_attached(chromium, view):
    with open_page(chromium, view) as page:
        unfold(page, "Forces", "cord")
        page.click("[data-remove=cord]")
        until(page, lambda: not view.sim.model.forces)
        unfold(page, "Drives", "drive")
        page.click("[data-remove=drive]")
        until(page, lambda: len(view.sim.model.joints) == 2)
        page.click("#attaching > summary")
        page.select_option("#attach-what", "motor")
        page.select_option("#attach-a", "elbow")
        page.fill("#attach-value", "1.5")
        page.click("#attach")
        until(page, lambda: len(view.sim.model.joints) == 3)
        page.select_option("#attach-what", "ball")
        page.select_option("#attach-a", "world")
        page.select_option("#attach-b", "ball")
        page.click("#attach")
        until(page, lambda: len(view.sim.model.joints) == 4)
        page.fill("#count", "200")
        page.click("#step")
        wait(page, "gelenk.status.steps === 200")
        assert view.sim["elbow"].rate == pytest.approx(1.5, abs=1e-6)
        np.testing.assert_allclose(view.sim["ball"].position, (1, 0, -0.5), atol=1e-6)  # tolerance of Impulse: 1e-7 m


def test_properties_are_edited_while_it_runs(chromium):
    """Mass and place of a body, friction of a material: all act at once, all else goes on (V-108)."""
    with viewed(sledge()) as view, open_page(chromium, view) as page:
        wait(page, "gelenk.status.steps > 20")
        unfold(page, "Bodies", "box")
        write(page, "box", "mass", 7)
        until(page, lambda: view.sim.model.body("box").mass == 7.0)
        unfold(page, "Materials", "ice")
        write(page, "ice", "friction", 0.8)
        until(page, lambda: view.sim.model.materials[0].friction == 0.8)
        wait(page, "gelenk.time > 0.5")
        until(page, lambda: abs(view.sim["box"].velocity[0]) < 1e-3)
        write(page, "box", "position", -2, 1, 0.1)
        until(page, lambda: abs(view.sim["box"].position[0] + 2) < 1e-3)
        wait(page, "Math.abs(gelenk.pose('box')?.[1] - 1) < 1e-3")


def test_a_bad_value_is_told_and_the_field_goes_back(chromium, view):
    with open_page(chromium, view) as page:
        unfold(page, "Bodies", "upper")
        write(page, "upper", "mass", -3)
        wait(page, "document.querySelector('#notes').textContent.includes('mass')")
        assert view.sim.model.body("upper").mass == pytest.approx(10.0)
        wait(page, "document.querySelector(\".properties[data-name=upper] [data-field=mass]\").value === '10'")


def test_who_watches_cannot_edit(chromium, view):
    with open_page(chromium, view) as driver, open_page(chromium, view) as watcher:
        for page in (driver, watcher):
            unfold(page, "Joints", "elbow")
        assert watcher.is_disabled("[data-remove=elbow]")
        assert watcher.is_disabled(".properties[data-name=elbow] [data-field=gain]")
        assert not driver.is_disabled("[data-remove=elbow]")
        watcher.click("#drive")
        wait(watcher, "!document.querySelector('[data-remove=elbow]').disabled")
        wait(driver, "document.querySelector('[data-remove=elbow]').disabled")
