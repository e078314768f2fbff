"""Broad phase by cells of one size with lists in both directions (V-12): each element knows its cells and each cell its
elements, so that one that moves changes its own cells alone, and only when it comes to others.

An element is in all cells that its box meets, those from cell(low) to cell(high) along each axis, up to a limit; beyond
it is in a list of large elements, infinite ones too, that are compared with all. In a flat scene cells are columns
without end along z. Two elements are a pair in the first cell that both are in, and in no other:

    cell = max(cell(low_a), cell(low_b))   along each axis

since cell(x) never falls while x rises: of the cells that both are in, it is the one that along each axis is the first
of a or of b. Three bits of a link say along which axes its cell is the first of its element; a pair is where the bits
of both make seven. Cells are found by hashing. Each element owns ``limit`` links, one for each cell it may be in; a
cell is a list of such links in both directions. In a step an element at rest costs one comparison of its cells, one
that moves a walk through some fifty links here and there in memory: for scenes in which less than one in 100 move.

Source: virtual-worlds 4.11; J.-P. Dittrich, B. Seeger, Data redundancy and duplicate detection (2000), on the one cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count, check_number
from gelenk.collision.broad.bounds import get_box
from gelenk.collision.broad.grid import MIX_X, MIX_Y, WRAP, cell, key_of
from gelenk.collision.broad.pair_filter import MOVING, allowed, present
from gelenk.collision.broad.phase import (
    NONE,
    be_phase,
    look_at_all,
    put_found,
    put_pair,
    sort_found,
    sort_pairs,
)
from gelenk.compile import helper, routine

NOWHERE, LARGE = 0, 0xFFFFFFFF  # entries of CellLists.cells


LINK = np.dtype(
    [
        ("key", "i8"),  # the cell
        ("after", "u4"),  # links of the same bucket
        ("before", "u4"),
        ("owner", "u4"),  # the element
        ("bucket", "u4"),
        ("first", "u4"),  # bits 0, 1, 2: along which axes the cell is its owner's first
        ("moves", "u4"),  # 1 if the owner moves
    ]
)


class CellLists(NamedTuple):
    """Links limit i up to limit (i + 1) are those of element i."""

    first: np.ndarray  # (2^m,) uint32 first link of each bucket of cells
    link: np.ndarray  # (limit n,) LINK
    cells: np.ndarray  # (n,) uint32 in how many cells an element is, NOWHERE or LARGE
    span: np.ndarray  # (n, 6) int64 first and last cell along x, y, z
    large: np.ndarray  # (n,) uint32 the large elements
    place: np.ndarray  # (n,) uint32 where each of them is in that list
    role: np.ndarray  # (n,) uint8 with which an element is in its cells
    state: np.ndarray  # (2,) int64 number of large elements; changes so far
    limit: np.ndarray  # (2,) int64 most cells of an element; axes with cells, 2 or 3
    per_metre: np.ndarray  # (1,) inverse of the size of a cell [1/m]


def new_cell_lists(count: int, size: float, *, limit: int = 16, axes: int = 3) -> CellLists:
    """Empty lists for ``count`` elements and cells of some size [m], see ``fitting_size`` of grid.py."""
    n = check_count("cell lists", "count", count, least=1, most=2**27)
    c = check_number("cell lists", "size", size, "m", above=0)
    most = check_count("cell lists", "limit", limit, least=1, most=256)
    axes = check_count("cell lists", "axes", axes, least=2, most=3)
    link = np.zeros(most * n, LINK).view(np.recarray)
    link.owner = np.repeat(np.arange(n), most)
    return CellLists(
        np.full(1 << (2 * n - 1).bit_length(), NONE),
        link,
        np.zeros(n, dtype=np.uint32),
        np.zeros((n, 6), dtype=np.int64),
        np.zeros(n, dtype=np.uint32),
        np.zeros(n, dtype=np.uint32),
        np.zeros(n, dtype=np.uint8),
        np.zeros(2, dtype=np.int64),
        np.array([most, axes]),
        np.array([1.0 / c]),
    )


@helper
def span_of(lists, box):
    """First and last cell of a box along x, y and z."""
    c = lists.per_metre[0]
    x, y, x_high, y_high = cell(box.x, c), cell(box.y, c), cell(box.x_high, c), cell(box.y_high, c)
    if lists.limit[1] == 2:
        return x, y, 0, x_high, y_high, 0
    return x, y, cell(box.z, c), x_high, y_high, cell(box.z_high, c)


@helper
def cells_in(x, y, z, x_high, y_high, z_high):
    """How many cells there are from one to another."""
    return (float(x_high - x) + 1.0) * (float(y_high - y) + 1.0) * (float(z_high - z) + 1.0)


@helper
def bucket_of_cell(lists, x, y, z):
    """Bucket of a cell, those above each other side by side."""
    row = ((x & (WRAP - 1)) * MIX_X) ^ ((y & (WRAP - 1)) * MIX_Y)
    return ((row >> 20) + z) & (lists.first.shape[0] - 1)


@routine
def follow(lists, boxes, filter_):
    """Move those to other cells that are no longer in the same."""
    for i in range(boxes.shape[0]):
        if not present(filter_, boxes, i):
            if lists.cells[i] != NOWHERE:
                leave(lists, i)
            continue
        s, now = lists.span[i], lists.cells[i]
        x, y, z, x_high, y_high, z_high = span_of(lists, get_box(boxes, i))
        same = (s[0] == x) & (s[1] == y) & (s[2] == z) & (s[3] == x_high) & (s[4] == y_high) & (s[5] == z_high)
        if same and now != NOWHERE and lists.role[i] == filter_.element[i].role:
            continue
        if now != NOWHERE:
            leave(lists, i)
        s[0], s[1], s[2], s[3], s[4], s[5] = x, y, z, x_high, y_high, z_high
        lists.role[i] = filter_.element[i].role
        enter(lists, i)


@routine
def leave(lists, i):
    """Take an element out of its cells, or out of the large ones."""
    if lists.cells[i] == LARGE:
        lists.state[0] -= 1
        last, at = lists.large[lists.state[0]], lists.place[i]
        lists.large[at], lists.place[last] = last, at
    else:
        start = lists.limit[0] * np.int64(i)
        for k in range(start, start + np.int64(lists.cells[i])):
            link = lists.link[k]
            if link.before == NONE:
                lists.first[link.bucket] = link.after
            else:
                lists.link[link.before].after = link.after
            if link.after != NONE:
                lists.link[link.after].before = link.before
    lists.cells[i] = NOWHERE


@routine
def enter(lists, i):
    """Put an element into the cells of its span, or among the large ones."""
    s = lists.span[i]
    lists.state[1] += 1
    if cells_in(s[0], s[1], s[2], s[3], s[4], s[5]) > lists.limit[0]:
        lists.cells[i], lists.place[i] = LARGE, lists.state[0]
        lists.large[lists.state[0]] = i
        lists.state[0] += 1
        return
    start, moves = lists.limit[0] * np.int64(i), 1 if lists.role[i] == MOVING else 0
    k = start
    for x in range(s[0], s[3] + 1):
        for y in range(s[1], s[4] + 1):
            for z in range(s[2], s[5] + 1):
                link, bucket = lists.link[k], bucket_of_cell(lists, x, y, z)
                link.key, link.bucket, link.before, link.after = key_of(0, x, y, z), bucket, NONE, lists.first[bucket]
                link.first, link.moves = first_along(x, y, z, s[0], s[1], s[2]), moves
                if link.after != NONE:
                    lists.link[link.after].before = k
                lists.first[bucket] = k
                k += 1
    lists.cells[i] = k - start


@routine
def search_lists(lists, boxes, filter_, pairs):
    """Every element that moves looks through its cells and at large ones at rest; a large one that moves at all."""
    count = 0
    for i in range(boxes.shape[0]):
        if lists.cells[i] == NOWHERE or filter_.element[i].role != MOVING:
            continue
        if lists.cells[i] == LARGE:
            count = among_all(lists, boxes, filter_, pairs, count, i)
            continue
        box, start = get_box(boxes, i), lists.limit[0] * np.int64(i)
        for k in range(start, start + np.int64(lists.cells[i])):
            key, first, at = lists.link[k].key, lists.link[k].first, lists.first[lists.link[k].bucket]
            while at != NONE:
                link = lists.link[at]
                at, j = link.after, np.int64(link.owner)
                here = (link.key == key) & ((first | link.first) == 7) & ((j > i) | (link.moves == 0))
                if here and box.meets(get_box(boxes, j)) and allowed(filter_, i, j):
                    count = put_pair(pairs, count, i, j)
        for k in range(lists.state[0]):
            j = lists.large[k]
            if filter_.element[j].role != MOVING and box.meets(get_box(boxes, j)) and allowed(filter_, i, j):
                count = put_pair(pairs, count, i, j)
    sort_pairs(pairs, count)
    return count


@helper
def first_along(cell_x, cell_y, cell_z, x, y, z):
    """Bits of the axes along which a cell is x, y, z."""
    return (1 if cell_x == x else 0) + (2 if cell_y == y else 0) + (4 if cell_z == z else 0)


@helper
def among_all(lists, boxes, filter_, pairs, count, i):
    """Pairs of a large element that moves; two of these are found by the first."""
    box = get_box(boxes, i)
    for j in range(boxes.shape[0]):
        if lists.cells[j] == NOWHERE or (lists.cells[j] == LARGE and filter_.element[j].role == MOVING and j <= i):
            continue
        if box.meets(get_box(boxes, j)) and allowed(filter_, i, j):
            count = put_pair(pairs, count, i, j)
    return count


@routine
def search_box_lists(lists, boxes, filter_, box, mask, found):
    """Elements that meet a box: those of its cells, each in the first cell in common, and the large ones."""
    x_low, y_low, z_low, x_high, y_high, z_high = span_of(lists, box)
    if cells_in(x_low, y_low, z_low, x_high, y_high, z_high) > min(boxes.shape[0], WRAP):
        return look_at_all(lists, boxes, filter_, box, mask, found)
    count = 0
    for x in range(x_low, x_high + 1):
        for y in range(y_low, y_high + 1):
            for z in range(z_low, z_high + 1):
                first = first_along(x, y, z, x_low, y_low, z_low)
                key, at = key_of(0, x, y, z), lists.first[bucket_of_cell(lists, x, y, z)]
                while at != NONE:
                    link = lists.link[at]
                    at, j = link.after, link.owner
                    if link.key == key and (first | link.first) == 7 and filter_.element[j].group & mask != 0:
                        count = put_found(found, count, j) if box.meets(get_box(boxes, j)) else count
    for k in range(lists.state[0]):
        j = lists.large[k]
        if filter_.element[j].group & mask != 0 and box.meets(get_box(boxes, j)):
            count = put_found(found, count, j)
    sort_found(found, count)
    return count


be_phase(CellLists, follow, search_lists, search_box_lists)
