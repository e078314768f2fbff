"""What Impulse does with less than the whole work: a time budget (I-002, I-076), no velocity corrections (I-009)."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.compile import ENABLED

H, G = 0.01, 9.81


def chain(links):
    """Rods on ball joints, let go from the horizontal."""
    b, above = gk.Builder(gravity=(0, 0, -G)), "world"
    for i in range(links):
        b.body(f"rod{i}", shape=gk.Box((0.2, 0.05, 0.05)), mass=1.0, at=(0.2 * i + 0.1, 0, 0))
        b.add(gk.Ball(name=f"joint{i}", a=above, b=f"rod{i}", at=(0.2 * i, 0, 0)))
        above = f"rod{i}"
    return b.build()


def test_a_step_ends_when_its_time_is_up_and_later_steps_repair_it():
    """A tolerance out of reach would take a hundred million sweeps; the budget ends every step long before that.

    With all the time it needs the same chain then closes again.
    """
    model = chain(10)
    most, budget = 10**8, 2e-4 if ENABLED else 2e-2
    sweeps = gk.GaussSeidel(sweeps=1)
    endless = {"iterations": most, "velocity_iterations": most, "tolerance": 1e-300, "velocity_tolerance": 1e-300}
    sim = gk.Simulation(model, gk.Impulse(h=H, solver=sweeps, time_budget=budget, **endless))
    for _ in range(10):
        sim.advance(H)
    assert 10 <= sim.info["position_iterations"] < 10**5
    torn = sim.info["position_error"]
    whole = gk.Simulation(model, gk.Impulse(h=H), state=sim.state)
    whole.advance(5 * H)
    assert whole.info["position_error"] <= 1e-9 < torn < 0.2


@pytest.mark.parametrize("links", [1, 3])
def test_joints_stay_closed_without_velocity_corrections(links):
    """Positions are corrected all the same; velocities of joints are off by no more than h times an acceleration."""
    model = chain(links)
    sim = gk.Simulation(model, gk.Impulse(h=H, velocity_iterations=0))
    free = gk.Simulation(model, gk.Impulse(h=H))
    wrong = []
    for _ in range(30):
        sim.advance(H)
        free.advance(H)
        assert sim.info["position_error"] <= 1e-9
        spin = np.cross(sim["rod0"].angular_velocity, sim["rod0"].position)  # of its middle about the joint
        wrong.append(np.linalg.norm(sim["rod0"].velocity - spin))
    assert 1e-3 < max(wrong) < 6 * G * H
    np.testing.assert_allclose(sim["rod0"].position, free["rod0"].position, atol=0.05)


def test_motors_and_springs_give_their_whole_force_without_velocity_corrections():
    """A cart on a slider under 3 N and a damper:  v = F/d (1 - exp(-d t / m))."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("cart", mass=2.0, inertia=(1, 1, 1))
    b.add(gk.Slider(name="rail", a="world", b="cart", at=(0, 0, 0), axis=(1, 0, 0)))
    b.add(gk.VelocityMotor(name="motor", on="rail", speed=100.0, force_max=3.0))
    b.add(gk.JointSpring(name="drag", on="rail", damping=4.0))
    sim = gk.Simulation(b.build(), gk.Impulse(h=H, velocity_iterations=0))
    sim.advance(0.5)
    assert sim["rail"].rate == pytest.approx(0.75 * (1 - math.exp(-1.0)), abs=0.75 * (H * 2.0) ** 2)
    assert sim.sensors["motor.force"] == pytest.approx(3.0, rel=1e-12)
