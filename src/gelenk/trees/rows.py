"""Rows that a tree does not eliminate: loops, gears, limits, motors, springs (B-18, V-52, T-53).

A row asks for   J V' + (c/h) p = want,  p in [lo, hi]   as in every method (:mod:`gelenk.rows.conditions`). In a tree
its Jacobian becomes a direction (:mod:`gelenk.trees.directions`), J V = w.u. Rows without bounds are solved at once
(:mod:`gelenk.trees.equal_rows`), those with bounds by projections (:mod:`gelenk.trees.bounded_rows`).
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3
from gelenk.rows.assemble import is_broken, respond, target_of
from gelenk.rows.block import BALL, HOLD, INNER, NONE, PUSH, Joints
from gelenk.trees.block import Tree
from gelenk.trees.closing import mirror, rows_to_close
from gelenk.trees.directions import MOST_SPANS, add_force, begin_direction, end_direction, silence
from gelenk.trees.equal_rows import NOTHING, add_equal, constrain, factorise, meet_equal

TAKES_PART = -2  # place of a row before it has its direction
HELD = 1e-13  # of a response: what round-off leaves of it where rows without bounds hold all that it would move


class TreeRows(NamedTuple):
    """Rows of a step beside the tree."""

    kept: np.ndarray  # (R,) uint32 1 for rows that the tree keeps by itself
    place: np.ndarray  # (R,) int64 direction of a row in this step, or -1
    equal: np.ndarray  # (E,) uint32 active rows without bounds
    other: np.ndarray  # (R,) uint32 active rows with bounds
    sizes: np.ndarray  # (2,) int64 of both
    order: np.ndarray  # (R,) uint32 rows that the tree does not keep, piece by piece
    block: np.ndarray  # (pieces, 2) int64 the rows without bounds of each piece: first and end in ``equal``
    G: np.ndarray  # (E, B) L D L^T of the rows without bounds, columns from the first of their piece on
    goal: np.ndarray  # (E,)
    loose: np.ndarray  # (E,) J M^-1 J^T of the rows between loose bodies
    reply: np.ndarray  # (D, 2 B) their impulses against a unit impulse along each direction, for each of its spans
    reach: np.ndarray  # (D, 4) int64 these rows of both spans: first and end
    closing: np.ndarray  # (k,) uint32 rows that are closed at the end of each step, see gelenk.trees.closing
    closes: np.ndarray  # (R,) uint32 1 for these
    slip: np.ndarray  # (k,) their rates at the start of the step


def new_tree_rows(joints: Joints, of_tree: set[int], inner: Collection[int] = ()) -> TreeRows:
    """The rows of a model: the tree eliminates the joints ``of_tree``, and takes in the rows ``inner``.

    Room to solve them comes with :func:`with_room`.
    """
    kept = [r in inner or (row.mode == HOLD and int(row.owner) in of_tree) for r, row in enumerate(joints.row)]
    free = int(joints.equalities[0]) - sum(kept[: int(joints.equalities[0])])
    springs = sum(1 for row, mine in zip(joints.row, kept) if is_equal(row) and not mine)
    most = free + springs
    closing, closes = rows_to_close(joints, np.array(kept, dtype=np.uint32)), np.zeros(len(kept), np.uint32)
    closes[closing] = 1
    return TreeRows(
        np.array(kept, dtype=np.uint32),
        np.full(len(kept), -1, np.int64),
        np.zeros(most, np.uint32),
        np.zeros(len(kept), np.uint32),
        np.zeros(2, np.int64),
        np.zeros(0, np.uint32),
        np.zeros((0, 2), np.int64),
        np.zeros((0, 0)),
        np.zeros(most),
        np.zeros(most),
        np.zeros((0, 0)),
        np.zeros((0, 2 * MOST_SPANS), np.int64),
        closing,
        closes,
        np.zeros(len(closing)),
    )


def with_room(mine: TreeRows, tree: Tree, joints: Joints, directions: int) -> TreeRows:
    """The same with room for its blocks and so many directions."""
    rows, pieces = np.flatnonzero(mine.kept == 0), pieces_of_rows(mine, tree, joints)
    most = int(np.bincount(pieces[[may_be_equal(joints.row[r]) for r in rows]], minlength=1).max(initial=0))
    return mine._replace(
        order=rows[np.argsort(pieces, kind="stable")].astype(np.uint32),
        block=np.zeros((len(tree.piece), 2), np.int64),
        G=np.zeros((len(mine.goal), most)),
        reply=np.zeros((directions, MOST_SPANS * most)),
        reach=np.zeros((directions, 2 * MOST_SPANS), np.int64),
    )


def pieces_of_rows(mine: TreeRows, tree: Tree, joints: Joints) -> np.ndarray:
    """Piece of each row that the tree does not keep, in their order."""
    piece_of = dict(zip(tree.link["node"].tolist(), tree.of_link.tolist()))
    firsts = joints.row["entry_first"][np.flatnonzero(mine.kept == 0)]
    return np.array([piece_of[int(joints.body[first])] for first in firsts], np.int64)


def may_be_equal(row: Any) -> bool:
    """Whether a row may be without bounds in a step."""
    return bool(row.plain == 1 or is_equal(row))


def is_equal(row: Any) -> bool:
    """Whether a row that is no joint may be without bounds in a step."""
    return bool(row.plain == 0 and row.set != BALL and row.set != INNER and row.mode != PUSH)


@routine
def tree_rows(tree, work, directions, mine, joints, memory, bodies, rows, start, u, h):
    """Directions of all active rows, and the rows without bounds solved, which changes u; it began as ``start``."""
    mine.sizes[0] = mine.sizes[1] = 0
    for piece in range(mine.block.shape[0]):
        mine.block[piece, 0] = mine.block[piece, 1] = 0
    for r in range(joints.row.shape[0]):
        mine.place[r] = -1
        if joints.row[r].mode == PUSH:
            push = 0.0 if is_broken(joints.row[r], memory) else target_of(joints.row[r], memory)
            rows.number[r].p = h * push  # part of the loads, see MoreauTree
    for n in range(rows.counts[0]):
        mine.place[rows.active[n]] = TAKES_PART if mine.kept[rows.active[n]] == 0 else -1
    for n in range(mine.order.shape[0]):
        r = mine.order[n]
        if mine.place[r] != TAKES_PART:
            continue
        row_direction(tree, work, directions, mine, joints, rows, r)
        x, row = rows.number[r], joints.row[r]
        respond(joints, bodies, rows, r)
        if row.set != BALL and row.set != INNER and x.lo == -math.inf and x.hi == math.inf:
            add_equal(directions, mine, r, x.diag)
        else:
            if directions.direction[mine.place[r]].diag <= NOTHING * x.diag:
                silence(tree, directions, mine.place[r])
            mine.other[mine.sizes[1]] = r
            mine.sizes[1] += 1
        x.diag = directions.direction[mine.place[r]].diag
    mirror(mine, tree, directions, rows, start)
    factorise(tree, directions, mine, rows)
    meet_equal(tree, directions, mine, rows, u)
    for n in range(mine.sizes[1]):
        k = mine.place[mine.other[n]]
        before = directions.direction[k].diag
        constrain(tree, directions, mine, k)
        if directions.direction[k].diag <= HELD * before:
            silence(tree, directions, k)


@helper
def row_direction(tree, work, directions, mine, joints, rows, r):
    """The direction of row r."""
    row = joints.row[r]
    first = NONE
    for e in range(row.entry_first, row.entry_last):
        link = directions.link_of[joints.body[e]]
        if link != NONE:
            first = link
    k = begin_direction(tree, directions, first, NONE)
    for e in range(row.entry_first, row.entry_last):
        link = directions.link_of[joints.body[e]]
        if link != NONE:
            f, t = Vec3(rows.J[e, 0], rows.J[e, 1], rows.J[e, 2]), Vec3(rows.J[e, 3], rows.J[e, 4], rows.J[e, 5])
            add_force(tree, work, directions, k, link, get3(work.at.p_WC, joints.body[e]), f, t)
    end_direction(tree, work, directions, k)
    mine.place[r] = k
