"""Coulomb's law in the plane: every direction, the grain, the way of a block, blocks that stay (V-84, V-85)."""

import math

import numpy as np
import pytest
from contact_scenes import G, moved, simulation, slope

import gelenk as gk


def slider(friction, across=None, load=(0.0, 0.0), velocity=(0.0, 0.0), spin=0.0, static=None, turn=0.0):
    """A flat block on a plane under a load along it [m/s^2]; its grain is along its x, turned by ``turn``."""
    b = gk.Builder(gravity=(*load, -G))
    grain = {} if across is None else {"friction_across": across, "grain": (1, 0, 0)}
    b.material("m", friction=friction, static_friction=static, **grain)
    b.body("ground", shape=gk.Plane(), static=True)
    b.body(
        "block",
        shape=gk.Box((0.3, 0.3, 0.01)),
        material="m",
        at=(0, 0, 0.005),
        rotation=(math.cos(turn / 2), 0, 0, math.sin(turn / 2)),
        velocity=(*velocity, 0),
        angular_velocity=(0, 0, spin),
    )
    return b.build()


@pytest.mark.parametrize("direction", np.linspace(0, math.pi, 9))
def test_friction_is_the_same_in_all_directions(direction, method):
    """A true cone (V-84): a pyramid would be stronger along its diagonals by up to the root of two."""
    mu, v, t = 0.4, 3.0, 0.5
    way = np.array([math.cos(direction), math.sin(direction)])
    sim = moved(slider(mu, velocity=tuple(v * way)), t, 2e-3, method=method)
    np.testing.assert_allclose(sim["block"].velocity[:2], (v - mu * G * t) * way, atol=1e-6)
    force = sum(c.force for c in sim.contacts)[:2]
    np.testing.assert_allclose(force, -mu * G * sim.model.body("block").mass * way, atol=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.7])
@pytest.mark.parametrize(("along", "mu"), [(True, 0.2), (False, 0.6)])
def test_a_grain_has_a_coefficient_along_and_one_across(along, mu, turn, method):
    """The grain turns with the body."""
    v, t = 4.0, 0.4
    angle = turn if along else turn + math.pi / 2
    way = np.array([math.cos(angle), math.sin(angle)])
    sim = moved(slider(0.2, 0.6, velocity=tuple(v * way), turn=turn), t, 2e-3, method=method)
    np.testing.assert_allclose(sim["block"].velocity[:2], (v - mu * G * t) * way, atol=1e-6)


def test_a_block_slides_askew_of_the_grain_by_the_law_of_the_ellipse(method):
    """Friction that loses most within the ellipse,  f = -N (a^2 u_x, b^2 u_y) / sqrt(a^2 u_x^2 + b^2 u_y^2).

    Against the same law integrated with steps a hundred times as small; order 1, so off by h times the acceleration.
    """
    a, b, t, h = 0.2, 0.6, 0.5, 1e-3
    u, load = np.array([3.0, 2.5]), np.array([1.0, 0.5])
    sim = moved(slider(a, b, load=tuple(load), velocity=tuple(u)), t, h, method=method)
    fine = h / 100
    for _ in range(round(t / fine)):
        f = np.array([a * a, b * b]) * u
        u = u + fine * (load - G * f / math.hypot(a * u[0], b * u[1]))
    assert np.abs(u).min() > 0.1  # it still slides both ways
    np.testing.assert_allclose(sim["block"].velocity[:2], u, atol=h * b * G)
    assert abs(sim["block"].angular_velocity[2]) < 1e-6


def test_a_load_within_the_ellipse_is_held_and_one_outside_slides(method):
    """(load_x / a)^2 + (load_y / b)^2 against g^2; a disc of a or of b would answer otherwise in each case."""
    a, b = 0.2, 0.6
    for factor in (0.97, 1.03):
        for angle in (0.0, 0.5, 1.2, math.pi / 2):
            load = factor * G * np.array([a * math.cos(angle), b * math.sin(angle)])
            sim = moved(slider(a, b, load=tuple(load)), 0.4, 4e-3, method=method)
            speed = np.linalg.norm(sim["block"].velocity)
            assert (speed < 1e-6) == (factor < 1), (factor, angle)


@pytest.mark.parametrize(("static", "holds"), [(0.62, True), (0.58, False)])
def test_what_is_held_by_the_static_coefficient_slides_with_the_dynamic_one(static, holds, method):
    """A load of 0.6 g: held by 0.62; with 0.58 it breaks loose and goes at (0.6 - 0.3) g. Pushed, it goes on too."""
    mu, t = 0.3, 0.5
    sim = moved(slider(mu, load=(0.6 * G, 0), static=static), t, 2e-3, method=method)
    assert sim["block"].velocity[0] == pytest.approx(0.0 if holds else 0.3 * G * t, abs=1e-6)
    sim = moved(slider(mu, load=(0.6 * G, 0), static=static, velocity=(0.5, 0)), t, 2e-3, method=method)
    assert sim["block"].velocity[0] == pytest.approx(0.5 + 0.3 * G * t, abs=1e-6)


def test_a_block_that_stops_on_a_slope_is_held_by_the_static_coefficient(method):
    """Shot up a slope of tan 0.5, between 0.4 and 0.7: it stops, stays, and never slides back (I-102, I-103)."""
    angle, h, v = math.atan(0.5), 1e-3, -2.0
    model = slope(angle, 0.4, 0.7, velocity=(v, 0, 0))
    sim, x = moved(model, 1.5, h, samples=lambda s: s["block"].position[0], method=method)
    a = G * (math.sin(angle) + 0.4 * math.cos(angle))
    assert x[-1] == pytest.approx(-v * v / (2 * a), abs=0.51 * h * abs(v))
    assert np.diff(x).max() < 1e-9
    assert not any(c.slides for c in sim.contacts)


def test_sticking_holds_through_shaking(method):
    """A slab on a table that shakes at 0.8 of what friction can pass on moves with it; at 1.2 it slips (I-104)."""
    for share, sticks in ((0.8, True), (1.2, False)):
        mu, rate = 0.5, 2 * math.pi * 2
        most = share * mu * G  # acceleration of the table
        b = gk.Builder()
        b.material("m", friction=mu)
        b.body("ground", shape=gk.Plane(), static=True, material="m")
        b.body("slab", shape=gk.Box((0.2, 0.2, 0.05)), material="m", at=(0, 0, 0.025))
        mass = b.build().body("slab").mass

        def push(t, state, loads, size=mass * most, rate=rate):
            loads.force_W[2, 0] += size * math.sin(rate * t)

        b.add(gk.Law("shaker", push))
        sim = simulation(b.build(), 2e-3, method)
        way = []
        for _ in range(50):
            sim.advance(0.04)
            way.append(sim["slab"].position[0])
        assert (np.abs(way).max() < 1e-6) == sticks


@pytest.mark.proof
def test_sticking_holds_its_place_for_ten_minutes(method):
    sim = moved(slope(0.4, 0.5), 600.0, 1e-2, method=method)
    assert np.abs(sim["block"].position - (0, 0, 0.1)).max() < 1e-6


@pytest.mark.parametrize("spin", [5.0, 40.0])
def test_a_spinning_slab_stops_without_turning_back(spin, method):
    """A flat slab on its four corners:  I w' = -mu m g r  with the corners r from the middle; it stops and stays."""
    mu, h, r, I = 0.4, 1e-3, 0.15 * math.sqrt(2), 0.09 / 6  # noqa: E741 (I over the mass)
    a = mu * G * r / I
    model = slider(mu, spin=spin)
    sim, w = moved(model, 1.2 * spin / a + 0.01, h, samples=lambda s: s["block"].angular_velocity[2], method=method)
    t = h * (1 + np.arange(len(w)))
    np.testing.assert_allclose(w, np.maximum(spin - a * t, 0), atol=2e-3 * spin)
    assert w.min() > -1e-6
    assert np.abs(sim["block"].position[:2]).max() < 1e-6


@pytest.mark.parametrize("friction", [0.3, 1.0])
def test_a_cylinder_rolls_down_a_slope_or_slides(friction, method):
    """It rolls at 2/3 g sin while tan < 3 mu, else slides at g (sin - mu cos) and turns at 2 mu g cos / r."""
    angle, t, r = 0.9, 0.5, 0.1
    b = gk.Builder(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    b.material("m", friction=friction)
    b.body("ground", shape=gk.Plane(), static=True)
    lying = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    b.body("roll", shape=gk.Cylinder(r, 0.4), material="m", at=(0, 0, r), rotation=lying)
    sim = moved(b.build(), t, 2e-3, method=method)
    rolls = math.tan(angle) < 3 * friction
    a = 2 / 3 * G * math.sin(angle) if rolls else G * (math.sin(angle) - friction * math.cos(angle))
    turn = a / r if rolls else 2 * friction * G * math.cos(angle) / r
    assert sim["roll"].velocity[0] == pytest.approx(a * t, rel=1e-4)
    assert sim["roll"].angular_velocity[1] == pytest.approx(turn * t, rel=1e-4)
