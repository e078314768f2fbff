"""Ray against a solid of any kind."""

from __future__ import annotations

import math

from gelenk.collision.ball_query import ray_balls
from gelenk.collision.field_ray import ray_ground
from gelenk.collision.mesh_ray import ray_mesh
from gelenk.collision.narrow.triangle import corners
from gelenk.collision.query.hit import miss
from gelenk.collision.query.ray_box import ray_box
from gelenk.collision.query.ray_capsule import ray_capsule
from gelenk.collision.query.ray_cone import ray_cone
from gelenk.collision.query.ray_cylinder import ray_cylinder
from gelenk.collision.query.ray_ellipsoid import ray_ellipsoid
from gelenk.collision.query.ray_hull import ray_hull
from gelenk.collision.query.ray_plane import ray_plane
from gelenk.collision.query.ray_sphere import ray_sphere
from gelenk.collision.query.ray_triangle import ray_triangle
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


@routine
def ray_solid(solid, tables, start, direction, length):
    """First point of a solid on a ray: (s, n) as the package says, world axes, start from the centre of the solid."""
    kind, size = solid.kind, solid.size
    if kind == TRIANGLE:
        a, b, c = corners(solid)
        return ray_triangle(a, b, c, start, direction, length)
    p, d = solid.R.tdot(start), solid.R.tdot(direction)
    if kind == SPHERE:
        s, n = ray_sphere(size, p, d, length)
    elif kind == BOX:
        s, n = ray_box(size, p, d, length)
    elif kind == CAPSULE:
        s, n = ray_capsule(size, p, d, length)
    elif kind == CYLINDER:
        s, n = ray_cylinder(size, p, d, length)
    elif kind == CONE:
        s, n = ray_cone(size, p, d, length)
    elif kind == ELLIPSOID:
        s, n = ray_ellipsoid(size, p, d, length)
    elif kind == HULL:
        s, n = ray_hull(tables.hulls, solid.table, p, d, length)
    elif kind == PLANE:
        s, n = ray_plane(p, d, length)
    elif kind in (MESH, MAP):
        mesh = solid.table if kind == MESH else tables.maps.map[solid.table].mesh
        s, n, _ = ray_mesh(tables.meshes, mesh, p, d, math.inf)
        s, n = from_outside(s, n, d, length)
    elif kind == FIELD:
        s, n = ray_ground(tables.fields, solid.table, p, d, length)
    else:
        s, n = ray_balls(tables.balls, solid.table, p, d, length)
    return s, solid.R @ n


@helper
def from_outside(s, n, d, length):
    """Hit of a solid from where a ray first crosses its surface: one that leaves it there began inside."""
    if s < math.inf and n @ d > 0.0:
        return 0.0, d * (-1.0 / d.norm())
    return (s, n) if s <= length else miss()
