"""Convex solids that a surface has swallowed: inside as a whole, meeting no facet (V-20, V-21).

The middle of the solid tells whether it is inside, and the nearest place of the surface to it is the way out.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.closest import unit_or
from gelenk.collision.field_nearest import nearest_on_field
from gelenk.collision.field_table import field_facet, field_height
from gelenk.collision.gjk import core_point
from gelenk.collision.mesh_nearest import nearest_on_mesh
from gelenk.collision.mesh_ray import ray_mesh
from gelenk.collision.mesh_table import mesh_bounds, mesh_facet
from gelenk.collision.narrow.facet_contact import FACE, SWALLOWED, feature_of, put_found, put_pool
from gelenk.collision.narrow.meeting import overlaps
from gelenk.collision.solid import CONE, HULL, TRIANGLE
from gelenk.collision.surface import surface_face
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

FARTHER = 1.0 + 1e-9  # factor on a distance that is certainly far enough


@routine
def middle_of(B, c, hulls):
    """A point inside a convex solid with centre c: of a hull the mean of its vertices, of a cone that of its mass."""
    if B.kind == HULL:
        hull, total = hulls.hull[B.table], Vec3(0.0, 0.0, 0.0)
        first, last = np.int64(hull.vertex_first), np.int64(hull.vertex_last)
        for v in range(first, last):
            total = total + get3(hulls.vertex, v)
        return c + B.R @ (total * (1.0 / (last - first)))
    if B.kind == CONE:
        return c + B.R @ Vec3(0.0, 0.0, 0.25 * B.size.z)
    if B.kind == TRIANGLE:
        return c + B.R @ Vec3(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0)
    return c


@routine
def put_way_out(x, n, t, q, hulls, surface, convex):
    """The one finding of a swallowed solid: over triangle t, out along n until it is beyond x."""
    surface.counts[0] = surface.counts[1] = 0
    d = (q.c + core_point(q.B, hulls, convex.near, 1, -n) - x) @ n - q.radius
    put_pool(surface, x, n, d, feature_of(t, FACE), SWALLOWED)
    put_found(surface, 0, FACE, n, d, d + x @ n, True)


@routine
def is_in_mesh(A, tables, c, t):
    """Whether a point is inside a closed mesh: a line to the middle of triangle t first meets the mesh from within."""
    F = mesh_facet(tables.meshes, A.table, t)
    to = (F.p + F.q + F.s) * (1.0 / 3.0) - c
    _, m, _ = ray_mesh(tables.meshes, A.table, c, to, math.inf)
    return m @ to > 0.0


@helper
def is_swallowed(surface):
    """Whether the one finding is that of a solid that is inside as a whole."""
    return surface.counts[1] > 0 and surface.pool[0].feature_b == SWALLOWED


@routine
def swallowed_by_mesh(A, tables, q, seen, surface, convex):
    """The finding of a solid that has its middle inside a closed mesh and meets no facet.

    ``seen``: a triangle that has a finding, or -1. Inside, findings are other walls, seen through the mesh.
    """
    c = middle_of(q.B, q.c, tables.hulls)
    box = mesh_bounds(tables.meshes, A.table)
    inside = box.x < c.x < box.x_high and box.y < c.y < box.y_high and box.z < c.z < box.z_high
    if tables.meshes.mesh[A.table].closed and inside and (seen < 0 or is_in_mesh(A, tables, c, seen)):
        _, x, t = nearest_on_mesh(tables.meshes, A.table, c, math.inf)
        if seen >= 0 or is_in_mesh(A, tables, c, t):
            n = unit_or(x - c, mesh_facet(tables.meshes, A.table, t).n)
            put_way_out(x, n, np.int64(t), q, tables.hulls, surface, convex)


@routine
def is_below_field(A, tables, q, top, candidates, surface, convex):
    """Whether the middle of a solid is below a field and it meets no facet; top: how high it reaches."""
    c = middle_of(q.B, q.c, tables.hulls)
    z, _ = field_height(tables.fields, A.table, c.x, c.y)
    if not c.z < z:
        return False
    for i in range(candidates):
        F = surface_face(A, tables, np.int64(surface.found[i]))
        if min(F.p.z, min(F.q.z, F.s.z)) <= top and overlaps(F, i, q, tables.hulls, surface, convex):
            return False
    return True


@routine
def swallowed_by_field(A, tables, q, surface, convex):
    """The finding of a solid below a field; what lies above it does not count, since it may be a long way off."""
    c = middle_of(q.B, q.c, tables.hulls)
    z, _ = field_height(tables.fields, A.table, c.x, c.y)
    _, x, t = nearest_on_field(tables.fields, A.table, c, (z - c.z) * FARTHER)
    n = unit_or(x - c, field_facet(tables.fields, A.table, t).n)
    put_way_out(x, n, np.int64(t), q, tables.hulls, surface, convex)
    return 0
