"""Heaps with joints close to the limit of friction, where Newton's search for sets goes round in circles (V-50)."""

import math

import numpy as np
import pytest

import gelenk as gk

H, G, MU, RADIUS = 1e-3, 9.81, 0.8, 0.3
LIMIT = math.atan(MU)


def braked_car(slope, ratio, mu=MU):
    """A car on a slope with braked wheels, each ``ratio`` times lighter than its body, that touch at two points."""
    b = gk.Builder(gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    b.material("rubber", friction=mu)
    b.body("road", shape=gk.Plane(), static=True, material="rubber")
    b.body("car", shape=gk.Box((4, 1.6, 0.4)), mass=600.0, material="rubber", at=(0, 0, 0.7))
    lying = (math.cos(math.pi / 4), math.sin(math.pi / 4), 0, 0)
    for k, (x, y) in enumerate([(1.4, 0.9), (1.4, -0.9), (-1.4, 0.9), (-1.4, -0.9)]):
        wheel = gk.Cylinder(radius=RADIUS, length=0.2)
        at = (x, y, RADIUS)
        b.body(f"wheel{k}", shape=wheel, mass=600.0 / ratio, material="rubber", at=at, rotation=lying)
        b.add(gk.Hinge(name=f"axle{k}", a="car", b=f"wheel{k}", at=at, axis=(0, 1, 0)))
        b.add(gk.VelocityMotor(name=f"brake{k}", on=f"axle{k}", speed=0.0, force_max=1e5))
    return gk.Simulation(b.build(), gk.RowStepping(h=H))


def residuals(sim, steps):
    found = []
    for _ in range(steps):
        sim.advance(H)
        found.append(sim.info["residual"])
    return np.array(found)


@pytest.mark.parametrize("ratio", [10, 600])
def test_a_braked_car_stands_just_below_the_limit(ratio):
    """Light wheels crept at 0.1 m/s after a fifth of a second. Each step may be wrong by its tolerance alone: sweeps,

    where they have the last word, end when none changes a velocity by more, which leaves a residual of that size.
    """
    sim = braked_car(0.995 * LIMIT, ratio)
    start = sim.state.p_WC.copy()
    found = residuals(sim, 150)
    tolerance = gk.ContactOptions().tolerance
    assert found.max() < 3 * tolerance
    assert np.abs(sim.state.v_WC).max() < 10 * tolerance  # of velocities, by residuals of several points
    assert np.abs(sim.state.p_WC - start).max() < 150 * H * 10 * tolerance


@pytest.mark.parametrize("ratio", [10, 600])
def test_a_braked_car_slides_just_above_it(ratio):
    """v = g (sin a - mu cos a) t."""
    slope = 1.01 * LIMIT
    sim = braked_car(slope, ratio)
    residuals(sim, 150)
    wanted = G * (math.sin(slope) - MU * math.cos(slope)) * 150 * H
    np.testing.assert_allclose(sim.state.v_WC[2:, 0], wanted, atol=150 * gk.ContactOptions().tolerance)


def test_a_tower_is_solved_in_its_first_step():
    """No impulse to begin with, and a hundred sweeps would not do: dV of the top is h g before, and nothing after."""
    b = gk.Builder()
    b.material("stone", density=2000, friction=0.6)
    b.body("ground", shape=gk.Plane(), static=True, material="stone")
    for row in range(30):
        for k in range(2):
            at = (0.11 * k + 0.055 * (row % 2), 0, 0.1 * (row + 0.5))
            b.body(f"stone{row}_{k}", shape=gk.Box((0.11, 0.1, 0.1)), material="stone", at=at)
    sim = gk.Simulation(b.build(), gk.RowStepping(h=1 / 240))
    sim.advance(1 / 240)
    assert sim.info["residual"] <= gk.ContactOptions().tolerance


@pytest.mark.parametrize("sweeps", [3, 30])
def test_the_residual_of_joints_and_contacts_in_turn_is_that_of_the_whole_problem(sweeps):
    """Not what the last sweep changed: contacts and rows are measured together, with the velocities at the end."""
    sim = braked_car(0.995 * LIMIT, 10)
    sim = gk.Simulation(sim.model, gk.RowStepping(h=H, contact=gk.ContactOptions(newton=0, sweeps=sweeps)))
    sim.advance(5 * H)
    assert sim.info["residual"] > 1e-6
    assert sim.info["residual"] == pytest.approx(sim.contact_problem().residual(), rel=1e-6)
