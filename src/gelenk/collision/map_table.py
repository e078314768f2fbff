"""Maps of signed distances of a model in one table, and what they say of a point (V-26).

Between the corners of a cube, with u, v, w from 0 to 1 in it, the distance is

    d(u, v, w) = sum over the 8 corners of  (u or 1 - u) (v or 1 - v) (w or 1 - w) d_corner

It is a mean of distances of corners. The distance of a corner differs from that of the point by no more than the way
between them, whose mean square is  h^2 (u (1 - u) + v (1 - v) + w (1 - w)):  so d is wrong by  sqrt(3)/2 h  at most,
for any body, and by  h^2 / 8  times the sum of the second derivatives where the body is smooth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelenk.collision.map_build import MapParts
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3

MAP_RECORD = np.dtype(
    [
        ("low", "f8", (3,)),  # first corner of the grid, shape axes [m]
        ("cell", "f8"),  # edge of its cubes [m]
        ("corners", "i8", (3,)),  # along x, y, z
        ("value", "i8"),  # where its distances begin
        ("mesh", "i8"),  # in the table of meshes
        ("node", "i8"),  # its nodes, node up to node_last
        ("node_last", "i8"),
        ("point", "i8"),  # where its test points begin
        ("exact", "i8"),  # 1: distances and normals are those of the mesh
    ]
)
FACING = 0.1  # cosine of the angle between normals from which on one looks against the other
WRONG = 0.5 * 3.0**0.5  # cells by which a distance is wrong at most


class DistanceMaps(NamedTuple):
    """Grids and test points of all maps. Indices of nodes and points count over the whole table."""

    map: np.ndarray  # (m,) MAP_RECORD
    value: np.ndarray  # (v,) signed distances at corners, z fastest [m]
    probe: np.ndarray  # (p, 3) test points, shape axes [m]
    ball: np.ndarray  # (n, 4) centre and radius of the balls around the points of a node [m]
    first: np.ndarray  # (n,) uint32 points of a node, first up to last
    last: np.ndarray  # (n,) uint32
    skip: np.ndarray  # (n,) uint32 the node after all below


class MapWork(NamedTuple):
    """Scratch of one pair at a time: candidates for its points."""

    gap: np.ndarray  # (c,) signed distance [m]
    place: np.ndarray  # (c, 3) point of A from its centre, world axes [m]
    way: np.ndarray  # (c, 3) normal from A to B
    mark: np.ndarray  # (c, 2) uint32 features
    facing: np.ndarray  # (c,) uint32: 1 if what carries the point looks to the other solid there
    found: np.ndarray  # (c,) uint32 places of the candidates: their own
    spare: np.ndarray  # (c,) how far each is from what is kept already [m^2]
    tally: np.ndarray  # (1,) int64 candidates now


def pack_maps(parts: Sequence[MapParts], mesh: Sequence[int] = (), exact: Sequence[bool] = ()) -> DistanceMaps:
    """All maps one after the other, with the places of their meshes; ``Solid.table`` is the place in the sequence."""
    record = np.zeros(len(parts), MAP_RECORD).view(np.recarray)
    value, node, point = np.cumsum([(0, 0, 0), *map(_sizes, parts)], axis=0).T
    for k, part in enumerate(parts):
        record[k] = (part.low, part.cell, part.value.shape, value[k], mesh[k], node[k], node[k + 1], point[k], exact[k])
    empty, none = np.zeros(0), np.zeros(0, np.uint32)
    trees = [part.tree for part in parts]

    def shifted(field: str, by: np.ndarray) -> np.ndarray:
        return np.concatenate([none, *((getattr(t, field) + s).astype(np.uint32) for t, s in zip(trees, by))])

    return DistanceMaps(
        record,
        np.concatenate([empty, *(part.value.ravel() for part in parts)]),
        np.concatenate([np.zeros((0, 3)), *(tree.place for tree in trees)]),
        np.concatenate([np.zeros((0, 4)), *(tree.ball for tree in trees)]),
        shifted("first", point),
        shifted("last", point),
        shifted("skip", node),
    )


def _sizes(part: MapParts) -> tuple[int, int, int]:
    return part.value.size, len(part.tree.ball), len(part.tree.place)


def new_map_work(candidates: int = 4096) -> MapWork:
    """Room for so many candidates."""
    return MapWork(
        np.zeros(candidates),
        np.zeros((candidates, 3)),
        np.zeros((candidates, 3)),
        np.zeros((candidates, 2), np.uint32),
        np.zeros(candidates, np.uint32),
        np.arange(candidates, dtype=np.uint32),
        np.zeros(candidates),
        np.zeros(1, np.int64),
    )


@helper
def put_candidate(found, d, a, n, feature_a, feature_b, facing):
    """Add one, if there is room."""
    k = found.tally[0]
    if k >= found.gap.shape[0]:
        return
    found.gap[k], found.facing[k] = d, 1 if facing else 0
    found.mark[k, 0], found.mark[k, 1] = feature_a, feature_b
    put3(found.place, k, a)
    put3(found.way, k, n)
    found.tally[0] = k + 1


@routine
def drop_averted(found):
    """Keep candidates that face the other solid, if there are any.

    A point that is in a flat side near its rim has its shortest way out over the rim. Where the surface that carries it
    does not look that way, this is no way on which the bodies can part. Deep in each other, bodies may have only such
    points in common: then those stay, and what is apart does not count.
    """
    cut, faced = False, False
    for k in range(found.tally[0]):
        cut = cut or found.gap[k] < 0.0
        faced = faced or (found.facing[k] == 1 and found.gap[k] < 0.0)
    deep = cut and not faced
    kept = 0
    for k in range(found.tally[0]):
        if (found.gap[k] < 0.0) if deep else (found.facing[k] == 1):
            found.gap[kept], found.facing[kept] = found.gap[k], found.facing[k]
            found.mark[kept, 0], found.mark[kept, 1] = found.mark[k, 0], found.mark[k, 1]
            put3(found.place, kept, get3(found.place, k))
            put3(found.way, kept, get3(found.way, k))
            kept += 1
    if kept > 0:
        found.tally[0] = kept


@helper
def in_grid(record, p):
    """Whether a point lies in the grid of a map, shape axes."""
    x, y, z = p.x - record.low[0], p.y - record.low[1], p.z - record.low[2]
    n, h = record.corners, record.cell
    return 0.0 <= x <= h * (n[0] - 1) and 0.0 <= y <= h * (n[1] - 1) and 0.0 <= z <= h * (n[2] - 1)


@helper
def cube_of(x, corners):
    """Cube along one axis that holds the place x, in cells, and where in it: 0 to 1 in the grid."""
    i = min(max(np.int64(x), 0), corners - 2)
    return i, x - i


@helper
def map_distance(maps, record, p):
    """Distance at a point of the grid, and its gradient, shape axes."""
    k = 1.0 / record.cell
    ny, nz = record.corners[1], record.corners[2]
    i, u = cube_of((p.x - record.low[0]) * k, record.corners[0])
    j, v = cube_of((p.y - record.low[1]) * k, ny)
    m, w = cube_of((p.z - record.low[2]) * k, nz)
    d = maps.value
    a = record.value + (i * ny + j) * nz + m
    b, c, e = a + nz, a + ny * nz, a + ny * nz + nz
    # along z, then y, then x
    d00, d01, d10, d11 = d[a + 1] - d[a], d[b + 1] - d[b], d[c + 1] - d[c], d[e + 1] - d[e]
    f00, f01, f10, f11 = d[a] + w * d00, d[b] + w * d01, d[c] + w * d10, d[e] + w * d11
    f0, f1 = f00 + v * (f01 - f00), f10 + v * (f11 - f10)
    along_y = f01 - f00 + u * ((f11 - f10) - (f01 - f00))
    z0, z1 = d00 + v * (d01 - d00), d10 + v * (d11 - d10)
    return f0 + u * (f1 - f0), Vec3((f1 - f0) * k, along_y * k, (z0 + u * (z1 - z0)) * k)
