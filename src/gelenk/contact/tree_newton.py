"""Newton's method for contacts and rows of trees, where sweeps would take long: towers, light under heavy (B-31).

Laws are projections, P = prox(P - r (g - wanted)), and g = G P + c  with  G = w_i.z_j.  Where the projection does
nothing, the velocity is as asked for; where it clamps, the impulse stands at its bound; where friction slides, the
impulse lies on the rim,

    P_t = P_n d,      d = y/|y|,      y = P_t - r g_t            dP_t = d dP_n + P_n/|y| (1 - d d^T)(dP_t - r dg_t)

in tangents scaled by the coefficients of friction, which make a disc of the ellipse and keep the law, since velocities
are scaled the other way (B-27). All this is one linear system for the change of all impulses of a group, of pieces that
contacts and rows tie together (:mod:`gelenk.contact.tree_groups`). It is solved densely; a sweep over the group
follows, which puts impulses into their sets again. The best impulses of each group are kept, judged by its contacts and
rows.

Where several impulses do the same, as those of the corners of a box, G has no inverse. A little is added to its
diagonal, which changes the way to the solution and not the solution.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.tree_groups import NO, TreeGroups, item_of, new_tree_groups
from gelenk.math.dense import eliminate
from gelenk.model.contact_law import RUNNER
from gelenk.rows.block import BALL, INNER
from gelenk.trees.directions import coupling, push_along, rate_along

MOST = 360  # unknown impulses of a group
LITTLE = 1e-10  # of its diagonal, added to it


class TreeNewton(NamedTuple):
    """Scratch of Newton's method."""

    place: np.ndarray  # (P,) int64 direction of each impulse of a group: unknowns, and behind them those swept alone
    of: np.ndarray  # (P,) int64 contact, or -1 - row
    G: np.ndarray  # (R, R)
    A: np.ndarray  # (R, R)
    change: np.ndarray  # (R,) right side, then change of the impulses
    best: np.ndarray  # (P,) impulses with the least residual
    sizes: np.ndarray  # (2,) int64 unknowns and impulses of the group
    groups: TreeGroups


def new_tree_newton(pieces: int, rows: int, contacts: int) -> TreeNewton:
    """Space for groups of so many pieces, with as many unknowns in one of them as are worth while."""
    most = rows + 3 * contacts
    n, groups = min(most, MOST), new_tree_groups(pieces, rows + contacts)
    words = np.zeros(most, np.int64), np.zeros(most, np.int64)
    matrices = np.zeros((n, n)), np.zeros((n, n))
    return TreeNewton(*words, *matrices, np.zeros(n), np.zeros(most), np.zeros(2, np.int64), groups)


@routine
def gather(contacts, tree, directions, mine, joints, group, first, newton):
    """Unknowns of a group and their matrix; whether there are any, and not too many.

    Sweeps alone solve runners, whose sets change their width with the load, rows in a ball, and what cannot move.
    """
    n = 0
    for swept in (False, True):
        i = newton.groups.head[group]
        while i != NO:
            is_row, k = item_of(mine, i)
            i = newton.groups.next[i]
            if swept != (is_swept_row(joints, directions, mine, k) if is_row else is_swept(contacts.contact[k])):
                continue
            for m in range(1 if is_row else 3):
                newton.place[n] = mine.place[k] if is_row else first + 3 * k + m
                newton.of[n] = -1 - k if is_row else k
                n += 1
        newton.sizes[1 if swept else 0] = n
        if newton.sizes[0] == 0 or newton.sizes[0] > newton.G.shape[0]:
            return False
    n = newton.sizes[0]
    for i in range(n):
        for j in range(i + 1):
            newton.G[i, j] = newton.G[j, i] = coupling(tree, directions, newton.place[i], newton.place[j])
        newton.G[i, i] *= 1.0 + LITTLE
    return True


@helper
def is_swept_row(joints, directions, mine, r):
    """Whether a row is no unknown."""
    row = joints.row[r]
    return row.set == BALL or row.set == INNER or not directions.direction[mine.place[r]].diag > 0.0


@helper
def is_swept(c):
    """Whether the impulses of a contact are no unknowns."""
    return c.set == RUNNER or not c.K[0] + c.soft > 0.0


@routine
def newton_step(contacts, tree, directions, rows, u, newton):
    """Change all unknowns of the group by one step of Newton's method."""
    i, n = 0, newton.sizes[0]
    while i < n:
        if newton.of[i] >= 0:
            contact_equations(contacts.contact[newton.of[i]], tree, directions, u, newton, i, n)
            i += 3
        else:
            row_equation(rows.number[-1 - newton.of[i]], tree, directions, u, newton, i, n)
            i += 1
    if eliminate(newton.A, newton.change, n) >= 0:
        return False
    for i in range(n):
        push_along(tree, directions, newton.place[i], u, newton.change[i])
        add_impulse(contacts, rows, newton, i, newton.change[i])
    return True


@helper
def impulse_of(contacts, rows, newton, i):
    """Impulse of unknown i."""
    if newton.of[i] < 0:
        return rows.number[-1 - newton.of[i]].p
    k = newton.of[i]
    return contacts.contact[k].p[part_of(newton, i)]


@helper
def add_impulse(contacts, rows, newton, i, change):
    """Change the impulse of unknown i."""
    if newton.of[i] < 0:
        rows.number[-1 - newton.of[i]].p += change
    else:
        contacts.contact[newton.of[i]].p[part_of(newton, i)] += change


@helper
def part_of(newton, i):
    """Which of the three of its contact an unknown is."""
    part = 0
    while part < 2 and i - part - 1 >= 0 and newton.of[i - part - 1] == newton.of[i]:
        part += 1
    return part


@helper
def free_row(newton, i, n, soft, missing):
    """The velocity is as asked for:  G_i dP + soft dP_i = missing."""
    for j in range(n):
        newton.A[i, j] = newton.G[i, j]
    newton.A[i, i] += soft
    newton.change[i] = missing


@helper
def fixed_row(newton, i, n, change):
    """The impulse goes to its bound:  dP_i = change."""
    for j in range(n):
        newton.A[i, j] = 0.0
    newton.A[i, i], newton.change[i] = 1.0, change


@helper
def row_equation(x, tree, directions, u, newton, i, n):
    """Of a row with bounds."""
    missing = x.want - rate_along(tree, directions, newton.place[i], u) - x.soft * x.p
    wish = x.p + missing / (newton.G[i, i] + x.soft)
    if wish < x.lo:
        fixed_row(newton, i, n, x.lo - x.p)
    elif wish > x.hi:
        fixed_row(newton, i, n, x.hi - x.p)
    else:
        free_row(newton, i, n, x.soft, missing)


@routine
def contact_equations(c, tree, directions, u, newton, i, n):
    """Of a contact, see the module."""
    missing = c.ask[0] - rate_along(tree, directions, newton.place[i], u) - c.soft * c.p[0]
    wish = c.p[0] + missing / (newton.G[i, i] + c.soft)
    if wish <= 0.0:
        for m in range(3):
            fixed_row(newton, i + m, n, -c.p[m])
        return
    free_row(newton, i, n, c.soft, missing)
    scale_t, scale_s = c.along, c.across
    if not (scale_t > 0.0 and scale_s > 0.0 and c.top > 0.0):
        fixed_row(newton, i + 1, n, -c.p[1])
        fixed_row(newton, i + 2, n, -c.p[2])
        return
    u_t = rate_along(tree, directions, newton.place[i + 1], u) - c.ask[1]
    u_s = rate_along(tree, directions, newton.place[i + 2], u) - c.ask[2]
    r = 1.0 / (c.top * max(scale_t, scale_s) ** 2)
    y_t, y_s = c.p[1] / scale_t - r * scale_t * u_t, c.p[2] / scale_s - r * scale_s * u_s
    size = math.hypot(y_t, y_s)
    if size <= wish:
        free_row(newton, i + 1, n, LITTLE * newton.G[i + 1, i + 1], -u_t)
        free_row(newton, i + 2, n, LITTLE * newton.G[i + 2, i + 2], -u_s)
        return
    slide_rows(c, newton, i, n, y_t / size, y_s / size, r, max(c.p[0], 0.0) / size)


@helper
def slide_rows(c, newton, i, n, d_t, d_s, r, share):
    """Friction at its rim, with  share = P_n / |y|."""
    a, b = c.along, c.across
    m_tt, m_ts, m_ss = share * (1.0 - d_t * d_t), -share * d_t * d_s, share * (1.0 - d_s * d_s)
    for j in range(n):
        g_t, g_s = r * a * newton.G[i + 1, j], r * b * newton.G[i + 2, j]
        newton.A[i + 1, j] = m_tt * g_t + m_ts * g_s
        newton.A[i + 2, j] = m_ts * g_t + m_ss * g_s
    newton.A[i + 1, i] -= d_t
    newton.A[i + 2, i] -= d_s
    newton.A[i + 1, i + 1] += (1.0 - m_tt) / a
    newton.A[i + 1, i + 2] -= m_ts / b
    newton.A[i + 2, i + 1] -= m_ts / a
    newton.A[i + 2, i + 2] += (1.0 - m_ss) / b
    newton.change[i + 1] = c.p[0] * d_t - c.p[1] / a
    newton.change[i + 2] = c.p[0] * d_s - c.p[2] / b


@routine
def keep_best(contacts, rows, newton):
    """Remember all impulses of the group as they are."""
    for i in range(newton.sizes[1]):
        newton.best[i] = impulse_of(contacts, rows, newton, i)


@routine
def take_best(contacts, tree, directions, rows, u, newton):
    """Go back to the impulses that were remembered."""
    for i in range(newton.sizes[1]):
        change = newton.best[i] - impulse_of(contacts, rows, newton, i)
        if change != 0.0:
            push_along(tree, directions, newton.place[i], u, change)
            add_impulse(contacts, rows, newton, i, change)
