"""Nearest point of a map of signed distances (V-26). Its bounds and rays are those of its mesh."""

from __future__ import annotations

import math

from gelenk.collision.closest import unit_or
from gelenk.collision.map_table import WRONG, in_grid, map_distance
from gelenk.collision.mesh_foot import mesh_foot_within
from gelenk.collision.mesh_nearest import squared_distance
from gelenk.collision.mesh_table import mesh_bounds
from gelenk.collision.solid import MESH, Solid
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def mesh_of(solid, maps):
    """The mesh of a map, as a solid."""
    return Solid(MESH, maps.map[solid.table].mesh, solid.R, solid.size)


@routine
def nearest_on_map(maps, meshes, index, p, limit):
    """Signed distance, nearest point and normal; shape axes. Above ``limit`` the distance may be any above it.

    In the grid the normal is the gradient, and the point a step along it. A map that is exact goes on to the nearest
    point of the mesh, which is no farther than the map says and what it may be wrong by. Outside the grid the mesh is
    asked.
    """
    record = maps.map[index]
    if squared_distance(p, mesh_bounds(meshes, record.mesh)) > limit * limit:
        return math.inf, p, Vec3(0.0, 0.0, 1.0)
    if not in_grid(record, p):
        return mesh_foot_within(meshes, record.mesh, p, math.inf, 1.0)
    d, gradient = map_distance(maps, record, p)
    n, slack = unit_or(gradient, Vec3(0.0, 0.0, 1.0)), WRONG * record.cell
    if record.exact == 0 or d > limit + slack:
        return d, p - n * d, n
    return mesh_foot_within(meshes, record.mesh, p, abs(d) + 1.01 * slack, d if abs(d) > 1.01 * slack else 0.0)
