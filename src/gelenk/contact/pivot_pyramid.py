"""Contacts, joints, stops and motors by Lemke's pivoting, friction in pyramids (V-43, V-91).

Points of one face say the same as each other, so that a little must be added to the diagonal. The tableau, which is
carried along the whole path, loses as many digits as the add-on is small. So the path is followed with ``ON_PATH``, and
the basis that it leads to solved anew with the add-on of the solver; with that of the path where the two do not agree.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.pivot_block import COUNT_ROWS, GROUPS
from gelenk.contact.pivot_rows import fill_matrix, pose_rows, take_answer
from gelenk.solvers.boxed_lcp import SOLVED
from gelenk.solvers.dantzig_pivot import BALLISTIC, LADDER_FIRST, LADDER_LAST
from gelenk.solvers.dense import count_rung
from gelenk.solvers.lemke_pyramid import finish_pyramids, follow_pyramids

ON_PATH = 1e-7  # of the own yield of a row


@routine
def solve_pyramids(pivot, contacts, joints, bodies, rows):
    """Impulses of all rows and contacts; whether there is an answer. Every rung of a ladder adds more (V-88)."""
    pose_rows(pivot, contacts, joints, bodies, rows)
    if pivot.number[COUNT_ROWS] == 0:
        return True
    rung, own = 0, pivot.add_on[0]
    share = max(own, ON_PATH)
    while share <= LADDER_LAST:
        if follow(pivot, share) == SOLVED and (finish(pivot, own) == SOLVED or finish(pivot, share) == SOLVED):
            count_rung(pivot.tally, rung)
            take_answer(pivot, contacts, joints, bodies, rows)
            return True
        rung, share = rung + 1, max(2.0 * share, LADDER_FIRST)
    count_rung(pivot.tally, BALLISTIC)
    return False


@helper
def add_share(pivot, share):
    """The matrix, with a share of the own yield added to every row."""
    n = pivot.number[COUNT_ROWS]
    fill_matrix(pivot, n)
    for i in range(n):
        pivot.A[i, i] += share * pivot.scale[i]
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
