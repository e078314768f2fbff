"""Box around a solid (V-18)."""

from __future__ import annotations

import math

from gelenk.collision.ball_query import ball_bounds
from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.field_table import field_bounds
from gelenk.collision.mesh_table import mesh_bounds
from gelenk.collision.narrow.triangle import corners
from gelenk.collision.solid import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    FIELD,
    HULL,
    MAP,
    MESH,
    PLANE,
    SPHERE,
    TRIANGLE,
)
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

LEVEL = 1e-12  # sine of the slant from which on a height field is not upright: rotations are good to less


@helper
def around_middle(h):
    """Box of half edges h."""
    return Bounds(-h.x, -h.y, -h.z, h.x, h.y, h.z)


@helper
def around_point(a, p):
    """Smallest box that holds a box and a point."""
    return a.around(Bounds(p.x, p.y, p.z, p.x, p.y, p.z))


@helper
def reach(R, a):
    """How far an ellipsoid with semi-axes a reaches along x, y, z:  sqrt(sum over k of (R_ik a_k)^2).

    A sphere, a circle and a segment are ellipsoids with equal or no semi-axes.
    """
    return Vec3(
        Vec3(R.xx * a.x, R.xy * a.y, R.xz * a.z).norm(),
        Vec3(R.yx * a.x, R.yy * a.y, R.yz * a.z).norm(),
        Vec3(R.zx * a.x, R.zy * a.y, R.zz * a.z).norm(),
    )


@helper
def below(n, other, another):
    """Highest coordinate of what lies below a plane with that component of the normal: 0 if it looks along the axis."""
    return 0.0 if n > 0.0 and other == 0.0 and another == 0.0 else math.inf


@helper
def hull_bounds(hulls, table, R):
    """Box of the vertices of a hull."""
    hull = hulls.hull[table]
    p = R @ get3(hulls.vertex, hull.vertex_first)
    a = Bounds(p.x, p.y, p.z, p.x, p.y, p.z)
    for v in range(hull.vertex_first, hull.vertex_last):
        a = around_point(a, R @ get3(hulls.vertex, v))
    return a


@helper
def turned_box(a, R):
    """Box around a turned box."""
    middle = R @ Vec3(0.5 * (a.x + a.x_high), 0.5 * (a.y + a.y_high), 0.5 * (a.z + a.z_high))
    x, y, z = 0.5 * (a.x_high - a.x), 0.5 * (a.y_high - a.y), 0.5 * (a.z_high - a.z)
    h = reach(R, Vec3(x, 0.0, 0.0)) + reach(R, Vec3(0.0, y, 0.0)) + reach(R, Vec3(0.0, 0.0, z))
    return Bounds(middle.x - h.x, middle.y - h.y, middle.z - h.z, middle.x + h.x, middle.y + h.y, middle.z + h.z)


@helper
def without_bottom(a, R):
    """Box around a box and all that lies below it, against the z axis of R: what is in a height field, however deep."""
    return Bounds(
        -math.inf if R.xz > LEVEL else a.x,
        -math.inf if R.yz > LEVEL else a.y,
        -math.inf if R.zz > LEVEL else a.z,
        math.inf if R.xz < -LEVEL else a.x_high,
        math.inf if R.yz < -LEVEL else a.y_high,
        math.inf if R.zz < -LEVEL else a.z_high,
    )


@routine
def solid_bounds(solid, tables):
    """Smallest box with edges along the world axes that holds a solid, world axes from its centre, up to round-off.

    That of a plane is infinite, but for the side to which the normal looks if that is exactly along an axis; that of a
    height field has no end to where its down leads. Those of surfaces and trees are around the box that they have in
    their own axes.
    """
    kind, R, size = solid.kind, solid.R, solid.size
    if kind == SPHERE:
        return around_middle(Vec3(size.x, size.x, size.x))
    if kind == BOX:
        x, y, z = reach(R, Vec3(size.x, 0.0, 0.0)), reach(R, Vec3(0.0, size.y, 0.0)), reach(R, Vec3(0.0, 0.0, size.z))
        return around_middle(x + y + z)
    if kind == CAPSULE:
        return around_middle(Vec3(size.x, size.x, size.x) + reach(R, Vec3(0.0, 0.0, size.z)))
    if kind == CYLINDER:
        return around_middle(reach(R, Vec3(size.x, size.x, 0.0)) + reach(R, Vec3(0.0, 0.0, size.z)))
    if kind == CONE:
        apex = Vec3(R.xz, R.yz, R.zz) * size.z
        return around_point(around_middle(reach(R, Vec3(size.x, size.x, 0.0))), apex)
    if kind == ELLIPSOID:
        return around_middle(reach(R, size))
    if kind == HULL:
        return hull_bounds(tables.hulls, solid.table, R)
    if kind == TRIANGLE:
        a, b, c = corners(solid)
        return around_point(around_point(Bounds(a.x, a.y, a.z, a.x, a.y, a.z), b), c)
    if kind == PLANE:
        x, y, z = R.xz, R.yz, R.zz
        return Bounds(
            -below(-x, y, z), -below(-y, z, x), -below(-z, x, y), below(x, y, z), below(y, z, x), below(z, x, y)
        )
    if kind == MESH:
        return turned_box(mesh_bounds(tables.meshes, solid.table), R)
    if kind == MAP:
        return turned_box(mesh_bounds(tables.meshes, tables.maps.map[solid.table].mesh), R)
    if kind == FIELD:
        return without_bottom(turned_box(field_bounds(tables.fields, solid.table), R), R)
    return turned_box(ball_bounds(tables.balls, solid.table), R)
