"""Convex pieces as polyhedra, and where two of them overlap: the Minkowski difference (V-27)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.hulls import pack_hulls
from gelenk.collision.pieces import Piece
from gelenk.collision.solid import BOX, HULL, PLANE, Solid, core_support, rounding
from gelenk.errors import InputError
from gelenk.geometry.mass import FloatArray
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import vec3

CURVED_SIDES = 200  # faces of the polyhedron around a curved solid: 1 % of its radius beside it
SAME_FACE = 1e-9  # faces whose unit normals differ by less are one


class Polytope(NamedTuple):
    """A convex polyhedron by its vertices; a plane by one point and its normal."""

    vertices: FloatArray  # (n, 3) world [m]
    normal: FloatArray | None = None  # of a plane: what lies below belongs to it


class Faces(NamedTuple):
    """Those t with  n . t < d  for all rows."""

    n: FloatArray  # (f, 3) unit
    d: FloatArray  # (f,) [m]


def difference(A: Polytope, B: Polytope) -> Faces:
    """All ways t of B on which A and B overlap:  { a - b },  the hull of the differences of their vertices.

    A plane of normal m is left by a solid  when the lowest point of the solid has come up to it.
    """
    if A.normal is not None:
        return Faces(A.normal[None], np.array([-((B.vertices - A.vertices[0]) @ A.normal).min()]))
    if B.normal is not None:
        return Faces(-B.normal[None], np.array([-((A.vertices - B.vertices[0]) @ B.normal).min()]))
    from scipy.spatial import ConvexHull

    hull = ConvexHull((A.vertices[:, None] - B.vertices).reshape(-1, 3))
    _, first = np.unique(np.round(hull.equations[:, :3] / SAME_FACE), axis=0, return_index=True)
    n = hull.equations[np.sort(first), :3]
    # the plane of a face goes through the farthest of the differences: nothing sticks out by round-off
    return Faces(n, (n @ A.vertices.T).max(axis=1) - (n @ B.vertices.T).min(axis=1))


def polytope(element: str, piece: Piece, outside: bool) -> Polytope:
    """A piece as a polyhedron: exact for boxes and hulls; around a curved solid or, if not ``outside``, inscribed."""
    if piece.kind == PLANE:
        return Polytope(piece.p[None], piece.R[:, 2])
    if piece.kind > PLANE:
        found = "a mesh, height field, tree of balls or map of distances among its shapes"
        raise InputError(element, found, "convex shapes and planes", "Cut a mesh into pieces by gk.decompose.")
    if piece.kind == HULL:
        return Polytope(piece.p + piece.data.vertices @ piece.R.T)
    if piece.kind == BOX:
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
        return Polytope(piece.p + (signs * piece.size) @ piece.R.T)
    return Polytope(piece.p + _curved(piece, outside) @ piece.R.T)


def is_curved(piece: Piece) -> bool:
    """Whether a polyhedron is not the same as the piece."""
    return piece.kind not in (BOX, HULL, PLANE)


def _curved(piece: Piece, outside: bool) -> FloatArray:
    """Vertices of a polyhedron that touches a curved solid from outside or inside, shape axes."""
    solid = Solid(piece.kind, 0, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), vec3(piece.size))
    hulls, u = pack_hulls([]), _directions()
    touched = np.array([core_support(solid, hulls, vec3(d)) for d in u]) + rounding(solid) * u
    if not outside:
        return touched
    from scipy.spatial import HalfspaceIntersection

    return HalfspaceIntersection(np.column_stack((u, -(u * touched).sum(axis=1))), touched.mean(axis=0)).intersections


def _directions() -> FloatArray:
    """Unit vectors spread over the sphere on a spiral, and both ways along each axis."""
    k = np.arange(CURVED_SIDES - 6) + 0.5
    z, angle = 1.0 - 2.0 * k / len(k), np.pi * (1.0 + 5.0**0.5) * k
    ring = np.sqrt(1.0 - z * z)
    return np.concatenate((np.column_stack((ring * np.cos(angle), ring * np.sin(angle), z)), np.eye(3), -np.eye(3)))
