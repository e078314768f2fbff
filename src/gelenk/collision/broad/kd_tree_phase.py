"""Broad phase by halving planes: pairs and boxes. Always balanced, for scenes of any shape (V-14)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import get_box
from gelenk.collision.broad.kd_tree import KdTree, begin_of, rebalance
from gelenk.collision.broad.pair_filter import allowed
from gelenk.collision.broad.phase import (
    be_phase,
    put_found,
    put_pair,
    sort_found,
    sort_pairs,
)
from gelenk.compile import helper, routine


@routine
def join_leaves(tree, boxes, filter_, pairs):
    """Pairs within each leaf, and of each leaf with those after it whose boxes meet its own."""
    levels, stack, count = tree.levels[0], tree.stack, 0
    leaves = (1 << levels) - 1
    for leaf in range(1 << levels):
        own, moves, top = get_box(tree.bounds, leaves + leaf), np.int64(tree.moves[leaves + leaf]), 1
        begin, end = begin_of(tree, levels, leaf), begin_of(tree, levels, leaf + 1)
        stack[0, 0], stack[0, 1] = 0, 0
        while top > 0:
            top -= 1
            level, k = stack[top, 0], stack[top, 1]
            node = (1 << level) - 1 + k
            before = ((k + 1) << (levels - level)) <= leaf
            if before or moves | np.int64(tree.moves[node]) == 0 or not own.meets(get_box(tree.bounds, node)):
                continue
            if level == levels:
                last = begin_of(tree, levels, k + 1)
                for a in range(begin, end):
                    count = join_one(tree, filter_, pairs, count, a, max(begin_of(tree, levels, k), a + 1), last)
            else:
                stack[top, 0], stack[top, 1] = level + 1, 2 * k + 1
                stack[top + 1, 0], stack[top + 1, 1] = level + 1, 2 * k
                top += 2
    sort_pairs(pairs, count)
    return count


@helper
def join_one(tree, filter_, pairs, count, a, begin, end):
    """Pairs of the element in place a with those in places of one leaf; first noted, then filtered (see sweep.py)."""
    box, near, moves, i = get_box(tree.box, a), 0, tree.moving[a], tree.order[a]
    for b in range(begin, end):
        tree.number[near] = tree.order[b]
        near += (
            (moves | tree.moving[b] == 1)
            & (box.x <= tree.box[b, 3])
            & (tree.box[b, 0] <= box.x_high)
            & (box.y <= tree.box[b, 4])
            & (tree.box[b, 1] <= box.y_high)
            & (box.z <= tree.box[b, 5])
            & (tree.box[b, 2] <= box.z_high)
        )
    for h in range(near):
        if allowed(filter_, i, tree.number[h]):
            count = put_pair(pairs, count, i, tree.number[h])
    return count


@routine
def descend_kd_tree(tree, boxes, filter_, box, mask, found):
    """Elements that meet a box, as they were at the last update."""
    levels, stack, count, top = tree.levels[0], tree.stack, 0, 1
    stack[0, 0], stack[0, 1] = 0, 0
    while top > 0:
        top -= 1
        level, k = stack[top, 0], stack[top, 1]
        if not box.meets(get_box(tree.bounds, (1 << level) - 1 + k)):
            continue
        if level == levels:
            for place in range(begin_of(tree, levels, k), begin_of(tree, levels, k + 1)):
                one, i = get_box(tree.box, place), tree.order[place]
                if one.is_box() and box.meets(one) and filter_.element[i].group & mask != 0:
                    count = put_found(found, count, i)
        else:
            stack[top, 0], stack[top, 1] = level + 1, 2 * k + 1
            stack[top + 1, 0], stack[top + 1, 1] = level + 1, 2 * k
            top += 2
    sort_found(found, count)
    return count


be_phase(KdTree, rebalance, join_leaves, descend_kd_tree)
