"""Rows that a direct solver does not take in itself: loops, gears, limits, motors, by superposition (V-44, 4.24).

A *base* solver answers for its own rows alone. For the others, the auxiliary rows x, it tells how the whole system
yields to each of their impulses; that gives a small dense problem with bounds, which pivoting solves:

    Y_x = B_x + (answer of the base to -J B_x)        S = J_X Y + c/h        S q = ask_X - J_X y_0 + w

and the base answers once more, with the auxiliary impulses q given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import generic, helper, routine
from gelenk.errors import InputError
from gelenk.rows.assemble import push, row_rate
from gelenk.rows.block import NONE, Joints
from gelenk.solvers.dantzig_pivot import DantzigWork, dantzig_work
from gelenk.solvers.polish import dantzig_polished

MOST = 4000  # auxiliary rows; their dense matrix would take 128 MB
ADD_ON = 1e-10  # share of J M^-1 J^T on the diagonal while pivoting: what redundant rows need (trap T-9)


class AuxiliaryWork(NamedTuple):
    """The dense problem of the auxiliary rows."""

    list: np.ndarray  # (k,) uint32 auxiliary rows that take part
    counts: np.ndarray  # (2,) int64 how many, how many without bounds
    S: np.ndarray  # (k, k)
    rhs: np.ndarray  # (k,)
    lo: np.ndarray
    hi: np.ndarray
    q: np.ndarray
    w: np.ndarray
    mu: np.ndarray
    scale: np.ndarray  # (k,) J M^-1 J^T of these rows, before the base takes its share
    scratch: np.ndarray  # (3, k)
    normal: np.ndarray  # (k,) uint32
    ask: np.ndarray  # (R,) for the base
    dp: np.ndarray  # (R,) from the base
    U: np.ndarray  # (nodes, 6) velocities that auxiliary impulses make by themselves
    dantzig: DantzigWork
    rung: np.ndarray  # (1,) int64 highest rung of the ladder since the start; -1 after a step without impulses


@generic
def base_solve(solver, joints, bodies, rows, ask, dp, dV):
    """Impulses ``dp`` of the base rows for ``ask``, and what they do to all velocities, ``dV``."""


def auxiliary_work(joints: Joints, in_base: np.ndarray, nodes: int) -> AuxiliaryWork:
    """Space for all rows that are not in the base."""
    k, R = int(len(in_base) - np.count_nonzero(in_base)), len(joints.row)
    if k > MOST:
        found = f"{k} rows of loops, gears, limits and motors"
        raise InputError("solver", found, f"at most {MOST} beside the tree", "Use gk.GaussSeidel() for this model.")
    rhs, lo, hi, q, w, mu = (np.zeros(k) for _ in range(6))
    return AuxiliaryWork(
        np.zeros(k, np.uint32),
        np.zeros(2, np.int64),
        np.zeros((k, k)),
        rhs,
        lo,
        hi,
        q,
        w,
        mu,
        np.zeros(k),
        np.zeros((3, k)),
        np.full(k, NONE, np.uint32),
        np.zeros(R),
        np.zeros(R),
        np.zeros((nodes, 6)),
        dantzig_work(k),
        np.zeros(1, np.int64),
    )


@helper
def solve_with_auxiliary(solver, aux, in_base, joints, bodies, rows):
    """Base rows and auxiliary rows together."""
    gather(aux, in_base, rows)
    base_solve(solver, joints, bodies, rows, aux.ask, aux.dp, bodies.dV)
    if aux.counts[0] > 0:
        right_side(aux, joints, bodies, rows)
        for x in range(aux.counts[0]):
            unit_impulse(aux, in_base, joints, rows, x)
            base_solve(solver, joints, bodies, rows, aux.ask, aux.dp, bodies.dV)
            response(aux, joints, bodies, rows, x)
        pivot_auxiliary(aux, rows)
        with_impulses(aux, in_base, joints, rows)
        base_solve(solver, joints, bodies, rows, aux.ask, aux.dp, bodies.dV)
    take_over(aux, in_base, bodies, rows)


@routine
def gather(aux, in_base, rows):
    """Part the rows into those of the base, with what they ask, and the others."""
    aux.counts[0] = aux.counts[1] = 0
    for n in range(rows.counts[0]):
        r = rows.active[n]
        x = rows.number[r]
        x.before, aux.ask[r] = x.p, x.ask
        if in_base[r] == 0:
            k = aux.counts[0]
            aux.list[k] = r
            aux.lo[k], aux.hi[k] = x.lo - x.p, x.hi - x.p
            aux.counts[0] += 1
            if n < rows.counts[1]:
                aux.counts[1] += 1


@routine
def right_side(aux, joints, bodies, rows):
    """What the auxiliary rows still lack when the base has answered."""
    for k in range(aux.counts[0]):
        r = aux.list[k]
        aux.rhs[k] = rows.number[r].ask - row_rate(joints, rows.J, bodies.dV, r)


@routine
def unit_impulse(aux, in_base, joints, rows, k):
    """U = B_x of one auxiliary row; the base is asked to undo what it does to its rows."""
    for i in range(aux.U.shape[0]):
        for c in range(6):
            aux.U[i, c] = 0.0
    push(joints, rows.B, aux.U, aux.list[k], 1.0)
    for n in range(rows.counts[0]):
        r = rows.active[n]
        if in_base[r] == 1:
            aux.ask[r] = -row_rate(joints, rows.J, aux.U, r)


@routine
def response(aux, joints, bodies, rows, k):
    """Column k of S; only what is on and below the diagonal is computed, S is symmetric."""
    for i in range(bodies.dV.shape[0]):
        for c in range(6):
            bodies.dV[i, c] += aux.U[i, c]
    for m in range(k, aux.counts[0]):
        s = row_rate(joints, rows.J, bodies.dV, aux.list[m])
        aux.S[m, k] = s
        aux.S[k, m] = s
    x = rows.number[aux.list[k]]
    aux.S[k, k] += x.soft
    aux.scale[k] = x.diag


@routine
def pivot_auxiliary(aux, rows):
    """Impulses of the auxiliary rows within their bounds."""
    n, u = aux.counts[0], aux.counts[1]
    rung = dantzig_polished(
        aux.S,
        aux.scale,
        aux.rhs,
        aux.lo,
        aux.hi,
        aux.normal,
        aux.mu,
        n,
        u,
        ADD_ON,
        aux.q,
        aux.w,
        aux.dantzig,
        aux.scratch,
    )
    if rung < 0 or aux.rung[0] < 0:
        aux.rung[0] = -1
    else:
        aux.rung[0] = max(aux.rung[0], rung)


@routine
def with_impulses(aux, in_base, joints, rows):
    """U = sum of B_x q_x; the base is asked for what remains."""
    for i in range(aux.U.shape[0]):
        for c in range(6):
            aux.U[i, c] = 0.0
    for k in range(aux.counts[0]):
        push(joints, rows.B, aux.U, aux.list[k], aux.q[k])
    for n in range(rows.counts[0]):
        r = rows.active[n]
        if in_base[r] == 1:
            aux.ask[r] = rows.number[r].ask - row_rate(joints, rows.J, aux.U, r)


@routine
def take_over(aux, in_base, bodies, rows):
    """Add the impulses to the rows, and what the auxiliary ones did to the velocities."""
    for n in range(rows.counts[0]):
        r = rows.active[n]
        if in_base[r] == 1:
            rows.number[r].p += aux.dp[r]
    for k in range(aux.counts[0]):
        rows.number[aux.list[k]].p += aux.q[k]
    if aux.counts[0] > 0:
        for i in range(bodies.dV.shape[0]):
            for c in range(6):
                bodies.dV[i, c] += aux.U[i, c]
