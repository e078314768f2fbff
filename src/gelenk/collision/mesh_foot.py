"""Signed distance of a point from a closed mesh (V-20, V-26)."""

from __future__ import annotations

import math

from gelenk.collision.closest import unit_or
from gelenk.collision.mesh_nearest import nearest_on_mesh
from gelenk.collision.mesh_ray import ray_mesh
from gelenk.collision.mesh_table import mesh_facet
from gelenk.compile import routine

TOUCHING = 1e-13  # of the coordinates: a point closer to the surface than this gets the normal of the triangle


@routine
def mesh_foot(meshes, index, p):
    """Signed distance, nearest point and normal of a closed mesh."""
    return mesh_foot_within(meshes, index, p, math.inf, 0.0)


@routine
def mesh_foot_within(meshes, index, p, limit, sign):
    """The same where the surface is known to be within a limit, and of which sign the distance is, or 0.

    p is inside if a line to the middle of the nearest triangle first meets it from within. Normals beside the nearest
    point do not tell: at edges and tips p may lie behind one of two triangles and outside.
    """
    distance, q, t = nearest_on_mesh(meshes, index, p, limit)
    facet = mesh_facet(meshes, index, t)
    inside = sign < 0.0
    if sign == 0.0:
        to = (facet.p + facet.q + facet.s) * (1.0 / 3.0) - p
        _, m, _ = ray_mesh(meshes, index, p, to, math.inf)
        inside = m @ to > 0.0
    if distance <= TOUCHING * meshes.mesh[index].reach:
        return -distance if inside else distance, q, facet.n
    n = unit_or(q - p if inside else p - q, facet.n)
    return -distance if inside else distance, q, n
