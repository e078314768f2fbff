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
        worst = max(worst, row_residual(joints, bodies, rows, rows.active[n]))
    return worst


@routine
def row_residual(joints, bodies, rows, r):
    """How far one row is from its solution, the others as they stand; rows that share a set count as one."""
    row, x = joints.row[r], rows.number[r]
    if row.set == INNER:
        return 0.0
    if row.plain == 1:  # |w| itself, for any A_ii
        return abs(x.ask - row_rate(joints, rows.J, bodies.dV, r))
    if row.set == BALL:
        d = common_yield(joints, rows, r, 3)
        a, b, c = nudged_ball(joints, bodies, rows, r, d)
        return max(abs(x.p - a), abs(rows.number[r + 1].p - b), abs(rows.number[r + 2].p - c)) * d
    if row.set == ELLIPSE:
        d = common_yield(joints, rows, r, 2)
        a, b = nudged_ellipse(joints, bodies, rows, r, d)
        return max(abs(x.p - a), abs(rows.number[r + 1].p - b)) * d
    if x.lo == -math.inf and x.hi == math.inf:
        return abs(x.ask - row_rate(joints, rows.J, bodies.dV, r) - x.soft * (x.p - x.before))
    d = x.diag + x.soft
    return abs(x.p - prox_interval(nudged(joints, bodies, rows, r, d), x.lo, x.hi)) * d


@helper
def nudged(joints, bodies, rows, r, d):
    """P - w / d of a row; with d = A_ii the impulse that would meet it, the others as they stand."""
    x = rows.number[r]
    if d <= 0.0:
        return x.p
    return x.p + (x.ask - row_rate(joints, rows.J, bodies.dV, r) - x.soft * (x.p - x.before)) / d


@routine
def nudged_ball(joints, bodies, rows, r, d):
    """Nearest point of the ball of row r to p - w / d. One d for all its rows, lest the pull changes its direction."""
    a, b, c = (
        nudged(joints, bodies, rows, r, d),
        nudged(joints, bodies, rows, r + 1, d),
        nudged(joints, bodies, rows, r + 2, d),
    )
    return prox_ball(a, b, c, rows.number[r].hi)


@routine
def nudged_ellipse(joints, bodies, rows, r, d):
    """Nearest point of the ellipse of row r, in the measure of its normal impulse, to p - w / d."""
    row = joints.row[r]
    s = max(rows.number[row.normal].p, 0.0)
    a, b = nudged(joints, bodies, rows, r, d), nudged(joints, bodies, rows, r + 1, d)
    return prox_ellipse(a, b, row.radius * s, joints.row[r + 1].radius * s)


@routine
def common_yield(joints, rows, r, count):
    """A number at or above every eigenvalue of the block of A of rows that share a set (Gershgorin)."""
    worst = 0.0
    for i in range(r, r + count):
        s = rows.number[i].diag + rows.number[i].soft
        for k in range(r, r + count):
            if k != i:
                s += abs(coupling(joints, rows, i, k))
        worst = max(worst, s)
    return worst


@helper
def coupling(joints, rows, r, s):
    """J_r M^-1 J_s^T of two rows over the same bodies."""
    row, other = joints.row[r], joints.row[s]
    out = 0.0
    for n in range(row.entry_last - row.entry_first):
        for k in range(6):
            out += rows.J[row.entry_first + n, k] * rows.B[other.entry_first + n, k]
    return out


@helper
def begin_solve(bodies, rows):
    """No change of velocity yet; remember the impulses to start from."""
    clear_change(bodies)
    for n in range(rows.counts[0]):
        x = rows.number[rows.active[n]]
        x.before = x.p
