"""How the tree of boxes over the triangles of a mesh is built (V-20); the mesh never changes, nor does the tree.

A node is split where the surface-area heuristic expects a random line to meet the fewest triangles: with the areas A
and counts n of both parts, smallest  A_1 n_1 + A_2 n_2  over the borders between bins of equal width along each axis,
into which the centres of the triangles are sorted. The same triangles give the same tree.

Source: J. MacDonald, K. Booth, Heuristics for ray tracing using space subdivision (1990);
I. Wald, On fast construction of SAH-based bounding volume hierarchies (2007).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelenk.collision.broad.bounds import Bounds, get_box
from gelenk.compile import helper, kernel, routine

LEAF = 6  # most triangles in a leaf; rays in 100 000 triangles take a sixth longer with 4: more nodes, out of the cache
BINS = 16  # along each axis
SHALLOW = 32  # levels that follow the heuristic; below, parts are halved, so that 2^32 triangles end within DEEPEST
DEEPEST = 64


class MeshBuildWork(NamedTuple):
    """Triangles and nodes of one mesh while its tree is built."""

    low: np.ndarray  # (m, 3) lowest corners of the boxes of the triangles [m]
    high: np.ndarray  # (m, 3)
    order: np.ndarray  # (m,) uint32 triangles in the order of the leaves
    box: np.ndarray  # (N, 12) boxes of both children of each node
    link: np.ndarray  # (N, 4) uint32 their nodes or first triangles; counts of triangles, 0 for nodes
    task: np.ndarray  # (DEEPEST + 1, 4) int64 nodes to be split: first and last triangle, node, level
    bin_box: np.ndarray  # (3 BINS, 6)
    bin_count: np.ndarray  # (3 BINS,) int64
    rest: np.ndarray  # (BINS,) area times count of all bins from this one on


def new_build_work(low: np.ndarray, high: np.ndarray) -> MeshBuildWork:
    """Space to build a tree over boxes (m, 3), (m, 3)."""
    m = len(low)
    return MeshBuildWork(
        np.ascontiguousarray(low),
        np.ascontiguousarray(high),
        np.arange(m, dtype=np.uint32),
        np.zeros((m, 12)),
        np.zeros((m, 4), np.uint32),
        np.zeros((DEEPEST + 1, 4), np.int64),
        np.zeros((3 * BINS, 6)),
        np.zeros(3 * BINS, np.int64),
        np.zeros(BINS),
    )


def outward_float32(box: NDArray[np.float64]) -> NDArray[np.float32]:
    """Boxes (N, 12) in single precision, none smaller than it was."""
    with np.errstate(over="ignore"):
        rounded = box.astype(np.float32)
    low, outward = np.arange(12) % 6 < 3, np.where(np.arange(12) % 6 < 3, -np.inf, np.inf).astype(np.float32)
    inside = np.where(low, rounded > box, rounded < box)
    return np.where(inside, np.nextafter(rounded, outward), rounded)


@helper
def triangle_box(work, t):
    """Box of a triangle."""
    low, high = work.low, work.high
    return Bounds(low[t, 0], low[t, 1], low[t, 2], high[t, 0], high[t, 1], high[t, 2])


@helper
def empty_box():
    """A box that nothing meets, and that leaves any box as it is when both are joined."""
    return Bounds(math.inf, math.inf, math.inf, -math.inf, -math.inf, -math.inf)


@helper
def put_box(boxes, i, first, a):
    """Store a box in row i from column ``first`` on."""
    boxes[i, first], boxes[i, first + 1], boxes[i, first + 2] = a.x, a.y, a.z
    boxes[i, first + 3], boxes[i, first + 4], boxes[i, first + 5] = a.x_high, a.y_high, a.z_high


@helper
def bin_of(work, t, axis, start, per_length):
    """Bin of the centre of a triangle, from twice its coordinate."""
    return min(np.int64((work.low[t, axis] + work.high[t, axis] - start) * per_length), BINS - 1)


@routine
def fill_bins(work, axis, start, per_length, first, last):
    """Sort triangles of the order into the bins of an axis."""
    for b in range(axis * BINS, axis * BINS + BINS):
        work.bin_count[b] = 0
        put_box(work.bin_box, b, 0, empty_box())
    for i in range(first, last):
        t = work.order[i]
        b = axis * BINS + bin_of(work, t, axis, start, per_length)
        work.bin_count[b] += 1
        put_box(work.bin_box, b, 0, get_box(work.bin_box, b).around(triangle_box(work, t)))


@routine
def best_border(work, axis):
    """Cheapest border between the bins of an axis, and its cost; infinite if all are in one bin."""
    box, count = empty_box(), 0
    for b in range(BINS - 1, 0, -1):
        box = box.around(get_box(work.bin_box, axis * BINS + b))
        count += work.bin_count[axis * BINS + b]
        work.rest[b] = box.half_area() * count if count > 0 else math.inf
    box, count, best, border = empty_box(), 0, math.inf, 0
    for b in range(1, BINS):
        box = box.around(get_box(work.bin_box, axis * BINS + b - 1))
        count += work.bin_count[axis * BINS + b - 1]
        cost = box.half_area() * count + work.rest[b] if count > 0 else math.inf
        if cost < best:
            best, border = cost, b
    return border, best


@routine
def centre_range(work, axis, first, last):
    """Smallest and largest coordinate of centres, both twice."""
    low, high = math.inf, -math.inf
    for i in range(first, last):
        t = work.order[i]
        c = work.low[t, axis] + work.high[t, axis]
        low, high = min(low, c), max(high, c)
    return low, high


@routine
def split(work, first, last, level):
    """Part the triangles of a node in two; returns where the second part begins."""
    if last - first == 1:
        return last
    best, best_axis, best_border_, best_start, best_scale = math.inf, -1, 0, 0.0, 0.0
    for axis in range(3):
        low, high = centre_range(work, axis, first, last)
        if level < SHALLOW and high > low:
            per_length = BINS / (high - low)
            if per_length < math.inf:
                fill_bins(work, axis, low, per_length, first, last)
                border, cost = best_border(work, axis)
                if cost < best:
                    best, best_axis, best_border_, best_start, best_scale = cost, axis, border, low, per_length
    if best_axis < 0:
        return (first + last) // 2
    i, j = first, last - 1
    while i <= j:
        t = work.order[i]
        if bin_of(work, t, best_axis, best_start, best_scale) < best_border_:
            i += 1
        else:
            work.order[i], work.order[j] = work.order[j], t
            j -= 1
    return i


@routine
def put_child(work, node, side, first, last, level, count, top):
    """Enter a child of a node: a leaf, or a new node that waits to be split. Returns counts of nodes and of waiting."""
    box = empty_box()
    for i in range(first, last):
        box = box.around(triangle_box(work, work.order[i]))
    put_box(work.box, node, 6 * side, box)
    if last - first <= LEAF:
        work.link[node, side], work.link[node, 2 + side] = first, last - first
        return count, top
    work.link[node, side], work.link[node, 2 + side] = count, 0
    put_task(work, top, first, last, count, level + 1)
    return count + 1, top + 1


@helper
def put_task(work, top, first, last, node, level):
    """Put a node on the list of those to be split."""
    work.task[top, 0], work.task[top, 1], work.task[top, 2], work.task[top, 3] = first, last, node, level


@kernel
def build_tree(work):
    """Build the tree; returns the number of nodes."""
    put_task(work, 0, 0, work.order.shape[0], 0, 0)
    count, top = 1, 1
    while top > 0:
        top -= 1
        first, last, node, level = work.task[top, 0], work.task[top, 1], work.task[top, 2], work.task[top, 3]
        middle = split(work, first, last, level)
        count, top = put_child(work, node, 0, first, middle, level, count, top)
        count, top = put_child(work, node, 1, middle, last, level, count, top)
    return count
