"""Height fields as surfaces: their triangles with what lies around them, and which of them are in a box (V-21).

Cell (i, j) is split along the diagonal from sample (i, j) to (i + 1, j + 1). Its triangles are t = 2 c and 2 c + 1,
c = i (ny - 1) + j:

    s --- r      2 c      p q r   on the side of higher x
    |   / |      2 c + 1  p r s   on the side of higher y
    | /   |
    p --- q      seen from above, x to the right

The surface is the top alone, seen from above. All that lies below it is inside, as deep as you like; beyond the rim
of the raster there is nothing.
"""

from __future__ import annotations

import math

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.facet import Facet
from gelenk.collision.field_raster import (
    END,
    Fields,
    block_bounds,
    cell_of,
    cells_in,
    first_below,
    height_of,
    holding_block,
    next_block,
    pack_fields,
    set_heights,
    triangle_of,
)
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

__all__ = [
    "Fields",
    "cell_and_half",
    "field_bounds",
    "field_corners",
    "field_facet",
    "field_height",
    "field_in_box",
    "pack_fields",
    "set_heights",
    "upward_normal",
]

# Share of the heights by which a side may bend and still be flat. Samples of a plane come with a few roundings each.
FLAT = 2e-15


@helper
def field_bounds(fields, index):
    """Box of the solid, from its base to its highest sample, shape axes."""
    field = fields.field[index]
    box = block_bounds(fields, field, field.top, 0, 0)
    return Bounds(box.x, box.y, field.z_base, box.x_high, box.y_high, box.z_high)


@helper
def cell_and_half(field, t):
    """Cell i, j of a triangle, and which of its two it is."""
    cell = int(t) >> 1
    i = cell // (field.ny - 1)
    return i, cell - i * (field.ny - 1), int(t) & 1


@helper
def sample(fields, field, i, j):
    """Sample (i, j) as a point."""
    return Vec3((i - field.mid_x) * field.dx, (j - field.mid_y) * field.dy, height_of(fields, field, i, j))


@helper
def field_corners(fields, field, i, j, half):
    """Corners of a triangle, counter-clockwise from above; the first and one more are ends of the diagonal."""
    p, r = sample(fields, field, i, j), sample(fields, field, i + 1, j + 1)
    if half == 0:
        return p, sample(fields, field, i + 1, j), r
    return p, r, sample(fields, field, i, j + 1)


@helper
def upward_normal(fields, field, i, j, half):
    """Unit normal of a triangle:  (-dz/dx, -dz/dy, 1)  rescaled."""
    p, r = height_of(fields, field, i, j), height_of(fields, field, i + 1, j + 1)
    if half == 0:
        q = height_of(fields, field, i + 1, j)
        x, y = (q - p) / field.dx, (r - q) / field.dy
    else:
        s = height_of(fields, field, i, j + 1)
        x, y = (r - s) / field.dx, (s - p) / field.dy
    k = 1.0 / math.sqrt(x * x + y * y + 1.0)
    return Vec3(-x * k, -y * k, k)


@helper
def bend(fields, field, i, j, right, up):
    """How the surface bends along the side from sample (i, j) to (i + right, j + up), both 0 or 1.

    The two triangles beside it are a parallelogram in plan, so they lie in one plane if the heights at both diagonals
    have the same sum. Positive where it bends away, zero where it is flat, negative inward, infinite at the rim.
    """
    if right + up == 2:
        c_i, c_j, d_i, d_j = i + 1, j, i, j + 1
    else:
        c_i, c_j, d_i, d_j = i + 1, j + 1, i - up, j - right
    if c_i >= field.nx or c_j >= field.ny or d_i < 0 or d_j < 0:
        return math.inf
    a, b = height_of(fields, field, i, j), height_of(fields, field, i + right, j + up)
    c, d = height_of(fields, field, c_i, c_j), height_of(fields, field, d_i, d_j)
    rise = (a + b) - (c + d)
    return rise if abs(rise) > FLAT * (abs(a) + abs(b) + abs(c) + abs(d)) else 0.0


@routine
def can_touch_as_tip(fields, index, i, j):
    """Whether around sample (i, j) no side bends inward and not all are flat: those along x, y and the diagonal."""
    field = fields.field[index]
    most = 0.0
    for k in range(6):
        right, up = (1, 1) if k >= 4 else (k & 1, 1 - (k & 1))
        back = k // 2 if k < 4 else k - 4  # sides that end here begin one sample before
        i_from, j_from = i - back * right, j - back * up
        if i_from >= 0 and j_from >= 0 and i_from + right < field.nx and j_from + up < field.ny:
            bends = bend(fields, field, i_from, j_from, right, up)
            if bends < 0.0:
                return False
            most = max(most, bends)
    return most > 0.0


@helper
def over_side(fields, field, n, side, bends, i, j, half):
    """Farthest normal over a side; on its other side lies a triangle of cell (i, j), if any."""
    if math.isinf(bends):
        level = side.cross(n)
        return level * (1.0 / level.norm())
    return upward_normal(fields, field, i, j, half) if bends > 0.0 else n


@routine
def field_facet(fields, index, t):
    """Triangle t with the normals its contacts may have, shape axes."""
    field = fields.field[index]
    i, j, half = cell_and_half(field, t)
    p, q, s = field_corners(fields, field, i, j, half)
    n = upward_normal(fields, field, i, j, half)
    diagonal = bend(fields, field, i, j, 1, 1)
    first, other = can_touch_as_tip(fields, index, i, j), can_touch_as_tip(fields, index, i + 1, j + 1)
    if half == 0:
        bends = bend(fields, field, i, j, 1, 0)
        n_pq = over_side(fields, field, n, q - p, bends, i, j - 1, 1)
        bends = bend(fields, field, i + 1, j, 0, 1)
        n_qs = over_side(fields, field, n, s - q, bends, i + 1, j, 1)
        n_sp = over_side(fields, field, n, p - s, diagonal, i, j, 1)
        third = can_touch_as_tip(fields, index, i + 1, j)
        tips = (1 if first else 0) | (2 if third else 0) | (4 if other else 0)
    else:
        n_pq = over_side(fields, field, n, q - p, diagonal, i, j, 0)
        bends = bend(fields, field, i, j + 1, 1, 0)
        n_qs = over_side(fields, field, n, s - q, bends, i, j + 1, 0)
        bends = bend(fields, field, i, j, 0, 1)
        n_sp = over_side(fields, field, n, p - s, bends, i - 1, j, 0)
        third = can_touch_as_tip(fields, index, i, j + 1)
        tips = (1 if first else 0) | (2 if other else 0) | (4 if third else 0)
    return Facet(p, q, s, n, n_pq, n_qs, n_sp, tips)


@routine
def field_in_box(fields, index, box, found_out):
    """Triangles whose bounds meet a box, shape axes: their number, and as many as there is space for.

    They come block by block, in a fixed order. Give the box an infinite z_high to find what lies above it too: a body
    that has sunk below the surface.
    """
    field = fields.field[index]
    cells = cells_in(field, box.x, box.x_high, box.y, box.y_high)
    count = 0
    level, i, j = holding_block(cells)
    while level != END:
        if level > 0:
            block = block_bounds(fields, field, level, i, j)
            if block.z <= box.z_high and box.z <= block.z_high:
                level, i, j = first_below(level, i, j, cells)
                continue
        else:
            p, r = height_of(fields, field, i, j), height_of(fields, field, i + 1, j + 1)
            low, high = min(p, r), max(p, r)
            for half in range(2):
                third = height_of(fields, field, i + 1 - half, j + half)
                if min(low, third) <= box.z_high and box.z <= max(high, third):
                    if count < found_out.shape[0]:
                        found_out[count] = triangle_of(field, i, j, half)
                    count += 1
        level, i, j = next_block(level, i, j, cells)
    return count


@helper
def field_height(fields, index, x, y):
    """Height of the surface at x, y of the shape frame, and the triangle there; nan and -1 beyond the rim."""
    field = fields.field[index]
    if not (abs(x) <= field.mid_x * field.dx and abs(y) <= field.mid_y * field.dy):
        return math.nan, -1
    i, j = cell_of(x, field.mid_x, field.dx, field.nx), cell_of(y, field.mid_y, field.dy, field.ny)
    a = min(max(x / field.dx + field.mid_x - i, 0.0), 1.0)
    b = min(max(y / field.dy + field.mid_y - j, 0.0), 1.0)
    return height_in_cell(fields, field, i, j, a, b), triangle_of(field, i, j, 0 if a >= b else 1)


@helper
def height_in_cell(fields, field, i, j, a, b):
    """Height at the shares a, b of a cell along x and y, 0 to 1."""
    p, r = height_of(fields, field, i, j), height_of(fields, field, i + 1, j + 1)
    if a >= b:
        q = height_of(fields, field, i + 1, j)
        return p + a * (q - p) + b * (r - q)
    s = height_of(fields, field, i, j + 1)
    return p + b * (s - p) + a * (r - s)
