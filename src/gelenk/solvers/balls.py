"""Three rows whose impulse lies in a ball, for solvers that know intervals only (I-062).

Where the bound of a ball is reached, its rows are short of what they are asked by a multiple of their impulse:

    A dp = ask - s (p + dp),    |p + dp| = R,    s >= 0

So a ball at its bound is one without bounds, with rows that are softer by s. 1/|p + dp| grows nearly linearly with s,
and secants find the root in a few solves. A grip that pulls with less than its bound costs nothing.
"""

from __future__ import annotations

import math

from gelenk.compile import generic, helper, routine
from gelenk.rows.block import BALL

ROUNDS = 40
CLOSE = 1e-12  # share of R by which |p| may miss it


@generic
def solve_intervals(solver, joints, bodies, rows):
    """As ``solve``, with every row in its interval."""


@helper
def solve_balls(solver, joints, bodies, rows):
    """Solve with the rows of every ball as soft as it takes to keep its bound."""
    if not has_balls(joints, rows):
        solve_intervals(solver, joints, bodies, rows)
        return
    open_balls(joints, rows)
    for _ in range(ROUNDS):
        solve_intervals(solver, joints, bodies, rows)
        if not soften_balls(joints, rows):
            break
    close_balls(joints, rows)


@routine
def has_balls(joints, rows):
    """Whether one takes part that may pull at all."""
    for n in range(rows.counts[1], rows.counts[0]):
        r = rows.active[n]
        if joints.row[r].set == BALL and rows.number[r].hi > 0.0:
            return True
    return False


@routine
def open_balls(joints, rows):
    """No bounds and no softness; ``begin`` of the first row keeps R, of the others s and 1/|p| of the solve before."""
    for n in range(rows.counts[1], rows.counts[0]):
        r = rows.active[n]
        if joints.row[r].set == BALL and rows.number[r].hi > 0.0:
            rows.number[r].begin = rows.number[r].hi
            rows.number[r + 1].begin = rows.number[r + 2].begin = 0.0
            for k in range(3):
                rows.number[r + k].lo, rows.number[r + k].hi = -math.inf, math.inf


@routine
def soften_balls(joints, rows):
    """A new s for every ball that misses its bound, and the impulses of before; False if there is none."""
    again = False
    for n in range(rows.counts[1], rows.counts[0]):
        r = rows.active[n]
        if joints.row[r].set == BALL and rows.number[r].hi == math.inf:
            again = secant(rows, r) or again
    if again:
        for n in range(rows.counts[0]):
            x = rows.number[rows.active[n]]
            x.p = x.before
    return again


@helper
def secant(rows, r):
    """One more s for the ball of row r; True if |p| is above R, or below it with s > 0."""
    x, y, z = rows.number[r], rows.number[r + 1], rows.number[r + 2]
    s, R, size = x.soft, x.begin, math.sqrt(x.p * x.p + y.p * y.p + z.p * z.p)
    if size <= R * (1.0 + CLOSE) and (s == 0.0 or size >= R * (1.0 - CLOSE)):
        return False
    inverse = 1.0 / max(size, 1e-300)
    slope = inverse / max(x.diag + s, 1e-300)  # were A a number
    if z.begin > 0.0 and abs(s - y.begin) > 0.0 and (inverse - z.begin) / (s - y.begin) > 0.0:
        slope = (inverse - z.begin) / (s - y.begin)
    y.begin, z.begin = s, inverse
    new = max(s + (1.0 / R - inverse) / slope, 0.0)
    for k in range(3):
        x = rows.number[r + k]
        x.ask += (s - new) * x.before
        x.soft = new
    return abs(new - s) > 1e-15 * new


@routine
def close_balls(joints, rows):
    """The problem as it was."""
    for n in range(rows.counts[1], rows.counts[0]):
        r = rows.active[n]
        if joints.row[r].set == BALL and rows.number[r].hi == math.inf:
            R = rows.number[r].begin
            for k in range(3):
                x = rows.number[r + k]
                x.ask += x.soft * x.before
                x.soft, x.lo, x.hi = 0.0, -R, R
