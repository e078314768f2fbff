"""What has gone past a stop: it loses its speed there, and is put back by a motion that is no velocity (V-71, V-56).

A stop takes part from the step on that would cross it, so that it is reached and not passed. What was thrown at it
since, from rest or by an impact, may be past it by  h u/2  in the middle of its first step, and what was set by hand
by any way. To drive that back by a velocity, as the error of a joint is, would leave it flying away from a stop that
has no restitution. So a stop that is passed asks for  w.u' >= 0  alone, and the coordinates of the end are shifted by
the least motion, in the measure of the mass matrix, with which no stop is passed,

    s = sum z_i p_i        gap_i + h/2 w_i.u' + w_i.s >= 0,  p_i >= 0,  one of them an equality

with the gap of the middle and the velocity of the end. So ``gain``, which RowStepping needs, has no part here.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.rows.block import LIMIT
from gelenk.rows.conditions import way_to_stop
from gelenk.trees.directions import push_along, rate_along

SWEEPS = 1000  # most, for stops that are passed together; one alone takes two
SMALL = 1e-12  # of what is passed: a shift that does not count


@helper
def is_hard(row):
    """Whether a row is a limit that does not yield."""
    return row.mode == LIMIT and row.stiffness == 0.0 and row.damping == 0.0


@helper
def side_of(row):
    """1 for a low limit, -1 for a high one: the sign that an impulse of its row has."""
    return 1.0 if row.low > -math.inf else -1.0


@routine
def stop_what_is_past(joints, rows):
    """Stops that are passed ask for no speed back."""
    for n in range(rows.counts[0]):
        x, row = rows.number[rows.active[n]], joints.row[rows.active[n]]
        if is_hard(row) and side_of(row) * x.want > 0.0:
            x.want = 0.0


@routine
def put_back(tree, directions, mine, joints, rows, fix, u, h, shift):
    """Find the shift; whether there is any. The middle has moved by ``fix`` since rows were placed."""
    deepest = find_passed(tree, directions, mine, joints, rows, fix, u, h)
    if deepest == 0.0:
        return False
    for i in range(shift.shape[0]):
        shift[i] = 0.0
    for _ in range(SWEEPS):
        largest = 0.0
        for n in range(mine.sizes[1]):
            r = mine.other[n]
            if is_hard(joints.row[r]):
                change = settle_place(tree, directions, mine.place[r], side_of(joints.row[r]), rows.number[r], shift)
                largest = max(largest, change)
        if largest <= SMALL * deepest:
            break
    return True


@helper
def find_passed(tree, directions, mine, joints, rows, fix, u, h):
    """Gaps at the end of the step, as ``error`` of the rows, and no impulse yet, ``ask``; by how much one is passed."""
    deepest = 0.0
    for n in range(mine.sizes[1]):
        r = mine.other[n]
        row, x, k = joints.row[r], rows.number[r], mine.place[r]
        if is_hard(row):
            moved = rate_along(tree, directions, k, fix) + 0.5 * h * rate_along(tree, directions, k, u)
            x.error, x.ask = way_to_stop(row, x.error) + side_of(row) * moved, 0.0
            if directions.direction[k].diag > 0.0:
                deepest = max(deepest, -x.error)
    return deepest


@helper
def settle_place(tree, directions, k, side, x, shift):
    """Project the impulse of one stop, all others as they stand; returns how far that moves it."""
    diag = directions.direction[k].diag
    if diag <= 0.0:
        return 0.0
    p = max(0.0, x.ask - (x.error + side * rate_along(tree, directions, k, shift)) / diag)
    change, x.ask = p - x.ask, p
    if change != 0.0:
        push_along(tree, directions, k, shift, side * change)
    return abs(change) * diag
