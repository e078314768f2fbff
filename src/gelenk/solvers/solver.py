"""What a solver of rows does, and the one residual by which all of them are judged.

A method asks for a change of the row velocities, and a solver finds impulses within their sets that make it:

    A dp = ask + w,    A = J M^-1 J^T + diag(c/h),    p + dp in the set,  w in its normal cone there

It adds dp to ``rows.p`` and leaves the change of the body velocities, M^-1 J^T dp, in ``bodies.dV``.
"""

from __future__ import annotations

import math

from gelenk.compile import generic, helper, routine
from gelenk.rows.assemble import row_rate
from gelenk.rows.block import BALL, ELLIPSE, INNER
from gelenk.rows.sets import prox_ball, prox_ellipse, prox_interval


@generic
def prepare(solver, joints, masses, state, bodies, rows):
    """Whatever depends on the pose and on the equalities of ``rows`` alone, such as a factorisation."""


@generic
def solve(solver, joints, bodies, rows):
    """Find dp for ``rows.ask``; see the module."""


@helper
def clear_change(bodies):
    """No change of velocity yet."""
    for i in range(bodies.dV.shape[0]):
        for k in range(6):
            bodies.dV[i, k] = 0.0


@helper
def apply_change(bodies):
    """V += dV."""
    for i in range(bodies.dV.shape[0]):
        for k in range(6):
            bodies.V[i, k] += bodies.dV[i, k]


@routine
def residual(joints, bodies, rows):
    """How far a solution is from solving its problem [m/s] or [rad/s], the largest over the rows:

        max | p - prox(p - w / A_ii) | A_ii        w = (A dp - ask) of the row

    Zero if and only if every impulse lies in its set and every row is met or its impulse is at its bound. Computed from
    the impulses and from what they did to the velocities, the same way for every solver.
    """
    worst = 0.0
    for n in range(rows.counts[0]):
        r = rows.active[n]
        row, x = joints.row[r], rows.number[r]
        if row.set == INNER:
            continue
        gap = 0.0
        if row.set == BALL:
            a, b, c = prox_ball(
                nudged(joints, bodies, rows, r),
                nudged(joints, bodies, rows, r + 1),
                nudged(joints, bodies, rows, r + 2),
                x.hi,
            )
            gap = max(abs(x.p - a), abs(rows.number[r + 1].p - b), abs(rows.number[r + 2].p - c))
        elif row.set == ELLIPSE:
            s = max(rows.number[row.normal].p, 0.0)
            a, b = nudged(joints, bodies, rows, r), nudged(joints, bodies, rows, r + 1)
            a, b = prox_ellipse(a, b, row.radius * s, joints.row[r + 1].radius * s)
            gap = max(abs(x.p - a), abs(rows.number[r + 1].p - b))
        elif x.lo == -math.inf and x.hi == math.inf:  # |w| itself, for any A_ii
            gap = x.ask - row_rate(joints, rows.J, bodies.dV, r) - x.soft * (x.p - x.before)
            worst = max(worst, abs(gap))
            continue
        else:
            gap = abs(x.p - prox_interval(nudged(joints, bodies, rows, r), x.lo, x.hi))
        worst = max(worst, gap * (x.diag + x.soft))
    return worst


@helper
def nudged(joints, bodies, rows, r):
    """P - w / A_ii of a row: the impulse that would meet it, the others as they stand."""
    x = rows.number[r]
    d = x.diag + x.soft
    if d <= 0.0:
        return x.p
    return x.p + (x.ask - row_rate(joints, rows.J, bodies.dV, r) - x.soft * (x.p - x.before)) / d


@helper
def begin_solve(bodies, rows):
    """No change of velocity yet; remember the impulses to start from."""
    clear_change(bodies)
    for n in range(rows.counts[0]):
        x = rows.number[rows.active[n]]
        x.before = x.p
