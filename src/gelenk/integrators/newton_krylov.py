"""Newton's method for an implicit step without a matrix: the linear systems by GMRES on differences of the motion.

    F(m) = m - y - h/2 f(t + h/2, m) = 0,       F'(m) d = -F(m)

F'(m) v is taken as a difference of two evaluations of f, so no law has to supply derivatives. GMRES needs about as
many of them as there are separate groups of stiff frequencies. Source: Saad and Schultz, SIAM J. Sci. Stat. Comput. 7
(1986); Knoll and Keyes, J. Comput. Phys. 193 (2004), sections 2.3 and 3.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import routine
from gelenk.integrators.scheme import derivative
from gelenk.state import Loads, State, like_state, new_loads

MOST_VECTORS = 60  # of the Krylov space; each costs one evaluation and one vector of memory
FORCING = 1e-4  # how far GMRES reduces the residual of one Newton step
DIFFERENCE = 1.5e-8  # root of the rounding unit: best step of a one-sided difference


class KrylovWork(NamedTuple):
    """Scratch of the linear solves."""

    loads: Loads
    rate: State
    trial: State
    residual: np.ndarray  # (n,) F(m)
    direction: np.ndarray  # (n,) d
    basis: np.ndarray  # (k + 1, n) orthonormal vectors of the Krylov space
    hessenberg: np.ndarray  # (k + 1, k), made triangular by the turns
    turns: np.ndarray  # (k, 2) cosines and sines
    rhs: np.ndarray  # (k + 1,)


def krylov_work(state: State) -> KrylovWork:
    """Scratch for states of this size."""
    n = len(state.flat)
    k = min(n, MOST_VECTORS)
    return KrylovWork(
        new_loads(state),
        like_state(state),
        like_state(state),
        np.zeros(n),
        np.zeros(n),
        np.zeros((k + 1, n)),
        np.zeros((k + 1, k)),
        np.zeros((k, 2)),
        np.zeros(k + 1),
    )


@routine
def dot(a, b):
    """Scalar product."""
    s = 0.0
    for k in range(a.shape[0]):
        s += a[k] * b[k]
    return s


@routine
def evaluate(work, system, state, middle, t, h):
    """Residual = F(m)."""
    derivative(system, middle, t + 0.5 * h, work.loads, work.rate)
    for k in range(work.residual.shape[0]):
        work.residual[k] = middle.flat[k] - state.flat[k] - 0.5 * h * work.rate.flat[k]


@routine
def times_jacobian(work, system, state, middle, t, h, v, out):
    """Out = F'(m) v by a one-sided difference from the residual at m."""
    e = DIFFERENCE * (1.0 + math.sqrt(dot(middle.flat, middle.flat))) / math.sqrt(dot(v, v))
    trial = work.trial.flat
    for k in range(v.shape[0]):
        trial[k] = middle.flat[k] + e * v[k]
    derivative(system, work.trial, t + 0.5 * h, work.loads, work.rate)
    for k in range(v.shape[0]):
        out[k] = (trial[k] - state.flat[k] - 0.5 * h * work.rate.flat[k] - work.residual[k]) / e


@routine
def newton_direction(work, system, state, middle, t, h):
    """Solve F'(m) d = -F(m) to the forcing by GMRES; returns the length of F(m)."""
    V, H, turns, g = work.basis, work.hessenberg, work.turns, work.rhs
    n, most = V.shape[1], turns.shape[0]
    size = math.sqrt(dot(work.residual, work.residual))
    for k in range(n):
        work.direction[k] = 0.0
    if not size > 0.0:
        return size
    for k in range(n):
        V[0, k] = -work.residual[k] / size
    g[0] = size
    used = 0
    for j in range(most):
        w = V[j + 1]
        times_jacobian(work, system, state, middle, t, h, V[j], w)
        for i in range(j + 1):  # modified Gram-Schmidt
            H[i, j] = dot(w, V[i])
            for k in range(n):
                w[k] -= H[i, j] * V[i, k]
        below = math.sqrt(dot(w, w))
        for i in range(j):
            upper, lower = H[i, j], H[i + 1, j]
            H[i, j] = turns[i, 0] * upper + turns[i, 1] * lower
            H[i + 1, j] = turns[i, 0] * lower - turns[i, 1] * upper
        pivot = math.sqrt(H[j, j] * H[j, j] + below * below)
        used = j + 1
        if not pivot > 0.0:
            used = j
            break
        turns[j, 0], turns[j, 1] = H[j, j] / pivot, below / pivot
        H[j, j] = pivot
        g[j + 1] = -turns[j, 1] * g[j]
        g[j] = turns[j, 0] * g[j]
        if abs(g[j + 1]) <= FORCING * size or below <= 1e-14 * pivot:
            break
        for k in range(n):
            w[k] /= below
    for step in range(used):  # back substitution, the solution over g
        i = used - 1 - step
        for j in range(i + 1, used):
            g[i] -= H[i, j] * g[j]
        g[i] /= H[i, i]
    for j in range(used):
        for k in range(n):
            work.direction[k] += g[j] * V[j, k]
    return size
