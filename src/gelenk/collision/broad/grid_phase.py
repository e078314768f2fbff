"""Broad phase by a grid: pairs and boxes. For large scenes: the cost for an element does not grow with their number."""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.broad.grid import (
    LEVELS,
    WRAP,
    CellGrid,
    bucket_of,
    cell,
    key_of,
    sort_into_cells,
)
from gelenk.collision.broad.pair_filter import allowed
from gelenk.collision.broad.phase import (
    be_phase,
    look_at_all,
    put_found,
    put_pair,
    sort_found,
    sort_pairs,
)
from gelenk.compile import helper, routine


@routine
def search_cells(grid, boxes, filter_, pairs):
    """Every element that moves looks for its partners, in the order of the cells: neighbours are still in the cache."""
    count, lowest, highest = 0, 2 * LEVELS + 2, 0
    for code in range(2 * LEVELS + 2):
        if grid.members[code] > 0:
            lowest, highest = min(lowest, code), max(highest, code)
    for k in range(grid.first[grid.first.shape[0] - 1]):
        if (grid.element[k].key >> 57) & 1 == 0:
            i = grid.element[k].number
            for h in range(search_partners(grid, k, lowest, highest)):
                if allowed(filter_, i, grid.near[h]):
                    count = put_pair(pairs, count, i, grid.near[h])
    sort_pairs(pairs, count)
    return count


@helper
def search_partners(grid, k, lowest, highest):
    """Note who meets the element in place k, which moves. Returns how many.

    It looks for elements at rest on all levels, and for others that move on its own and on coarser levels: of two that
    move on different levels, the finer one finds the other.
    """
    e, near = grid.element[k], 0
    own, box = int(e.key) >> 57, Bounds(e.x, e.y, e.z, e.x_high, e.y_high, e.z_high)
    if own >> 1 == LEVELS:
        return among_still(grid, box, in_run(grid, box, grid.first[bucket_of(grid, e.key)], k, e.key, e.key, near))
    near = among_own(grid, box, k, own, near)
    for code in range(own + 2, highest + 1, 2):
        if grid.members[code] > 0:
            near = among_cells(grid, box, code, near)
    if too_many_cells(grid, box, lowest, own):
        return among_still(grid, box, near)
    for code in range(lowest | 1, highest + 1, 2):
        if grid.members[code] > 0:
            near = among_cells(grid, box, code, near)
    return near


@helper
def in_run(grid, box, begin, end, low_key, high_key, near):
    """Note the elements in places ``begin`` up to ``end`` that have such keys and meet a box.

    Whether they do is chance, and a wrong guess costs the processor more than the test: each is noted, and only if it
    does is the next one noted in another place.
    """
    for k in range(np.int64(begin), np.int64(end)):
        e = grid.element[k]
        grid.near[near] = e.number
        near += (
            (low_key <= e.key)
            & (e.key <= high_key)
            & (box.x <= e.x_high)
            & (e.x <= box.x_high)
            & (box.y <= e.y_high)
            & (e.y <= box.y_high)
            & (box.z <= e.z_high)
            & (e.z <= box.z_high)
        )
    return near


@routine
def in_column(grid, box, code, x, y, z, z_high, near):
    """Note the elements that meet a box in the cells z to z_high above each other.

    They lie side by side, unless numbers of cells or of buckets begin anew among them.
    """
    low, high, cells = key_of(code, x, y, z), key_of(code, x, y, z_high), z_high - z
    bucket, last = bucket_of(grid, low), bucket_of(grid, high)
    if high - low == cells and last - bucket == cells:
        return in_run(grid, box, grid.first[bucket], grid.first[last + 1], low, high, near)
    for one in range(z, z_high + 1):
        key = key_of(code, x, y, one)
        bucket = bucket_of(grid, key)
        near = in_run(grid, box, grid.first[bucket], grid.first[bucket + 1], key, key, near)
    return near


@routine
def among_own(grid, box, k, own, near):
    """Note those that move too, on the level of the element in place k, in cells before its own and before it in that.

    Those after it find it themselves. Before: of lower x, or the same x and lower y, or both and lower z.
    """
    c = grid.per_metre[own >> 1]
    x, y, z = cell(box.x, c), cell(box.y, c), cell(box.z, c)
    y_high, z_high = cell(box.y_high, c), cell(box.z_high, c)
    for one in range(y - 1, y_high + 1):
        near = in_column(grid, box, own, x - 1, one, z - 1, z_high, near)
    near = in_column(grid, box, own, x, y - 1, z - 1, z_high, near)
    near = in_column(grid, box, own, x, y, z - 1, z - 1, near)
    key = grid.element[k].key
    return in_run(grid, box, grid.first[bucket_of(grid, key)], k, key, key, near)


@routine
def among_cells(grid, box, code, near):
    """Note the elements of some level and role that meet a box."""
    if code >> 1 == LEVELS:
        return in_column(grid, box, code, 0, 0, 0, 0, near)
    c = grid.per_metre[code >> 1]
    x_high, y_high, z_high = cell(box.x_high, c), cell(box.y_high, c), cell(box.z_high, c)
    for x in range(cell(box.x, c) - 1, x_high + 1):
        for y in range(cell(box.y, c) - 1, y_high + 1):
            near = in_column(grid, box, code, x, y, cell(box.z, c) - 1, z_high, near)
    return near


@routine
def among_still(grid, box, near):
    """Note all elements at rest that meet a box, without the cells."""
    for k in range(grid.first[grid.first.shape[0] - 1]):
        e = grid.element[k]
        if (e.key >> 57) & 1 == 1 and box.meets(Bounds(e.x, e.y, e.z, e.x_high, e.y_high, e.z_high)):
            grid.near[near] = e.number
            near += 1
    return near


@helper
def cells_met(grid, box, level):
    """How many cells of a level a search in a box visits; without bound if keys would repeat among them."""
    c = grid.per_metre[level]
    x = cell(box.x_high, c) - cell(box.x, c) + 2
    y = cell(box.y_high, c) - cell(box.y, c) + 2
    z = cell(box.z_high, c) - cell(box.z, c) + 2
    return 1e300 if max(x, y, z) >= WRAP else float(x) * float(y) * float(z)


@helper
def too_many_cells(grid, box, lowest, own):
    """Whether the cells of elements at rest on finer levels are more than all elements."""
    cells = 0.0
    for code in range(lowest | 1, own, 2):
        if grid.members[code] > 0:
            cells += cells_met(grid, box, code >> 1)
    return cells > grid.element.shape[0]


@routine
def search_box(grid, boxes, filter_, box, mask, found):
    """Elements that meet a box, as they were at the last update."""
    cells, near, count = 0.0, 0, 0
    for code in range(2 * LEVELS):
        if grid.members[code] > 0:
            cells += cells_met(grid, box, code >> 1)
    if cells > boxes.shape[0]:
        return look_at_all(grid, boxes, filter_, box, mask, found)
    for code in range(2 * LEVELS + 2):
        if grid.members[code] > 0:
            near = among_cells(grid, box, code, near)
    for k in range(near):
        if filter_.element[grid.near[k]].group & mask != 0:
            count = put_found(found, count, grid.near[k])
    sort_found(found, count)
    return count


be_phase(CellGrid, sort_into_cells, search_cells, search_box)
