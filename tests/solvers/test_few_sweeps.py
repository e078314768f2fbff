"""Gauss-Seidel with few sweeps errs, but what it leaves does not grow from step to step."""

import numpy as np
import pytest

import gelenk as gk


def truss(edge):
    """Two light bodies far from their three hinges: nothing can move, and 17 N bear it."""
    b = gk.Builder()
    b.body("upper", shape=gk.Box((edge,) * 3), mass=2, at=(0.5, 0, -0.5))
    b.body("lower", shape=gk.Box((edge,) * 3), mass=1, at=(1.5, 0, -0.5))
    for name, a, c, at in (
        ("left", "world", "upper", (0, 0, 0)),
        ("elbow", "upper", "lower", (1, 0, -1)),
        ("right", "world", "lower", (2, 0, 0)),
    ):
        b.add(gk.Hinge(name=name, a=a, b=c, at=at, axis=(0, 1, 0)))
    return b.build()


@pytest.mark.parametrize("sweeps", [2, 3, 5, 10, 20, 50])
@pytest.mark.parametrize("edge", [0.05, 0.1, 0.15])
@pytest.mark.filterwarnings("ignore::gelenk.AccuracyWarning")
def test_a_truss_stays_up_with_any_number_of_sweeps(edge, sweeps):
    """Impulses of the step before and error reduction feed what a solve leaves into the next one; see the solver."""
    sim = gk.Simulation(truss(edge), gk.RowStepping(h=1e-3, solver=gk.GaussSeidel(sweeps=sweeps)))
    early = sim.run(0.5)["left"].force
    late = sim.run(1.0)["left"].force
    assert np.abs(late[-100:]).max() < 2.0 * np.abs(early[-100:]).max()
    assert np.linalg.norm(late[-100:].mean(axis=0)) == pytest.approx(np.hypot(7.3575, 17.1675), rel=0.25)
