"""Which closed meshes are convex: these collide as their hulls (V-20)."""

from __future__ import annotations

import numpy as np

from gelenk.errors import InputError
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mass import FloatArray
from gelenk.geometry.mesh_check import IndexArray

FLAT = 1e-9  # share of the size by which a vertex may lie above a face: what distances are held to
ROUNDING = 16.0 * float(np.finfo(np.float64).eps)  # of a height times twice an area, for triangles thin as a line
MOST_VERTICES = 2000  # up to which meshes are looked at, which takes 15 ms
# Up to which hulls collide as such: against a surface of 1000 triangles one of 500 corners takes 0.9 ms, its triangles
# 0.3; of 1000 corners 5.6 ms and 0.4. Against convex shapes hulls are faster at any number, 5 to 10 times each other.
MOST_CORNERS = 500
AT_ONCE = 64  # faces: their heights over all vertices stay in the cache


def is_convex(vertices: FloatArray, faces: IndexArray) -> bool:
    """Whether no vertex of a closed outward mesh lies above the plane of any face.

        (b - a) x (c - a) . (x - a)  <=  FLAT * size * |(b - a) x (c - a)|     all faces a b c, all vertices x

    Then every face lies on the hull of the vertices, and a closed surface of such faces is the whole of it. Cavities
    and second shells are found as well: faces of the inner one, or of either, have vertices of the other above them.
    Meshes of more than MOST_VERTICES vertices are not looked at.
    """
    if len(vertices) > MOST_VERTICES:
        return False
    size = float(np.ptp(vertices, axis=0).max())
    x = (vertices - vertices.mean(axis=0)) / size
    a, b, c = (x[faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    most = (n * a).sum(axis=1) + FLAT * np.linalg.norm(n, axis=1) + ROUNDING
    chunks = (slice(first, first + AT_ONCE) for first in range(0, len(faces), AT_ONCE))
    return all(((n[chunk] @ x.T).max(axis=1) <= most[chunk]).all() for chunk in chunks)


def hull_around(vertices: FloatArray) -> tuple[ConvexHull, ...]:
    """The hull of points, if there are at most MOST_VERTICES and it has at most MOST_CORNERS corners, else none."""
    if len(vertices) > MOST_VERTICES:
        return ()
    try:
        hull = ConvexHull(vertices)
    except InputError:  # as thin as rounding
        return ()
    return (hull,) if len(hull.vertices) <= MOST_CORNERS else ()


def hull_of(vertices: FloatArray, faces: IndexArray) -> tuple[ConvexHull, ...]:
    """The hull of a mesh if it is the same solid and has at most MOST_CORNERS corners, else none."""
    return hull_around(vertices) if is_convex(vertices, faces) else ()
