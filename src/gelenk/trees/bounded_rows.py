"""Rows of a tree with bounds: limits, motors, brakes, grips, by projections one after the other (B-31, V-71).

p <- prox(p + (want - w.u - soft p) / (w.z + soft))
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.rows.block import BALL, INNER
from gelenk.rows.sets import prox_ball, prox_interval
from gelenk.trees.directions import push_along, rate_along


@routine
def sweep_rows(tree, directions, mine, joints, rows, u):
    """Every row with bounds once; returns the largest change of its velocity."""
    largest = 0.0
    for n in range(mine.sizes[1]):
        largest = max(largest, settle_row(tree, directions, mine, joints, rows, mine.other[n], u))
    return largest


@routine
def settle_row(tree, directions, mine, joints, rows, r, u):
    """Project the impulse of a row with bounds; returns the change of its velocity."""
    row, x = joints.row[r], rows.number[r]
    if row.set == INNER:
        return 0.0
    if row.set == BALL:
        return settle_ball(tree, directions, mine, rows, r, u)
    d = directions.direction[mine.place[r]].diag + x.soft
    if d <= 0.0:
        return 0.0
    p = wished_impulse(tree, directions, mine, rows, r, u, d)
    change = p - x.p
    if change != 0.0:
        push_along(tree, directions, mine.place[r], u, change)
        x.p = p
    return abs(change) * d


@helper
def wished_impulse(tree, directions, mine, rows, r, u, d):
    """Impulse of a row that its law asks for, the others as they stand."""
    x = rows.number[r]
    rate = rate_along(tree, directions, mine.place[r], u)
    return prox_interval(x.p + (x.want - rate - x.soft * x.p) / d, x.lo, x.hi)


@routine
def row_residual(tree, directions, mine, joints, rows, r, u):
    """How far a row with bounds is from its law, as a velocity."""
    row, x = joints.row[r], rows.number[r]
    if row.set == INNER:
        return 0.0
    if row.set == BALL:
        top = top_of_ball(directions, mine, rows, r)
        a, b, c = wished_ball(tree, directions, mine, rows, r, u, top)
        return max(abs(a - x.p), abs(b - rows.number[r + 1].p), abs(c - rows.number[r + 2].p)) * top
    d = directions.direction[mine.place[r]].diag + x.soft
    return abs(wished_impulse(tree, directions, mine, rows, r, u, d) - x.p) * d if d > 0.0 else 0.0


@helper
def top_of_ball(directions, mine, rows, r):
    """Common scale of three rows whose impulse lies in a ball."""
    top = 0.0
    for i in range(3):
        top += directions.direction[mine.place[r + i]].diag + rows.number[r + i].soft
    return top


@helper
def wished_ball(tree, directions, mine, rows, r, u, top):
    """Impulses of three rows in their ball that their law asks for, by one step with a common scale."""
    x, y, z = rows.number[r], rows.number[r + 1], rows.number[r + 2]
    if top <= 0.0:
        return x.p, y.p, z.p
    a = x.p + (x.want - rate_along(tree, directions, mine.place[r], u) - x.soft * x.p) / top
    b = y.p + (y.want - rate_along(tree, directions, mine.place[r + 1], u) - y.soft * y.p) / top
    c = z.p + (z.want - rate_along(tree, directions, mine.place[r + 2], u) - z.soft * z.p) / top
    return prox_ball(a, b, c, x.hi)


@helper
def settle_ball(tree, directions, mine, rows, r, u):
    """Three rows whose impulse lies in a ball: one step of the projection with a common scale."""
    top = top_of_ball(directions, mine, rows, r)
    x, y, z = rows.number[r], rows.number[r + 1], rows.number[r + 2]
    a, b, c = wished_ball(tree, directions, mine, rows, r, u, top)
    largest = max(abs(a - x.p), abs(b - y.p), abs(c - z.p)) * top
    push_along(tree, directions, mine.place[r], u, a - x.p)
    push_along(tree, directions, mine.place[r + 1], u, b - y.p)
    push_along(tree, directions, mine.place[r + 2], u, c - z.p)
    x.p, y.p, z.p = a, b, c
    return largest
