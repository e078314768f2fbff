"""The page in a real browser: it shows the scene, and its buttons do exactly what they say."""

import time

import numpy as np

import gelenk as gk
from gelenk.view.clock import Clock
from view.browser.chromium import needs_browser, open_page, pixels, wait
from view.models import H, falling_simulation, gallery
from view.pages import viewed

pytestmark = needs_browser


def test_the_picture_is_not_blank_and_changes(chromium):
    sim = gk.Simulation(gallery(), gk.FreeMotion(h=H))
    with viewed(sim, playing=False) as view, open_page(chromium, view) as page:
        wait(page, "gelenk.pictures > 0")
        page.click("#step")
        wait(page, f"gelenk.time === {H}")
        before = pixels(page)
        colours = np.unique((before // 16).reshape(-1, 3), axis=0)
        assert len(colours) > 60, "all shapes with their shades"
        page.fill("#count", "900")
        drawn = page.evaluate("gelenk.pictures")
        page.click("#step")
        wait(page, f"gelenk.status.steps === 901 && gelenk.pictures > {drawn}")
        page.wait_for_timeout(200)
        moved = np.abs(pixels(page) - before).sum(axis=2) > 60
        assert moved[60:700].mean() > 0.003, "what turns is seen to turn"
        assert page.evaluate("gelenk.drawCalls") < 40


def test_pause_and_step_are_exact(chromium, view):
    with open_page(chromium, view) as page:
        page.fill("#count", "25")
        page.click("#step")
        wait(page, "gelenk.status.steps === 25")
        assert page.evaluate("gelenk.time") == 25 * H
        other = falling_simulation()
        other.step(25)
        np.testing.assert_allclose(page.evaluate("gelenk.pose('box')")[:3], other["box"].position, rtol=1e-6)
        page.click("#play")
        wait(page, "gelenk.status.run === 'playing' && gelenk.status.steps > 100")
        page.click("#play")
        wait(page, "gelenk.status.run === 'paused'")
        steps = page.evaluate("gelenk.status.steps")
        wait(page, f"gelenk.time === {steps * H!r}")
        page.wait_for_timeout(500)
        assert page.evaluate("gelenk.status.steps") == steps
        assert view.session.steps == steps


def test_reset_and_speed(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#step")
        wait(page, "gelenk.status.steps === 1")
        page.click("#reset")
        wait(page, "gelenk.status.steps === 0 && gelenk.time === 0")
        page.select_option("#speed", "0.1")
        wait(page, "gelenk.status.speed === 0.1")
        assert view.session.clock.speed == 0.1


def test_the_keyboard_plays_and_steps(chromium, view):
    with open_page(chromium, view) as page:
        page.keyboard.press(".")
        wait(page, "gelenk.status.steps === 1")
        page.keyboard.press(" ")
        wait(page, "gelenk.status.run === 'playing'")
        page.keyboard.press(" ")
        wait(page, "gelenk.status.run === 'paused'")


def test_the_space_bar_plays_also_after_a_click(chromium, view):
    """A button that was clicked does not keep the keyboard."""
    with open_page(chromium, view) as page:
        page.click("#reset")
        page.keyboard.press("Space")
        wait(page, "gelenk.time > 0")
        page.click("#play")
        wait(page, "gelenk.status.run === 'paused'")


def test_a_slow_simulation_is_said_to_be_slow(chromium):
    def slow(t, sim):
        time.sleep(0.02)

    with viewed(falling_simulation(), control=slow) as view, open_page(chromium, view) as page:
        wait(page, "document.querySelector('#pace').textContent.includes('cannot keep up')")
        assert page.evaluate("gelenk.status.factor") < 0.5


def test_one_that_has_caught_up_is_not_said_to_be_slow(chromium, monkeypatch):
    monkeypatch.setattr(Clock, "behind", property(lambda self: self.playing))
    monkeypatch.setattr(Clock, "factor", property(lambda self: 1.08))
    with viewed(falling_simulation()) as view, open_page(chromium, view) as page:
        wait(page, "gelenk.status.behind && document.querySelector('#pace').textContent.includes('1.08')")
        assert page.inner_text("#pace") == "1.08× real time"


def test_a_dropped_line_comes_back_and_goes_on(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#step")
        wait(page, "gelenk.status.steps === 1")
        page.evaluate("gelenk.drop()")
        wait(page, "gelenk.connections === 2 && gelenk.link === 'connected'")
        page.click("#step")
        wait(page, f"gelenk.status.steps === 2 && gelenk.time === {2 * H!r}")


def test_two_pages_see_the_same_frame_and_one_drives(chromium, view):
    with open_page(chromium, view) as one, open_page(chromium, view) as two:
        assert two.is_disabled("#play")
        one.fill("#count", "11")
        one.click("#step")
        for page in (one, two):
            wait(page, f"gelenk.time === {11 * H!r}")
        assert one.evaluate("gelenk.pose('ball')") == two.evaluate("gelenk.pose('ball')")
        assert one.evaluate("gelenk.sequence") == two.evaluate("gelenk.sequence")
        two.click("#drive")
        wait(two, "!document.querySelector('#play').disabled")
        wait(one, "document.querySelector('#play').disabled")
        two.click("#step")
        wait(one, "gelenk.status.steps === 12")


def test_figures_of_the_solver_are_shown(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#figures summary")
        assert "kinetic energy" in page.inner_text("#figures")


def test_a_copy_of_a_page_gets_a_key_of_its_own(chromium, view):
    """A copied tab brings the key along; the two must not push each other out for ever."""
    with open_page(chromium, view) as page:
        key = page.evaluate("sessionStorage.getItem('gelenk-key')")
        copy = page.context.new_page()
        copy.add_init_script(f"sessionStorage.setItem('gelenk-key', '{key}')")
        copy.goto(view.address)
        for one in (copy, page):
            wait(one, "!!window.gelenk && gelenk.status !== null && gelenk.status.clients === 2")
        page.wait_for_timeout(2000)
        assert copy.evaluate("gelenk.connections") == 1
        assert page.evaluate("gelenk.connections") == 2
        assert page.evaluate("sessionStorage.getItem('gelenk-key')") != key
