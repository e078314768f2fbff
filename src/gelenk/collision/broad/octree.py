"""A tree of cells, eight in each, or four in flat scenes (V-13): which elements are in which cell.

A cell with more than a few elements is split into halves along each axis; a cell is merged again when few are left in
it and below. Each element is in one cell, the one where it fits. To fit, it need not lie within the cell: cells reach
beyond their walls by half their size (loose cells), lest an element on a wall between large cells is kept by these.

    cell = middle m, half size h;   what is in it or below lies in   [m - 2 h, m + 2 h]

A split asks for just that and an element that moves stays in its cell as long as it holds, so a search that descends
where these bounds meet a box misses nothing, whatever the rounding. What does not fit into the uppermost cell is kept
there all the same, infinite boxes too, and compared with all. If many lie outside, the tree is built anew around them.

Source: virtual-worlds 4.28; T. Ulrich, Loose octrees, in Game Programming Gems (2000). Kept in one cell each, elements
need n places; in all cells they touch, as in 4.28, there would be no bound.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count
from gelenk.collision.broad.bounds import Bounds, get_box
from gelenk.collision.broad.pair_filter import present
from gelenk.collision.broad.phase import NONE
from gelenk.compile import helper, routine

MOST = 8  # elements in a cell that is not split
DEEPEST = 24  # levels: 10 km down to 1 mm
FAR = 1e9  # [m]; the uppermost cell is not made for what reaches beyond

# entries of Octree.state
FREE, BUILDS, CHANGES = 0, 1, 2


OCT_CELL = np.dtype(
    [
        ("x", "f8"),  # middle [m]
        ("y", "f8"),
        ("z", "f8"),
        ("half", "f8"),  # half of its size [m]
        ("child", "u4"),  # first of its parts, which stand side by side; NONE if it has none
        ("parent", "u4"),
        ("first", "u4"),  # of its elements
        ("own", "u4"),  # how many these are
        ("whole", "u4"),  # how many there are with those below
        ("level", "u4"),
        ("spare", "u8"),
        ("x_low", "f8"),  # box around its own elements [m]: the cell itself is larger
        ("y_low", "f8"),
        ("z_low", "f8"),
        ("x_high", "f8"),
        ("y_high", "f8"),
        ("z_high", "f8"),
    ]
)


class Octree(NamedTuple):
    """Cell 0 is the uppermost one, the others stand in blocks of eight or four."""

    cell: np.ndarray  # (1 + parts blocks,) OCT_CELL
    free: np.ndarray  # (blocks,) uint32 first cells of blocks that are not in use
    home: np.ndarray  # (n,) uint32 cell of each element, NONE if it is in none
    after: np.ndarray  # (n,) uint32 elements of the same cell
    before: np.ndarray  # (n,) uint32
    stack: np.ndarray  # (7 levels + 8,) uint32 cells still to be looked at
    state: np.ndarray  # (3,) int64 free blocks; times built; changes so far
    parts: np.ndarray  # (1,) int64 of a cell: 8, or 4 if z is not looked at


def new_octree(count: int, *, axes: int = 3) -> Octree:
    """Empty tree for ``count`` elements; with two axes a quadtree, its cells without end along z."""
    n = check_count("octree", "count", count, least=1, most=2**28)
    parts = 1 << check_count("octree", "axes", axes, least=2, most=3)
    blocks = n // (2 if parts == 4 else 4) + 2 * DEEPEST
    tree = Octree(
        np.zeros(1 + parts * blocks, OCT_CELL).view(np.recarray),
        np.arange(blocks - 1, -1, -1, dtype=np.uint32) * np.uint32(parts) + np.uint32(1),
        np.full(n, NONE),
        np.full(n, NONE),
        np.full(n, NONE),
        np.zeros(7 * DEEPEST + 8, dtype=np.uint32),
        np.array([blocks, 0, 0]),
        np.array([parts]),
    )
    top = tree.cell[0]
    top.child, top.parent, top.first = NONE, NONE, NONE
    return tree


@helper
def loose(tree, k):
    """Bounds of all that a cell other than the uppermost and those below it hold."""
    e = tree.cell[k]
    reach = 2.0 * e.half
    z = reach if tree.parts[0] == 8 else math.inf
    return Bounds(e.x - reach, e.y - reach, e.z - z, e.x + reach, e.y + reach, e.z + z)


@helper
def is_near(tree, box):
    """Whether the uppermost cell is made for a box: none of its ends is far, those along z of a quadtree aside."""
    flat = max(-box.x, -box.y, box.x_high, box.y_high) < FAR
    return flat and (tree.parts[0] == 4 or max(-box.z, box.z_high) < FAR)


@routine
def follow_in_octree(tree, boxes, filter_):
    """Move those to other cells that lie no longer in the bounds of theirs; build anew if many are outside."""
    there = 0
    for i in range(boxes.shape[0]):
        home, here = tree.home[i], present(filter_, boxes, i)
        there += 1 if here else 0
        if home != NONE and here and stays(tree, home, get_box(boxes, i)):
            continue
        if home != NONE:
            take_out(tree, i)
        if here:
            put_in(tree, boxes, i)
    outside = count_outside(tree, boxes)
    if outside > MOST and 8 * outside > there:
        build(tree, boxes, filter_)
    fit_cells(tree, boxes)


@routine
def fit_cells(tree, boxes):
    """Put a box around the own elements of each cell."""
    for k in range(tree.cell.shape[0]):
        put_fit(tree, k, Bounds(math.inf, math.inf, math.inf, -math.inf, -math.inf, -math.inf))
    for i in range(boxes.shape[0]):
        if tree.home[i] != NONE:
            put_fit(tree, tree.home[i], get_fit(tree, tree.home[i]).around(get_box(boxes, i)))


@helper
def get_fit(tree, k):
    """Box around the own elements of a cell."""
    e = tree.cell[k]
    return Bounds(e.x_low, e.y_low, e.z_low, e.x_high, e.y_high, e.z_high)


@helper
def put_fit(tree, k, a):
    """Store it."""
    e = tree.cell[k]
    e.x_low, e.y_low, e.z_low, e.x_high, e.y_high, e.z_high = a.x, a.y, a.z, a.x_high, a.y_high, a.z_high


@helper
def stays(tree, home, box):
    """Whether an element may be left where it is; one in the uppermost cell, unless it fits below."""
    if home > 0:
        return loose(tree, home).holds(box)
    return tree.cell[0].child == NONE or part_for(tree, 0, box) == NONE


@helper
def count_outside(tree, boxes):
    """How many elements are in the uppermost cell only because their middle is outside."""
    outside, top, i = 0, tree.cell[0], tree.cell[0].first
    while i != NONE:
        box = get_box(boxes, i)
        if is_near(tree, box):
            x, y, z = abs(middle(box.x, box.x_high) - top.x), abs(middle(box.y, box.y_high) - top.y), 0.0
            if tree.parts[0] == 8:
                z = abs(middle(box.z, box.z_high) - top.z)
            outside += 1 if max(x, y, z) > top.half else 0
        i = tree.after[i]
    return outside


@helper
def middle(low, high):
    """Middle between two ends; those far away count as FAR, lest two infinite ones have none."""
    return 0.5 * (max(low, -FAR) + min(high, FAR))


@routine
def build(tree, boxes, filter_):
    """Empty the tree, put the uppermost cell around the middles of all that is near, fill it."""
    x, y, z, x_high, y_high, z_high = math.inf, math.inf, math.inf, -math.inf, -math.inf, -math.inf
    for i in range(boxes.shape[0]):
        box = get_box(boxes, i)
        if present(filter_, boxes, i) and is_near(tree, box):
            u, v = middle(box.x, box.x_high), middle(box.y, box.y_high)
            w = middle(box.z, box.z_high) if tree.parts[0] == 8 else 0.0
            x, y, z = min(x, u), min(y, v), min(z, w)
            x_high, y_high, z_high = max(x_high, u), max(y_high, v), max(z_high, w)
    blocks = tree.free.shape[0]
    for k in range(blocks):
        tree.free[k] = (blocks - 1 - k) * tree.parts[0] + 1
    for i in range(boxes.shape[0]):
        tree.home[i] = NONE
    top = tree.cell[0]
    top.x, top.y, top.z = 0.5 * (x + x_high), 0.5 * (y + y_high), 0.5 * (z + z_high)
    top.half = 0.55 * max(x_high - x, y_high - y, z_high - z)
    top.child, top.first, top.own, top.whole = NONE, NONE, 0, 0
    tree.state[FREE] = blocks
    tree.state[BUILDS] += 1
    for i in range(boxes.shape[0]):
        if present(filter_, boxes, i):
            put_in(tree, boxes, i)


@helper
def part_for(tree, k, box):
    """Part of a cell in which a box fits, NONE if it fits in none."""
    e = tree.cell[k]
    part = 1 if middle(box.x, box.x_high) >= e.x else 0
    part += 2 if middle(box.y, box.y_high) >= e.y else 0
    part += 4 if tree.parts[0] == 8 and middle(box.z, box.z_high) >= e.z else 0
    child = np.int64(e.child) + part
    return child if loose(tree, child).holds(box) else np.int64(NONE)


@routine
def put_in(tree, boxes, i):
    """Put an element into the deepest cell where it fits; split that if it has too many."""
    box, k = get_box(boxes, i), 0
    tree.state[CHANGES] += 1
    tree.cell[k].whole += np.uint32(1)
    while tree.cell[k].child != NONE:
        child = part_for(tree, k, box)
        if child == NONE:
            break
        k = child
        tree.cell[k].whole += np.uint32(1)
    hang(tree, i, k)
    while k != NONE and tree.cell[k].own > MOST and tree.cell[k].child == NONE:
        k = split(tree, boxes, k)


@helper
def hang(tree, i, k):
    """Put an element at the head of the list of a cell."""
    e = tree.cell[k]
    tree.home[i], tree.before[i], tree.after[i] = k, NONE, e.first
    if e.first != NONE:
        tree.before[e.first] = i
    e.first = i
    e.own += np.uint32(1)


@helper
def unhang(tree, i):
    """Take an element out of the list of its cell."""
    e, before, after = tree.cell[tree.home[i]], tree.before[i], tree.after[i]
    if before == NONE:
        e.first = after
    else:
        tree.after[before] = after
    if after != NONE:
        tree.before[after] = before
    e.own -= np.uint32(1)


@routine
def split(tree, boxes, k):
    """Split a cell and give its elements to the parts where they fit. Returns a part that has too many, or NONE."""
    e = tree.cell[k]
    if e.level >= DEEPEST or tree.state[FREE] == 0 or e.half <= 0.0:
        return np.int64(NONE)
    tree.state[FREE] -= 1
    e.child = tree.free[tree.state[FREE]]
    first, quarter, full = np.int64(e.child), 0.5 * e.half, np.int64(NONE)
    for part in range(tree.parts[0]):
        c = tree.cell[first + part]
        c.x = e.x + (quarter if part & 1 != 0 else -quarter)
        c.y = e.y + (quarter if part & 2 != 0 else -quarter)
        c.z = e.z + (0.0 if tree.parts[0] == 4 else quarter if part & 4 != 0 else -quarter)
        c.half, c.parent, c.level = quarter, k, e.level + np.uint32(1)
        c.child, c.first, c.own, c.whole = NONE, NONE, 0, 0
    i = e.first
    while i != NONE:
        after, child = tree.after[i], part_for(tree, k, get_box(boxes, i))
        if child != NONE:
            unhang(tree, i)
            hang(tree, i, child)
            c = tree.cell[child]
            c.whole = c.own
            full = child if c.own > MOST else full
        i = after
    return full


@routine
def take_out(tree, i):
    """Take an element out; cells above it in which few are left are merged."""
    k = np.int64(tree.home[i])
    unhang(tree, i)
    tree.home[i] = NONE
    while k != NONE:
        e = tree.cell[k]
        e.whole -= np.uint32(1)
        if e.child != NONE and 2 * e.whole <= MOST:
            merge_parts(tree, k)
        k = np.int64(e.parent)


@helper
def merge_parts(tree, k):
    """Take back all elements from the parts of a cell. None of these has parts: they would have been merged before."""
    first = np.int64(tree.cell[k].child)
    for part in range(tree.parts[0]):
        while tree.cell[first + part].first != NONE:
            i = tree.cell[first + part].first
            unhang(tree, i)
            hang(tree, i, k)
    tree.free[tree.state[FREE]] = first
    tree.state[FREE] += 1
    tree.cell[k].child = NONE
