"""The explorer in a real browser: a tree of the model; what is removed, attached or edited there acts at once.

V-102, V-103, V-104, V-108, V-148.
"""

import numpy as np
import pytest

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, until, wait
from view.models import falling_simulation
from view.pages import viewed
from view.test_editor import cluster, sledge
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


def test_frames_hang_on_frames_in_the_tree(chromium):
    """Each below what it hangs on, with its place in that; those of the world have a branch of their own (V-102)."""
    b = gk.Builder(name="tools")
    b.body("arm", shape=gk.Part(gk.Box((1, 0.1, 0.1)), collide=False), density=100)
    b.frame("hand", "arm", at=(0.5, 0, 0))
    b.frame("elbow", "arm", at=(-0.5, 0, 0))
    b.frame("finger", "hand", at=(0, 0, 0.125))
    b.frame("nail", "finger", at=(0, 0.25, 0))
    b.frame("bench", "world", at=(0, 0, -1))
    b.frame("vice", "bench", at=(0, 2, 0))
    with viewed(gk.Simulation(b.build()), playing=False) as view, open_page(chromium, view) as page:
        unfold(page, "Bodies", "arm")
        lines = page.eval_on_selector_all(
            "[data-key='/arm'] .parts li", "all => all.map((one) => [one.textContent, one.getBoundingClientRect().x])"
        )
        texts = ["frame hand at 0.5, 0, 0 m", "frame finger at 0, 0, 0.125 m", "frame nail at 0, 0.25, 0 m"]
        assert [text for text, _ in lines] == [*texts, "frame elbow at -0.5, 0, 0 m"]
        left = [x for _, x in lines]
        assert left[0] == left[3] < left[1] < left[2]
        page.click("[data-key=World] > summary")
        page.click("[data-key='/world'] > summary")
        assert page.inner_text("[data-key='/world'] .parts").split("\n") == [
            "frame bench at 0, 0, -1 m", "frame vice at 0, 2, 0 m"
        ]  # fmt: skip


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


def test_numbers_fit_their_fields(chromium):
    """Round-off of places and velocities is 0, and no number is wider than its field; the tooltip has all digits."""
    b = gk.Builder()
    b.body(
        "stone",
        shape=gk.Sphere(0.1),
        density=1000,
        at=(1.23456789, -1.5e-14, -12.3456),
        velocity=(7e-15, -0.00123456, 0),
    )
    with viewed(gk.Simulation(b.build()), playing=False) as view, open_page(chromium, view) as page:
        unfold(page, "Bodies", "stone")
        fields = page.query_selector_all(".properties[data-name='stone'] [data-field='position']")
        assert [field.input_value() for field in fields] == ["1.2346", "0", "-12.346"]
        assert "1.23456789" in fields[0].get_attribute("title")
        assert page.input_value(".properties [data-field='velocity'][data-part='0']") == "0"
        for field in page.query_selector_all(".properties[data-name='stone'] input"):
            assert field.evaluate("e => e.scrollWidth <= e.clientWidth"), field.input_value()


def test_one_part_of_a_vector_is_written_and_the_others_keep_their_bits(chromium):
    """The page shows six digits, and they are old by the time a hand has written: neither goes back (V-108)."""
    with viewed(falling_simulation(), playing=False) as view, open_page(chromium, view) as page:
        page.fill("#count", "33")
        page.click("#step")
        wait(page, "gelenk.status.steps === 33")
        unfold(page, "Bodies", "ball")
        before = view.sim["ball"].position, view.sim["ball"].velocity
        assert before[0][0] != float(f"{before[0][0]:.6g}"), "which six digits do not hold"
        for field, part in (("position", 1), ("velocity", 0)):
            cell = f".properties[data-name=ball] [data-field={field}][data-part='{part}']"
            page.fill(cell, "0.125")
            page.press(cell, "Enter")
        until(page, lambda: view.sim["ball"].position[1] == 0.125 and view.sim["ball"].velocity[0] == 0.125)
        np.testing.assert_array_equal(view.sim["ball"].position[[0, 2]], before[0][[0, 2]])
        np.testing.assert_array_equal(view.sim["ball"].velocity[1:], before[1][1:])


def test_the_form_says_what_is_missing_and_offers_coordinates(chromium):
    """Nothing is attached elsewhere than was written, or with a number that nobody wrote."""

    def told(page, text):
        wait(page, f"document.querySelector('#notes').textContent.includes({text!r})")

    with viewed(cluster(), playing=False) as view, open_page(chromium, view) as page:
        page.click("#explorer > summary")
        page.click("#attaching > summary")
        page.select_option("#attach-what", "ball")
        page.select_option("#attach-b", "box")
        place = page.query_selector_all("#attaching .fields input")
        place[0].fill("0.5")
        page.click("#attach")
        told(page, "Write all of x, y and z")
        page.select_option("#attach-what", "spring")
        for cell, text in zip(place, ("0.5", "0.5", "0.5")):
            cell.fill(text)
        page.fill("#attach-value", "")
        page.click("#attach")
        told(page, "stiffness is no number")
        assert len(view.sim.model.joints) == 1
        assert not view.sim.model.forces
        page.fill("#attach-value", "20")
        page.select_option("#attach-a", "box")
        page.select_option("#attach-b", "bead")
        page.click("#attach")
        until(page, lambda: len(view.sim.model.forces) == 1)
        np.testing.assert_allclose(
            view.sim["box"].rotation @ view.sim.model.forces[0].at_a, (0.5, 0.5, 0.5), atol=1e-12
        )
        page.select_option("#attach-what", "motor")
        offered = page.eval_on_selector_all("#attach-a option", "all => all.map((one) => one.value)")
        assert sorted(offered) == ["bore.angle", "bore.position"]
        page.select_option("#attach-a", "bore.position")
        page.fill("#attach-value", "0.5")
        page.click("#attach")
        until(page, lambda: len(view.sim.model.joints) == 2)
        assert view.sim.model.joints[-1].on == "bore.position"


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
