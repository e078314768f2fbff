"""Point of the surface of a solid nearest to a point."""

from __future__ import annotations

import math

from gelenk.collision.ball_query import nearest_on_balls
from gelenk.collision.closest import point_triangle, unit_or
from gelenk.collision.field_nearest import nearest_on_field
from gelenk.collision.field_table import field_facet, field_height
from gelenk.collision.map_query import nearest_on_map
from gelenk.collision.mesh_foot import mesh_foot
from gelenk.collision.narrow.box import clamp_to_box
from gelenk.collision.narrow.sphere_box import point_box
from gelenk.collision.narrow.sphere_cone import point_cone
from gelenk.collision.narrow.sphere_cylinder import point_cylinder
from gelenk.collision.narrow.triangle import corners, triangle_normal
from gelenk.collision.query.nearest_ellipsoid import nearest_on_ellipsoid
from gelenk.collision.query.nearest_hull import TOUCHING, nearest_on_hull
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
from gelenk.math.vec3 import Vec3


@helper
def nearest_on_capsule(size, p):
    """Signed distance, point and normal; a sphere is a capsule of no length. On the axis the normal is x."""
    q = Vec3(0.0, 0.0, min(max(p.z, -size.z), size.z))
    w = p - q
    n = unit_or(w, Vec3(1.0, 0.0, 0.0))
    return w.norm() - size.x, q + n * size.x, n


@helper
def nearest_on_box(size, p):
    """Signed distance, point and normal."""
    foot = point_box(p, size)
    return foot.d, clamp_to_box(p, size) if foot.d > 0.0 else p - foot.n * foot.d, foot.n


@helper
def nearest_on_triangle(a, b, c, p):
    """Distance, point and normal, on the side where p is; a triangle has no inside, so it is never negative."""
    q, feature = point_triangle(p, a, b, c)
    w, m = p - q, triangle_normal(a, b, c)
    d = w.norm()
    if feature != 6 and d > TOUCHING * p.norm():
        return d, q, w * (1.0 / d)
    return d, q, m if w @ m >= 0.0 else -m


@routine
def nearest_on_solid(solid, tables, p):
    """Signed distance, negative inside; nearest point of the surface; outward normal:  p = point + distance normal.

    World axes, p and the point from the centre of the solid. Where several points are nearest, one of them.
    """
    kind, size = solid.kind, solid.size
    if kind == TRIANGLE:
        a, b, c = corners(solid)
        return nearest_on_triangle(a, b, c, p)
    u = solid.R.tdot(p)
    if kind == SPHERE:
        d, q, n = nearest_on_capsule(Vec3(size.x, 0.0, 0.0), u)
    elif kind == CAPSULE:
        d, q, n = nearest_on_capsule(size, u)
    elif kind == BOX:
        d, q, n = nearest_on_box(size, u)
    elif kind in (CYLINDER, CONE):
        foot = point_cylinder(u, size) if kind == CYLINDER else point_cone(u, size)
        d, q, n = foot.d, u - foot.n * foot.d, foot.n
    elif kind == ELLIPSOID:
        d, q, n = nearest_on_ellipsoid(size, u)
    elif kind == HULL:
        d, q, n = nearest_on_hull(tables.hulls, solid.table, u)
    elif kind == PLANE:
        d, q, n = u.z, Vec3(u.x, u.y, 0.0), Vec3(0.0, 0.0, 1.0)
    elif kind == MESH:
        d, q, n = mesh_foot(tables.meshes, solid.table, u)
    elif kind == FIELD:
        d, q, n = field_foot(tables.fields, solid.table, u)
    elif kind == MAP:
        d, q, n = nearest_on_map(tables.maps, tables.meshes, solid.table, u, math.inf)
    else:
        d, q, n = nearest_on_balls(tables.balls, solid.table, u)
    return d, solid.R @ q, solid.R @ n


@routine
def field_foot(fields, index, p):
    """Nearest point of the top of a height field; inside below it. Beyond the rim nothing is inside."""
    distance, q, t = nearest_on_field(fields, index, p, math.inf)
    below = p.z < field_height(fields, index, p.x, p.y)[0]
    facet = field_facet(fields, index, t)
    n = (q - p if below else p - q) * (1.0 / distance) if distance > TOUCHING * p.norm() else facet.n
    return -distance if below else distance, q, n
