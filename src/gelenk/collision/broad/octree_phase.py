"""Broad phase by a tree of cells: pairs and boxes. For scenes with crowds and empty space between them (V-13)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import get_box
from gelenk.collision.broad.octree import Octree, follow_in_octree, get_fit, loose
from gelenk.collision.broad.pair_filter import MOVING, allowed
from gelenk.collision.broad.phase import (
    NONE,
    be_phase,
    put_found,
    put_pair,
    sort_found,
    sort_pairs,
)
from gelenk.compile import helper, routine


@routine
def search_octree(tree, boxes, filter_, pairs):
    """Every element that moves descends to what it meets; of two that move, the one of lower number notes the pair."""
    count, stack = 0, tree.stack
    for i in range(boxes.shape[0]):
        if tree.home[i] == NONE or filter_.element[i].role != MOVING:
            continue
        box, top = get_box(boxes, i), 1
        stack[0] = 0
        while top > 0:
            top -= 1
            k = stack[top]
            j = np.int64(tree.cell[k].first if box.meets(get_fit(tree, k)) else NONE)
            while j != NONE:
                if (
                    (j > i or filter_.element[j].role != MOVING)
                    and box.meets(get_box(boxes, j))
                    and allowed(filter_, i, j)
                ):
                    count = put_pair(pairs, count, i, j)
                j = np.int64(tree.after[j])
            top = push_parts(tree, k, box, top)
    sort_pairs(pairs, count)
    return count


@helper
def push_parts(tree, k, box, top):
    """Put the parts of a cell that may hold something in a box on the stack: seven more on each level at most."""
    first = np.int64(tree.cell[k].child)
    if first != NONE:
        for part in range(tree.parts[0]):
            if tree.cell[first + part].whole > 0 and box.meets(loose(tree, first + part)):
                tree.stack[top] = first + part
                top += 1
    return top


@routine
def descend_octree(tree, boxes, filter_, box, mask, found):
    """Elements that meet a box."""
    count, top = 0, 1
    tree.stack[0] = 0
    while top > 0:
        top -= 1
        k = tree.stack[top]
        i = tree.cell[k].first if box.meets(get_fit(tree, k)) else NONE
        while i != NONE:
            if filter_.element[i].group & mask != 0 and box.meets(get_box(boxes, i)):
                count = put_found(found, count, i)
            i = tree.after[i]
        top = push_parts(tree, k, box, top)
    sort_found(found, count)
    return count


be_phase(Octree, follow_in_octree, search_octree, descend_octree)
