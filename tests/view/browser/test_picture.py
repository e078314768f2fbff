"""The picture in a real browser: every layer, colouring, camera and viewport shows what it says."""

import io

import numpy as np
import pytest
from PIL import Image

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, wait
from view.models import H, falling_simulation
from view.pages import viewed

pytestmark = needs_browser
GRID = 20  # vertices along the edge of the sail


def workshop():
    """Boxes on each other, a pendulum on a hinge, a ball on a spring, a body whose shape is not what touches."""
    b = gk.Builder(name="workshop")
    b.body("floor", shape=gk.Plane(), static=True)
    for k in range(3):
        b.body(f"box{k}", shape=gk.Box((0.5, 0.5, 0.5)), at=(0, 0, 0.25 + 0.5 * k), density=300)
    b.body("arm", shape=gk.Capsule(0.08, 0.9), at=(-1.0, 0, 1.6), rotation=(0.7071068, 0, 0.7071068, 0), density=500)
    b.add(gk.Hinge(name="hinge", a="world", b="arm", at=(-1.5, 0, 1.6), axis=(0, 1, 0)))
    b.body("bob", shape=gk.Sphere(0.15), at=(-0.9, -0.9, 0.8), density=500)
    b.add(gk.Spring(name="rope", a="world", b="bob", stiffness=400, rest_length=0.6, at_a=(-0.9, -0.9, 1.8)))
    return b.build()


def sail(sim):
    x, y = np.meshgrid(np.linspace(0, 1, GRID), np.linspace(0, 1, GRID))
    return np.stack([x + 1.5, y, 0.5 + 0.2 * np.sin(6 * x + 50 * sim.time)], axis=-1).reshape(-1, 3)


def faces():
    i = np.arange((GRID - 1) * GRID).reshape(GRID - 1, GRID)[:, :-1].ravel()
    return np.concatenate([np.stack([i, i + 1, i + GRID + 1], 1), np.stack([i, i + GRID + 1, i + GRID], 1)])


@pytest.fixture(scope="module")
def stood():
    sim = gk.Simulation(workshop(), gk.RowStepping(h=2e-3))
    sim.step(20)
    with viewed(sim, playing=False) as view:
        yield view


@pytest.fixture
def page(chromium, stood):
    with open_page(chromium, stood) as made:
        made.click("#picture summary")
        yield made


def settled(page):
    """Pixels of the stage when nothing changes any more: also after a blurred picture was sharpened."""
    before = None
    for _ in range(40):
        page.wait_for_timeout(350)
        shot = page.screenshot(clip={"x": 0, "y": 70, "width": 660, "height": 480})
        now = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)
        if before is not None and np.array_equal(before, now):
            return now
        before = now
    raise AssertionError("the picture does not settle")


def share_of_change(one, two):
    return (np.abs(one - two).sum(axis=2) > 24).mean()


@pytest.mark.parametrize(
    ("layer", "shown"),
    [
        ("physical", "gelenk.signs.wires === 5"),
        ("joints", "gelenk.signs.joints === 1"),
        ("frames", "gelenk.signs.frames === 5"),
        ("com", "gelenk.signs.com === 5"),
        ("names", "gelenk.signs.names === 5"),
    ],
)
def test_a_layer_is_shown_and_hidden_again(page, layer, shown):
    before = settled(page)
    page.check(f"[data-layer={layer}]")
    wait(page, shown)
    on = settled(page)
    assert share_of_change(before, on) > 2e-4
    page.uncheck(f"[data-layer={layer}]")
    wait(page, f"!({shown})")
    assert share_of_change(before, settled(page)) < share_of_change(before, on) / 4


@pytest.mark.parametrize("layer", ["visual", "grid", "springs"])
def test_what_is_shown_at_first_can_be_hidden(page, layer):
    before = settled(page)
    page.uncheck(f"[data-layer={layer}]")
    assert share_of_change(before, settled(page)) > 5e-4


def test_axes_of_joints_are_red_green_and_blue(page):
    page.uncheck("[data-layer=visual]")
    before = settled(page)
    page.check("[data-layer=joints]")
    now = settled(page)
    new = now[np.abs(now - before).sum(axis=2) > 24]
    for c in range(3):
        others = np.delete(new, c, axis=1).max(axis=1)
        assert (new[:, c] > 1.4 * others).sum() > 10, "rgb"[c]


def test_shadows_can_be_hidden(page):
    if page.evaluate("gelenk.quality") >= 5:
        pytest.skip("this machine is too slow for shadows")
    before = settled(page)
    page.uncheck("[data-layer=shadows]")
    assert share_of_change(before, settled(page)) > 1e-3


def test_every_contact_has_an_arrow(page, stood):
    count = len(stood.session.sim.contacts)
    assert count >= 12
    before = settled(page)
    page.check("[data-layer=contacts]")
    wait(page, f"gelenk.signs.contacts === {count} && gelenk.signs.forces === {count}")
    assert share_of_change(before, settled(page)) > 1e-3
    page.uncheck("[data-layer=contacts]")
    wait(page, "gelenk.signs.contacts === 0")


def test_colours_tell_load_cluster_sleep_and_speed_apart(page, stood):
    looks = [settled(page)]
    for colouring in ("load", "cluster", "sleeping", "speed"):
        page.select_option("#colouring", colouring)
        wait(page, f"gelenk.colouring === '{colouring}'")
        looks.append(settled(page))
        assert stood.session.layers.wanted
        assert colouring in next(iter(stood.session.layers.wanted.values()))
    for i, one in enumerate(looks):
        for two in looks[:i]:
            assert share_of_change(one, two) > 2e-3
    page.select_option("#colouring", "material")
    wait(page, "gelenk.colouring === 'material'")
    assert share_of_change(looks[0], settled(page)) < 1e-3
    assert () in stood.session.layers.wanted.values()


@pytest.mark.parametrize("count", [2, 4])
def test_several_viewports_with_a_camera_each(page, count):
    one = settled(page)
    page.click(f"[data-count='{count}']")
    wait(page, f"gelenk.viewports === {count}")
    assert share_of_change(one, settled(page)) > 0.05
    places = [page.evaluate(f"gelenk.onScreen('box2', {k})") for k in range(count)]
    assert len({tuple(np.round(p[:2], 3)) for p in places}) == count
    page.mouse.move(600, 300)  # in the second picture
    page.mouse.down()
    page.mouse.move(620, 330, steps=3)
    page.mouse.up()
    assert page.evaluate("gelenk.onScreen('box2', 0)") == places[0]
    assert page.evaluate("gelenk.onScreen('box2', 1)") != places[1]


def test_the_keyboard_turns_looks_and_opens_viewports(page):
    places = [page.evaluate("gelenk.onScreen('box2')")]
    page.focus("canvas")
    for key in ("1", "2", "3", "f", "Shift+ArrowLeft", "Shift+ArrowUp", "+", "-"):
        page.keyboard.press(key)
        places.append(page.evaluate("gelenk.onScreen('box2')"))
        assert not np.allclose(places[-2], places[-1]), key
    for count in (2, 4, 1):
        page.keyboard.press("v")
        wait(page, f"gelenk.viewports === {count}")


def test_a_point_of_the_page_tells_the_body_there(page):
    x, y, _ = page.evaluate("gelenk.onScreen('box2')")
    assert page.evaluate(f"gelenk.bodyAt({480 * (1 + x)}, {320 * (1 - y)})") == "box2"


def moved(page, before, steps):
    page.fill("#count", str(steps))
    page.click("#step")
    wait(page, f"gelenk.status.steps === {before + steps} && Math.abs(gelenk.time - gelenk.status.time) < 1e-9")


def test_a_camera_that_follows_keeps_the_body_where_it_is(chromium):
    with viewed(falling_simulation(), playing=False) as view, open_page(chromium, view) as page:
        page.click("#picture summary")
        page.select_option("#aim", "follow")
        page.select_option("#aim-body", label="ball")
        ball, box = (page.evaluate(f"gelenk.onScreen('{name}')") for name in ("ball", "box"))
        right, low = page.locator("#side").bounding_box()["x"], page.locator("#bar").bounding_box()["y"]
        assert np.allclose(ball[:2], (right / 960 - 1, 1 - low / 640), atol=1e-3), "in the middle of what is free"
        moved(page, 0, 200)
        np.testing.assert_allclose(page.evaluate("gelenk.onScreen('ball')"), ball, atol=1e-3)
        assert not np.allclose(page.evaluate("gelenk.onScreen('box')"), box, atol=5e-3)
        page.select_option("#aim", "orbit")
        ball = page.evaluate("gelenk.onScreen('ball')")
        moved(page, 200, 200)
        assert not np.allclose(page.evaluate("gelenk.onScreen('ball')"), ball, atol=5e-3)


def test_a_camera_fixed_to_a_body_turns_with_it(chromium):
    with viewed(falling_simulation(), playing=False) as view, open_page(chromium, view) as page:
        page.click("#picture summary")
        page.select_option("#aim", "body")
        page.select_option("#aim-body", label="box")
        box, ball = (page.evaluate(f"gelenk.onScreen('{name}')") for name in ("box", "ball"))
        moved(page, 0, 300)
        np.testing.assert_allclose(page.evaluate("gelenk.onScreen('box')"), box, atol=1e-3)
        assert not np.allclose(page.evaluate("gelenk.onScreen('ball')"), ball, atol=0.05), "the world turns about it"


def test_a_trail_is_as_long_as_it_was_asked_to_be(chromium):
    with viewed(falling_simulation(), playing=False) as view, open_page(chromium, view) as page:
        page.click("#picture summary")
        page.fill("#trail-seconds", "0.2")
        page.select_option("#trail", "ball")
        before = settled(page)
        for k in range(6):
            moved(page, 50 * k, 50)
        assert 3 <= page.evaluate("gelenk.trails.ball") <= 5, "steps of 0.05 s"
        assert share_of_change(before, settled(page)) > 1e-3
        page.click("#reset")
        wait(page, "gelenk.time === 0 && gelenk.trails.ball === 1")


def test_a_surface_deforms_and_lines_are_drawn(chromium):
    def setup(view):
        view.surface("sail", faces(), vertices=sail)

    sim = gk.Simulation(workshop(), gk.RowStepping(h=H))
    with viewed(sim, playing=False, setup=setup) as view, open_page(chromium, view) as page:
        wait(page, f"gelenk.signs.corners === {GRID * GRID}")
        before = settled(page)
        moved(page, 0, 30)
        after = settled(page)
        assert share_of_change(before, after) > 2e-3
        view.lines("rays", ends=lambda sim: np.array([[[0, -1, 0.1], [0, -1, 3]], [[2, -1, 0.1], [2, -1, 3]]]))
        wait(page, f"gelenk.signs.corners === {GRID * GRID} && gelenk.scene === 2")
        assert share_of_change(after, settled(page)) > 2e-4
        view.undraw("sail")
        wait(page, "gelenk.signs.corners === 0")


def test_many_bodies_are_one_surface_and_can_be_picked_and_coloured(chromium):
    b = gk.Builder(name="many", gravity=(0, 0, 0))
    for k in range(400):
        shape = gk.Part(gk.Box((0.6, 0.6, 0.6)), density=100.0, collide=False)
        b.body(f"b{k}", shape=shape, at=(k % 20, k // 20, 0), velocity=(0.001 * k, 0, 0))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=H))
    with viewed(sim, playing=False) as view, open_page(chromium, view) as page:
        assert page.evaluate("gelenk.drawCalls") < 10
        x, y, _ = page.evaluate("gelenk.onScreen('b0')")
        assert page.evaluate(f"gelenk.bodyAt({480 * (1 + x)}, {320 * (1 - y)})") == "b0"
        before = settled(page)
        page.click("#picture summary")
        page.select_option("#colouring", "speed")
        wait(page, "gelenk.colouring === 'speed'")
        coloured = settled(page)
        assert share_of_change(before, coloured) > 0.02
        moved(page, 0, 2000)
        assert share_of_change(coloured, settled(page)) > 0.005
