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
    BALLS,
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
from gelenk.compile import by_number, helper, routine, unit
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
def field_foot(fields, index, p):
    """Nearest point of the top of a height field; inside below it. Beyond the rim nothing is inside."""
    distance, q, t = nearest_on_field(fields, index, p, math.inf)
    below = p.z < field_height(fields, index, p.x, p.y)[0]
    facet = field_facet(fields, index, t)
    n = (q - p if below else p - q) * (1.0 / distance) if distance > TOUCHING * p.norm() else facet.n
    return -distance if below else distance, q, n


@helper
def on_sphere(solid, tables, p):
    """Like all that follow: signed distance, point and normal of the kind it is named after, in shape axes."""
    return nearest_on_capsule(Vec3(solid.size.x, 0.0, 0.0), p)


@helper
def on_capsule(solid, tables, p):  # noqa: D103
    return nearest_on_capsule(solid.size, p)


@helper
def on_box(solid, tables, p):  # noqa: D103
    return nearest_on_box(solid.size, p)


@helper
def on_cylinder(solid, tables, p):  # noqa: D103
    foot = point_cylinder(p, solid.size)
    return foot.d, p - foot.n * foot.d, foot.n


@helper
def on_cone(solid, tables, p):  # noqa: D103
    foot = point_cone(p, solid.size)
    return foot.d, p - foot.n * foot.d, foot.n


@helper
def on_ellipsoid(solid, tables, p):  # noqa: D103
    return nearest_on_ellipsoid(solid.size, p)


@helper
def on_hull(solid, tables, p):  # noqa: D103
    return nearest_on_hull(tables.hulls, solid.table, p)


@helper
def on_plane(solid, tables, p):  # noqa: D103
    return p.z, Vec3(p.x, p.y, 0.0), Vec3(0.0, 0.0, 1.0)


@helper
def on_mesh(solid, tables, p):  # noqa: D103
    return mesh_foot(tables.meshes, solid.table, p)


@helper
def on_field(solid, tables, p):  # noqa: D103
    return field_foot(tables.fields, solid.table, p)


@helper
def on_map(solid, tables, p):  # noqa: D103
    return nearest_on_map(tables.maps, tables.meshes, solid.table, p, math.inf)


@helper
def on_balls(solid, tables, p):  # noqa: D103
    return nearest_on_balls(tables.balls, solid.table, p)


NEAREST_ON = {
    SPHERE: on_sphere,
    CAPSULE: on_capsule,
    BOX: on_box,
    CYLINDER: on_cylinder,
    CONE: on_cone,
    ELLIPSOID: on_ellipsoid,
    HULL: on_hull,
    PLANE: on_plane,
    MESH: on_mesh,
    FIELD: on_field,
    MAP: on_map,
    BALLS: on_balls,
}
nearest_on_kind = by_number(NEAREST_ON)


@unit
def nearest_on_solid(solid, tables, p):
    """Signed distance, negative inside; nearest point of the surface; outward normal:  p = point + distance normal.

    World axes, p and the point from the centre of the solid. Where several points are nearest, one of them.
    """
    if solid.kind == TRIANGLE:
        a, b, c = corners(solid)
        return nearest_on_triangle(a, b, c, p)
    d, q, n = nearest_on_kind(solid.kind, solid, tables, solid.R.tdot(p))
    return d, solid.R @ q, solid.R @ n
