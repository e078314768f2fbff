"""Making a map of signed distances from a mesh (V-26)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gelenk.collision.mesh_foot import mesh_foot_within
from gelenk.collision.mesh_table import pack_meshes
from gelenk.compile import kernel
from gelenk.geometry.distance_map import DistanceMap
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.surface_points import PointTree, point_tree, surface_points
from gelenk.math.vec3 import Vec3

BEYOND = 1  # cells around the box of the mesh
MORE = 1.0 + 1e-9  # lets no round-off cut a limit short
KEPT = 8  # maps in memory, lest they are made anew with every table


class MapParts(NamedTuple):
    """One map: its grid and its test points."""

    low: np.ndarray  # first corner, shape axes [m]
    cell: float  # edge of the cubes [m]
    value: np.ndarray  # (nx, ny, nz) signed distances at the corners [m]
    tree: PointTree


def map_parts(shape: DistanceMap) -> MapParts:
    """Grid and test points of a shape; the last few are remembered."""
    return _made(shape.mesh, shape.cells)


@lru_cache(maxsize=KEPT)
def _made(mesh: TriangleMesh, cells: int) -> MapParts:
    used = mesh.vertices[np.unique(mesh.faces)]
    low, high = used.min(axis=0), used.max(axis=0)
    h = float((high - low).max()) / cells
    cubes = np.maximum(np.ceil((high - low) / h - 1e-9), 1.0) + 2 * BEYOND
    low = 0.5 * (low + high) - 0.5 * h * cubes
    value = np.zeros(cubes.astype(np.int64) + 1)
    fill_map(pack_meshes([mesh]), low, h, value)
    value.setflags(write=False)
    return MapParts(low, h, value, point_tree(surface_points(mesh, h)))


@kernel
def fill_map(meshes, low, h, value_out):
    """Signed distances at the corners (nx, ny, nz) of a grid of cubes of edge h from the first mesh of a table.

    A step of h changes a distance by h at most: so the search is limited by the corner before. Its sign is taken over
    where it is farther than h from the surface, which then does not pass between the two.
    """
    nx, ny, nz = value_out.shape
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                before = 0.0
                if k > 0:
                    before = value_out[i, j, k - 1]
                elif j > 0:
                    before = value_out[i, j - 1, k]
                elif i > 0:
                    before = value_out[i - 1, j, k]
                limit = MORE * (abs(before) + h) if i + j + k > 0 else math.inf
                sign = before if abs(before) > MORE * h else 0.0
                p = Vec3(low[0] + h * i, low[1] + h * j, low[2] + h * k)
                value_out[i, j, k] = mesh_foot_within(meshes, 0, p, limit, sign)[0]
