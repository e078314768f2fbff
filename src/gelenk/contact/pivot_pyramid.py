"""Contacts, joints, stops and motors by Lemke's pivoting, friction in pyramids (V-43, V-91).

Points of one face say the same as each other, so that a little must be added to the diagonal. The tableau, which is
carried along the whole path, loses as many digits as the add-on is small. So the path is followed with a larger one,
and the basis that it leads to solved anew with the add-on of the solver. Where that basis does not fit, the larger
add-on c is taken out by steps that begin where the last one ended,

    (A + c) p = beta + c p_last + w          proximal points

whose error is just  c (p - p_last). Source: R. T. Rockafellar, SIAM Journal on Control and Optimization 14 (1976).
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.pivot_block import COUNT_ROWS, GROUPS
from gelenk.contact.pivot_rows import fill_matrix, pose_rows, take_answer
from gelenk.contact.polygon import polygon_residual
from gelenk.solvers.boxed_lcp import SOLVED
from gelenk.solvers.dantzig_pivot import BALLISTIC, LADDER_FIRST, LADDER_LAST
from gelenk.solvers.dense import count_rung
from gelenk.solvers.lemke_pyramid import finish_pyramids, follow_pyramids
from gelenk.solvers.solver import residual

ON_PATH = 1e-7  # of the own yield of a row
STEPS = 30  # of proximal points
CLOSE = 1e-2  # of the tolerance: error that ends them


@routine
def solve_pyramids(pivot, contacts, joints, bodies, rows, tolerance):
    """Impulses of all rows and contacts; whether there is an answer. Every rung of a ladder adds more (V-88)."""
    pose_rows(pivot, contacts, joints, bodies, rows)
    if pivot.number[COUNT_ROWS] == 0:
        return True
    rung, own = 0, pivot.add_on[0]
    share = max(own, ON_PATH)
    while share <= LADDER_LAST:
        for i in range(pivot.number[COUNT_ROWS]):
            pivot.before[i] = 0.0
        if follow(pivot, share) == SOLVED and (finish(pivot, own) == SOLVED or approach(pivot, share, tolerance)):
            count_rung(pivot.tally, rung)
            take_answer(pivot, contacts, joints, bodies, rows)
            return True
        rung, share = rung + 1, max(2.0 * share, LADDER_FIRST)
    count_rung(pivot.tally, BALLISTIC)
    return False


@routine
def approach(pivot, share, tolerance):
    """Proximal points from the basis at hand; whether there is an answer, be it with the add-on in it."""
    found = False
    for _ in range(STEPS):
        if finish(pivot, share) != SOLVED:
            break
        found, error = True, 0.0
        for i in range(pivot.number[COUNT_ROWS]):
            error = max(error, share * pivot.scale[i] * abs(pivot.dp[i] - pivot.before[i]))
            pivot.before[i] = pivot.dp[i]
        if error <= CLOSE * tolerance or follow(pivot, share) != SOLVED:
            break
    for i in range(pivot.number[COUNT_ROWS]):
        pivot.dp[i] = pivot.before[i]
    return found


@helper
def add_share(pivot, share):
    """The matrix, with a share of the own yield added to every row; the problem stays as if it began at ``before``."""
    n = pivot.number[COUNT_ROWS]
    fill_matrix(pivot, n)
    for i in range(n):
        pivot.A[i, i] += share * pivot.scale[i]
        pivot.beta[i] += share * pivot.scale[i] * pivot.before[i]
    return n


@routine
def follow(pivot, share):
    """One path."""
    n, p = add_share(pivot, share), pivot
    groups = p.number[GROUPS]
    return follow_pyramids(p.A, p.beta, p.lo, p.hi, p.normal, p.group, p.group_normal, groups, n, p.where, p.lemke)


@routine
def finish(pivot, share):
    """Impulses of the basis at its end."""
    n, p = add_share(pivot, share), pivot
    groups, out = p.number[GROUPS], p.dp
    return finish_pyramids(p.A, p.beta, p.lo, p.hi, p.normal, p.group, p.group_normal, groups, n, p.where, out, p.lemke)


@routine
def pyramid_residual(pivot, contacts, joints, bodies, rows):
    """How far the answer is from solving its problem, with friction in pyramids [m/s]."""
    return max(polygon_residual(bodies, contacts, pivot.polygon), residual(joints, bodies, rows))
