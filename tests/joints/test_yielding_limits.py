"""Springs of any number and stiffness on a body, stops that yield, blows between samples: nothing gains energy."""

import math

import numpy as np
import pytest

import gelenk as gk

METHODS = [gk.Impulse, gk.RowStepping]


@pytest.mark.parametrize(("count", "z"), [(12, 0.5), (16, 0.4), (20, 0.35), (30, 0.3), (30, 100.0)])
@pytest.mark.parametrize("method", METHODS)
def test_many_springs_on_one_body_are_as_stable_as_one(method, count, z):
    """Each alone is slow for the step, h^2 K / m = z, all together are not. Energy may not grow."""
    h = 0.01
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("block", mass=1.0, inertia=(1, 1, 1), velocity=(0.1, 0, 0))
    for k in range(count):
        plane = {"a": "world", "b": "block", "at": (0, 0, 0), "axis": (1, 0, 0)}
        b.add(gk.BallOnPlane(name=f"spring {k}", hold_stiffness=z / h**2, **plane))
    sim = gk.Simulation(b.build(), method(h=h, solver=gk.Dantzig()))
    start = sum(sim.ledger[:2])
    sim.advance(40 * h)
    assert sum(sim.ledger[:2]) <= start * (1 + 1e-9)


@pytest.mark.parametrize("stiffness", [1e6, 1e8, 1e10])
@pytest.mark.parametrize("method", METHODS)
def test_a_stiff_stop_is_not_passed_in_flight(method, stiffness):
    """The step that reaches the stop ends at it: a depth of v sqrt(m/K) at most, and no energy from nowhere."""
    h, v, limit = 0.01, 10.0, 0.0951
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("block", mass=1.0, inertia=(1, 1, 1), velocity=(v, 0, 0))
    stop = {"limits": (-9.0, limit), "stop_stiffness": stiffness}
    b.add(gk.Slider(name="rail", a="world", b="block", at=(0, 0, 0), axis=(1, 0, 0), **stop))
    sim = gk.Simulation(b.build(), method(h=h))
    for _ in range(8):
        sim.advance(h)
        assert sim["rail"].position - limit < v / math.sqrt(stiffness)
        assert sum(sim.ledger[:2]) <= 0.5 * v**2 * (1 + 1e-9)


@pytest.mark.parametrize("sideways", [0.3, 0.003, 0.0003])
@pytest.mark.parametrize("method", METHODS)
def test_a_twist_gains_no_turns_where_it_has_no_meaning(method, sideways):
    """Near a swing of half a turn the twist of a ball changes at any rate, by at most one turn."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01), angular_velocity=(10.0, 0, sideways))
    b.add(gk.Ball(name="socket", a="world", b="ball", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.ForceMotor(name="none", on="socket.twist", force=0.0))
    sim = gk.Simulation(b.build(), method(h=math.pi / 300))  # lands on half a turn
    for _ in range(60):
        sim.advance(math.pi / 300)
        assert abs(sim["socket"].twist) < 2.0 * math.pi + 0.1


@pytest.mark.parametrize("limit", [math.inf, 1.0, 0.3])
def test_the_force_of_a_step_in_parts_is_its_mean(limit):
    """Change of momentum = (reaction + weight) h, in every step, however many parts it takes (I-108)."""
    h, mass = 0.01, 2.0
    b = gk.Builder()
    b.body("weight", mass=mass, inertia=(1, 1, 1), velocity=(0, 0, -3.0))
    b.add(gk.Slider(name="rail", a="world", b="weight", at=(0, 0, 0), axis=(0, 0, 1), limits=(-0.05, 1.0)))
    sim = gk.Simulation(b.build(), gk.Impulse(h=h, impulse_limit=limit))
    run = sim.run(4 * h, output_dt=h, peaks=True)
    pushed = mass * (np.diff(run["weight"].velocity[:, 2]) + 9.81 * h) / h
    assert (sim.info["shortened_steps"] > 0) == (limit < math.inf)
    np.testing.assert_allclose(run["rail"].force[1:, 2], pushed, atol=1e-9 * np.abs(pushed).max())
    np.testing.assert_allclose(run["rail"].force_mean[1:, 2], pushed, atol=1e-9 * np.abs(pushed).max())
