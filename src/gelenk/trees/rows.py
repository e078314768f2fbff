"""Rows that a tree does not eliminate: loops, gears, limits, motors, springs (B-18, V-52, T-53).

A row asks for   J V' + (c/h) p = want,  p in [lo, hi]   as in every method (:mod:`gelenk.rows.conditions`). In a tree
its Jacobian becomes a direction (:mod:`gelenk.trees.directions`), J V = w.u. Rows without bounds are solved at once,

    G p = want - w.u          G = w_i.z_j + c/h

by L D L^T without those that others already imply: the three of a plane loop in space that do nothing new. Rows of
different pieces of the model know nothing of each other, so G is a block for each piece, and a hundred four-bars side
by side cost a hundred times one. All others then act with responses that leave these rows alone,

    z <- z - z_E G^-1 (w_E.z)

so that loops stay closed whatever limits, motors and contacts do.
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
from gelenk.rows.sets import prox_ball, prox_interval
from gelenk.trees.block import Tree
from gelenk.trees.directions import (
    MOST_SPANS,
    add_force,
    begin_direction,
    coupling,
    end_direction,
    push_along,
    rate_along,
    silence,
)

IMPLIED = 1e-10  # of a row's own response: what is left of it beside others, if it follows from them
NOTHING = 1e-22  # of its response between loose bodies: what round-off leaves of a row that joints hold


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


def new_tree_rows(joints: Joints, of_tree: set[int], inner: Collection[int] = ()) -> TreeRows:
    """The rows of a model: the tree eliminates the joints ``of_tree``, and takes in the rows ``inner``.

    Room to solve them comes with :func:`with_room`.
    """
    kept = [r in inner or (row.mode == HOLD and int(row.owner) in of_tree) for r, row in enumerate(joints.row)]
    free = int(joints.equalities[0]) - sum(kept[: int(joints.equalities[0])])
    springs = sum(1 for row, mine in zip(joints.row, kept) if is_equal(row) and not mine)
    most = free + springs
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
def tree_rows(tree, work, directions, mine, joints, memory, bodies, rows, u, h):
    """Directions of all active rows, and the rows without bounds solved, which changes u."""
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


@helper
def add_equal(directions, mine, r, loose):
    """Row r has no bounds in this step: one more of its piece. Rows come piece by piece."""
    n, p = mine.sizes[0], directions.direction[mine.place[r]].piece[0]
    mine.equal[n], mine.loose[n] = r, loose
    if mine.block[p, 1] == 0:
        mine.block[p, 0] = n
    mine.block[p, 1] = mine.sizes[0] = n + 1


@routine
def factorise(tree, directions, mine, rows):
    """G = L D L^T of the rows without bounds, piece by piece; a row that others imply gets no pivot, D = 0."""
    for p in range(mine.block.shape[0]):
        factorise_block(tree, directions, mine, rows, mine.block[p, 0], mine.block[p, 1] - mine.block[p, 0])


@routine
def factorise_block(tree, directions, mine, rows, a, n):
    """G = L D L^T of n rows from a on."""
    G = mine.G
    for i in range(n):
        for j in range(i + 1):
            G[a + i, j] = coupling(tree, directions, mine.place[mine.equal[a + i]], mine.place[mine.equal[a + j]])
        G[a + i, i] += rows.number[mine.equal[a + i]].soft
    for i in range(n):
        size = G[a + i, i]
        for j in range(i):
            s = G[a + i, j]
            for k in range(j):
                s -= G[a + i, k] * G[a + j, k] * G[a + k, k]
            G[a + i, j] = s / G[a + j, j] if G[a + j, j] > 0.0 else 0.0
        d = G[a + i, i]
        for k in range(i):
            d -= G[a + i, k] * G[a + i, k] * G[a + k, k]
        G[a + i, i] = d if d > IMPLIED * size and size > NOTHING * mine.loose[a + i] else 0.0


@routine
def solve_block(mine, a, n):
    """G^-1 goal, over the goal, for n rows of one piece from a on; nothing for rows that others imply."""
    G, x = mine.G, mine.goal
    for i in range(n):
        for k in range(i):
            x[a + i] -= G[a + i, k] * x[a + k]
    for i in range(n):
        x[a + i] = x[a + i] / G[a + i, i] if G[a + i, i] > 0.0 else 0.0
    for m in range(n):
        i = n - 1 - m
        for k in range(i + 1, n):
            x[a + i] -= G[a + k, i] * x[a + k]
        if G[a + i, i] == 0.0:
            x[a + i] = 0.0


@routine
def meet_equal(tree, directions, mine, rows, u):
    """Solve the rows without bounds for what they lack of the velocities u, and let them act."""
    for i in range(mine.sizes[0]):
        x = rows.number[mine.equal[i]]
        mine.goal[i] = x.want - rate_along(tree, directions, mine.place[mine.equal[i]], u) - x.soft * x.p
    for p in range(mine.block.shape[0]):
        solve_block(mine, mine.block[p, 0], mine.block[p, 1] - mine.block[p, 0])
    for i in range(mine.sizes[0]):
        rows.number[mine.equal[i]].p += mine.goal[i]
        push_along(tree, directions, mine.place[mine.equal[i]], u, mine.goal[i])


@routine
def constrain(tree, directions, mine, k):
    """Response of direction k with the rows without bounds held:  z <- z - z_E G^-1 (w_E.z), piece by piece."""
    if mine.sizes[0] == 0:
        return
    x = directions.direction[k]
    for s in range(2 * MOST_SPANS):
        mine.reach[k, s] = 0
    at, held = x.at, False
    for s in range(x.spans):
        piece, a, b = tree.piece[x.piece[s]], mine.block[x.piece[s], 0], mine.block[x.piece[s], 1]
        size = int(piece.u_last) - int(piece.u)
        if b > a:
            hold_block(tree, directions, mine, k, s * mine.G.shape[1], a, b, at, size)
            mine.reach[k, 2 * s], mine.reach[k, 2 * s + 1], held = a, b, True
        at += size
    if held:
        x.diag = coupling(tree, directions, k, k)


@routine
def hold_block(tree, directions, mine, k, to, a, b, at, size):
    """Rows a to b of one piece held, whose numbers in the response of direction k begin at ``at``."""
    for i in range(a, b):
        mine.goal[i] = coupling(tree, directions, mine.place[mine.equal[i]], k)
    solve_block(mine, a, b - a)
    for i in range(a, b):
        mine.reply[k, to + i - a] = mine.goal[i]
        e = directions.direction[mine.place[mine.equal[i]]]
        if mine.goal[i] != 0.0:
            for m in range(size):
                directions.z[at + m] -= directions.z[e.at + m] * mine.goal[i]


@routine
def answer(mine, rows, k, p):
    """Count in what the rows without bounds gave against an impulse along direction k."""
    for s in range(MOST_SPANS if mine.sizes[0] > 0 else 0):
        a, b, at = mine.reach[k, 2 * s], mine.reach[k, 2 * s + 1], s * mine.G.shape[1]
        for i in range(a, b):
            rows.number[mine.equal[i]].p -= mine.reply[k, at + i - a] * p


@routine
def sweep_rows(tree, directions, mine, joints, rows, u):
    """Every row with bounds once; returns the largest change of its velocity."""
    largest = 0.0
    for n in range(mine.sizes[1]):
        largest = max(largest, settle_row(tree, directions, mine, joints, rows, mine.other[n], u))
    return largest


@routine
def settle_row(tree, directions, mine, joints, rows, r, u):
    """Project the impulse of a row with bounds; returns the change of its velocity."""
    row, x = joints.row[r], rows.number[r]
    if row.set == INNER:
        return 0.0
    if row.set == BALL:
        return settle_ball(tree, directions, mine, rows, r, u)
    d = directions.direction[mine.place[r]].diag + x.soft
    if d <= 0.0:
        return 0.0
    p = wished_impulse(tree, directions, mine, rows, r, u, d)
    change = p - x.p
    if change != 0.0:
        push_along(tree, directions, mine.place[r], u, change)
        x.p = p
    return abs(change) * d


@helper
def wished_impulse(tree, directions, mine, rows, r, u, d):
    """Impulse of a row that its law asks for, the others as they stand."""
    x = rows.number[r]
    rate = rate_along(tree, directions, mine.place[r], u)
    return prox_interval(x.p + (x.want - rate - x.soft * x.p) / d, x.lo, x.hi)


@routine
def row_residual(tree, directions, mine, joints, rows, r, u):
    """How far a row with bounds is from its law, as a velocity."""
    row, x = joints.row[r], rows.number[r]
    if row.set == INNER:
        return 0.0
    if row.set == BALL:
        top = top_of_ball(directions, mine, rows, r)
        a, b, c = wished_ball(tree, directions, mine, rows, r, u, top)
        return max(abs(a - x.p), abs(b - rows.number[r + 1].p), abs(c - rows.number[r + 2].p)) * top
    d = directions.direction[mine.place[r]].diag + x.soft
    return abs(wished_impulse(tree, directions, mine, rows, r, u, d) - x.p) * d if d > 0.0 else 0.0


@helper
def top_of_ball(directions, mine, rows, r):
    """Common scale of three rows whose impulse lies in a ball."""
    top = 0.0
    for i in range(3):
        top += directions.direction[mine.place[r + i]].diag + rows.number[r + i].soft
    return top


@helper
def wished_ball(tree, directions, mine, rows, r, u, top):
    """Impulses of three rows in their ball that their law asks for, by one step with a common scale."""
    x, y, z = rows.number[r], rows.number[r + 1], rows.number[r + 2]
    if top <= 0.0:
        return x.p, y.p, z.p
    a = x.p + (x.want - rate_along(tree, directions, mine.place[r], u) - x.soft * x.p) / top
    b = y.p + (y.want - rate_along(tree, directions, mine.place[r + 1], u) - y.soft * y.p) / top
    c = z.p + (z.want - rate_along(tree, directions, mine.place[r + 2], u) - z.soft * z.p) / top
    return prox_ball(a, b, c, x.hi)


@helper
def settle_ball(tree, directions, mine, rows, r, u):
    """Three rows whose impulse lies in a ball: one step of the projection with a common scale."""
    top = top_of_ball(directions, mine, rows, r)
    x, y, z = rows.number[r], rows.number[r + 1], rows.number[r + 2]
    a, b, c = wished_ball(tree, directions, mine, rows, r, u, top)
    largest = max(abs(a - x.p), abs(b - y.p), abs(c - z.p)) * top
    push_along(tree, directions, mine.place[r], u, a - x.p)
    push_along(tree, directions, mine.place[r + 1], u, b - y.p)
    push_along(tree, directions, mine.place[r + 2], u, c - z.p)
    x.p, y.p, z.p = a, b, c
    return largest
