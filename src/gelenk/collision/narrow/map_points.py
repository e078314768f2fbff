"""Points of a solid that are put to a map of signed distances (V-26)."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.map_query import nearest_on_map
from gelenk.collision.map_table import FACING, put_candidate
from gelenk.collision.mesh_table import mesh_bounds
from gelenk.collision.query.bounds import turned_box
from gelenk.collision.solid import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    FIELD,
    HULL,
    MESH,
    SPHERE,
    TRIANGLE,
    core_support,
)
from gelenk.collision.surface import surface_facet, surface_in_box
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

OTHER = 0x80000000  # feature of a solid where a point of the other one touches it
ROUND = 8  # points on a circle
STEPS = 4  # to the lowest point of a curved solid


@helper
def looks_along(B, hulls, x, n):
    """Whether a point x of a convex solid is nearer to its end along n than to the other one."""
    return 2.0 * (n @ x) >= n @ core_support(B, hulls, n) + n @ core_support(B, hulls, -n)


@routine
def corner_in_map(A, B, r, x, margin, tables, found, feature):
    """Candidate from a point x of a convex solid, from its centre. Returns the normal of the map there."""
    d, q, m = nearest_on_map(tables.maps, tables.meshes, A.table, A.R.tdot(r + x), margin)
    n = A.R @ m
    if d <= margin:
        put_candidate(found, d, A.R @ q, n, OTHER, feature, looks_along(B, tables.hulls, x, -n))
    return n


@routine
def ball_in_map(A, p, radius, margin, tables, found, feature):
    """Candidate from a ball around p, from the centre of the map, world axes."""
    d, q, m = nearest_on_map(tables.maps, tables.meshes, A.table, A.R.tdot(p), margin + radius)
    if d - radius <= margin:
        put_candidate(found, d - radius, A.R @ q, A.R @ m, OTHER, feature, True)


@routine
def facet_in_map(A, p, outward, margin, tables, found, feature):
    """Candidate from the corner p of a triangle, from the centre of the map."""
    d, q, m = nearest_on_map(tables.maps, tables.meshes, A.table, A.R.tdot(p), margin)
    n = A.R @ m
    if d <= margin:
        put_candidate(found, d, A.R @ q, n, OTHER, feature, -(n @ outward) > FACING)


@routine
def points_in_map(A, B, r, margin, tables, work):
    """Candidates from points of B: corners, ends of capsules as balls, points on rims, lowest points of curved solids.

    Planes have none; test points of the map meet them.
    """
    found = work.maps
    if B.kind == SPHERE:
        ball_in_map(A, r, B.size.x, margin, tables, found, 0)
    elif B.kind == CAPSULE:
        for k in range(2):
            end = B.R @ Vec3(0.0, 0.0, (2 * k - 1) * B.size.z)
            ball_in_map(A, r + end, B.size.x, margin, tables, found, k)
    elif B.kind == BOX:
        for k in range(8):
            x, y, z = (k & 1) * 2 - 1, (k & 2) - 1, (k & 4) // 2 - 1
            corner = B.R @ Vec3(x * B.size.x, y * B.size.y, z * B.size.z)
            corner_in_map(A, B, r, corner, margin, tables, found, k)
    elif B.kind == HULL:
        hull = tables.hulls.hull[B.table]
        for v in range(hull.vertex_first, hull.vertex_last):
            corner = B.R @ get3(tables.hulls.vertex, v)
            corner_in_map(A, B, r, corner, margin, tables, found, np.int64(v) - np.int64(hull.vertex_first))
    elif B.kind == TRIANGLE:
        for k in range(3):
            corner = B.R @ Vec3(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            corner_in_map(A, B, r, corner, margin, tables, found, k)
    elif B.kind in (CYLINDER, CONE, ELLIPSOID):
        round_in_map(A, B, r, margin, tables, found)
    elif B.kind in (MESH, FIELD):
        surface_in_map(A, B, r, margin, tables, work)


@helper
def round_in_map(A, B, r, margin, tables, found):
    """Rims of cylinders and cones, the tip of a cone, and the point farthest against the normal of the map.

    The normal is that where the last such point was; on a flat or gently curved side of A this is the deepest one.
    """
    if B.kind != ELLIPSOID:
        for k in range(2 * ROUND if B.kind == CYLINDER else ROUND):
            angle = 2.0 * math.pi / ROUND * (k % ROUND)
            z = 0.0 if B.kind == CONE else (B.size.z if k < ROUND else -B.size.z)
            p = B.R @ Vec3(B.size.x * math.cos(angle), B.size.x * math.sin(angle), z)
            corner_in_map(A, B, r, p, margin, tables, found, k)
    if B.kind == CONE:
        corner_in_map(A, B, r, B.R @ Vec3(0.0, 0.0, B.size.z), margin, tables, found, ROUND)
    _, _, m = nearest_on_map(tables.maps, tables.meshes, A.table, A.R.tdot(r), math.inf)
    n = A.R @ m
    for k in range(STEPS):
        n = corner_in_map(A, B, r, core_support(B, tables.hulls, -n), margin, tables, found, 2 * ROUND + k)


@helper
def surface_in_map(A, B, r, margin, tables, work):
    """Corners of the triangles of a mesh or a height field in the box of the map."""
    mesh, found = tables.maps.map[A.table].mesh, work.surface.found
    box = turned_box(mesh_bounds(tables.meshes, mesh), B.R.transposed().times(A.R))
    shift = B.R.tdot(r)
    box = Bounds(
        box.x - shift.x - margin,
        box.y - shift.y - margin,
        box.z - shift.z - margin,
        box.x_high - shift.x + margin,
        box.y_high - shift.y + margin,
        box.z_high - shift.z + margin,
    )
    count = min(surface_in_box(B, tables, box, found), found.shape[0])
    for k in range(count):
        t = np.int64(found[k])
        facet = surface_facet(B, tables, t)
        outward = B.R @ facet.n
        facet_in_map(A, r + B.R @ facet.p, outward, margin, tables, work.maps, 3 * t)
        facet_in_map(A, r + B.R @ facet.q, outward, margin, tables, work.maps, 3 * t + 1)
        facet_in_map(A, r + B.R @ facet.s, outward, margin, tables, work.maps, 3 * t + 2)
