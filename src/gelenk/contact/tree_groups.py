"""Groups: pieces of trees that contacts and rows tie together, each solved by itself (B-31).

Two contacts feel each other if an impulse of one moves a piece that the other touches, or if others in between do. So
what touches nothing in common has matrices of its own, and n^3 is that of one group and not of the whole scene. Pieces
that nothing moves, driven ones, tie nothing: impulses on them change no velocity.

Groups are found by joining the pieces of each contact; rows beside trees act within one piece, since a piece is all
that rows tie together. Each group has a list of its rows and then its contacts, in their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT

NO = -1


class TreeGroups(NamedTuple):
    """Groups of a step."""

    of: np.ndarray  # (pieces,) int64 a piece of the same group, at last the one that leads it; NO if nothing moves it
    head: np.ndarray  # (pieces,) int64 first item of the group that a piece leads, or NO
    next: np.ndarray  # (items,) int64 the item after an item, or NO: rows with bounds, then contacts


def new_tree_groups(pieces: int, items: int) -> TreeGroups:
    """Space for the groups of so many pieces with so many rows and contacts."""
    return TreeGroups(np.zeros(pieces, np.int64), np.zeros(pieces, np.int64), np.zeros(items, np.int64))


@routine
def find_groups(contacts, tree, directions, mine, first, groups):
    """Groups of the contacts that last and of the rows with bounds; a group is led by its first piece."""
    for p in range(tree.piece.shape[0]):
        groups.of[p] = p if can_move(tree, tree.piece[p]) else NO
        groups.head[p] = NO
    for k in range(contacts.number[COUNT]):
        x = directions.direction[first + 3 * k]
        if contacts.time[k] < np.inf and x.spans == 2:
            a, b = leader(groups, x.piece[0]), leader(groups, x.piece[1])
            if a != NO and b != NO:
                groups.of[max(a, b)] = min(a, b)
    items = mine.sizes[1] + contacts.number[COUNT]
    for m in range(items):
        i = items - 1 - m
        is_row, k = item_of(mine, i)
        if not is_row and contacts.time[k] == np.inf:
            continue
        x = directions.direction[mine.place[k] if is_row else first + 3 * k]
        g = np.int64(NO)
        for s in range(x.spans):
            g = max(g, leader(groups, x.piece[s]))
        if g != NO:
            groups.next[i] = groups.head[g]
            groups.head[g] = i


@helper
def can_move(tree, piece):
    """Whether an impulse can change a velocity of a piece."""
    for i in range(piece.u, piece.u_last):  # noqa: SIM110
        if tree.driven[i] == 0:
            return True
    return False


@helper
def leader(groups, piece):
    """The piece that leads the group of a piece, or NO."""
    p = np.int64(piece)
    if groups.of[p] == NO:
        return np.int64(NO)
    while groups.of[p] != p:
        groups.of[p] = groups.of[groups.of[p]]
        p = groups.of[p]
    return p


@helper
def item_of(mine, i):
    """Whether an item is a row, and which row or contact."""
    if i < mine.sizes[1]:
        return True, np.int64(mine.other[i])
    return False, np.int64(i - mine.sizes[1])
