"""Boxed linear complementarity problems, random and made by hand, and independent ways to solve them.

A p = beta + w,   lo <= p <= hi,   p = lo => w >= 0,   p = hi => w <= 0,   else w = 0
"""

import itertools
from typing import NamedTuple

import numpy as np

from gelenk.compile import kernel
from gelenk.solvers.boxed_lcp import NONE, boxed_residual
from gelenk.solvers.dantzig_pivot import dantzig, dantzig_ladder, dantzig_work
from gelenk.solvers.lemke_pivot import lemke, lemke_work

INF = np.inf


class Problem(NamedTuple):
    """One problem; friction rows, if any, come last."""

    A: np.ndarray
    beta: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    normal: np.ndarray
    mu: np.ndarray
    unlimited: int


def problem(A, beta, lo, hi, unlimited=0, friction=()):
    """A problem out of lists; ``friction`` holds (row, normal row, mu)."""
    A = np.ascontiguousarray(A, dtype=np.float64)
    n = len(A)
    normal, mu = np.full(n, NONE, dtype=np.uint32), np.zeros(n)
    for row, other, coefficient in friction:
        normal[row], mu[row] = other, coefficient
    lo, hi = np.array(lo, dtype=np.float64), np.array(hi, dtype=np.float64)
    return Problem(A, np.array(beta, dtype=np.float64), lo, hi, normal, mu, unlimited)


# --- the compiled entries --------------------------------------------------------------------------------------------


@kernel
def run_dantzig(A, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work):
    return dantzig(A, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work)


@kernel
def run_ladder(A, beta, lo, hi, normal, mu, n, unlimited, relative, p_out, w_out, work):
    return dantzig_ladder(A, beta, lo, hi, normal, mu, n, unlimited, relative, p_out, w_out, work)


@kernel
def run_lemke(A, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work):
    return lemke(A, beta, lo, hi, normal, mu, n, unlimited, p_out, w_out, work)


WORK = {run_dantzig: dantzig_work, run_ladder: dantzig_work, run_lemke: lemke_work}


class Answer(NamedTuple):
    """What a solver returns and writes; lo and hi are the bounds it used, those of friction included."""

    status: int
    p: np.ndarray
    w: np.ndarray
    lo: np.ndarray
    hi: np.ndarray


def solve(one, a, *extra, python=False):
    """Run a solver on a problem with fresh memory; ``python``: interpreted."""
    n = len(a.beta)
    p, w, work = np.full(n, 7e77), np.full(n, 7e77), WORK[one](n)
    call = one.python if python else one
    status = call(a.A, a.beta, a.lo, a.hi, a.normal, a.mu, n, a.unlimited, *extra, p, w, work)
    return Answer(status, p, w, work.lo[:n].copy(), work.hi[:n].copy())


# --- measures --------------------------------------------------------------------------------------------------------


def size(a, p):
    """Largest velocity a row sums up, |beta_i| + sum_j sqrt(A_ii A_jj) |p_j|: what rounding is relative to."""
    root = np.sqrt(a.A.diagonal())
    return np.max(np.abs(a.beta) + root * (root @ np.abs(p)), initial=0.0)


def residual(a, answer):
    """The residual relative to the size of the problem, at the bounds that the solver used."""
    worst = boxed_residual(a.A, a.beta, answer.lo, answer.hi, answer.p, len(a.beta))
    return worst / size(a, answer.p) if worst > 0.0 else worst


def complementary(answer):
    """Whether p and w fulfil all signs exactly, without any tolerance."""
    p, w, lo, hi = answer[1:]
    lower, upper = (p == lo) & (w >= 0.0), (p == hi) & (w <= 0.0)
    return bool(np.all((lo <= p) & (p <= hi) & (lower | upper | (w == 0.0) | (lo == hi))))


# --- independent solutions -------------------------------------------------------------------------------------------


def enumerate_sets(A, beta, lo, hi, slack=1e-9):
    """Try every way to put rows at lower bound, upper bound or inside; the one that is complementary, or None."""
    n = len(beta)
    choices = [[None, *{b for b in (lo[i], hi[i]) if np.isfinite(b)}] for i in range(n)]
    for choice in itertools.product(*choices):
        inside = [i for i in range(n) if choice[i] is None]
        p = np.array([0.0 if c is None else c for c in choice])
        if inside:
            block = A[np.ix_(inside, inside)]
            p[inside] = np.linalg.solve(block, beta[inside] - A[inside] @ p)
        w = A @ p - beta
        fits = (lo - slack <= p) & (p <= hi + slack)
        for i in range(n):
            if choice[i] is not None and lo[i] < hi[i]:
                fits[i] &= w[i] >= -slack if choice[i] == lo[i] else w[i] <= slack
        if fits.all():
            return p
    return None


def gauss_seidel(A, beta, lo, hi, sweeps=20000, stop=1e-15):
    """Projected Gauss-Seidel until nothing moves any more."""
    p = np.clip(np.zeros(len(beta)), lo, hi)
    for _ in range(sweeps):
        moved = 0.0
        for i in range(len(beta)):
            new = min(max(p[i] + (beta[i] - A[i] @ p) / A[i, i], lo[i]), hi[i])
            moved, p[i] = max(moved, abs(new - p[i])), new
        if moved <= stop * np.abs(p).max():
            break
    return p


# --- random problems -------------------------------------------------------------------------------------------------

KINDS = ["contact", "upper", "motor", "push", "pull", "fixed", "rest", "free"]


def bounds(random, kind):
    """Bounds of one row of a kind; push and pull leave zero out, so that the unknown must be shifted."""
    a, b = np.sort(random.exponential(size=2))
    return {
        "contact": (0.0, INF),
        "upper": (-INF, 0.0),
        "motor": (-a, b),
        "push": (a, b if random.random() < 0.5 else INF),
        "pull": (-b if random.random() < 0.5 else -INF, -a),
        "fixed": (b, b),
        "rest": (0.0, 0.0),
        "free": (-INF, INF),
    }[kind]


def random_problem(seed, n, unlimited=0, kinds=KINDS, spread=1.0):
    """A definite, of condition below some 1e4 before rows and columns are scaled by up to 10^(+-spread/2)."""
    random = np.random.default_rng(seed)
    B = random.normal(size=(n, n))
    scale = 10.0 ** (spread * random.uniform(-0.5, 0.5, n))
    A = scale[:, None] * (B @ B.T / max(n, 1) + 0.01 * np.eye(n)) * scale
    A = (A + A.T) / 2.0
    lo, hi = np.full(n, -INF), np.full(n, INF)
    for i in range(unlimited, n):
        lo[i], hi[i] = np.array(bounds(random, kinds[random.integers(len(kinds))])) / scale[i]
    return problem(A, random.normal(size=n) * scale, lo, hi, unlimited)


def contact_problem(seed, unlimited, bounded, contacts):
    """Joints, motors, then all normal rows, then two friction rows a contact."""
    random = np.random.default_rng(seed)
    n = unlimited + bounded + 3 * contacts
    J = random.normal(size=(n, n + 10))
    A = J @ J.T
    lo, hi = np.full(n, -INF), np.full(n, INF)
    lo[unlimited : unlimited + bounded], hi[unlimited : unlimited + bounded] = -0.01, 0.02
    first, friction = unlimited + bounded + contacts, []
    lo[unlimited + bounded : first] = 0.0
    for k in range(2 * contacts):
        friction.append((first + k, unlimited + bounded + k // 2, 0.5))
    return problem((A + A.T) / 2.0, random.normal(size=n), lo, hi, unlimited, friction)
