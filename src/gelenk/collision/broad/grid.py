"""A grid of cells that changes while it is used (V-12, V-13, V-34): which elements are in which cell.

Cells have sizes c, 2 c, 4 c, ...: an element e is kept on the finest level where it reaches no further than from its
cell into the next one along each axis, and only in the cell of its low corner. So each is in one list, and goes to
another when its corner crosses a face of a cell. What meets a box b is in the cells from one before b to its last:

    low_b <= high_e  and  low_e <= high_b   give   cell(low_b) - 1 <= cell(low_e) <= cell(high_b)

This holds in floating point too, since cell(x) never falls while x rises. Lists are found by hashing; elements that
move and elements at rest have lists of their own. What is too large for all levels, infinite boxes too, is in one list
at the end.

Source: virtual-worlds 4.11; M. Teschner et al., Optimized spatial hashing for collision detection (2003), here with
one size of cells for each size of elements.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gelenk.checks import check_count, check_number
from gelenk.collision.broad.bounds import check_boxes, get_box
from gelenk.collision.broad.pair_filter import MOVING, present
from gelenk.collision.broad.phase import NONE
from gelenk.compile import helper, routine

LEVELS = 31  # bounded levels 0 to 30; level 31 is what is larger than all cells
WRAP = 2**19  # cells along an axis after which keys repeat; elements so far apart are told apart by their boxes
MIX_X, MIX_Y, MIX_LEVEL = 0x5E3779B97F5, 0x6C62272E07B, 0x4F1BBCDCBFB  # 43 bits, odd, no pattern in them
OUTSIDE = 1e15  # cells beyond are one


IN_CELL = np.dtype(
    [
        ("x", "f8"),  # its box [m], here once more: all that a search reads is in one line of the cache
        ("y", "f8"),
        ("z", "f8"),
        ("x_high", "f8"),
        ("y_high", "f8"),
        ("z_high", "f8"),
        ("key", "i8"),  # level, role and cell; -1 if it is not in the grid
        ("next", "u4"),  # in its list
        ("previous", "u4"),
    ]
)


class CellGrid(NamedTuple):
    """Elements in lists, a list for each bucket of cells."""

    head: np.ndarray  # (2^m,) uint32 first element of each bucket
    element: np.ndarray  # (n,) IN_CELL
    near: np.ndarray  # (n + 1,) uint32 those that meet the element at work
    members: np.ndarray  # (64,) int64 how many there are for each level and role
    size: np.ndarray  # (31,) of the cells of each level [m]
    per_metre: np.ndarray  # (31,) its inverse [1/m]
    changes: np.ndarray  # (1,) int64 how often an element changed its list so far


def new_grid(count: int, size: float) -> CellGrid:
    """Empty grid for ``count`` elements; see :func:`fitting_size`."""
    n = check_count("grid", "count", count, least=1, most=2**31)
    c = check_number("grid", "size", size, "m", above=0)
    buckets = 1 << min(max(2 * n - 1, 1).bit_length(), 24)
    element = np.zeros(n, IN_CELL).view(np.recarray)
    element.key, element.next, element.previous = -1, NONE, NONE
    return CellGrid(
        np.full(buckets, NONE),
        element,
        np.zeros(n + 1, dtype=np.uint32),
        np.zeros(64, dtype=np.int64),
        c * 2.0 ** np.arange(LEVELS),
        0.5 ** np.arange(LEVELS) / c,
        np.zeros(1, dtype=np.int64),
    )


def fitting_size(boxes: Any) -> float:
    """Size of the smallest cells for some boxes [m]: most fit in, none is lost in a cell many times its size."""
    table = check_boxes(boxes)
    with np.errstate(invalid="ignore"):
        size = (table[:, 3:] - table[:, :3]).max(axis=1)
    size = size[np.isfinite(size) & (size > 0.0)]
    return float(min(1.05 * np.quantile(size, 0.95), 2.0 * np.quantile(size, 0.25))) if len(size) else 1.0


@helper
def code_of(level, moves):
    """Number of a level and role."""
    return 2 * level + (0 if moves else 1)


@helper
def cell(x, per_metre):
    """Number of the cell of a coordinate; it never falls while x rises."""
    return math.floor(min(max(x * per_metre, -OUTSIDE), OUTSIDE))


@helper
def key_of(code, x, y, z):
    """One number for level, role and cell."""
    return (code << 57) | ((x & (WRAP - 1)) << 38) | ((y & (WRAP - 1)) << 19) | (z & (WRAP - 1))


@helper
def bucket_of(grid, key):
    """Bucket of a key; cells above each other have neighbouring ones. No product is beyond 62 bits."""
    key = int(key)
    row = (((key >> 38) & (WRAP - 1)) * MIX_X) ^ (((key >> 19) & (WRAP - 1)) * MIX_Y) ^ ((key >> 57) * MIX_LEVEL)
    return ((row >> 20) + (key & (WRAP - 1))) & (grid.head.shape[0] - 1)


@helper
def level_of(grid, box):
    """Finest level on which a box reaches at most into the next cell along each axis."""
    extent, level = max(box.x_high - box.x, box.y_high - box.y, box.z_high - box.z), 0
    while level < LEVELS and grid.size[level] < extent:
        level += 1
    while level < LEVELS:
        c = grid.per_metre[level]
        x, y, z = cell(box.x, c), cell(box.y, c), cell(box.z, c)
        if max(cell(box.x_high, c) - x, cell(box.y_high, c) - y, cell(box.z_high, c) - z) <= 1:
            break
        level += 1
    return level


@helper
def place_of(grid, box, moves):
    """Key of a box."""
    level = level_of(grid, box)
    if level == LEVELS:
        return key_of(code_of(level, moves), 0, 0, 0)
    c = grid.per_metre[level]
    return key_of(code_of(level, moves), cell(box.x, c), cell(box.y, c), cell(box.z, c))


@routine
def sort_into_cells(grid, boxes, filter_):
    """Bring the grid up to the boxes: who came, went or crossed into another cell changes his list."""
    for i in range(boxes.shape[0]):
        e, box, key = grid.element[i], get_box(boxes, i), -1
        if present(filter_, boxes, i):
            key = place_of(grid, box, filter_.element[i].role == MOVING)
        e.x, e.y, e.z, e.x_high, e.y_high, e.z_high = box.x, box.y, box.z, box.x_high, box.y_high, box.z_high
        if key != e.key:
            if e.key >= 0:
                unlink(grid, i)
            if key >= 0:
                link(grid, i, key)
            grid.changes[0] += 1


@helper
def link(grid, i, key):
    """Put element i first in the list of its bucket."""
    bucket, e = bucket_of(grid, key), grid.element[i]
    after = grid.head[bucket]
    e.key, e.next, e.previous = key, after, NONE
    if after != NONE:
        grid.element[after].previous = i
    grid.head[bucket] = i
    grid.members[int(key) >> 57] += 1


@helper
def unlink(grid, i):
    """Take element i out of its list."""
    e = grid.element[i]
    before, after, key = e.previous, e.next, e.key
    if before != NONE:
        grid.element[before].next = after
    else:
        grid.head[bucket_of(grid, key)] = after
    if after != NONE:
        grid.element[after].previous = before
    grid.members[int(key) >> 57] -= 1
    e.key = -1
