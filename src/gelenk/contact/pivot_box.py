"""Contacts, joints, stops and motors by Dantzig's pivoting, friction in boxes (V-84, V-87, virtual-worlds 4.6).

The bounds of friction are impulses that are to be found with it. They are taken from the answer before:

    p^0  without friction,     p^k  with friction within -+ mu p_n^(k-1)

A single round is the usual solver of this kind, in which friction that shifts load has the bounds of the load before it
(E-26). Further rounds lead to bounds that agree with the normal impulses, by a factor of mu times what friction shifts
over what it stems from in each; then p^0 may as well be that of the step before. Where they go round in circles
instead, as they can where friction lifts the load that bounds it, bounds go a part of the way only, half of it and less
each time that a round changes them by as much as the one before.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.pivot_block import COUNT_ROWS, FRICTION, NORMAL, ROUNDS, UNLIMITED
from gelenk.contact.pivot_rows import fill_matrix, pose_rows, take_answer
from gelenk.contact.polygon import polygon_residual
from gelenk.solvers.boxed_lcp import boxed_residual
from gelenk.solvers.dense import count_rung
from gelenk.solvers.polish import dantzig_polished
from gelenk.solvers.solver import residual

FREE = 3  # rounds before
CIRCLES = 0.9  # of the change in the round before: bounds go round in circles
LEAST = 0.1  # of the way, at least
AGREE = 1e-2  # of the tolerance: change of a bound as a velocity that ends the rounds


@routine
def solve_boxes(pivot, contacts, joints, bodies, rows, tolerance):
    """Impulses of all rows and contacts; whether there is an answer."""
    pose_rows(pivot, contacts, joints, bodies, rows)
    number, rung = pivot.number, 0
    answered = number[ROUNDS] == 1 or not knows_loads(pivot)
    if answered:
        rung = pivot_first(pivot, number[FRICTION])
    if number[FRICTION] < number[COUNT_ROWS]:
        share, last = 1.0, math.inf
        for turn in range(number[ROUNDS]):
            if rung < 0:
                break
            change = bound_friction(pivot, share)
            if change <= AGREE * tolerance and answered:
                break
            share = max(0.5 * share, LEAST) if turn > FREE and change > CIRCLES * last else share
            last = change
            rung, answered = worse(rung, pivot_first(pivot, number[COUNT_ROWS])), True
    count_rung(pivot.tally, rung)
    if rung < 0:
        return False
    take_answer(pivot, contacts, joints, bodies, rows)
    return True


@helper
def knows_loads(pivot):
    """Whether any contact had a normal impulse in the step before, and friction is not all there is to solve."""
    known = 0.0
    for n in range(pivot.number[FRICTION]):
        known += pivot.dp[n] if pivot.kind[n] == NORMAL else 0.0
    return known > 0.0 and pivot.number[FRICTION] < pivot.number[COUNT_ROWS]


@helper
def worse(a, b):
    """Of two rungs, one of which may be below the ladder."""
    return min(a, b) if min(a, b) < 0 else max(a, b)


@helper
def pivot_first(pivot, count):
    """Solve the first rows; the rung of the ladder, below 0 if there is no answer."""
    if count == 0:
        return 0
    fill_matrix(pivot, count)
    return dantzig_polished(
        pivot.A,
        pivot.scale,
        pivot.beta,
        pivot.lo,
        pivot.hi,
        pivot.none,
        pivot.mu,
        count,
        pivot.number[UNLIMITED],
        pivot.add_on[0],
        pivot.dp,
        pivot.w,
        pivot.dantzig,
        pivot.scratch,
    )


@routine
def bound_friction(pivot, share):
    """Bounds of friction go a share of the way to those of the normal impulses of now; the whole way, as a velocity."""
    change = 0.0
    for n in range(pivot.number[FRICTION], pivot.number[COUNT_ROWS]):
        bound, own = pivot.mu[n] * max(pivot.dp[pivot.normal[n]], 0.0), 0.0
        for e in range(int(pivot.first[n]), int(pivot.first[n + 1])):
            for j in range(6):
                own += pivot.J[e, j] * pivot.B[e, j]
        old = pivot.most[n] if pivot.least[n] < 0.0 else 0.0
        change = max(change, abs(bound - old) * own)
        bound = old + share * (bound - old)
        pivot.least[n], pivot.most[n] = -bound, bound
    return change


@routine
def box_residual(pivot, contacts, joints, bodies, rows):
    """How far the answer is from solving its problem [m/s]: that with the bounds of the one round, or with own ones."""
    if pivot.number[ROUNDS] > 1:
        return max(polygon_residual(bodies, contacts, pivot.polygon), residual(joints, bodies, rows))
    fill_matrix(pivot, pivot.number[COUNT_ROWS])
    return boxed_residual(pivot.A, pivot.ask, pivot.least, pivot.most, pivot.dp, pivot.number[COUNT_ROWS])
