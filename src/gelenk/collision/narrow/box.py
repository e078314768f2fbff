"""What pairs with a box share: numbers of its features, and turning its axes so that one of them comes last."""

from __future__ import annotations

from gelenk.compile import helper
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3

# A corner is numbered by the signs of its coordinates: bit i is set where coordinate i is positive. That gives 0..7,
# edges 8..31 and faces 32..37.


@helper
def corner_id(x, y, z):
    """Number of the corner in an octant."""
    return (1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)


@helper
def edge_id(axis, corner):
    """Number of the edge along an axis that a corner belongs to."""
    return 8 + 8 * axis + (corner & ~(1 << axis))


@helper
def face_id(axis, sign):
    """Number of a face."""
    return 32 + 2 * axis + (1 if sign > 0.0 else 0)


@helper
def coordinate(v, axis):
    """Component of a vector."""
    return v.x if axis == 0 else (v.y if axis == 1 else v.z)


@helper
def turn_to(v, axis):
    """Components in cyclic order such that ``axis`` is the last."""
    if axis == 0:
        return Vec3(v.y, v.z, v.x)
    if axis == 1:
        return Vec3(v.z, v.x, v.y)
    return v


@helper
def turn_back(v, axis):
    """Undo :func:`turn_to`."""
    if axis == 0:
        return Vec3(v.z, v.x, v.y)
    if axis == 1:
        return Vec3(v.y, v.z, v.x)
    return v


@helper
def turn_rows(C, axis):
    """Rows in cyclic order such that row ``axis`` is the last."""
    if axis == 0:
        return Mat3(C.yx, C.yy, C.yz, C.zx, C.zy, C.zz, C.xx, C.xy, C.xz)
    if axis == 1:
        return Mat3(C.zx, C.zy, C.zz, C.xx, C.xy, C.xz, C.yx, C.yy, C.yz)
    return C


@helper
def turn_columns(C, axis):
    """Columns in cyclic order such that column ``axis`` is the last."""
    if axis == 0:
        return Mat3(C.xy, C.xz, C.xx, C.yy, C.yz, C.yx, C.zy, C.zz, C.zx)
    if axis == 1:
        return Mat3(C.xz, C.xx, C.xy, C.yz, C.yx, C.yy, C.zz, C.zx, C.zy)
    return C


@helper
def largest(v):
    """Which component has the largest magnitude; the first of equals."""
    x, y, z = abs(v.x), abs(v.y), abs(v.z)
    if x >= y and x >= z:
        return 0
    return 1 if y >= z else 2


@helper
def clamp_to_box(p, size):
    """Point of a box that is closest to p, box axes."""
    return Vec3(
        min(max(p.x, -size.x), size.x),
        min(max(p.y, -size.y), size.y),
        min(max(p.z, -size.z), size.z),
    )


@helper
def place_id(p, size):
    """Feature of a box in whose Voronoi region the point p outside lies."""
    x, y, z = abs(p.x) > size.x, abs(p.y) > size.y, abs(p.z) > size.z
    corner = corner_id(p.x, p.y, p.z)
    if x and y and z:
        return corner
    if y and z:
        return edge_id(0, corner)
    if x and z:
        return edge_id(1, corner)
    if x and y:
        return edge_id(2, corner)
    axis = 0 if x else (1 if y else 2)
    return face_id(axis, coordinate(p, axis))
