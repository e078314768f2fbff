"""Broad phase by a grid: pairs and boxes. For large scenes: the cost for an element does not grow with their number."""

from __future__ import annotations

from gelenk.collision.broad.bounds import Bounds, get_box
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
    NONE,
    find_in_box,
    find_pairs,
    look_at_all,
    put_found,
    put_pair,
    sort_found,
    sort_pairs,
    update,
)
from gelenk.compile import helper, routine


@update.register(CellGrid)
def _(phase, boxes, filter_):
    sort_into_cells(phase, boxes, filter_)


@find_pairs.register(CellGrid)
def _(phase, boxes, filter_, pairs_out):
    sort_into_cells(phase, boxes, filter_)
    return search_cells(phase, boxes, filter_, pairs_out)


@find_in_box.register(CellGrid)
def _(phase, boxes, filter_, box, mask, found_out):
    return search_box(phase, boxes, filter_, box, mask, found_out)


@routine
def search_cells(grid, boxes, filter_, pairs):
    """Every element that moves looks for its partners, bucket by bucket: neighbours are still in the cache then."""
    count, lowest, highest = 0, 2 * LEVELS + 2, 0
    for code in range(2 * LEVELS + 2):
        if grid.members[code] > 0:
            lowest, highest = min(lowest, code), max(highest, code)
    for bucket in range(grid.head.shape[0]):
        i = grid.head[bucket]
        while i != NONE:
            e = grid.element[i]
            if (e.key >> 57) & 1 == 0:
                near = search_partners(grid, get_box(boxes, i), i, lowest, highest)
                for k in range(near):
                    if allowed(filter_, i, grid.near[k]):
                        count = put_pair(pairs, count, i, grid.near[k])
            i = e.next
    sort_pairs(pairs, count)
    return count


@helper
def search_partners(grid, box, i, lowest, highest):
    """Note who meets the box of element i, which moves.

    It looks for elements at rest on all levels, and for others that move on its own and on coarser levels: of two that
    move on different levels, the finer one finds the other.
    """
    own, near = int(grid.element[i].key) >> 57, 0
    if own >> 1 == LEVELS:
        near = in_list(grid, box, key_of(own, 0, 0, 0), i, near)
        return among_still(grid, box, near)
    near = among_own(grid, box, i, own, near)
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
def in_list(grid, box, key, below, near):
    """Note the elements of a cell that meet a box and have numbers below some one.

    Whether they do is chance, and a wrong guess costs the processor more than the test: each is noted, and only if it
    does is the next one noted in another place.
    """
    j = grid.head[bucket_of(grid, key)]
    while j != NONE:
        e = grid.element[j]
        grid.near[near] = j
        near += (
            (e.key == key)
            & (j < below)
            & (box.x <= e.x_high)
            & (e.x <= box.x_high)
            & (box.y <= e.y_high)
            & (e.y <= box.y_high)
            & (box.z <= e.z_high)
            & (e.z <= box.z_high)
        )
        j = e.next
    return near


@routine
def among_own(grid, box, i, own, near):
    """Note partners of element i that move too, on its own level: in cells before its own all, in its own those before.

    Those in cells after it find it themselves. Before: of lower x, or the same x and lower y, or both and lower z.
    """
    c = grid.per_metre[own >> 1]
    x_own, y_own, z_own = cell(box.x, c), cell(box.y, c), cell(box.z, c)
    y_high, z_high = cell(box.y_high, c), cell(box.z_high, c)
    for x in range(x_own - 1, x_own + 1):
        for y in range(y_own - 1, (y_high if x < x_own else y_own) + 1):
            for z in range(z_own - 1, (z_high + 1 if x < x_own or y < y_own else z_own)):
                near = in_list(grid, box, key_of(own, x, y, z), NONE, near)
    return in_list(grid, box, key_of(own, x_own, y_own, z_own), i, near)


@routine
def among_cells(grid, box, code, near):
    """Note the elements of some level and role that meet a box."""
    if code >> 1 == LEVELS:
        return in_list(grid, box, key_of(code, 0, 0, 0), NONE, near)
    c = grid.per_metre[code >> 1]
    x_high, y_high, z_high = cell(box.x_high, c), cell(box.y_high, c), cell(box.z_high, c)
    for x in range(cell(box.x, c) - 1, x_high + 1):
        for y in range(cell(box.y, c) - 1, y_high + 1):
            for z in range(cell(box.z, c) - 1, z_high + 1):
                near = in_list(grid, box, key_of(code, x, y, z), NONE, near)
    return near


@routine
def among_still(grid, box, near):
    """Note all elements at rest that meet a box, without the cells."""
    for j in range(grid.element.shape[0]):
        e = grid.element[j]
        if e.key >= 0 and (e.key >> 57) & 1 == 1 and box.meets(Bounds(e.x, e.y, e.z, e.x_high, e.y_high, e.z_high)):
            grid.near[near] = j
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
        return look_at_all(boxes, filter_, box, mask, found)
    for code in range(2 * LEVELS + 2):
        if grid.members[code] > 0:
            near = among_cells(grid, box, code, near)
    for k in range(near):
        if filter_.element[grid.near[k]].group & mask != 0:
            count = put_found(found, count, grid.near[k])
    sort_found(found, count)
    return count
