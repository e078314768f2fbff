"""Impulses in a ball (I-062): every solver against a root of the secular equation, found by bisection."""

import numpy as np
import pytest
from scipy.optimize import brentq

import gelenk as gk
from gelenk.rows.block import BALL
from solvers.row_models import DIRECT, SWEEPS, Problem, name


def held_arm(force, hands=1):
    """Two links on hinges askew, and hands that pull hard at skew points of the last one."""
    b = gk.Builder()
    b.body("upper", mass=2.0, inertia=(0.2, 0.06, 0.25), at=(0.3, 0, 0))
    b.body("lower", mass=1.0, inertia=(0.22, 0.3, 0.1), at=(0.9, 0.1, 0))
    b.add(gk.Ball(name="shoulder", a="world", b="upper", at=(0, 0, 0)))
    b.add(gk.Hinge(name="elbow", a="upper", b="lower", at=(0.6, 0, 0), axis=gk.unit((1, 2, 3))))
    for k in range(hands):
        at = (1.1, 0.2 - 0.5 * k, 0.1)
        b.add(gk.Grab(name=f"hand{k}", body="lower", at=at, to=(2.0, 1.0 + k, 3.0), force_max=force / (k + 1)))
    return Problem(b.build())


def balls_of(problem):
    """Places of the rows of each ball among the active rows, and its radius as an impulse."""
    first = [n for n, r in enumerate(problem.active) if problem.joints.row[r].set == BALL]
    return [(np.arange(n, n + 3), problem.rows.number.hi[problem.active[n]]) for n in first]


@pytest.mark.parametrize("force", [1.0, 30.0, 1e6])
@pytest.mark.parametrize("solver", [*DIRECT, SWEEPS], ids=name)
def test_a_pull_at_its_bound_solves_the_secular_equation(solver, force):
    """(A + s E) p = ask with |p| = R: the nearest that the hand can do, along no axis more than along another."""
    problem = held_arm(force)
    ((ball, R),) = balls_of(problem)
    E = np.zeros_like(problem.A)
    E[ball, ball] = 1.0

    def impulses(s):
        return np.linalg.solve(problem.A + s * E, problem.ask)

    def excess(s):
        return np.linalg.norm(impulses(s)[ball]) - R

    s = brentq(excess, 0.0, 1e9, xtol=1e-14, rtol=1e-15) if excess(0.0) > 0.0 else 0.0
    assert (s > 0.0) == (force < 1e5)
    residual, p, _ = problem.answer(solver)
    assert residual < 1e-9  # [m/s], of targets of 100 m/s
    np.testing.assert_allclose(p, impulses(s), atol=1e-9 * np.abs(impulses(s)).max())


@pytest.mark.parametrize("solver", DIRECT, ids=name)
def test_two_hands_at_their_bounds(solver):
    """Sweeping, which projects on each ball, and softening, which solves for both, meet."""
    problem = held_arm(20.0, hands=2)
    residual, p, _ = problem.answer(solver)
    _, swept, _ = problem.answer(SWEEPS)
    assert residual < 1e-9
    np.testing.assert_allclose(p, swept, atol=1e-8 * np.abs(swept).max())
    for ball, R in balls_of(problem):
        assert np.linalg.norm(p[ball]) == pytest.approx(R, rel=1e-9)
