"""Facets near a convex solid of which no place gave a finding: what is certain is certain all the same (V-20, I-093).

A solid that meets a facet overlaps. If no other finding undoes that, the facet does, along its own normal n: moved by
its depth below the plane of the facet the solid lies on the outer side of it; or by a far shorter way off the triangle
that does not lean far from n, as when a sharp tip just grazes it. So at an inward edge a solid whose middle
has passed is pushed out along the normals of both faces, as long as both are crossed, and a blade on the side where it
is less deep.

A solid that meets none may be inside as a whole: its centre tells, and the nearest place of the surface is the way out.
Else it is apart, and the nearest facet of all has the distance, with the way between the nearest points for a normal.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.closest import unit_or
from gelenk.collision.epa import distance_from, distance_within, is_curved
from gelenk.collision.facet_normal import corner_of
from gelenk.collision.field_table import field_facet, field_height
from gelenk.collision.gjk import core_point, gjk
from gelenk.collision.mesh_nearest import nearest_on_mesh
from gelenk.collision.mesh_ray import ray_mesh
from gelenk.collision.mesh_table import mesh_bounds, mesh_facet
from gelenk.collision.narrow.facet_contact import FACE, SAME, SIDE, TIP, feature_of, put_found, put_pool
from gelenk.collision.narrow.surface_choice import row3
from gelenk.collision.solid import MESH, TRIANGLE, Solid
from gelenk.collision.surface import surface_face
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3

OUTWARD = 0.7  # cosine to the normal of a facet up to which a shorter way off it leads outward
GRAZES = 0.1  # of the depth below its plane: a way off the triangle this short is taken instead
LEAN = 1e-6  # by which the way to a facet may lean to its back
OFF = 1e-6  # of the sizes: how much farther than its depth a solid is moved to see whether it is off a facet
NEARER = 1e-11  # of the sizes: by which a facet must be nearer than what was found


@helper
def facet_solid(F):
    """A facet as a solid whose centre is its first corner."""
    e, f = F.q - F.p, F.s - F.p
    return Solid(TRIANGLE, 0, Mat3(0.0, e.x, f.x, 0.0, e.y, f.y, 0.0, e.z, f.z), Vec3(0.0, 0.0, 0.0))


@routine
def is_cleared(surface, F, q, hulls, convex, slack):
    """Whether a finding undoes all overlap with a facet: the solid, moved by its depth d along its normal m, is off it.

    It is if the whole facet lies below the plane that the solid then touches; else the moved solid is looked at.
    """
    for i in range(surface.counts[0]):
        other = surface.finding[i]
        if other.d < 0.0:
            m = row3(other.m)
            if other.low - max(F.p @ m, max(F.q @ m, F.s @ m)) >= other.d - slack:
                return True
    for i in range(surface.counts[0]):
        other = surface.finding[i]
        if other.d < 0.0:
            moved = q.c - F.p - row3(other.m) * (other.d - OFF * q.scale)
            v, _, count, _ = gjk(facet_solid(F), q.B, moved, F.n, hulls, convex)
            if count < 4 and v.norm() >= q.radius:
                return True
    return False


@helper
def height_over(F, q, hulls, near, m):
    """How far over a facet, along the normal m, the lowest point of the solid is [m]."""
    return (q.c + core_point(q.B, hulls, near, 1, -m) - F.p) @ m - q.radius


@routine
def settle_overlaps(A, tables, q, surface, convex):
    """Findings of facets that the solid meets and no other finding clears; how many."""
    hulls, near, added = tables.hulls, convex.near, 0
    for i in range(surface.counts[5]):
        row = np.int64(surface.unsettled[i])
        t = np.int64(surface.found[row])
        F = surface_face(A, tables, t)
        low = height_over(F, q, hulls, near, F.n)
        if (
            low < 0.0
            and height_over(F, q, hulls, near, -F.n) < 0.0
            and not is_cleared(surface, F, q, hulls, convex, SAME * q.scale)
        ):
            v, _, count, _ = gjk(facet_solid(F), q.B, q.c - F.p, F.n, hulls, convex)
            if count == 4 or v.norm() < q.radius - SAME * q.scale:
                d, m, x = distance_from(facet_solid(F), q.B, q.c - F.p, F.n, hulls, convex)
                if d <= GRAZES * low or d >= 0.0 or m @ F.n < OUTWARD:
                    deepest = q.c + core_point(q.B, hulls, near, 1, -F.n) - F.n * q.radius - F.p
                    d, m, x = low, F.n, deepest - F.n * low  # in the plane of the facet
                put_pool(surface, F.p + x, m, d, feature_of(t, FACE), 0)
                put_found(surface, row, FACE, m, d, d + (F.p + x) @ m, False)
                added += 1
    return added


@helper
def place_of(F, x, slack):
    """Whether a point of a facet is a corner, on a side or over the face."""
    place = FACE
    for k in range(3):
        start, end = corner_of(F, k), corner_of(F, (k + 1) % 3)
        o = (end - start).cross(F.n)
        if (x - start).norm() <= slack:
            return TIP + k
        if (x - start) @ o >= -slack * o.norm():
            place = SIDE + k
    return place


@routine
def settle_apart(A, tables, q, least, surface, convex):
    """The finding of the nearest facet of those left, if it is nearer than ``least``."""
    hulls, near = tables.hulls, convex.near
    best, normal, point, row_best = min(q.margin, least - NEARER * q.scale), Vec3(0.0, 0.0, 0.0), q.c, np.int64(-1)
    for i in range(surface.counts[5]):
        row = np.int64(surface.unsettled[i])
        F = surface_face(A, tables, np.int64(surface.found[row]))
        if height_over(F, q, hulls, near, F.n) <= best:
            d, m, a = distance_within(facet_solid(F), q.B, q.c - F.p, Vec3(0.0, 0.0, 0.0), best, hulls, convex)
            if 0.0 <= d <= best and m @ F.n >= -LEAN and (d < best or row_best < 0):
                best, normal, point, row_best = d, m, F.p + a, row
    if row_best >= 0:
        t = np.int64(surface.found[row_best])
        place = place_of(surface_face(A, tables, t), point, SAME * q.scale)
        put_pool(surface, point, normal, best, feature_of(t, place), 0)
        put_found(surface, row_best, place, normal, best, best + point @ normal, True)


@routine
def settle_swallowed(A, tables, q, least, surface, convex):
    """The finding of a solid that has a middle inside a closed mesh or below a field and meets no facet.

    A point is inside if a line to the middle of the nearest triangle first meets the mesh from within. If the solid is
    outside, no place of the mesh is nearer to its middle than ``least``, the nearest finding; what is found nearer
    says that those findings are other walls, seen through the mesh.
    """
    up, hulls = Vec3(0.0, 0.0, 1.0), tables.hulls
    c = q.c + (core_point(q.B, hulls, convex.near, 1, up) + core_point(q.B, hulls, convex.near, 1, -up)) * 0.5
    n, x, t = up, c, np.int64(-1)
    if A.kind == MESH:
        box = mesh_bounds(tables.meshes, A.table)
        inside = box.x < c.x < box.x_high and box.y < c.y < box.y_high and box.z < c.z < box.z_high
        if tables.meshes.mesh[A.table].closed and inside:
            distance, x, nearest = nearest_on_mesh(tables.meshes, A.table, c, least)
            if distance < math.inf:
                F = mesh_facet(tables.meshes, A.table, nearest)
                to = (F.p + F.q + F.s) * (1.0 / 3.0) - c
                _, m, _ = ray_mesh(tables.meshes, A.table, c, to, math.inf)
                if m @ to > 0.0:
                    n, t = unit_or(x - c, F.n), np.int64(nearest)
                    surface.counts[0] = surface.counts[1] = 0
    else:
        z, above = field_height(tables.fields, A.table, c.x, c.y)
        if c.z < z:
            F = field_facet(tables.fields, A.table, above)
            n, x, t = F.n, Vec3(c.x, c.y, z), np.int64(above)
    if t >= 0:
        d = (q.c + core_point(q.B, tables.hulls, convex.near, 1, -n) - x) @ n - q.radius
        put_pool(surface, x, n, d, feature_of(t, FACE), 0)
        put_found(surface, 0, FACE, n, d, d + x @ n, True)


@routine
def settle(A, tables, q, surface, convex):
    """Look at facets without a finding, and at solids without one."""
    least = math.inf
    for i in range(surface.counts[0]):
        least = min(least, surface.finding[i].d)
    if settle_overlaps(A, tables, q, surface, convex) > 0:
        least = -math.inf
    if least >= 0.0:
        if surface.counts[5] > 0 and (least == math.inf or is_curved(q.B)):
            settle_apart(A, tables, q, least, surface, convex)
            for i in range(surface.counts[0]):
                least = min(least, surface.finding[i].d)
        settle_swallowed(A, tables, q, least, surface, convex)
