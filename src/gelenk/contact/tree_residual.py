"""How far contacts and rows of a tree are from their laws, each by the law and not by who solved it (B-31)."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.reservoir import prox_friction
from gelenk.contact.tree_groups import NO, item_of
from gelenk.contact.tree_turn import couple_residual, has_couple
from gelenk.trees.bounded_rows import row_residual
from gelenk.trees.directions import rate_along


@routine
def residual(contacts, tree, directions, mine, joints, rows, u, first):
    """How far lasting contacts and rows with bounds are from their laws [m/s], [rad/s]."""
    worst = 0.0
    for n in range(mine.sizes[1]):
        worst = max(worst, row_residual(tree, directions, mine, joints, rows, mine.other[n], u))
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf:
            worst = max(worst, contact_residual(contacts, k, tree, directions, u, first))
    return worst


@helper
def contact_residual(contacts, k, tree, directions, u, first):
    """How far a contact and its couples are from their laws [m/s], [rad/s]."""
    left = residual_of(contacts.contact[k], tree, directions, u, first + 3 * k)
    if has_couple(contacts, k):
        left = max(left, couple_residual(contacts.contact[k], contacts.turn[k], tree, directions, u))
    return left


@helper
def residual_of(c, tree, directions, u, k):
    """How far a contact is from its law [m/s], as :func:`gelenk.contact.sweep.point_residual` measures it."""
    D = c.K[0] + c.soft
    if not min(D, c.top) > 0.0:
        return 0.0
    wish = c.p[0] + (c.ask[0] - rate_along(tree, directions, k, u) - c.soft * c.p[0]) / D
    normal = abs(c.p[0] - max(0.0, wish)) * D
    u_t, u_s = rate_along(tree, directions, k + 1, u), rate_along(tree, directions, k + 2, u)
    x, y = prox_friction(c, c.p[0], c.p[1] - u_t / c.top, c.p[2] - u_s / c.top)
    return max(normal, math.hypot(c.p[1] - x, c.p[2] - y) * c.top)


@routine
def group_residual(contacts, tree, directions, mine, joints, rows, groups, u, first, group):
    """How far contacts and rows of a group are from their laws [m/s], [rad/s]."""
    worst, i = 0.0, groups.head[group]
    while i != NO:
        is_row, k = item_of(mine, i)
        if is_row:
            worst = max(worst, row_residual(tree, directions, mine, joints, rows, k, u))
        else:
            worst = max(worst, contact_residual(contacts, k, tree, directions, u, first))
        i = groups.next[i]
    return worst
