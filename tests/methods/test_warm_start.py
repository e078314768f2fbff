"""Impulses of the step before in RowStepping: stable however little a solver gets done (virtual-worlds 4.5)."""

import numpy as np
import pytest

import gelenk as gk


def recursion(s, k, g):
    """Largest root of the recursion of an error that a solver meets to the share s; see ``ask_velocities``."""
    return max(abs(np.roots([1.0, -1.0 - (1 - s) * (1 + g) + s * k, (1 - s) * (1 + 2 * g), -(1 - s) * g])))


@pytest.mark.parametrize("k", [0.1, 0.2, 0.5, 1.0])
def test_a_share_of_the_last_impulse_keeps_every_mode_stable(k):
    """G = 1/(1 + k) is stable for every s, a little more is not."""
    shares = np.geomspace(1e-3, 1.0, 200)
    assert max(recursion(s, k, 1 / (1 + k)) for s in shares) < 1.0
    assert max(recursion(s, k, 1.02 / (1 + k)) for s in shares) > 1.0


def test_ten_hinges_in_a_row_stay_together_with_few_sweeps():
    """Ten sweeps are far too few for ten hinges; with the whole impulse of the step before they blew up in a second."""
    b, above = gk.Builder(gravity=(8.0, 0, -5.0)), "world"
    for i in range(10):
        rod = gk.Part(gk.Capsule(radius=0.008, length=0.104), at=(0, 0, -0.06))
        b.body(f"link{i}", shape=rod, density=8500, at=(0, 0, -0.12 * i))
        b.add(gk.Hinge(name=f"hinge{i}", a=above, b=f"link{i}", at=(0, 0, -0.12 * i), axis=(0, -1, 0)))
        above = f"link{i}"
    sim = gk.Simulation(b.build(), gk.RowStepping(h=0.002, solver=gk.GaussSeidel(sweeps=10)))
    start = sum(sim.ledger[:2])
    for _ in range(15):
        sim.advance(0.1)
        assert sum(sim.ledger[:2]) < start + 0.05 * abs(start) + 0.5
        assert np.linalg.norm(sim["hinge9"].force) < 100.0  # ten links weigh 2.3 N
