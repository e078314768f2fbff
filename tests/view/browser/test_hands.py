"""Hands in a real browser: bodies are dragged, pushed, frozen, deleted and added, and joints hold."""

import numpy as np
import pytest

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, until, wait
from view.models import H, falling_simulation, gallery
from view.pages import viewed
from view.test_touch import arm

pytestmark = needs_browser


def on_page(page, point):
    x, y, z = (float(c) for c in point)
    return page.evaluate(f"gelenk.onPage({x}, {y}, {z})")


def press(page, body):
    """The pointer on the middle of a body."""
    x, y = on_page(page, page.evaluate(f"gelenk.pose('{body}')")[:3])
    page.mouse.move(x, y)
    return x, y


def test_dragging_moves_the_body_and_the_joint_holds(chromium):
    with viewed(arm(), playing=False) as view, open_page(chromium, view) as page:
        sim = view.session.sim
        x, y = press(page, "upper")
        page.mouse.down()
        page.mouse.move(x + 40, y, steps=4)
        page.mouse.move(x + 120, y - 20, steps=4)
        wait(page, "gelenk.held")
        page.keyboard.press(" ")
        wait(page, "Math.abs(gelenk.pose('upper')[0]) > 0.1")
        for _ in range(5):
            page.wait_for_timeout(100)
            frame = np.array(page.evaluate("gelenk.pose('upper')"))
            w, qx, qy, qz = frame[3:]
            top = frame[:3] + 0.5 * np.array([2 * (qx * qz + w * qy), 2 * (qy * qz - w * qx), 1 - 2 * (qx**2 + qy**2)])
            assert np.linalg.norm(top) < 1e-5, "the shoulder stays where it is, as far as a frame can tell"
        page.mouse.up()
        wait(page, "!gelenk.held")
        until(page, lambda: not view.session.before_each)
        assert sim.info["worst_position_error"] < 1e-8


def test_a_body_follows_the_pointer(chromium):
    sim = gk.Simulation(gallery(fly=False), gk.FreeMotion(h=H))  # without weight, which would let it hang down
    with viewed(sim, playing=False) as view, open_page(chromium, view) as page:
        x, y = press(page, "sphere")
        page.mouse.down()
        page.mouse.move(x + 30, y - 40, steps=5)
        wait(page, "gelenk.held")
        page.fill("#count", "900")
        page.evaluate("document.querySelector('#step').click()")
        wait(page, "gelenk.status.steps === 900")
        until(page, lambda: view.session.before_each)
        (pull,) = view.session.before_each
        held = on_page(page, pull.__self__.grip.place(sim))
        assert view.session.steps == 900
        assert np.hypot(held[0] - x - 30, held[1] - y + 40) < 3, "what is held is where the pointer is"
        page.mouse.up()


def test_the_view_turns_where_no_body_is(chromium, view):
    with open_page(chromium, view) as page:
        before = on_page(page, (0, 0, 0))
        page.mouse.move(400, 560)
        page.mouse.down()
        page.mouse.move(460, 540, steps=3)
        page.mouse.up()
        assert np.hypot(*np.subtract(on_page(page, (0, 0, 0)), before)) > 5
        assert not page.evaluate("gelenk.held")


def test_a_press_selects_and_a_push_moves(chromium, view):
    with open_page(chromium, view) as page:
        press(page, "ball")
        page.mouse.down()
        page.mouse.up()
        wait(page, "document.querySelector('#selected').value.startsWith('ball')")
        before = view.session.sim["ball"].velocity
        page.click("#push")
        wait(page, "gelenk.frames > 1")
        until(page, lambda: (view.session.sim["ball"].velocity != before).any())
        after = view.session.sim["ball"].velocity
        assert np.linalg.norm(after - before) == pytest.approx(1.0, rel=1e-6)
        press(page, "box")
        page.keyboard.down("Shift")
        page.mouse.down()
        page.mouse.up()
        page.keyboard.up("Shift")
        until(page, lambda: np.linalg.norm(view.session.sim["box"].velocity - (0, 0, 4)) > 0.3)


def test_freeze_delete_and_add(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#explorer > summary")
        page.click("#tree [data-key=Bodies] > summary")
        page.click("#tree [data-key='/box'] > summary")
        wait(page, "document.querySelector('#selected').value.startsWith('box')")
        page.click("#freeze")
        wait(page, "document.querySelector('#selected').value.includes('frozen')")
        page.fill("#count", "50")
        page.click("#step")
        wait(page, "gelenk.status.steps === 50")
        assert page.evaluate("gelenk.pose('box')")[2] == pytest.approx(2.0)
        page.click("#freeze")
        wait(page, "!document.querySelector('#selected').value.includes('frozen')")
        page.click("#delete")
        wait(page, "gelenk.pose('box') === null && gelenk.bodies === 2")
        page.click("#adding > summary")
        page.select_option("#add-shape", "cylinder")
        page.fill("#add-name", "barrel")
        page.click("#add")
        wait(page, "gelenk.pose('barrel') !== null")
        assert page.evaluate("gelenk.pose('barrel')")[:3] == [0, 0, 2]
        assert view.session.sim.time == pytest.approx(0.05)
        page.fill("#add-name", "ball")
        page.click("#add")
        wait(page, "document.querySelector('#notes').textContent.includes('taken')")
        page.click("#reset")
        wait(page, "gelenk.status.steps === 0")
        assert [body.name for body in view.session.sim.model.bodies] == ["ball", "barrel"]


def test_a_page_that_watches_does_not_touch(chromium, view):
    with open_page(chromium, view) as one, open_page(chromium, view) as two:
        x, y = press(two, "ball")
        two.mouse.down()
        two.mouse.move(x + 50, y, steps=3)
        assert not two.evaluate("gelenk.held")
        two.mouse.up()
        assert two.is_disabled("#add")
        assert one.is_enabled("#add")
        assert not view.session.before_each


def test_a_page_that_goes_lets_go(chromium):
    with viewed(falling_simulation(), playing=False) as view:
        with open_page(chromium, view) as page:
            x, y = press(page, "ball")
            page.mouse.down()
            page.mouse.move(x + 20, y, steps=4)
            wait(page, "gelenk.held")
            until(page, lambda: view.session.before_each)
        with open_page(chromium, view) as page:
            until(page, lambda: not view.session.before_each)


def test_errors_of_a_model_that_cannot_be_are_shown(chromium):
    bad = gk.Parameter("odd", get=lambda sim: 0.0, change=lambda b, x: b.change("nothing", limits=(0, x)))
    with viewed(falling_simulation(), parameters=[bad]) as view, open_page(chromium, view) as page:
        page.click("#settings > summary")
        page.fill("input[type=range][data-name=odd]", "0.5")
        wait(page, "document.querySelector('#notes').textContent.includes('nothing')")
        assert view.session.status().run == "playing"
