"""Sides of what lies below a height field: from its rim straight down (V-06, V-21).

Side 0 and 1 are those of lowest and highest x, 2 and 3 of lowest and highest y. Below each cell of the rim there is a
triangle down to the lower one of its two samples, and a strip from there on. Ranges of 8^level cells hold these.
"""

from __future__ import annotations

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.field_raster import SHIFT, block_bounds
from gelenk.collision.field_table import sample
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

DEEP = 100.0  # times the outline: how far down the sides are looked at, for solids have an end


@helper
def wall_cells(field, side):
    """Number of cells along a side."""
    return field.ny - 1 if side < 2 else field.nx - 1


@helper
def wall_top_level(field, side):
    """Level of the range that holds a whole side."""
    level = 0
    while wall_cells(field, side) > 1 << (SHIFT * level):
        level += 1
    return level


@helper
def wall_normal(side):
    """Level and outward, shape axes."""
    sign = 2.0 * (side & 1) - 1.0
    return Vec3(sign, 0.0, 0.0) if side < 2 else Vec3(0.0, sign, 0.0)


@helper
def rim_sample(fields, field, side, k):
    """Sample k along a side as a point."""
    if side < 2:
        return sample(fields, field, (field.nx - 1) * (side & 1), k)
    return sample(fields, field, k, (field.ny - 1) * (side & 1))


@helper
def wall_bottom(field, whole):
    """How far down the sides are looked at."""
    return whole.z - DEEP * ((whole.x_high - whole.x) + (whole.y_high - whole.y))


@routine
def wall_box(fields, index, side, first, last, high):
    """Box of a side from sample ``first`` to ``last``, up to a height, shape axes."""
    field = fields.field[index]
    p, q = rim_sample(fields, field, side, first), rim_sample(fields, field, side, last)
    bottom = wall_bottom(field, block_bounds(fields, field, field.top, 0, 0))
    return Bounds(p.x, p.y, bottom, q.x, q.y, high)


@routine
def wall_range(fields, index, side, level, k):
    """Box of the range k of a level."""
    field = fields.field[index]
    last = min((k + 1) << (SHIFT * level), wall_cells(field, side))
    high = block_bounds(fields, field, field.top, 0, 0).z_high
    return wall_box(fields, index, side, k << (SHIFT * level), last, high)


@routine
def wall_strip(fields, index, side, k):
    """Box below cell k, from the lower of its two samples down."""
    field = fields.field[index]
    low = min(rim_sample(fields, field, side, k).z, rim_sample(fields, field, side, k + 1).z)
    return wall_box(fields, index, side, k, k + 1, low)


@routine
def wall_triangle(fields, index, side, k):
    """Corners of the triangle between the rim at cell k and its strip."""
    field = fields.field[index]
    p, q = rim_sample(fields, field, side, k), rim_sample(fields, field, side, k + 1)
    s = Vec3(p.x, p.y, q.z) if p.z > q.z else Vec3(q.x, q.y, p.z)
    return p, q, s


@helper
def wall_contact_normal(side, m):
    """The normal m of a contact with a side made one that it may have: outward, up at its upper end, not along it."""
    n = wall_normal(side)
    out, up = max(m @ n, 0.0), max(m.z, 0.0)
    w = n * out + Vec3(0.0, 0.0, up)
    size = w.norm()
    return w * (1.0 / size) if size > 0.0 else n
