"""The add-on of pivoting is taken out again, also where a row then belongs beyond its bound."""

import numpy as np
import pytest

from gelenk.solvers.boxed_lcp import NONE
from gelenk.solvers.dantzig_pivot import dantzig_work
from gelenk.solvers.lemke import LemkeWork, lemke_work
from gelenk.solvers.lemke_pivot import lemke
from gelenk.solvers.polish import dantzig_polished, polish

N, FREE = 9, 6  # rows, and of those without bounds
RELATIVE = 1e-4


def problem(seed):
    """A with a diagonal of ones and a weak direction, and a bound of row FREE between its impulses with and without c.

    So it is inside with the add-on, and at its bound without.
    """
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(N, 14))
    J[FREE] = J[:FREE].T @ rng.normal(size=FREE) + 0.2 * J[FREE]
    J /= np.linalg.norm(J, axis=1)[:, None]
    A, beta = J @ J.T, rng.normal(size=N)
    exact, added = np.linalg.solve(A, beta), np.linalg.solve(A + RELATIVE * np.eye(N), beta)
    lo, hi = np.full(N, -np.inf), np.full(N, np.inf)
    lo[FREE:], hi[FREE:] = -1e6, 1e6
    bound = 0.8 * added[FREE] + 0.2 * exact[FREE]
    (hi if exact[FREE] > 0 else lo)[FREE] = bound
    at = np.r_[:FREE, FREE + 1 : N]  # all others, row FREE at its bound
    right = np.zeros(N)
    right[FREE] = bound
    right[at] = np.linalg.solve(A[np.ix_(at, at)], beta[at] - A[at, FREE] * bound)
    assert abs(exact[FREE]) > abs(bound) > abs(added[FREE])
    return A, beta, lo, hi, right


def by_dantzig(A, beta, lo, hi):
    p, w = np.zeros(N), np.zeros(N)
    none, mu, work, scratch = np.full(N, NONE, np.uint32), np.zeros(N), dantzig_work(N), np.zeros((3, N))
    numbers = (A.copy(), np.ones(N), beta.copy(), lo.copy(), hi.copy(), none, mu, N, FREE, RELATIVE, p, w)
    assert dantzig_polished(*numbers, work, scratch) == 0
    return p


def by_lemke(A, beta, lo, hi):
    p, w, work = np.zeros(N), np.zeros(N), lemke_work(N)
    assert isinstance(work, LemkeWork)
    none, mu = np.full(N, NONE, np.uint32), np.zeros(N)
    lemke(A + RELATIVE * np.eye(N), beta, lo, hi, none, mu, N, FREE, p, w, work)
    polish(A.copy(), beta, lo, hi, N, FREE, RELATIVE, p, work, False, np.zeros((2, N)))
    return p


@pytest.mark.parametrize("solver", [by_dantzig, by_lemke])
@pytest.mark.parametrize("seed", range(6))
def test_a_row_that_leaves_its_bounds_is_held_there_and_the_others_are_solved_anew(solver, seed):
    """Three passes leave (c / (t + c))^4 of the answer with add-on, t the least eigenvalue of the rows left."""
    A, beta, lo, hi, right = problem(seed)
    p = solver(A, beta, lo, hi)
    at = np.r_[:FREE, FREE + 1 : N]
    left = (RELATIVE / (np.linalg.eigvalsh(A[np.ix_(at, at)])[0] + RELATIVE)) ** 3
    assert ((lo <= p) & (p <= hi)).all()
    np.testing.assert_allclose(p, right, atol=abs(right).max() * (10 * left + 1e-11))
    assert abs((beta - A @ p)[at]).max() <= 1e-6
