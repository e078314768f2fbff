"""A grid of cells (V-12, V-13, V-34): which elements are in which cell.

Cells have sizes c, 2 c, 4 c, ...: an element e is kept on the finest level where it reaches no further than from its
cell into the next one along each axis, and only in the cell of its low corner. So each is in one cell, and what meets
a box b is in the cells from one before b to its last:

    low_b <= high_e  and  low_e <= high_b   give   cell(low_b) - 1 <= cell(low_e) <= cell(high_b)

This holds in floating point too, since cell(x) never falls while x rises. Cells are found by hashing, those above each
other side by side; elements that move and elements at rest have cells of their own. What is too large for all levels,
infinite boxes too, is in one cell. In each step elements are sorted by cell, which takes a time in proportion to their
number: what is searched together then lies together in memory, and that counts more than all else in large scenes.

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
        ("key", "i8"),  # level, role and cell
        ("number", "u4"),  # of the element
        ("spare", "u4"),
    ]
)


class CellGrid(NamedTuple):
    """Elements by cell, those of a bucket of cells side by side."""

    first: np.ndarray  # (2^m + 1,) uint32 where each bucket begins
    element: np.ndarray  # (n,) IN_CELL in that order
    key: np.ndarray  # (n,) int64 key of each element by its number, -1 if it is absent
    near: np.ndarray  # (n + 1,) uint32 those that meet the element at work
    members: np.ndarray  # (64,) int64 how many there are for each level and role
    size: np.ndarray  # (31,) of the cells of each level [m]
    per_metre: np.ndarray  # (31,) its inverse [1/m]


def new_grid(count: int, size: float) -> CellGrid:
    """Empty grid for ``count`` elements; see :func:`fitting_size`."""
    n = check_count("grid", "count", count, least=1, most=2**31)
    c = check_number("grid", "size", size, "m", above=0)
    buckets = 1 << min(max(2 * n - 1, 1).bit_length(), 24)
    return CellGrid(
        np.zeros(buckets + 1, dtype=np.uint32),
        np.zeros(n, IN_CELL).view(np.recarray),
        np.full(n, -1, dtype=np.int64),
        np.zeros(n + 1, dtype=np.uint32),
        np.zeros(64, dtype=np.int64),
        c * 2.0 ** np.arange(LEVELS),
        0.5 ** np.arange(LEVELS) / c,
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
    return ((row >> 20) + (key & (WRAP - 1))) & (grid.first.shape[0] - 2)


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
    """Sort all elements that are there by bucket (counting sort)."""
    first, buckets = grid.first, grid.first.shape[0] - 1
    for k in range(buckets + 1):
        first[k] = 0
    for code in range(grid.members.shape[0]):
        grid.members[code] = 0
    for i in range(boxes.shape[0]):
        key = -1
        if present(filter_, boxes, i):
            key = place_of(grid, get_box(boxes, i), filter_.element[i].role == MOVING)
            first[bucket_of(grid, key) + 1] += np.uint32(1)
            grid.members[int(key) >> 57] += 1
        grid.key[i] = key
    for k in range(1, buckets + 1):
        first[k] += first[k - 1]
    for i in range(boxes.shape[0]):
        if grid.key[i] >= 0:
            bucket = bucket_of(grid, grid.key[i])
            e, box = grid.element[first[bucket]], get_box(boxes, i)
            first[bucket] += np.uint32(1)
            e.x, e.y, e.z, e.x_high, e.y_high, e.z_high = box.x, box.y, box.z, box.x_high, box.y_high, box.z_high
            e.key, e.number = grid.key[i], i
    for k in range(buckets, 0, -1):  # each now is where the next one begins
        first[k] = first[k - 1]
    first[0] = 0
