"""Restitution of bodies of all shapes, of two that both move, and of pairs of materials (V-36, V-39, I-096)."""

import math

import numpy as np
import pytest
from contact_scenes import G, moved

import gelenk as gk

STEPS = [1e-3, 4e-3, 1 / 60]
HALF = math.sqrt(0.5)
LYING = (HALF, 0, HALF, 0)  # the axis z of a shape along x
SHAPES = {  # shape, half of its height as it falls, rotation
    "box": (gk.Box((0.3, 0.2, 0.1)), 0.05, (1, 0, 0, 0)),
    "rod lying": (gk.Capsule(0.03, 0.5), 0.03, LYING),
    "rod upright": (gk.Capsule(0.03, 0.5), 0.28, (1, 0, 0, 0)),
    "cylinder": (gk.Cylinder(0.1, 0.3), 0.15, (1, 0, 0, 0)),
    "cylinder lying": (gk.Cylinder(0.1, 0.3), 0.1, LYING),
    "ellipsoid": (gk.Ellipsoid((0.1, 0.2, 0.15)), 0.15, (1, 0, 0, 0)),
}


def dropped(shape, restitution, height=1.0, law="newton", h=1e-3, method=gk.RowStepping):
    """Height that a shape returns to, and its turning after the first bounce."""
    form, half, rotation = SHAPES[shape]
    b = gk.Builder()
    b.material("m", friction=0.5, restitution=restitution)
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("it", shape=form, material="m", at=(0, 0, height + half), rotation=rotation)
    fall = math.sqrt(2 * height / G)
    sim = moved(b.build(), fall * (1 + 0.5 * restitution) + 2 * h, h, method=method, impacts=law)
    body = sim["it"]
    return body.position[2] - half + body.velocity[2] ** 2 / (2 * G), np.abs(body.angular_velocity).max()


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_lands_flat_returns_to_the_square_of_its_restitution(shape, e, method):
    """All points of a face meet at once, and each asks for the same: no turning, and 1 % of the drop at every step."""
    for h in STEPS:
        height, turning = dropped(shape, e, h=h, method=method)
        assert height == pytest.approx(e * e, abs=1e-5), h  # what rests may do so within the slop of 1e-4 of its size
        assert turning < 1e-6, h


@pytest.mark.parametrize("law", ["poisson", "stronge"])
def test_other_laws_return_as_high_where_nothing_slides(law):
    for shape in SHAPES:
        height, _ = dropped(shape, 0.6, law=law)
        assert height == pytest.approx(0.36, abs=1e-6), shape


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_a_ball_dropped_on_a_slope(e, h, method):
    """Without friction only the speed along the normal is turned round. Gravity is tilted, the ground level."""
    angle, height = 0.5, 0.7
    g = np.array([G * math.sin(angle), 0, -G * math.cos(angle)])
    b = gk.Builder(gravity=tuple(g))
    b.material("m", friction=0.0, restitution=e)
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(0.05), material="m", at=(0, 0, height + 0.05))
    fall = math.sqrt(2 * height / -g[2])
    t = fall + 0.5 * e * fall + 2 * h
    sim = moved(b.build(), t, h, method=method)
    t = sim.time
    v, z = sim["ball"].velocity, sim["ball"].position[2] - 0.05
    assert v[0] == pytest.approx(g[0] * t, rel=1e-12)
    assert z + v[2] ** 2 / (2 * -g[2]) == pytest.approx(e * e * height, abs=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 8.0, 1e3])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_ball_on_ball(ratio, e, method):
    """Head on without forces:  v_a' = v_c - e (v_a - v_c),  v_c of the common centre of mass."""
    v, r = 2.0, 0.05
    big = r * ratio ** (1 / 3)
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.3, restitution=e)
    b.body("a", shape=gk.Sphere(r), material="m", at=(0, 0, 0), velocity=(v, 0, 0))
    b.body("b", shape=gk.Sphere(big), material="m", at=(r + big + 0.123, 0, 0))
    sim = moved(b.build(), 0.1, 3e-3, method=method)
    centre = v / (1 + ratio)
    for name, before in (("a", v), ("b", 0.0)):
        expected = [centre - e * (before - centre), 0, 0]
        np.testing.assert_allclose(sim[name].velocity, expected, atol=1e-9)  # the tolerance of impacts
        assert np.abs(sim[name].angular_velocity).max() < 1e-9


@pytest.mark.parametrize("mu", [0.0, 0.2, 2.0])
def test_balls_that_meet_off_their_centres(mu, method):
    """The line of the centres at the time of impact is the normal; along it  u' = -e u,  and the rims slide or stop.

    Two equal balls: an impulse P of b changes u_n by 2 P_n / m and u_t by 7 P_t / m. Times of impact are found on a
    straight way along the normal of the start of the step, the error of the turning normal is of second order:
    1/2 (h u_t / d)^2 of d, here 1e-6.
    """
    v, r, e, offset, h = 2.0, 0.05, 0.7, 0.06, 1e-4
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=mu, restitution=e)
    b.body("a", shape=gk.Sphere(r), material="m", at=(0, 0, 0), velocity=(v, 0, 0))
    b.body("b", shape=gk.Sphere(r), material="m", at=(0.2, 0, offset))
    sim = moved(b.build(), 0.1, h, method=method)
    sin = offset / (2 * r)
    n, s = np.array([math.sqrt(1 - sin * sin), 0, sin]), np.array([-sin, 0, math.sqrt(1 - sin * sin)])
    u_n, u_t = -v * n[0], -v * s[0]  # of b against a
    p_n = -(1 + e) * u_n / 2  # over the mass
    p_t = -math.copysign(min(abs(u_t) / 7, mu * p_n), u_t)
    np.testing.assert_allclose(sim["b"].velocity, p_n * n + p_t * s, atol=3e-3 * v)
    np.testing.assert_allclose(sim["a"].velocity, [v, 0, 0] - p_n * n - p_t * s, atol=3e-3 * v)
    spin = np.cross(-r * n, p_t * s) / (0.4 * r * r)
    np.testing.assert_allclose(sim["b"].angular_velocity, spin, atol=3e-3 * v / r)
    np.testing.assert_allclose(sim["a"].angular_velocity, spin, atol=3e-3 * v / r)
    if mu == 0.0:
        assert np.abs(sim["a"].angular_velocity).max() < 1e-9


@pytest.mark.parametrize(("combine", "expected"), [("minimum", 0.6), ("product", 0.48)])
def test_two_materials_bounce_by_the_minimum_or_the_product(combine, expected, method):
    """V-39, I-096; a law of the pair counts before both, and what has no material takes on the other's value."""
    b = gk.Builder()
    b.material("rubber", restitution=0.8)
    b.material("wood", restitution=0.6)
    b.material("steel", restitution=0.9)
    b.contact("steel", "wood", restitution=0.3)
    b.body("wooden", shape=gk.Box((1, 1, 0.1)), static=True, material="wood", at=(0, 0, -0.05))
    b.body("bare", shape=gk.Box((1, 1, 0.1)), static=True, at=(2, 0, -0.05))
    b.body("ball", shape=gk.Sphere(0.05), material="rubber", at=(-0.2, 0, 1.05))
    b.body("hard", shape=gk.Sphere(0.05), material="steel", at=(0.2, 0, 1.05))
    b.body("other", shape=gk.Sphere(0.05), material="rubber", at=(2, 0, 1.05))
    sim = moved(b.build(), math.sqrt(2 / G) * 1.3, 2e-3, method=method, restitution=combine)
    for name, e in (("ball", expected), ("hard", 0.3), ("other", 0.8)):
        height = sim[name].position[2] - 0.05 + sim[name].velocity[2] ** 2 / (2 * G)
        assert height == pytest.approx(e * e, abs=1e-9), name


def test_another_way_to_combine_is_refused():
    with pytest.raises(gk.InputError, match="restitution is 'mean'; allowed: 'minimum' or 'product'"):
        gk.ContactOptions(restitution="mean")


@pytest.mark.parametrize("method", [gk.RowStepping, gk.Impulse])
def test_the_impulse_of_an_impact_can_be_read(method):
    """A ball falls by 0.2 m with e = 0.6:  v = sqrt(2 g s)  at  t = v / g,  p = (1 + e) m v,  to round-off."""
    b = gk.Builder()
    b.material("m", restitution=0.6, friction=0.0)
    b.body("floor", shape=gk.Plane(), static=True, material="m")
    b.body("ball", shape=gk.Sphere(0.1), density=1000, at=(0, 0, 0.3), material="m")
    model, h = b.build(), 1e-3
    sim, g, mass = gk.Simulation(model, method(h=h)), 9.81, model.body("ball").mass
    speed = np.sqrt(2 * g * 0.2)
    assert sim.impacts == []
    while not sim.impacts:
        assert sim.time < 1.0
        sim.step()
    (met,) = sim.impacts
    sign = 1.0 if met.b == "ball" else -1.0
    assert {met.a, met.b} == {"floor", "ball"}
    assert met.speed == pytest.approx(speed, rel=1e-9)
    assert sim.time - h + met.after == pytest.approx(speed / g, rel=1e-9)
    np.testing.assert_allclose(sign * met.impulse, (0, 0, 1.6 * mass * speed), rtol=1e-9, atol=1e-12)
    sim.step()
    assert sim.impacts == []
