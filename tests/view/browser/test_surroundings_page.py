"""Light and scenery in a real browser (B-65, B-66): day, night, sails; much of it, drawn where it is seen."""

import numpy as np

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, pixels, wait
from view.pages import viewed

pytestmark = needs_browser
LENGTH, ACROSS = 1500.0, 40


def plate(name, size, at, n=41, **how):
    """A level square of n by n corners."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n) * size, np.linspace(-0.5, 0.5, n) * size, indexing="ij")
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate((np.stack((i, i + n, i + n + 1), 1), np.stack((i, i + n + 1, i + 1), 1)))
    return gk.ScenerySurface(name, np.stack((x, y, 0 * x), axis=-1).reshape(-1, 3) + at, faces, **how)


def chute():
    """0.7 million triangles along 1.5 km."""
    n = 9000
    s, across = np.linspace(0, LENGTH, n), np.linspace(-1.5, 1.5, ACROSS)
    x, y = np.meshgrid(s, across, indexing="ij")
    vertices = np.stack((x, y + 20 * np.sin(x / 60), 0.2 * y**2 - 0.05 * x), axis=-1).reshape(-1, 3)
    i = (np.arange(n - 1)[:, None] * ACROSS + np.arange(ACROSS - 1)).ravel()
    two = np.stack((i, i + ACROSS, i + ACROSS + 1, i, i + ACROSS + 1, i + 1), axis=1).reshape(-1, 3)
    return gk.ScenerySurface("chute", vertices, two, colours=(0.8, 0.9, 1.0), gloss=0.8)


def waiting(name="box"):
    b = gk.Builder(name="yard", gravity=(0, 0, 0))
    b.body(name, shape=gk.Box((1, 1, 1)), density=100, at=(0, 0, 1.5))
    return gk.Simulation(b.build(), gk.FreeMotion(h=1e-3))


def brightness(page):
    page.wait_for_timeout(1500)
    return pixels(page, x=40, y=250, width=300, height=250).mean()


def test_the_sun_casts_shadows_and_a_night_is_dark_but_for_its_lamps(chromium):
    ground = plate("ground", 200, (0, 0, 0), colours=(0.9, 0.9, 0.9))
    sails = plate("sails", 30, (0, 0, 12), shown=False)
    look = {"camera": ((-9, -9, 5), (0, 0, 0.5)), "light": gk.Daylight(180, 80)}
    with viewed(waiting(), playing=False, scenery=[ground, sails], **look) as view, open_page(chromium, view) as page:
        wait(page, "gelenk.scenery.ready && gelenk.light === 'day'")
        day = brightness(page)
        view.show("sails")
        wait(page, "gelenk.scenery.shown.includes('sails')")
        shaded = brightness(page)
        assert shaded < 0.85 * day  # the sun is hidden, the sky is not
        view.show("sails", False)
        view.light(gk.Night())
        wait(page, "gelenk.light === 'night'")
        night = brightness(page)
        assert night < 0.4 * day
        view.light(gk.Night([(x, -4, 5) for x in range(-60, 61, 10)]))
        wait(page, "gelenk.lamps > 0")
        assert page.evaluate("gelenk.lamps") <= 6  # the nearest alone are lights
        assert brightness(page) > 1.5 * night  # on the ground, which all lamps light
        view.light(None)
        wait(page, "gelenk.light === 'workbench'")


def test_a_long_track_and_thousands_of_trees_come_fast_and_are_drawn_where_they_are_seen(chromium):
    rng = np.random.default_rng(1)
    at = np.column_stack((rng.uniform(0, LENGTH, 5000), rng.uniform(30, 300, 5000), np.zeros(5000)))
    wood = gk.SceneryCopies("wood", "conifer", at, sizes=rng.uniform(5, 15, 5000), colours=(0.2, 0.4, 0.2))
    look = {"camera": ((-10, 0, 4), (10, 0, 0)), "light": gk.Daylight()}
    with viewed(waiting(), playing=False, scenery=[chute(), wood], **look) as view, open_page(chromium, view) as page:
        wait(page, "gelenk.scenery.ready && gelenk.looked > 0")
        told = page.evaluate("gelenk.scenery")
        assert told["triangles"] == 2 * 8999 * 39
        assert told["copies"] == 5000
        assert told["bytes"] == 9000 * ACROSS * 24 + 12 * told["triangles"] + 40 * 5000  # and no more
        ahead = told["seen"]
        view.look(((750, 0, 200), (750, 10, -40)))  # down from above its middle
        wait(page, "gelenk.looked === 2")
        page.wait_for_timeout(300)
        assert 0 < page.evaluate("gelenk.scenery").get("seen") < 0.35 * ahead
        assert page.evaluate("gelenk.drawCalls") < 400


def test_a_large_surface_of_a_model_is_seen(chromium):
    n = np.linspace(-4, 4, 181)
    b = gk.Builder(name="dune", gravity=(0, 0, 0))
    b.body("dune", shape=gk.HeightField(0.3 * np.sin(n)[:, None] * np.ones(181), 0.05), static=True)
    b.body("ball", shape=gk.Sphere(0.1), density=100, at=(0, 0, 3))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=1e-3))
    with viewed(sim, playing=False, camera="top") as view, open_page(chromium, view) as page:
        wait(page, "gelenk.scenery.bytes > 0 && gelenk.looked > 0")
        page.wait_for_timeout(300)
        x, y = page.evaluate("gelenk.onPage(1, 1, 0)")
        wait(page, f"gelenk.bodyAt({x}, {y}) === 'dune'")
        assert page.evaluate(f"gelenk.bodyAt({x}, {y})") == "dune"
