"""Rolling and torsional friction against closed forms (V-84): couples bounded by an arm times the normal force."""

import math

import numpy as np
import pytest
from contact_scenes import G, moved, simulation

import gelenk as gk

RADIUS = 0.05


@pytest.fixture(params=[gk.RowStepping, gk.Impulse, gk.MoreauTree], ids=lambda m: m.kind)
def method(request):
    """A class of methods: all three know couples."""
    return request.param


def rolling_ball(rolling=0.0, torsional=0.0, angle=0.0, friction=0.6, restitution=0.0, height=0.0, **start):
    """A ball on a tilted plane; gravity is tilted instead."""
    b = gk.Builder(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    more = {"rolling_friction": rolling, "torsional_friction": torsional, "restitution": restitution}
    b.material("m", friction=friction, **more)
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(RADIUS), material="m", at=(0, 0, RADIUS + height), **start)
    return b.build()


def rolls(speed):
    """Velocities of a ball that rolls along x."""
    return {"velocity": (speed, 0, 0), "angular_velocity": (0, speed / RADIUS, 0)}


@pytest.mark.parametrize("direction", [0.0, 0.9])
def test_a_rolling_ball_slows_down_and_stops(direction, method):
    """About the point of contact  (I + m r^2) w' = -rolling m g,  so with I = 2/5 m r^2

        v' = -g rolling / r / (1 + 2/5)

    It stops after  v^2 / 2 a  and stays; the scheme is of order 1 in the place, off by h v / 2.
    """
    v, arm, h = 0.6, 2e-3, 2e-3
    way = np.array([math.cos(direction), math.sin(direction), 0])
    start = {"velocity": tuple(v * way), "angular_velocity": tuple(np.cross((0, 0, 1), way) * v / RADIUS)}
    a = G * arm / RADIUS / 1.4
    model = rolling_ball(arm, **start)
    sim = simulation(model, h, method)
    sim.advance(0.5)
    assert sim["ball"].velocity @ way == pytest.approx(v - a * 0.5, rel=1e-6)
    assert sim["ball"].angular_velocity[:2] == pytest.approx(np.cross((0, 0, 1), way)[:2] * (v - a * 0.5) / RADIUS)
    couple = sim.contacts[0].couple
    np.testing.assert_allclose(couple, -np.cross((0, 0, 1), way) * arm * G * model.body("ball").mass, atol=1e-9)
    sim.advance(2.0)
    assert sim["ball"].position @ way == pytest.approx(v * v / (2 * a), abs=0.51 * h * v)
    assert np.abs(sim["ball"].velocity).max() < 1e-7  # the tolerance of the solver
    assert np.abs(sim["ball"].angular_velocity).max() < 1e-7 / RADIUS


def test_a_rolling_ball_never_turns_back(method):
    _, x = moved(rolling_ball(2e-3, **rolls(0.2)), 1.0, 2e-3, samples=lambda s: s["ball"].position[0], method=method)
    assert np.diff(x).min() > -2e-10  # a step at the tolerance of the solver


@pytest.mark.parametrize("angle", [0.035, 0.045])
def test_a_ball_on_a_slope_stays_below_the_limit_and_rolls_above(angle, method):
    """It stays while  tan(angle) < rolling / r;  above  a = g (sin - cos rolling / r) / (1 + 2/5)."""
    arm, t, h = 2e-3, 0.8, 2e-3  # the limit is at 0.04
    sim = moved(rolling_ball(arm, angle=angle), t, h, method=method)
    a = max(0.0, G * (math.sin(angle) - math.cos(angle) * arm / RADIUS)) / 1.4
    assert sim["ball"].position[0] == pytest.approx(0.5 * a * t * t, abs=0.51 * h * a * t + 1e-7)
    assert sim["ball"].velocity[0] == pytest.approx(a * t, abs=1e-6)


def test_a_spinning_ball_slows_down_and_stops_without_reversing(method):
    """I w' = -torsional m g  with  I = 2/5 m r^2."""
    w, arm, h = 30.0, 1e-3, 2e-3
    a = arm * G / (0.4 * RADIUS**2)
    model = rolling_ball(torsional=arm, angular_velocity=(0, 0, w))
    sim, spin = moved(model, 1.2 * w / a, h, samples=lambda s: s["ball"].angular_velocity[2], method=method)
    t = h * (1 + np.arange(len(spin)))
    np.testing.assert_allclose(spin, np.maximum(w - a * t, 0.0), atol=1e-6 * w)
    assert spin.min() > -1e-7 / RADIUS
    assert np.abs(sim["ball"].position[:2]).max() < 1e-9


def test_a_spinning_coin_slows_down_by_the_couples_of_its_points(method):
    """However many points bear the coin, their bounds add up to torsional m g;  I = 1/2 m r^2."""
    r, arm, w = 0.03, 1e-3, 20.0
    b = gk.Builder()
    b.material("m", friction=0.0, torsional_friction=arm)
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("coin", shape=gk.Cylinder(r, 0.004), material="m", at=(0, 0, 0.002), angular_velocity=(0, 0, w))
    a = arm * G / (0.5 * r * r)
    sim = moved(b.build(), 0.4, 2e-3, method=method)
    assert sim["coin"].angular_velocity[2] == pytest.approx(w - 0.4 * a, rel=1e-4)
    sim.advance(1.2 * w / a)
    assert abs(sim["coin"].angular_velocity[2]) < 1e-5


def test_an_impact_takes_spin_by_torsional_friction(method):
    """A spinning ball that bounces loses  torsional (1 + e) m v / I  of its spin, and no more than it has."""
    arm, e, w, down = 2e-3, 0.5, 20.0, math.sqrt(4.0 + 2 * G * 0.01)
    for spin in (w, 0.5):
        model = rolling_ball(
            torsional=arm, restitution=e, height=0.01, velocity=(0, 0, -2), angular_velocity=(0, 0, spin)
        )
        sim = moved(model, 0.01, 1e-3, method=method)
        lost = arm * (1 + e) * down / (0.4 * RADIUS**2)
        assert sim.info["impacts"] == 1
        assert sim["ball"].angular_velocity[2] == pytest.approx(max(spin - lost, 0.0), abs=1e-9)


def test_two_balls_that_roll_on_each_other_feel_opposite_couples(method):
    """Momentum is kept, and the couples stop the turning of one ball against the other, not of both together."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.0, torsional_friction=0.1)
    b.body("a", shape=gk.Sphere(RADIUS), material="m", at=(0, 0, 0), angular_velocity=(10, 0, 0), velocity=(1, 0, 0))
    b.body("b", shape=gk.Sphere(RADIUS), material="m", at=(2 * RADIUS + 1e-3, 0, 0))
    sim = moved(b.build(), 0.05, 2e-3, method=method)
    assert sim["a"].angular_velocity[0] == pytest.approx(5.0, rel=1e-6)
    assert sim["b"].angular_velocity[0] == pytest.approx(5.0, rel=1e-6)
    assert sim["a"].velocity[0] == pytest.approx(0.5, rel=1e-9)


def cart(speed, arm):
    """A load on four wheels that roll; its model, and what it slows down by."""
    b = gk.Builder()
    b.material("m", friction=0.8, rolling_friction=arm)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    load, wheel = 2.0, 0.3
    start, spin = {"velocity": (speed, 0, 0)}, {"angular_velocity": (0, speed / RADIUS, 0)}
    b.body("load", mass=load, inertia=(0.02,) * 3, at=(0, 0, 0.08), **start)
    inertia = 0.4 * wheel * RADIUS**2
    for x in (-0.2, 0.2):
        for y in (-0.1, 0.1):
            name, at = f"w{x}{y}", (x, y, RADIUS)
            shape = {"shape": gk.Sphere(RADIUS), "material": "m", "inertia": (inertia,) * 3}
            b.body(name, mass=wheel, **shape, at=at, **start, **spin)
            b.add(gk.Hinge(name=f"h{name}", a="load", b=name, at=at, axis=(0, 1, 0)))
    mass = load + 4 * wheel
    return b.build(), G * arm / RADIUS * mass / (mass + 4 * inertia / RADIUS**2)


def test_a_cart_on_four_wheels_slows_down_by_their_rolling_friction(method):
    """(m + 4 I / r^2) v' = -arm m g / r,  however the wheels share the load: power of the couples arm N w."""
    model, a = cart(0.5, 1e-3)
    h = 2e-3
    sim = gk.Simulation(model, method(h=h, contact=gk.ContactOptions()))
    sim.advance(0.4)
    late = 0.5 * h * a  # of order 1: what brakes may begin half a step late; 1/400 of what it does
    assert sim["load"].velocity[0] == pytest.approx(0.5 - 0.4 * a, abs=late)
    couples = sum(c.couple[1] * (1 if c.b != "ground" else -1) for c in sim.contacts)
    assert couples == pytest.approx(-1e-3 * G * 3.2, rel=1e-3)


def test_reactions_of_axles_count_couples_in():
    """A free axle passes no torque about itself on: what the inverse dynamics find there is what they do not know."""
    model, _ = cart(0.5, 1e-3)
    sim = gk.Simulation(model, gk.MoreauTree(h=2e-3, contact=gk.ContactOptions()))
    sim.advance(0.1)
    torque = [sim.sensors[f"hw{x}{y}.torque"][1] for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
    np.testing.assert_allclose(torque, 0.0, atol=1e-9)


def test_books_of_a_tree_count_couples_as_friction():
    """All that a ball loses that rolls and spins goes into couples; without them the books would show nothing."""
    spin = {"velocity": (0.6, 0, 0), "angular_velocity": (0, 0.6 / RADIUS, 5.0)}
    sim = simulation(rolling_ball(2e-3, 1e-4, **spin), 2e-3, gk.MoreauTree)
    sim.step()
    sim.work_done()
    before = sim.ledger[:2].sum()
    sim.advance(0.5)
    lost, work = before - sim.ledger[:2].sum(), sim.work_done()
    assert lost > 0.01
    assert sum(work["friction"].values()) == pytest.approx(-lost, rel=1e-6)  # of tangents, what sweeps leave


def test_a_tree_and_rows_agree_on_a_ball_that_skids_and_spins():
    """Both frictions at once while a ball skids: methods differ by h."""
    model, apart = rolling_ball(2e-3, 1e-3, velocity=(1, 0, 0), angular_velocity=(5, 0, 40)), []
    for h in (4e-3, 2e-3, 1e-3):
        ends = []
        for kind in (gk.MoreauTree, gk.RowStepping):
            sim = gk.Simulation(model, kind(h=h, contact=gk.ContactOptions()))
            sim.advance(0.4)
            ends.append(np.append(sim["ball"].position, RADIUS * sim["ball"].angular_velocity))
        apart.append(np.abs(ends[0] - ends[1]).max())
    assert apart[2] < 0.4 * apart[0] or apart[0] < 1e-9
    assert apart[0] < 4e-3
