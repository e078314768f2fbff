"""Pictures side by side and people side by side, in a real browser.

Cameras that a program places; what touches beside what is seen (V-118); two eyes (V-111); several operators (V-110).
"""

import numpy as np
import pytest

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, pixels, until, wait
from view.browser.test_picture import moved, settled, share_of_change
from view.models import H, falling_simulation
from view.pages import viewed
from view.test_touch import arm

pytestmark = needs_browser


def dummy():
    """A body that looks like a ball and touches as a box, on a hinge."""
    b = gk.Builder(name="dummy", gravity=(0, 0, 0))
    seen = gk.Part(gk.Sphere(0.5), collide=False, density=100)
    touches = gk.Part(gk.Box((0.9, 0.9, 0.9)), view=False, weighs=False)
    b.body("ball", shape=[seen, touches], at=(0, 0, 1))
    b.add(gk.Hinge(name="pin", a="world", b="ball", at=(0, 0, 1), axis=(0, 1, 0)))
    return gk.Simulation(b.build(), gk.RowStepping(h=H))


@pytest.mark.parametrize("camera", [((4, -3, 2), (0.5, 0, 2)), "4,-3,2:0.5,0,2"], ids=["points", "text"])
def test_a_program_places_the_camera(chromium, camera):
    with viewed(falling_simulation(), playing=False, camera=camera) as view, open_page(chromium, view) as page:
        wait(page, "gelenk.looked === 1")
        np.testing.assert_allclose(page.evaluate("gelenk.eye()"), (4, -3, 2), atol=1e-6)
        view.look("top")
        wait(page, "gelenk.looked === 2")
        x, _, z = page.evaluate("gelenk.eye()")
        ball, box = (page.evaluate(f"gelenk.pose('{name}')") for name in ("ball", "box"))
        assert z > 3.0
        assert abs(x - 0.5 * (ball[0] + box[0])) < 0.5
        page.evaluate("gelenk.drop()")
        wait(page, "gelenk.connections === 2 && gelenk.link === 'connected'")
        page.keyboard.press("2")
        page.wait_for_timeout(500)
        assert page.evaluate("gelenk.eye()")[2] < z - 1.0, "a page that comes back keeps what hands have turned"


def test_a_program_lets_the_camera_go_along(chromium):
    with (
        viewed(falling_simulation(), playing=False, camera="follow:ball:1,-3,1") as view,
        open_page(chromium, view) as page,
    ):
        wait(page, "gelenk.looked === 1")
        for steps in (0, 200):
            if steps:
                moved(page, 0, steps)
            beside = np.array(page.evaluate("gelenk.eye()")) - view.sim["ball"].position
            np.testing.assert_allclose(beside, (1, -3, 1), atol=1e-5)  # poses are float32
        page.click("#picture summary")
        assert page.input_value("#aim") == "follow"


def test_what_touches_is_seen_beside_what_is_seen(chromium):
    """Two viewports: a ball in the one, its box and the axes of its joint in the other (V-118)."""
    with viewed(dummy(), playing=False) as view, open_page(chromium, view) as page:
        page.click("#picture summary")
        page.click("[data-count='2']")
        wait(page, "gelenk.viewports === 2")
        page.keyboard.press("2")
        page.mouse.click(520, 120)  # in the second picture
        page.keyboard.press("2")
        before = settled(page)
        right = pixels(page, x=480, y=100, width=180, height=440)
        page.select_option("#shows", "proxies")
        wait(page, "gelenk.proxies === 1 && gelenk.signs.joints === 1")
        after = settled(page)
        assert share_of_change(before[:, :470], after[:, :470]) < 1e-3, "the first picture stays as it was"
        now = pixels(page, x=480, y=100, width=180, height=440)
        assert share_of_change(right, now) > 0.02
        new = now[np.abs(now - right).sum(axis=2) > 24]
        assert (new[:, 0] > 1.4 * new[:, 1:].max(axis=1)).sum() > 10, "the red axis of the joint"
        page.select_option("#shows", "layers")
        wait(page, "gelenk.proxies === 0")
        settled(page)
        assert share_of_change(right, pixels(page, x=480, y=100, width=180, height=440)) < 1e-3


def test_two_eyes_side_by_side(chromium):
    """What is nearer than the point looked at lies farther right for the left eye, what is behind it farther left."""
    b = gk.Builder(name="depth", gravity=(0, 0, 0))
    for name, y, colour in (("near", -2.0, (1, 0, 0)), ("far", 3.0, (0, 0, 1))):
        b.material(name, color=colour)
        part = gk.Part(gk.Sphere(0.15), collide=False, density=100, material=name)
        b.body(name, shape=part, at=(0, y, 0.3 if name == "far" else -0.2))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=H))
    with (
        viewed(sim, playing=False, camera=((0, -6, 0), (0, 0, 0))) as view,
        open_page(chromium, view) as page,
    ):
        wait(page, "gelenk.looked === 1")
        page.click("#picture summary")
        page.select_option("#stereo", "side")
        wait(page, "gelenk.stereo === 'side'")
        page.add_style_tag(content="#side, #bar, #title, #left { visibility: hidden }")
        page.wait_for_timeout(1200)
        halves = pixels(page, x=0, y=0, width=480, height=640), pixels(page, x=480, y=0, width=480, height=640)

        def middle(picture, channel):
            others = np.delete(picture, channel, axis=2).max(axis=2)
            there = np.argwhere(picture[:, :, channel] > 1.8 * others + 20)
            assert len(there) > 30, "it is seen"
            return there[:, 1].mean()

        near, far = ([middle(half, channel) for half in halves] for channel in (0, 2))
        assert near[0] - near[1] > 2.0, "pixels"
        assert far[0] - far[1] < -1.0


def test_two_eyes_in_red_and_cyan(chromium):
    """Edges are doubled: the red of one eye is not where the blue of the other is; one eye gives both again."""

    def apart(picture):
        edges = [np.abs(np.diff(picture[:, :, c], axis=1)) > 40 for c in (0, 2)]
        return (edges[0] ^ edges[1]).sum()

    with viewed(falling_simulation(), playing=False, camera="front") as view, open_page(chromium, view) as page:
        wait(page, "gelenk.looked === 1")
        page.click("#picture summary")
        before = settled(page)
        page.select_option("#stereo", "anaglyph")
        wait(page, "gelenk.stereo === 'anaglyph'")
        both = settled(page)
        assert share_of_change(before, both) > 2e-3
        assert apart(both) > 2 * apart(before)
        page.select_option("#stereo", "off")
        assert share_of_change(before, settled(page)) < 1e-3


def test_two_operators_at_once_and_the_drive_handed_over(chromium):
    """One drives the arm, another has a lever of their own; each looks from where they like (V-110)."""
    lever = gk.Input("lever", up="KeyL", rise=0, shared=True)
    pedal = gk.Input("pedal", up="KeyP", rise=0, to="drive.speed")
    with (
        viewed(arm(), inputs=[lever, pedal]) as view,
        open_page(chromium, view) as one,
        open_page(chromium, view) as two,
    ):
        assert two.is_disabled("#play")
        one.keyboard.down("KeyP")
        two.keyboard.down("KeyL")
        until(one, lambda: lever.value == 1.0 and view.sim.inputs["drive.speed"] == 1.0)
        two.keyboard.down("KeyP")
        two.wait_for_timeout(300)
        two.keyboard.up("KeyP")
        two.wait_for_timeout(300)
        assert pedal.value == 1.0, "what is not shared is moved by who drives alone"
        one.keyboard.press("1")
        assert not np.allclose(one.evaluate("gelenk.eye()"), two.evaluate("gelenk.eye()"), atol=0.1)
        two.click("#drive")
        until(two, lambda: pedal.value == 0.0)
        assert lever.value == 1.0, "its own lever stays where it is"
        two.keyboard.down("KeyP")
        until(two, lambda: pedal.value == 1.0)
        two.context.close()
        until(one, lambda: lever.value == 0.0)


def test_a_shared_lever_that_is_held_through_a_broken_line_is_held_after_it(chromium):
    """It goes to rest when the line breaks; the page that comes back says again what its hand still holds (V-110)."""
    lever, seen = gk.Input("lever", up="KeyL", rise=0, shared=True), []
    with (
        viewed(
            falling_simulation(), inputs=[lever], panels={"Lever": lambda sim: {"at": seen.append(lever.value) or 0}}
        ) as view,
        open_page(chromium, view) as one,
        open_page(chromium, view) as two,
    ):
        assert one.evaluate("gelenk.status.driver === gelenk.client")
        two.keyboard.down("KeyL")
        until(two, lambda: lever.value == 1.0)
        seen.clear()
        two.evaluate("gelenk.drop()")
        until(two, lambda: 0.0 in seen)
        wait(two, "gelenk.connections === 2 && gelenk.link === 'connected'")
        until(two, lambda: lever.value == 1.0)
        assert "Not connected" not in two.inner_text("#notes"), "nothing was sent while there was no line"
        two.keyboard.up("KeyL")
        until(two, lambda: lever.value == 0.0)


def test_a_lever_that_is_moved_while_there_is_no_line_is_heard_after_it(chromium):
    lever = gk.Input("lever", up="KeyL", rise=0, shared=True)
    with viewed(falling_simulation(), inputs=[lever]) as view, open_page(chromium, view) as page:
        page.evaluate("gelenk.drop()")
        wait(page, "gelenk.link === 'lost'")
        page.keyboard.down("KeyL")
        wait(page, "gelenk.connections === 2")
        until(page, lambda: lever.value == 1.0)
        assert "Not connected" not in page.inner_text("#notes"), "a lever says nothing where nobody hears it"


@pytest.mark.parametrize("how", ["follow", "fixed"])
def test_a_camera_goes_along_by_name_and_stays_where_its_body_was_deleted(chromium, how):
    """The box is another row of the frame once the ball before it is gone; without the box the camera stands still."""
    with (
        viewed(falling_simulation(), playing=False, camera=f"{how}:box:1,-3,1") as view,
        open_page(chromium, view) as page,
    ):
        wait(page, "gelenk.looked === 1")
        moved(page, 0, 50)
        view.change(lambda b: b.remove("ball"))
        wait(page, "gelenk.bodies === 2 && gelenk.pose('box') !== null")
        moved(page, 50, 100)
        box = view.sim["box"]
        R = box.rotation if how == "fixed" else np.eye(3)
        np.testing.assert_allclose(page.evaluate("gelenk.eye()"), box.position + R @ (1, -3, 1), atol=1e-4)  # float32
        eye = page.evaluate("gelenk.eye()")
        view.change(lambda b: (b.remove("box"), b.body("stone", shape=gk.Sphere(0.1), density=1, at=(9, 9, 9))))
        wait(page, "gelenk.pose('stone') !== null")
        wait(page, "gelenk.aim() === 'orbit'")
        moved(page, 150, 20)
        np.testing.assert_allclose(page.evaluate("gelenk.eye()"), eye, atol=1e-4)
