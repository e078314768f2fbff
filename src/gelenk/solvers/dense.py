"""The dense matrix of all rows that take part, for solvers that pivot (V-122, virtual-worlds 4.4).

    A = J M^-1 J^T + diag(c/h)

Two rows are coupled only where they share a body. So every body keeps a linked list of the entries of J that were put
down on it; a new row walks the lists of its own bodies and meets exactly the rows it is coupled with. The cost is that
of the non-zeros (E-28), apart from clearing the matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.errors import InputError
from gelenk.rows.assemble import push
from gelenk.rows.block import NONE, Joints
from gelenk.solvers.solver import begin_solve
from gelenk.state import Masses


class DenseWork(NamedTuple):
    """The boxed problem of all active rows, in their order."""

    A: np.ndarray  # (R, R)
    scale: np.ndarray  # (R,) its diagonal without softness
    beta: np.ndarray  # (R,) what is asked
    lo: np.ndarray  # (R,) bounds of the change of the impulses
    hi: np.ndarray
    dp: np.ndarray
    w: np.ndarray
    mu: np.ndarray
    normal: np.ndarray  # (R,) uint32
    scratch: np.ndarray  # (3, R)
    head: np.ndarray  # (nodes,) uint32 entry put down last on each node, or NONE
    after: np.ndarray  # (E,) uint32 the one before it, or NONE
    place: np.ndarray  # (E,) uint32 row of A that an entry belongs to
    skip: np.ndarray  # (R,) uint32 no row


def dense_work(joints: Joints, masses: Masses, solver: str, most: int) -> DenseWork:
    """Space for all rows of a model, at most ``most``."""
    R, E = len(joints.row), len(joints.body)
    if most < R:
        found = f"{R} rows, whose dense matrix has {R}^2 numbers"
        raise InputError(solver, found, f"at most {most} rows", "Use gk.Sparse(), gk.Tree() or gk.GaussSeidel().")
    scale, beta, lo, hi, dp, w, mu = (np.zeros(R) for _ in range(7))
    return DenseWork(
        np.zeros((R, R)),
        scale,
        beta,
        lo,
        hi,
        dp,
        w,
        mu,
        np.full(R, NONE, np.uint32),
        np.zeros((3, R)),
        np.zeros(len(masses.mass), np.uint32),
        np.zeros(E, np.uint32),
        np.zeros(E, np.uint32),
        np.zeros(R, np.uint32),
    )


@routine
def dense_problem(dense, joints, bodies, rows):
    """A, what is asked, and the bounds of the change; ``rows.B`` and the diagonals must be those of J."""
    begin_solve(bodies, rows)
    dense_matrix(dense, joints, rows)
    for n in range(rows.counts[0]):
        x = rows.number[rows.active[n]]
        dense.beta[n], dense.lo[n], dense.hi[n] = x.ask, x.lo - x.p, x.hi - x.p


@routine
def dense_matrix(dense, joints, rows):
    """Both triangles of A."""
    A, head, after, place = dense.A, dense.head, dense.after, dense.place
    head[:] = NONE
    for n in range(rows.counts[0]):
        r = rows.active[n]
        row = joints.row[r]
        A[n, : rows.counts[0]] = 0.0
        for e in range(row.entry_first, row.entry_last):
            i = joints.body[e]
            other = head[i]
            while other != NONE:
                m = place[other]
                A[n, m] += six(rows.J[e], rows.B[other])
                A[m, n] = A[n, m]
                other = after[other]
            after[e] = head[i]
            place[e] = n
            head[i] = e
        dense.scale[n] = rows.number[r].diag
        A[n, n] = rows.number[r].diag + rows.number[r].soft


@helper
def six(a, b):
    """A . b of six numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@routine
def take_dense(dense, joints, bodies, rows):
    """Add the changes of the impulses to the rows, and what they do to the velocities."""
    for n in range(rows.counts[0]):
        r = rows.active[n]
        rows.number[r].p += dense.dp[n]
        push(joints, rows.B, bodies.dV, r, dense.dp[n])


@helper
def count_rung(tally, rung):
    """One more solve, and the rung of the ladder it took."""
    tally[0] += 1
    if rung > 0:
        tally[1] += 1
    elif rung < 0:
        tally[3] += 1
    tally[2] = max(tally[2], rung)
