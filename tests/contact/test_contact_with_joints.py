"""Contact and joints together: what is tied obeys the laws of contact too (I-097, I-099, I-101, I-103)."""

import math

import numpy as np
import pytest
from contact_scenes import G, simulation

import gelenk as gk


def train(angle, friction, static, cars=2):
    """Blocks in a row on a slope, each tied to the next by a ball joint; gravity is tilted instead."""
    b = gk.Builder(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    b.material("m", friction=friction, static_friction=static)
    b.body("ground", shape=gk.Plane(), static=True)
    for k in range(cars):
        b.body(f"car{k}", shape=gk.Box((0.3, 0.2, 0.1)), material="m", at=(0.4 * k, 0, 0.05))
        if k:
            b.add(gk.Ball(name=f"joint{k}", a=f"car{k - 1}", b=f"car{k}", at=(0.4 * k - 0.2, 0, 0.05)))
    return b.build()


@pytest.mark.parametrize("angle", [0.5, 0.6])
def test_a_train_on_a_slope_sticks_or_slides_as_one_block_does(angle, method):
    """Sticks below the static coefficient; above it all of its points slide with the smaller one.

    In the first step, in which it lets go, the larger one may still act: joints and contacts are solved in turn, and
    the sweeps of one step are used up before that. So at most  h g cos (mu_s - mu)  of the speed is missing.
    """
    t, h = 0.5, 2e-3
    sim = simulation(train(angle, 0.3, 0.6), h, method)
    sim.advance(t)
    v = np.array([sim[f"car{k}"].velocity[0] for k in range(2)])
    a = 0.0 if math.tan(angle) < 0.6 else G * (math.sin(angle) - 0.3 * math.cos(angle))
    first_step = h * G * math.cos(angle) * (0.6 - 0.3) if a > 0 else 0.0
    np.testing.assert_allclose(v, a * t, atol=first_step + 1e-5)
    assert all(c.slides == (a > 0) for c in sim.contacts)
    assert np.abs(sim["car1"].position - sim["car0"].position - (0.4, 0, 0)).max() < 1e-5


def test_joints_stay_closed_in_contact():
    """Impulse meets joints to 1e-9 m also where links lie on the ground and fall on each other (I-003, I-099)."""
    b = gk.Builder()
    b.material("m", friction=0.4, restitution=0.2)
    b.body("ground", shape=gk.Plane(), static=True)
    for k in range(4):
        b.body(f"link{k}", shape=gk.Box((0.16, 0.04, 0.04)), material="m", at=(0.2 * k, 0, 0.3 + 0.02 * k))
        if k:
            b.add(gk.Ball(name=f"j{k}", a=f"link{k - 1}", b=f"link{k}", at=(0.2 * k - 0.1, 0, 0.29 + 0.02 * k)))
    sim = simulation(b.build(), 2e-3, gk.Impulse)
    before = sum(sim.ledger[:2])
    sim.advance(1.5)
    assert sim.info["impacts"] > 4
    assert sim.info["worst_position_error"] < 1e-8
    assert sim.info["overlap"] < 1e-4
    assert sum(sim.ledger[:2]) < before
    assert np.abs(sim.state.v_WC).max() < 0.02  # it has come to rest on the ground


def test_the_force_of_a_joint_is_right_while_its_bodies_begin_to_slip():
    """Two slabs on a slider, pulled ever harder: in every step the upper one has the acceleration of its forces.

    What slips is solved twice in a step; both count from the same start.
    """
    b = gk.Builder()
    b.material("m", density=1000, static_friction=0.6, friction=0.2)
    b.body("floor", shape=gk.Plane(), static=True, material="m")
    b.body("low", shape=gk.Box((0.1, 0.1, 0.05)), material="m", at=(0, 0, 0.025))
    b.body("top", shape=gk.Box((0.1, 0.1, 0.05)), material="m", at=(0, 0, 0.0755))
    b.add(gk.Slider(name="guide", a="low", b="top", at=(0, 0, 0.05), axis=(0, 1, 0)))
    b.exclude("low", "top")

    def pull(t):
        return 9.81 * (0.588 + 2.0 * t)

    def law(t, state, loads):
        loads.force_W[3, 0] += pull(t)

    b.add(gk.Law("pull", law))
    model = b.build()
    h, before, mass, slipped = 1e-3, 0.0, model.body("top").mass, 0
    sim = gk.Simulation(model, gk.RowStepping(h=h))
    for k in range(14):
        sim.advance(h)
        now, force = sim["top"].velocity[0], sim["guide"].force[0]
        left = mass * (now - before) / h - pull(k * h)
        assert min(abs(left - force), abs(left + force)) < 1e-3 * pull(0)  # the force on the one or the other body
        slipped += int(now - before > 1e-3)
        before = now
    assert slipped > 0
