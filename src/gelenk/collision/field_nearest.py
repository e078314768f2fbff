"""Nearest point of a height field (V-21)."""

from __future__ import annotations

import math

from gelenk.collision.closest import point_triangle
from gelenk.collision.field_raster import (
    END,
    SHIFT,
    SIDE,
    block_bounds,
    cells_in,
    first_below,
    holding_block,
    is_empty,
    next_block,
)
from gelenk.collision.field_table import cell_of, field_corners, triangle_of
from gelenk.compile import helper, routine


@helper
def square_to_box(p, box):
    """Squared distance of a point from a box, zero inside."""
    x = max(box.x - p.x, p.x - box.x_high, 0.0)
    y = max(box.y - p.y, p.y - box.y_high, 0.0)
    z = max(box.z - p.z, p.z - box.z_high, 0.0)
    return x * x + y * y + z * z


@routine
def nearer_in_cell(fields, index, i, j, p, best, foot, t):
    """The nearer of a foot found before, at the squared distance best, and those on both triangles of a cell."""
    field = fields.field[index]
    for half in range(2):
        a, b, c = field_corners(fields, field, i, j, half)
        other, _ = point_triangle(p, a, b, c)
        d = (other - p) @ (other - p)
        if d < best or (t < 0 and d <= best):
            best, foot, t = d, other, triangle_of(field, i, j, half)
    return best, foot, t


@routine
def nearest_looking_cell(fields, index, p, cells):
    """A cell of a range whose bounds are near to p: in each block the nearest one of those it is made of."""
    field = fields.field[index]
    level, i, j = holding_block(cells)
    while level > 0:
        level, i_first, j_first = first_below(level, i, j, cells)
        shift = SHIFT * level
        i_last, j_last = (
            min((i << SHIFT) + SIDE - 1, cells.i_last >> shift),
            min((j << SHIFT) + SIDE - 1, cells.j_last >> shift),
        )
        i, j, least = i_first, j_first, math.inf
        for k in range(i_first, i_last + 1):
            for m in range(j_first, j_last + 1):
                far = square_to_box(p, block_bounds(fields, field, level, k, m))
                if far < least:
                    i, j, least = k, m, far
    return i, j


@routine
def nearest_on_field(fields, index, p, limit):
    """Distance, point and triangle of the surface nearest to p within limit, shape axes; inf, p and -1 if none.

    The cell below or above p, or the nearest one of the rim, gives a first distance, a cell that looks near a better
    one. Then all blocks that are nearer than the best so far are looked into.
    """
    field = fields.field[index]
    best, foot, t = limit * limit, p, -1
    i, j = cell_of(p.x, field.mid_x, field.dx, field.nx), cell_of(p.y, field.mid_y, field.dy, field.ny)
    best, foot, t = nearer_in_cell(fields, index, i, j, p, best, foot, t)
    cells = cells_within(field, p, best)
    if not is_empty(cells):
        i, j = nearest_looking_cell(fields, index, p, cells)
        best, foot, t = nearer_in_cell(fields, index, i, j, p, best, foot, t)
        cells = cells_within(field, p, best)
    level, i, j = holding_block(cells)
    while level != END:
        far = square_to_box(p, block_bounds(fields, field, level, i, j))
        if far < best or (t < 0 and far <= best):
            if level > 0:
                level, i, j = first_below(level, i, j, cells)
                continue
            best, foot, t = nearer_in_cell(fields, index, i, j, p, best, foot, t)
        level, i, j = next_block(level, i, j, cells)
    return (foot - p).norm() if t >= 0 else math.inf, foot, t


@helper
def cells_within(field, p, square):
    """Cells within a distance of p in plan, given by its square."""
    reach = math.sqrt(square)
    return cells_in(field, p.x - reach, p.x + reach, p.y - reach, p.y + reach)
