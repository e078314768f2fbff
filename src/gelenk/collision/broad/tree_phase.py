"""Broad phase by a tree of boxes: pairs, boxes and rays. For scenes of any size with elements of any size."""

from __future__ import annotations

import math

from gelenk.collision.broad.bounds import get_box
from gelenk.collision.broad.pair_filter import allowed
from gelenk.collision.broad.phase import (
    be_phase,
    put_found,
    put_pair,
    sort_found,
    sort_pairs,
)
from gelenk.collision.broad.tree import BoxTree, is_leaf, node_box, push_root, refresh, within_far
from gelenk.compile import helper, routine


@routine
def descend_pairs(tree, boxes, filter_, pairs):
    """Two elements meet below the one node that has them on different sides: look for them at every inner node."""
    count = 0
    for node in range(tree.free.shape[0], tree.node.shape[0]):
        if tree.used[node] == 1 and tree.node[node].moving == 1:
            count = across(tree, boxes, filter_, pairs, count, tree.node[node].left, tree.node[node].right)
    sort_pairs(pairs, count)
    return count


@helper
def across(tree, boxes, filter_, pairs, count, left, right):
    """Pairs of an element below one node and an element below another, by going down in both where their boxes meet.

    Each pass leaves one more pair of nodes to look at, one of them lower by one: 2 n places are enough.
    """
    stack, top = tree.stack, 1
    stack[0, 0], stack[0, 1] = left, right
    while top > 0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        if tree.node[a].moving | tree.node[b].moving == 0 or not node_box(tree, a).meets(node_box(tree, b)):
            continue
        if is_leaf(tree, a) and is_leaf(tree, b):
            if get_box(boxes, a).meets(get_box(boxes, b)) and allowed(filter_, a, b):
                count = put_pair(pairs, count, a, b)
        elif tree.node[a].height >= tree.node[b].height:
            stack[top, 0], stack[top, 1] = tree.node[a].left, b
            stack[top + 1, 0], stack[top + 1, 1] = tree.node[a].right, b
            top += 2
        else:
            stack[top, 0], stack[top, 1] = a, tree.node[b].left
            stack[top + 1, 0], stack[top + 1, 1] = a, tree.node[b].right
            top += 2
    return count


@routine
def descend_to_box(tree, boxes, filter_, box, mask, found):
    """Elements that meet a box."""
    count, top, stack, wide = 0, push_root(tree), tree.stack, within_far(box)
    while top > 0:
        top -= 1
        node = stack[top, 0]
        if not wide.meets(node_box(tree, node)):
            continue
        if is_leaf(tree, node):
            if filter_.element[node].group & mask != 0 and box.meets(get_box(boxes, node)):
                count = put_found(found, count, node)
        else:
            stack[top, 0], stack[top + 1, 0] = tree.node[node].left, tree.node[node].right
            top += 2
    sort_found(found, count)
    return count


@helper
def slab_entry(box, p, d, length):
    """Where the ray p + s d, 0 <= s <= length, enters a box; infinite if it misses.

    Between two faces it is for s from (low - p)/d to (high - p)/d; it is inside where it is so on all three axes.
    Source: T. Kay, J. Kajiya, Ray tracing complex scenes (1986). A ray along a face hits.
    """
    s, s_high = slab(box.x, box.x_high, p.x, d.x, 0.0, length)
    s, s_high = slab(box.y, box.y_high, p.y, d.y, s, s_high)
    s, s_high = slab(box.z, box.z_high, p.z, d.z, s, s_high)
    return s if s <= s_high else math.inf


@helper
def slab(low, high, p, d, s, s_high):
    """What is left between two faces of the part of a ray from s to s_high."""
    if d == 0.0:
        return (s, s_high) if low <= p and p <= high else (math.inf, -math.inf)
    a, b = (low - p) / d, (high - p) / d
    return max(s, min(a, b)), min(s_high, max(a, b))


@routine
def descend_along_ray(tree, boxes, filter_, p, d, length, mask, found, entry):
    """Elements whose boxes a ray hits, by where it enters them, then by number. Returns how many there are."""
    count, top, stack = 0, push_root(tree), tree.stack
    while top > 0:
        top -= 1
        node = stack[top, 0]
        if slab_entry(node_box(tree, node), p, d, length) == math.inf:
            continue
        if is_leaf(tree, node):
            s = slab_entry(get_box(boxes, node), p, d, length)
            if s < math.inf and filter_.element[node].group & mask != 0:
                if count < min(found.shape[0], entry.shape[0]):
                    found[count], entry[count] = node, s
                count += 1
        else:
            stack[top, 0], stack[top + 1, 0] = tree.node[node].left, tree.node[node].right
            top += 2
    if count <= min(found.shape[0], entry.shape[0]):
        sort_hits(found, entry, count)
    return count


@helper
def sort_hits(found, entry, count):
    """Sort hits by entry, then by number (Shell's sort, gaps 1, 4, 13, ...): they are few."""
    gap = 1
    while 3 * gap + 1 < count:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, count):
            i, s, at = found[k], entry[k], k
            while at >= gap and (entry[at - gap] > s or (entry[at - gap] == s and found[at - gap] > i)):
                found[at], entry[at] = found[at - gap], entry[at - gap]
                at -= gap
            found[at], entry[at] = i, s
        gap //= 3


be_phase(BoxTree, refresh, descend_pairs, descend_to_box)
