"""Bodies that turn far in a step: energy and angular momentum stay, and a slender one that hits things gains none."""

from __future__ import annotations

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.rotation import Mat3, rotation
from gelenk.math.vec3 import Vec3
from gelenk.methods.free_turn import gains, turned_by_midpoint

MOMENTS = (1e-4, 0.9, 1.0)  # of a stick


def diagonal(x, y, z):
    return Mat3(x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z)


def energy(A, L):
    return 0.5 * (L @ (A @ L))


@pytest.mark.parametrize("h", [1e-3, 1e-2, 5e-2])
def test_the_midpoint_rule_keeps_energy_and_angular_momentum(h):
    """Both to round-off, amplified by 1 / I of the long axis; L in world axes is  R L  before and after."""
    A, random = diagonal(*(1.0 / m for m in MOMENTS)), np.random.default_rng(7)
    for _ in range(50):
        L = Vec3(*(np.sqrt(MOMENTS) * random.normal(size=3) * 5.0))
        turn, new = turned_by_midpoint(A, L, h)
        assert energy(A, new) == pytest.approx(energy(A, L), rel=1e-9)
        back = rotation(turn) @ new
        assert (back - L).norm() <= 1e-9 * L.norm()


def test_a_turn_that_feeds_energy_is_told_from_one_that_does_not():
    """A stick across its angular momentum has little energy, one along it much."""
    A = diagonal(*(1.0 / m for m in MOMENTS))
    assert gains(A, Vec3(0.0, 1.0, 0.0), Vec3(0.1, 0.99, 0.0))
    assert not gains(A, Vec3(0.1, 0.99, 0.0), Vec3(0.0, 1.0, 0.0))
    assert not gains(A, Vec3(0.0, 1.0, 0.0), Vec3(0.0, 1.0, 0.0))


@pytest.mark.parametrize(("spin", "h"), [(60.0, 1 / 240), (100.0, 5e-3), (200.0, 2e-3)])
def test_a_stick_that_turns_fast_gains_no_energy_from_what_it_hits(spin, h):
    """It hits the edge of a bar, without gravity; it turns by 0.25 to 0.5 rad a step, and rolls much faster."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("bar", shape=gk.Box((0.05, 0.2, 0.2)), static=True, at=(0.8, 0, 0.3))
    b.body("stick", shape=gk.Box((2, 0.02, 0.02)), density=800, angular_velocity=(0, -spin, 0))
    run = gk.simulate(b.build(), 1.0, method=gk.RowStepping(h=h), progress=False)
    kinetic = run["energy.kinetic"]
    assert kinetic.max() <= 1.02 * kinetic[0]  # a turn by the rate may feed up to a hundredth before it is replaced
    assert kinetic[-1] < 0.9 * kinetic[0]  # it has hit the bar
