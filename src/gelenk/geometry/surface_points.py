"""Points spread over the surface of a mesh, and a tree of balls around them (V-26)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.geometry.mass import FloatArray
from gelenk.geometry.mesh import TriangleMesh

LEAF = 16  # points in a ball at the end of the tree
THIN = 0.25  # of the spacing: points in one cube of this edge are one
BASE = 1 << 20  # cubes along an axis at most, to number them


def surface_points(mesh: TriangleMesh, spacing: float) -> FloatArray:
    """All vertices, and of a lattice on each triangle what is not close to one before (k, 3) [m].

    No point of the surface is farther from one of them than about ``spacing``. A lattice of small triangles with edges
    up to L leaves nothing farther from a corner than L / sqrt(3) (Jung); a point that gives way to another
    in its cube of edge L / 4 is sqrt(3) L / 4 from it at most: 1.01 L together.
    """
    corners = mesh.vertices[mesh.faces.astype(np.int64)]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    parts = np.maximum(np.ceil(longest / spacing), 1.0).astype(np.int64)
    used = mesh.vertices[np.unique(mesh.faces)]
    lattices = [_weights(n) @ corners[parts == n] for n in np.unique(parts[parts > 1])]
    points = np.concatenate([used, *(lattice.reshape(-1, 3) for lattice in lattices)])
    cube = np.floor((points - points.min(axis=0)) / (THIN * spacing)).astype(np.int64)
    first = np.unique(cube @ BASE ** np.arange(3), return_index=True)[1]
    return points[np.union1d(np.arange(len(used)), first)]


def _weights(n: int) -> FloatArray:
    """(k, 3) weights of the corners of a triangle for the points that cut its sides into n."""
    i, j = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
    return np.column_stack((i, j, n - i - j)) / n


class PointTree(NamedTuple):
    """Points in the order of the tree, and its nodes, each before those below it."""

    place: FloatArray  # (k, 3) [m]
    ball: FloatArray  # (n, 4) centre and radius, around the points of a node [m]
    first: np.ndarray  # (n,) its points, first up to last
    last: np.ndarray
    skip: np.ndarray  # (n,) the node after all below it; the next one if there is none below


def point_tree(points: FloatArray) -> PointTree:
    """Halved across the longest extent until few are left."""
    order = np.arange(len(points))
    ball: list[list[float]] = []
    first: list[int] = []
    last: list[int] = []
    skip: list[int] = []

    def add(begin: int, end: int) -> None:
        here = points[order[begin:end]]
        low, high = here.min(axis=0), here.max(axis=0)
        middle = 0.5 * (low + high)
        node = len(ball)
        ball.append([*middle.tolist(), float(np.linalg.norm(here - middle, axis=1).max())])
        first.append(begin)
        last.append(end)
        skip.append(0)
        if end - begin > LEAF:
            axis = int(np.argmax(high - low))
            order[begin:end] = order[begin:end][np.argsort(here[:, axis], kind="stable")]
            half = (begin + end) // 2
            add(begin, half)
            add(half, end)
        skip[node] = len(ball)

    add(0, len(points))
    return PointTree(points[order], np.array(ball), np.array(first), np.array(last), np.array(skip))
