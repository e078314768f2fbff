"""Rays against a height field (V-21).

In plan a ray is a straight line over the raster. Along it the height above the surface,

    f(s) = z(s) - surface(x(s), y(s)),

is continuous, and linear from one border of triangles to the next: lines x = const, lines y = const, diagonals. The
walk goes from border to border and looks at the sign of f there; the ray hits where f first leaves the side on which
it began. Each border is one point for both triangles beside it, so nothing slips through between them. Blocks whose
heights the ray keeps clear of on its side are passed over as a whole.

Source: J. Amanatides, A. Woo, A fast voxel traversal algorithm for ray tracing (1987), for the walk.
"""

from __future__ import annotations

import math

from gelenk.collision.field_raster import SHIFT, block_bounds, cell_at, height_of, triangle_of
from gelenk.collision.field_table import field_height, height_in_cell, upward_normal
from gelenk.collision.query.hit import from_inside, miss
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def within(start, way, low, high, s, s_end):
    """Part of s .. s_end where  start + s way  is from low to high; empty (s > s_end) if nowhere."""
    if way == 0.0:
        return (s, s_end) if low <= start <= high else (math.inf, -math.inf)
    a, b = (low - start) / way, (high - start) / way
    return max(s, min(a, b)), min(s_end, max(a, b))


@helper
def next_border(start, way, low, high):
    """Where a ray leaves low .. high along one axis; never if it runs across."""
    if way > 0.0:
        return (high - start) / way
    return (low - start) / way if way < 0.0 else math.inf


@helper
def share(start, way, s, i):
    """Place along one axis in cell i, from 0 to 1."""
    return min(max(start + s * way - i, 0.0), 1.0)


@helper
def above(fields, field, i, j, ray, s):
    """Height f above the surface at the place s of a ray that is over cell (i, j)."""
    start, way = ray
    a, b = share(start.x, way.x, s, i), share(start.y, way.y, s, j)
    return start.z + s * way.z - height_in_cell(fields, field, i, j, a, b)


@helper
def hit_between(side, f, s, f_next, s_next):
    """Root of a function that is linear between two places and has left its side at the second one."""
    if side * f <= 0.0:
        return s  # the first place is on the surface too, to rounding
    return s + (s_next - s) * (f / (f - f_next))


@routine
def hit_in_cell(fields, index, i, j, ray, side, s, s_next):
    """First place from s to s_next, both over one cell, where f leaves a side, 1 or -1, and the triangle; inf if none.

    f is looked at where the ray crosses the diagonal and at its end.
    """
    field = fields.field[index]
    start, way = ray
    a, b = share(start.x, way.x, s, i), share(start.y, way.y, s, j)
    a_next, b_next = share(start.x, way.x, s_next, i), share(start.y, way.y, s_next, j)
    w, w_next = a - b, a_next - b_next
    half = 0 if w > 0.0 or (w == 0.0 and w_next > 0.0) else 1
    p, r = height_of(fields, field, i, j), height_of(fields, field, i + 1, j + 1)
    if w * w_next < 0.0:
        part = w / (w - w_next)
        middle = s + (s_next - s) * part
        f_middle = start.z + middle * way.z - (p + min(max(a + part * (a_next - a), 0.0), 1.0) * (r - p))
        if side * f_middle <= 0.0:
            f = above(fields, field, i, j, ray, s)
            return hit_between(side, f, s, f_middle, middle), triangle_of(field, i, j, half)
        f_next = above(fields, field, i, j, ray, s_next)
        if side * f_next <= 0.0:
            return hit_between(side, f_middle, middle, f_next, s_next), triangle_of(field, i, j, 1 - half)
        return math.inf, -1
    f_next = above(fields, field, i, j, ray, s_next)
    if side * f_next <= 0.0:
        f = above(fields, field, i, j, ray, s)
        return hit_between(side, f, s, f_next, s_next), triangle_of(field, i, j, half)
    return math.inf, -1


@routine
def ray_field(fields, index, start, direction, length):
    """First hit of the ray  start + s direction,  0 <= s <= length, from above or below, shape axes.

    Returns s, the upward unit normal and the triangle; inf, zero and -1 if there is none. A ray that begins on the
    surface hits at s = 0. The length may be infinite.
    """
    field = fields.field[index]
    none = Vec3(0.0, 0.0, 0.0)
    whole = block_bounds(fields, field, field.top, 0, 0)
    # x and y counted in samples from the first one
    ray = (
        Vec3(start.x / field.dx + field.mid_x, start.y / field.dy + field.mid_y, start.z),
        Vec3(direction.x / field.dx, direction.y / field.dy, direction.z),
    )
    o, way = ray
    s, s_end = within(start.x, direction.x, whole.x, whole.x_high, 0.0, length)
    s, s_end = within(start.y, direction.y, whole.y, whole.y_high, s, s_end)
    room = field.dx + field.dy  # so that a hit is never at an end, where rounding decides
    s, s_end = within(o.z, way.z, whole.z - room, whole.z_high + room, s, s_end)
    if not (s <= s_end and abs(o @ way) < math.inf):  # nor with anything that is not a number
        return math.inf, none, -1

    i, j = cell_at(o.x + s * way.x, field.nx), cell_at(o.y + s * way.y, field.ny)
    f = above(fields, field, i, j, ray, s)
    if f == 0.0:
        half = 0 if share(o.x, way.x, s, i) >= share(o.y, way.y, s, j) else 1
        return s, upward_normal(fields, field, i, j, half), triangle_of(field, i, j, half)
    side = 1.0 if f > 0.0 else -1.0
    level = field.top
    while True:
        shift = SHIFT * level
        block_i, block_j = i >> shift, j >> shift
        i_low, j_low = block_i << shift, block_j << shift
        i_high, j_high = min((block_i + 1) << shift, field.nx - 1), min((block_j + 1) << shift, field.ny - 1)
        s_x, s_y = next_border(o.x, way.x, i_low, i_high), next_border(o.y, way.y, j_low, j_high)
        s_next = max(min(s_x, s_y, s_end), s)
        if level > 0:
            block = block_bounds(fields, field, level, block_i, block_j)
            z, z_next = o.z + s * way.z, o.z + s_next * way.z
            if not (min(z, z_next) > block.z_high if side > 0.0 else max(z, z_next) < block.z):
                level -= 1
                continue
        else:
            hit, t = hit_in_cell(fields, index, i, j, ray, side, s, s_next)
            if t >= 0:
                return hit, upward_normal(fields, field, i, j, t & 1), t
        if s_next >= s_end:
            return math.inf, none, -1
        s = s_next
        if s_x <= s_y:
            i = i_high if way.x > 0.0 else i_low - 1
            j = min(max(math.floor(o.y + s * way.y), j_low), j_high - 1)
        else:
            j = j_high if way.y > 0.0 else j_low - 1
            i = min(max(math.floor(o.x + s * way.x), i_low), i_high - 1)
        if not (0 <= i < field.nx - 1 and 0 <= j < field.ny - 1):
            return math.inf, none, -1
        # a block that the ray enters from another one above it may be clear as a whole
        above_shift = shift + SHIFT
        if level < field.top and (
            (i >> above_shift) != (i_low >> above_shift) or (j >> above_shift) != (j_low >> above_shift)
        ):
            level += 1


@routine
def ray_ground(fields, index, start, direction, length):
    """First point on a ray of all that lies below the surface within the outline, however deep: (s, n), shape axes.

    A ray that begins there hits at once, one that comes through the side of the outline hits the side.
    """
    field = fields.field[index]
    x_rim, y_rim = field.mid_x * field.dx, field.mid_y * field.dy
    s_x, x_end = within(start.x, direction.x, -x_rim, x_rim, 0.0, length)
    s_y, y_end = within(start.y, direction.y, -y_rim, y_rim, 0.0, length)
    s = max(s_x, s_y)
    if not s <= min(x_end, y_end):
        return miss()
    x = min(max(start.x + s * direction.x, -x_rim), x_rim)
    y = min(max(start.y + s * direction.y, -y_rim), y_rim)
    if start.z + s * direction.z < field_height(fields, index, x, y)[0]:
        if s == 0.0:
            return from_inside(direction, length)
        if s_x >= s_y:
            return s, Vec3(-math.copysign(1.0, direction.x), 0.0, 0.0)
        return s, Vec3(0.0, -math.copysign(1.0, direction.y), 0.0)
    s, n, _ = ray_field(fields, index, start, direction, length)
    if s == 0.0 and n @ direction > 0.0:
        return from_inside(direction, length)
    return s, n
