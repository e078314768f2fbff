"""Limits that give speed back, in trees: impacts at stops by Newton's law, against closed forms (B-28, V-71)."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gelenk as gk

G = 9.81
MASS, ARM, INERTIA = 2.0, 0.5, 0.6  # of a pendulum: from its axis to its centre of mass, about the axis
STOP = -0.2  # its angle from hanging down


def pendulum(e, begin, limits=(STOP, 3.0)):
    b = gk.Builder()
    about = INERTIA - MASS * ARM * ARM
    turn = (math.cos(0.5 * begin), 0.0, math.sin(0.5 * begin), 0.0)
    at = (-ARM * math.sin(begin), 0.0, -ARM * math.cos(begin))
    b.body("arm", mass=MASS, inertia=(0.9 * about, about, 0.3 * about), at=at, rotation=turn)
    hinge = {"at": (0, 0, 0), "axis": (0, 1, 0)}
    zero = (limits[0] - begin, limits[1] - begin)  # angles of joints count from the start
    b.add(gk.Hinge(name="axle", a="world", b="arm", **hinge, limits=zero, stop_restitution=e))
    return b.build()


@pytest.mark.parametrize("e", [0.3, 0.7, 1.0])
def test_a_pendulum_comes_back_from_its_stop_with_e_times_its_speed(e):
    """By energy it rises to  cos a = cos s - e^2 (cos s - cos b)  from the stop s; an impact errs by h^2."""
    begin, h, off = 1.2, 2e-3, []
    for step in (h, h / 2):
        sim = gk.Simulation(pendulum(e, begin), method=gk.MoreauTree(h=step))
        angles = []
        while sim.info["impacts"] < 2 and sim.time < 2.5:
            sim.step(1)
            angles.append(sim["axle"].angle + begin)
            if sim.info["impacts"] == 0:
                angles.clear()
        exact = math.acos(math.cos(STOP) - e * e * (math.cos(STOP) - math.cos(begin)))
        fall = MASS * G * ARM / INERTIA * math.sin(exact)  # its top lies between two steps
        off.append(abs(max(angles) - exact))
        assert off[-1] < 10.0 * step**2 + fall * step**2 / 8
    assert min(angles) > STOP - 1e-3 * h


def test_a_cart_and_its_pendulum_meet_their_stops_with_order_two():
    """A carriage on a rail with a pendulum on it, each with a stop, against DOP853 with events: 3 impacts (B-28)."""
    m_1, m_2, arm, e = 1.5, 0.8, 0.4, 0.6
    low, high, rate, end = -0.05, 0.3, -3.0, 1.0
    b = gk.Builder()
    b.body("cart", mass=m_1, inertia=(0.01,) * 3)
    moves = {"velocity": (rate * arm, 0, 0), "angular_velocity": (0, -rate, 0)}
    b.body("bob", mass=m_2, inertia=(1e-3,) * 3, at=(0, 0, -arm), **moves)
    rail = {"at": (0, 0, 0), "axis": (1, 0, 0)}
    b.add(gk.Slider(name="rail", a="world", b="cart", **rail, limits=(low, 1.0), stop_restitution=e))
    pin = {"at": (0, 0, 0), "axis": (0, -1, 0)}
    b.add(gk.Hinge(name="pin", a="cart", b="bob", **pin, limits=(-2.0, high), stop_restitution=e))
    model = b.build()
    inertia = m_2 * arm * arm + 1e-3

    def mass(y):
        c = m_2 * arm * math.cos(y[1])
        return np.array([[m_1 + m_2, c], [c, inertia]])

    def rhs(_, y):
        f = [m_2 * arm * math.sin(y[1]) * y[3] ** 2, -m_2 * G * arm * math.sin(y[1])]
        return [y[2], y[3], *np.linalg.solve(mass(y), f)]

    left, right = (lambda _, y: y[0] - low), (lambda _, y: high - y[1])
    for event in (left, right):
        event.terminal, event.direction = True, -1

    t, y, hits = 0.0, np.array([0.0, 0.0, 0.0, rate]), 0
    while t < end:
        run = solve_ivp(rhs, (t, end), y, method="DOP853", rtol=1e-12, atol=1e-13, events=(left, right))
        t, y = run.t[-1], run.y[:, -1].copy()
        if run.status == 1:
            hits += 1
            w = np.array([1.0, 0.0]) if len(run.t_events[0]) else np.array([0.0, -1.0])
            z = np.linalg.solve(mass(y), w)
            y[2:] -= z * (1.0 + e) * (w @ y[2:]) / (w @ z)
    assert hits == 3
    off = []
    for h in (2e-3, 1e-3, 5e-4):
        sim = gk.Simulation(model, method=gk.MoreauTree(h=h))
        sim.advance(end)
        assert sim.info["impacts"] == hits
        now = [sim["rail"].position, sim["pin"].angle, sim["rail"].rate, sim["pin"].rate]
        off.append(np.abs(now - y).max())
    assert off[2] < 1e-4
    assert off[0] / off[2] > 8.0  # 16 for order 2


@pytest.mark.parametrize("impacts", ["sequential", "simultaneous"])
def test_a_stop_and_a_contact_are_met_at_once(impacts):
    """A carriage meets a wall when the one that slides on it meets its stop: both come back by Newton's law."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.0, restitution=0.5)
    turn = (math.sqrt(0.5), 0, math.sqrt(0.5), 0)  # z to x
    b.body("wall", shape=gk.Plane(), static=True, at=(-0.1, 0, 0), rotation=turn, material="m")
    b.body("big", shape=gk.Sphere(0.05), mass=2.0, at=(0, 0, 0), velocity=(-1.0, 0, 0), material="m")
    b.body("small", mass=0.5, inertia=(1e-3,) * 3, at=(0, 0, 1), velocity=(-3.0, 0, 0))
    b.add(gk.Slider(name="rail", a="world", b="big", at=(0, 0, 0), axis=(1, 0, 0)))
    more = {"limits": (-0.1, 1.0), "stop_restitution": 0.8}
    b.add(gk.Slider(name="top", a="big", b="small", at=(0, 0, 1), axis=(1, 0, 0), **more))
    sim = gk.Simulation(b.build(), method=gk.MoreauTree(h=1e-3, contact=gk.ContactOptions(), impacts=impacts))
    sim.advance(0.06)  # both gaps of 0.05 and 0.1 m close at 0.05 s
    assert sim.info["impacts"] == 2
    assert sim["rail"].rate == pytest.approx(0.5, rel=1e-9)
    assert sim["top"].rate == pytest.approx(1.6, rel=1e-9)
    lost = 0.5 * (2.0 + 0.5 * 9.0) - 0.5 * (2.0 * 0.25 + 0.5 * 2.1**2)
    assert sim.info["energy_lost_in_impacts"] == pytest.approx(lost, rel=1e-9)


def test_flights_between_two_stops_are_exact_and_the_stop_tells_its_impulse():
    """Without gravity a slider goes to and fro, slower by e each time; the mean force of the step is 2.. P / h."""
    e, h, v = 0.5, 1e-3, 2.0
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("block", mass=3.0, inertia=(0.1,) * 3, velocity=(v, 0, 0))
    b.add(gk.Slider(name="rail", a="world", b="block", at=(0, 0, 0), axis=(1, 0, 0), limits=(-0.1, 0.1003),
                    stop_restitution=e))  # fmt: skip
    sim = gk.Simulation(b.build(), method=gk.MoreauTree(h=h))
    pushed = []
    for _ in range(400):
        sim.step(1)
        pushed.append(sim["rail"].force[0] * h)
    first = 0.1003 / v
    second = first + 0.2003 / (e * v)
    third = second + 0.2003 / (e * e * v)
    assert third > 0.4
    x = -0.1 + (0.4 - second) * e * e * v
    assert sim["rail"].position == pytest.approx(x, abs=1e-12)
    assert sim["rail"].rate == pytest.approx(e * e * v, rel=1e-12)
    P = 3.0 * v * (1 + e) * np.array([-1.0, e])
    np.testing.assert_allclose([p for p in pushed if p != 0.0], P, rtol=1e-9)


def test_it_comes_to_rest_on_its_stop():
    """Slower than forces make it in two steps it stays; then the stop bears what gravity does."""
    sim = gk.Simulation(pendulum(0.5, 0.5, (0.3, 3.0)), method=gk.MoreauTree(h=1e-3))
    sim.advance(4.0)
    assert sim["axle"].angle == pytest.approx(0.3 - 0.5, abs=1e-5)
    assert sim["axle"].rate == pytest.approx(0.0, abs=1e-9)
    assert sim.info["energy_fed_in_impacts"] == 0.0


WRONG = {
    "yields": ({"limits": (-1, 1), "stop_stiffness": 10.0}, "beside a stop_stiffness of 10"),
    "without limits": ({}, "there are no limits"),
    "too much": ({"limits": (-1, 1), "stop_restitution": 1.5}, "stop_restitution is 1.5"),
}


@pytest.mark.parametrize(("given", "found"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_is_refused(given, found):
    hinge = {"name": "j", "a": "world", "b": "arm", "at": (0, 0, 0), "axis": (0, 1, 0), "stop_restitution": 0.5}
    with pytest.raises(gk.InputError, match=found):
        gk.Hinge(**hinge | given)


def test_other_methods_refuse_it_and_the_default_knows_it():
    model = pendulum(0.5, 1.0)
    for method in (gk.RowStepping(), gk.Impulse()):
        with pytest.raises(gk.InputError, match=r"stop_restitution is 0\.5, and the method is"):
            gk.Simulation(model, method=method)
    assert isinstance(gk.Simulation(model).method, gk.MoreauTree)
