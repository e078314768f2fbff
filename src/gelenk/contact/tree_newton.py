"""Newton's method for contacts and rows of trees, where sweeps would take long: towers, light under heavy (B-31).

Laws of contacts and rows as equations (:mod:`gelenk.contact.tree_laws`) are one linear system for the change of all
impulses of a group, of pieces that contacts and rows tie together (:mod:`gelenk.contact.tree_groups`). It is solved
densely; a sweep over the group follows, which puts impulses into their sets again. The best impulses of each group are
kept, judged by its contacts and rows.

Where several impulses do the same, as those of the corners of a box, G has no inverse. A little is added to its
diagonal, which changes the way to the solution and not the solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.tree_dense import TreeDense, new_tree_dense
from gelenk.contact.tree_groups import NO, TreeGroups, item_of, new_tree_groups
from gelenk.contact.tree_laws import LITTLE, contact_equations, couple_equations, row_equation
from gelenk.contact.tree_turn import has_couple
from gelenk.math.dense import eliminate
from gelenk.rows.block import BALL, INNER
from gelenk.trees.directions import coupling, push_along

MOST = 360  # unknown impulses of a group


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
    dense: TreeDense


def new_tree_newton(pieces: int, velocities: int, rows: int, contacts: int, parts: int = 3) -> TreeNewton:
    """Space for groups of so many pieces, with as many unknowns in one of them as are worth while.

    ``parts`` are the impulses of a contact: 6 with couples.
    """
    most = rows + parts * contacts
    n, groups = min(most, MOST), new_tree_groups(pieces, rows + contacts)
    dense = new_tree_dense(velocities, contacts if parts == 3 else 0)
    words = np.zeros(most, np.int64), np.zeros(most, np.int64)
    matrices = np.zeros((n, n)), np.zeros((n, n))
    return TreeNewton(*words, *matrices, np.zeros(n), np.zeros(most), np.zeros(2, np.int64), groups, dense)


@routine
def gather(contacts, tree, directions, mine, joints, group, first, newton):
    """Unknowns of a group and their matrix; whether there are any, and not too many.

    Sweeps alone solve rows in a ball, and what cannot move.
    """
    n = 0
    for swept in (False, True):
        i = newton.groups.head[group]
        while i != NO:
            is_row, k = item_of(mine, i)
            i = newton.groups.next[i]
            if swept != (is_swept_row(joints, directions, mine, k) if is_row else is_swept(contacts.contact[k])):
                continue
            for m in range(1 if is_row else 6 if has_couple(contacts, k) else 3):
                newton.place[n] = mine.place[k] if is_row else direction_of(contacts, first, k, m)
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
def direction_of(contacts, first, k, part):
    """Direction of one of the impulses of a contact: normal, two tangents, and couples about these."""
    return first + 3 * k + part if part < 3 else np.int64(contacts.turn[k].spare) + part - 3


@helper
def is_swept_row(joints, directions, mine, r):
    """Whether a row is no unknown."""
    row = joints.row[r]
    return row.set == BALL or row.set == INNER or not directions.direction[mine.place[r]].diag > 0.0


@helper
def is_swept(c):
    """Whether the impulses of a contact are no unknowns."""
    return not c.K[0] + c.soft > 0.0


@routine
def newton_step(contacts, tree, directions, rows, u, newton):
    """Change all unknowns of the group by one step of Newton's method."""
    i, n = 0, newton.sizes[0]
    while i < n:
        if newton.of[i] >= 0:
            k = newton.of[i]
            c = contacts.contact[k]
            wish = contact_equations(c, tree, directions, u, newton, i, n)
            if has_couple(contacts, k):
                couple_equations(c, contacts.turn[k], wish, tree, directions, u, newton, i, n)
                i += 3
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
    k, part = newton.of[i], part_of(newton, i)
    return contacts.contact[k].p[part] if part < 3 else contacts.turn[k].p[part - 3]


@helper
def add_impulse(contacts, rows, newton, i, change):
    """Change the impulse of unknown i."""
    k, part = newton.of[i], part_of(newton, i)
    if k < 0:
        rows.number[-1 - k].p += change
    elif part < 3:
        contacts.contact[k].p[part] += change
    else:
        contacts.turn[k].p[part - 3] += change


@helper
def part_of(newton, i):
    """Which of those of its contact an unknown is."""
    part = 0
    while part < 5 and i - part - 1 >= 0 and newton.of[i - part - 1] == newton.of[i]:
        part += 1
    return part


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
