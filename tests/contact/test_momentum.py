"""Momentum and angular momentum of free heaps (V-35, I-097): impulses act on both bodies at one common point."""

import math

import numpy as np
import pytest
from contact_scenes import simulation

import gelenk as gk

SHAPES = gk.Box((0.1, 0.12, 0.14)), gk.Sphere(0.07), gk.Capsule(0.04, 0.1), gk.Cylinder(0.05, 0.1)


def free_heap(restitution, friction, kinds=4, spin=3.0):
    """Bodies of several shapes that turn and fly at each other, far from everything."""
    rng = np.random.default_rng(3)
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=friction, restitution=restitution)
    for k in range(27):
        at = 0.25 * (np.array([k % 3, k // 3 % 3, k // 9]) - 1.0)
        q = rng.normal(size=4)
        b.body(
            f"body{k}",
            shape=SHAPES[k % kinds],
            material="m",
            at=tuple(at),
            rotation=tuple(q / np.linalg.norm(q)),
            velocity=tuple(rng.normal(size=3) - 4 * at),
            angular_velocity=tuple(spin * rng.normal(size=3)),
        )
    return b.build()


def changes(model, h, method, **options):
    """Of momentum and angular momentum in 0.4 s, as shares of the sums of their sizes over the bodies."""
    sim = simulation(model, h, method, **options)
    before = sim.ledger
    mass = np.array(model.system.masses.mass[1:])
    sizes = np.linalg.norm(sim.state.v_WC[1:], axis=1) @ mass
    around = np.linalg.norm(np.cross(sim.state.p_WC[1:], sim.state.v_WC[1:]), axis=1) @ mass
    sim.advance(0.4)
    gone = np.abs(sim.ledger - before)
    assert sim.ledger[0] < 0.7 * before[0]  # a good part of the energy went in contacts
    return gone[2:5].max() / sizes, gone[5:].max() / around


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("kinds", [1, 2, 4], ids=["boxes", "balls too", "all"])
def test_a_free_heap_keeps_both_momenta(kinds, restitution, friction, method):
    """To round-off: some 400 steps of 27 bodies, 1e-16 each. Overlaps are left in place, see the next test.

    Arms of halves of a step that change by less than 1e-5 of their length count as still (halves.STEADY); what a point
    carries then acts that far apart, which is seen in the ninth digit.
    """
    linear, angular = changes(free_heap(restitution, friction, kinds), 2e-3, method, share=0.0)
    assert linear < 1e-13
    assert angular < (1e-12 if method is gk.RowStepping else 1e-8)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_what_meets_too_slowly_to_bounce_keeps_angular_momentum(restitution):
    """Two balls fall side by side and near each other at 1 cm/s, which two steps of weight outdo; one of them spins."""
    b = gk.Builder()
    b.material("m", density=1000, friction=0.5, restitution=restitution)
    spin = {"angular_velocity": (0, 0, 20.0)}
    for k, more in enumerate(({"velocity": (0.005, 0, 0), **spin}, {"velocity": (-0.005, 0, 0)})):
        b.body(f"ball{k}", shape=gk.Sphere(0.05), material="m", at=((2 * k - 1) * 0.0500075, 0, 0), **more)
    model = b.build()
    sim = gk.Simulation(model, gk.RowStepping(h=2e-3))

    def around_the_middle():
        mass, p, v = model.system.masses.mass, sim.state.p_WC, sim.state.v_WC
        middle, drift = p[1:3].mean(axis=0), v[1:3].mean(axis=0)
        inertia = model.system.masses.inertia_B[1, 0, 0]
        own = sum(inertia * sim[f"ball{k}"].angular_velocity for k in range(2))
        return own + sum(mass[i] * np.cross(p[i] - middle, v[i] - drift) for i in (1, 2))

    before = around_the_middle()
    sim.advance(0.02)
    assert sim["ball1"].angular_velocity[2] < -1e-3  # they rub
    assert np.abs(around_the_middle() - before).max() < 1e-12 * np.abs(before).max()


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_taking_overlaps_out_moves_angular_momentum_by_the_overlap_alone(friction, method):
    """A push apart by s changes it by m s x v, with no more than some 1e-4 m of overlap on arms of 0.2 m: 1e-3."""
    linear, angular = changes(free_heap(0.0, friction), 2e-3, method)
    assert linear < 1e-13
    assert angular < 1e-3


@pytest.mark.parametrize("h", [1e-3, 1e-2])
def test_two_balls_that_graze_keep_angular_momentum_and_their_spin_without_friction(h, method):
    """However far they move in the step of their impact: 2 cm here, of a radius of 5 cm."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.0, restitution=0.8)
    b.body("a", shape=gk.Sphere(0.05), material="m", at=(0, 0, 0), velocity=(2, 0, 0), angular_velocity=(1, 2, 3))
    b.body("b", shape=gk.Sphere(0.05), material="m", at=(0.2, 0, 0.08))
    sim = simulation(b.build(), h, method)
    before = sim.ledger
    sim.advance(0.15)
    assert sim.info["impacts"] == 1
    np.testing.assert_allclose(sim.ledger[2:], before[2:], atol=1e-14)
    np.testing.assert_allclose(sim["a"].angular_velocity, (1, 2, 3), atol=1e-9)
    np.testing.assert_allclose(sim["b"].angular_velocity, 0, atol=1e-9)


def test_a_rod_struck_at_its_end_by_a_ball_that_passes(method):
    """A ball hits the end of a rod at right angles and sideways: both momenta to round-off, energy by 1 - e^2 of what

    the normal speed has,  1/2 m_eff u_n^2.
    """
    e, h = 0.5, 5e-3
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.0, restitution=e)
    b.body("rod", shape=gk.Box((0.05, 0.05, 1.0)), material="m")
    b.body("ball", shape=gk.Sphere(0.05), material="m", at=(-0.3, 0, 0.4), velocity=(3, 0, 0.5))
    model = b.build()
    sim = simulation(model, h, method, share=0.0)  # what turns on past the ball overlaps it by the square of the step
    before = sim.ledger
    sim.advance(0.12)
    np.testing.assert_allclose(sim.ledger[2:], before[2:], atol=1e-13)
    arm = 0.4 + 0.5 * (0.3 - 0.075) / 3  # where the ball is when it meets
    rod, ball = model.body("rod").mass, model.body("ball").mass
    inertia = rod * (0.05**2 + 1.0) / 12
    effective = 1 / (1 / rod + 1 / ball + arm * arm / inertia)
    assert sim.info["energy_lost_in_impacts"] == pytest.approx(0.5 * effective * 9 * (1 - e * e), rel=1e-9)
    spin = effective * (1 + e) * 3 * arm / inertia
    assert np.abs(sim["rod"].angular_velocity).max() == pytest.approx(spin, rel=1e-9)
    assert math.isclose(before[0] - sim.ledger[0], sim.info["energy_lost_in_impacts"], rel_tol=1e-9)
