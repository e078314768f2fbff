"""Loops of a tree, closed in every step: rows that hold what the tree does not (T-53).

A step of Moreau's moves straight to its middle, gets its impulse there, and moves straight on. So that it follows what
is held, c(q) = 0, to second order, the impulse turns the velocity round in the middle,

    w_M.u' = -w_M.u + w_0.u

as light is by a mirror: what moves on a circle with u along it at the start has left it by (h u)^2 / 8r in the middle,
and is on it at the end, with u' along it. What is left there of  w_0.u,  by which velocities of the start were not
along what is held, is taken away. Then q' is moved until all is closed, by Newton's method,

    (w_i.z_j) p = -c_i(q')        q' <- q' (+) sum z_j p_j

with the factors of the middle, so that each pass leaves h times what it found, and loops end closed to round-off.

Coordinates are moved by the least motion in the measure of the mass matrix; it is h^3 of a step, and no velocity.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, routine
from gelenk.rows.assemble import evaluate_pairs, fetch_bodies, is_broken, jacobian_rows, row_error, row_rate
from gelenk.rows.block import NONE, Joints
from gelenk.trees.directions import push_along, rate_along
from gelenk.trees.equal_rows import solve_block
from gelenk.trees.kinematics import kinematics, move_all

PASSES = 6  # of Newton's method; two are the rule
CLOSED = 1e-14  # [m] or [rad]
LEAST_GAIN = 0.5  # of an opening: less, and it is round-off, or cannot be closed


def rows_to_close(joints: Joints, kept: np.ndarray) -> np.ndarray:
    """Rows of joints and gears that the tree does not keep; not those of frames that are moved by hand."""
    found = []
    row = joints.row
    for r in np.flatnonzero((row["plain"] == 1) & (kept == 0)):
        terms = joints.term[row["term_first"][r] : row["term_last"][r]]
        pairs = joints.pair[joints.coordinate["pair"][terms["coordinate"]]]
        if (pairs["pose"] == NONE).all():
            found.append(r)
    return np.array(found, np.uint32)


@routine
def find_slips(mine, masses, joints, memory, at, now, bodies, rows, factor):
    """Rates w.u of what is to be held, times ``factor``, where the bodies of ``at`` are."""
    fetch_bodies(masses, at, bodies)
    evaluate_closing(mine, joints, memory, at, now)
    for n in range(mine.closing.shape[0]):
        r = np.int64(mine.closing[n])
        jacobian_rows(joints, at, now, rows, r, r + 1)
        mine.slip[n] = factor * row_rate(joints, rows.J, bodies.V, r)


@routine
def slips_of_restart(mine, tree, work, masses, joints, memory, now, bodies, rows, meet, scratch_q, h):
    """The same for a step that an impact begins anew, with  2 w_0.u  of where it would have come from.

    The velocity after an impact is along what is held at the time of the impact, and not at the start of the step.
    """
    for i in range(scratch_q.shape[0]):
        scratch_q[i] = work.q[i]
    for i in range(meet.start.shape[0]):
        work.u[i] = meet.start[i]
    move_all(tree, work.q, meet.start, -0.5 * h)
    kinematics(tree, work)
    find_slips(mine, masses, joints, memory, work.at, now, bodies, rows, 2.0)
    for i in range(scratch_q.shape[0]):
        work.q[i] = scratch_q[i]
    for i in range(meet.start.shape[0]):
        work.u[i] = meet.inertia[i]


@routine
def mirror(mine, tree, directions, rows, start):
    """What rows that are to be closed ask of the velocities of the end."""
    for n in range(mine.closing.shape[0]):
        k = mine.place[mine.closing[n]]
        if k >= 0:
            rows.number[mine.closing[n]].want = mine.slip[n] - rate_along(tree, directions, k, start)


@routine
def close_loops(tree, work, directions, mine, joints, memory, now, shift):
    """Move the coordinates at the end of a step until what is held is closed; bodies are left where they are then."""
    before = math.inf
    for _ in range(PASSES):
        kinematics(tree, work)
        worst = find_openings(mine, joints, memory, work.at, now)
        if worst > before:
            move_all(tree, work.q, shift, -1.0)
            return
        if worst <= CLOSED or worst > LEAST_GAIN * before:
            return
        before = worst
        for i in range(shift.shape[0]):
            shift[i] = 0.0
        for p in range(mine.block.shape[0]):
            solve_block(mine, mine.block[p, 0], mine.block[p, 1] - mine.block[p, 0])
        for i in range(mine.sizes[0]):
            push_along(tree, directions, mine.place[mine.equal[i]], shift, mine.goal[i])
        move_all(tree, work.q, shift, 1.0)


@routine
def find_openings(mine, joints, memory, at, now):
    """-c of the rows that are to be closed, as goals of all rows without bounds; returns the largest [m] or [rad]."""
    evaluate_closing(mine, joints, memory, at, now)
    worst = 0.0
    for i in range(mine.sizes[0]):
        r = np.int64(mine.equal[i])
        mine.goal[i] = 0.0
        if mine.closes[r] == 1 and joints.row[r].gain > 0.0 and not is_broken(joints.row[r], memory):
            mine.goal[i] = -row_error(joints, now, r)
            worst = max(worst, abs(mine.goal[i]))
    return worst


@helper
def evaluate_closing(mine, joints, memory, at, now):
    """Coordinates of the rows that are to be closed, each pair of frames once."""
    last = np.int64(-1)
    for n in range(mine.closing.shape[0]):
        row = joints.row[mine.closing[n]]
        for m in range(row.term_first, row.term_last):
            pair = np.int64(joints.coordinate[joints.term[m].coordinate].pair)
            if pair != last:
                evaluate_pairs(joints, memory, at, now, pair, pair + 1)
                last = pair
