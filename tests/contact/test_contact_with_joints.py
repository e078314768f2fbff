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
