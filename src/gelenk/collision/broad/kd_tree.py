"""A tree of planes that halve the number of elements, again and again (V-14).

All elements stand in one order. Node k of level l is the stretch of places from (n k) >> l up to (n (k + 1)) >> l: so
every node has the same number of elements as its sibling, give or take one, and the shape of the tree needs no memory.
A plane across the axis along which the middles of its elements spread most divides them among the halves of a node. A
node has the box around its elements, renewed in each step, so what is found does not depend on where the planes are.

Elements move and pass planes. A node is divided anew, by a plane that halves it again, only if more than a few of its
elements have come to lie on the wrong side, by more than their own size: this is rebalancing where it is needed, from
the root down, and costs a time in proportion to the elements of that node. Elements that are absent stand at the end.

Source: virtual-worlds 4.28; J. Bentley, Multidimensional binary search trees (1975); C. Hoare, Find (1961). In 4.28
elements cut by a plane are on both sides, without bound on the places they need; here they are on the side of their
middle, and boxes take the part of planes in the search.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count
from gelenk.collision.broad.bounds import Bounds, get_box
from gelenk.collision.broad.pair_filter import MOVING, present
from gelenk.compile import helper, routine

IN_LEAF = 8  # elements of a leaf at most
WRONG = 1.0 / 256.0  # share of the elements of a node that may be on the wrong side of its plane
FAR = 1e300  # [m]; the sum of two such is a number still


class KdTree(NamedTuple):
    """Node k of level l is number 2^l - 1 + k; the nodes of the last level are the leaves."""

    order: np.ndarray  # (n,) uint32 elements by place
    box: np.ndarray  # (n, 6) their boxes in that order, no numbers for those absent: they meet nothing [m]
    moving: np.ndarray  # (n,) uint8 whether they move, in that order
    bounds: np.ndarray  # (2^(levels + 1) - 1, 6) box around the elements of each node [m]
    axis: np.ndarray  # (2^levels - 1,) uint8 of the plane of each node
    plane: np.ndarray  # (2^levels - 1,) where it is along its axis [m]
    moves: np.ndarray  # (2^(levels + 1) - 1,) uint8 whether anything in a node moves
    levels: np.ndarray  # (1,) int64
    stack: np.ndarray  # (levels + 2, 2) int64 nodes still to be looked at: level, k
    halvings: np.ndarray  # (2,) int64 nodes divided so far; elements in these
    number: np.ndarray  # (IN_LEAF,) uint32 scratch


def new_kd_tree(count: int) -> KdTree:
    """Make the phase for ``count`` elements, in the order of their numbers at first."""
    n = check_count("kd-tree", "count", count, least=1, most=2**31)
    levels = max(-(-n // IN_LEAF) - 1, 0).bit_length()
    inner = 2**levels - 1
    return KdTree(
        np.arange(n, dtype=np.uint32),
        np.zeros((n, 6)),
        np.zeros(n, dtype=np.uint8),
        np.zeros((2 * inner + 1, 6)),
        np.zeros(inner, dtype=np.uint8),
        np.full(inner, math.nan),
        np.zeros(2 * inner + 1, dtype=np.uint8),
        np.array([levels]),
        np.zeros((levels + 2, 2), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(IN_LEAF, dtype=np.uint32),
    )


@helper
def begin_of(tree, level, k):
    """First place of node k of a level; that of the node after it is its end."""
    return (tree.order.shape[0] * k) >> level


@helper
def middle_of(boxes, filter_, i, axis):
    """Middle of an element along an axis; infinite if it is absent."""
    if not present(filter_, boxes, i):
        return math.inf
    return 0.5 * (max(boxes[i, axis], -FAR) + min(boxes[i, axis + 3], FAR))


@routine
def rebalance(tree, boxes, filter_):
    """Divide nodes anew from the root down where too many are on the wrong side; renew all boxes."""
    levels = tree.levels[0]
    for level in range(levels):
        for k in range(1 << level):
            node = (1 << level) - 1 + k
            begin, end = begin_of(tree, level, k), begin_of(tree, level, k + 1)
            at = begin_of(tree, level + 1, 2 * k + 1)
            if wrong_side(tree, boxes, filter_, node, begin, end, at) > WRONG * (end - begin):
                axis = widest(tree, boxes, filter_, begin, end)
                tree.plane[node] = halve(tree.order, boxes, filter_, axis, begin, end, at)
                tree.axis[node] = axis
                tree.halvings[0] += 1
                tree.halvings[1] += end - begin
    for k in range(1 << levels):
        fit_leaf(tree, boxes, filter_, (1 << levels) - 1 + k, begin_of(tree, levels, k), begin_of(tree, levels, k + 1))
    for node in range((1 << levels) - 2, -1, -1):
        a, b = 2 * node + 1, 2 * node + 2
        tree.moves[node] = tree.moves[a] | tree.moves[b]
        put_bounds(tree.bounds, node, get_box(tree.bounds, a).around(get_box(tree.bounds, b)))


@helper
def wrong_side(tree, boxes, filter_, node, begin, end, at):
    """How many elements of a node are beyond its plane by more than their size; all if it has none yet.

    An element that came or went counts as well: those absent belong at the end.
    """
    axis, plane, wrong = np.int64(tree.axis[node]), tree.plane[node], 0
    if math.isnan(plane):
        return end - begin
    for place in range(begin, end):
        i = tree.order[place]
        if not present(filter_, boxes, i):
            wrong += 1 if place < at and plane < math.inf else 0
        elif place < at:
            wrong += 1 if boxes[i, axis] > plane else 0
        else:
            wrong += 1 if boxes[i, axis + 3] < plane else 0
    return wrong


@routine
def widest(tree, boxes, filter_, begin, end):
    """Axis along which the middles of a stretch spread most; those beyond FAR do not count."""
    best, axis = -1.0, 0
    for one in range(3):
        low, high = math.inf, -math.inf
        for place in range(begin, end):
            i = tree.order[place]
            if boxes[i, one] > -FAR and boxes[i, one + 3] < FAR and present(filter_, boxes, i):
                x = middle_of(boxes, filter_, i, one)
                low, high = min(low, x), max(high, x)
        if high - low > best:
            best, axis = high - low, one
    return axis


@routine
def halve(order, boxes, filter_, axis, begin, end, at):
    """Order a stretch so that none before place ``at`` has its middle beyond that of any from there on; returns where.

    Around some value, those below go to the left and those above to the right; then the same on the side of ``at``.
    """
    low, high = begin, end - 1
    while low < high:
        pivot, a, b = middle_of(boxes, filter_, order[(low + high) >> 1], axis), low, high
        while a <= b:
            while middle_of(boxes, filter_, order[a], axis) < pivot:
                a += 1
            while pivot < middle_of(boxes, filter_, order[b], axis):
                b -= 1
            if a <= b:
                order[a], order[b] = order[b], order[a]
                a += 1
                b -= 1
        if b < at:
            low = a
        if at < a:
            high = b
    return middle_of(boxes, filter_, order[at], axis)


@helper
def put_bounds(bounds, node, a):
    """Store the box of a node."""
    bounds[node, 0], bounds[node, 1], bounds[node, 2] = a.x, a.y, a.z
    bounds[node, 3], bounds[node, 4], bounds[node, 5] = a.x_high, a.y_high, a.z_high


@routine
def fit_leaf(tree, boxes, filter_, node, begin, end):
    """Copy the boxes of a leaf to their places and put its own around them."""
    inf, nan = math.inf, math.nan
    whole, moves = Bounds(inf, inf, inf, -inf, -inf, -inf), np.int64(0)
    for place in range(begin, end):
        i, one = tree.order[place], Bounds(nan, nan, nan, nan, nan, nan)
        tree.moving[place] = 0
        if present(filter_, boxes, i):
            one = get_box(boxes, i)
            whole = whole.around(one)
            tree.moving[place] = 1 if filter_.element[i].role == MOVING else 0
            moves |= np.int64(tree.moving[place])
        put_bounds(tree.box, place, one)
    put_bounds(tree.bounds, node, whole)
    tree.moves[node] = moves
