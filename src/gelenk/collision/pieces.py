"""From the shapes of a model to what pair routines know: one piece for a primitive, several for a compound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gelenk.checks import Quaternion, Vector
from gelenk.collision.solid import BALLS, BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FIELD, HULL, MAP, MESH, PLANE, SPHERE
from gelenk.errors import InputError
from gelenk.geometry.compound import Compound
from gelenk.geometry.distance_map import DistanceMap
from gelenk.geometry.height_field import HeightField
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Sphere, Torus
from gelenk.geometry.sphere_tree import SphereTree
from gelenk.math.rotation import rotation_matrix

ORIGIN: Vector = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
TORUS_SIDES = 48  # a torus is touched as a mesh: within 1 - cos(pi / 48) = 0.2 % of its radii


class Piece(NamedTuple):
    """A solid in the frame of its part."""

    kind: int
    size: Vector
    data: Any = None  # what its table is made of
    p: np.ndarray = np.zeros(3)  # centre, frame of the part [m]
    R: np.ndarray = np.eye(3)


def _torus(shape: Torus) -> Piece:
    return Piece(MESH, ORIGIN, TriangleMesh(*shape.triangles(TORUS_SIDES)))


def _mesh(shape: TriangleMesh) -> Piece:
    hull = shape.convex_hull()
    return Piece(MESH, ORIGIN, shape) if hull is None else Piece(HULL, ORIGIN, hull)


PIECE: dict[type, Callable[[Any], Piece]] = {
    Sphere: lambda s: Piece(SPHERE, (s.radius, 0.0, 0.0)),
    Box: lambda s: Piece(BOX, (0.5 * s.size[0], 0.5 * s.size[1], 0.5 * s.size[2])),
    Capsule: lambda s: Piece(CAPSULE, (s.radius, 0.0, 0.5 * s.length)),
    Cylinder: lambda s: Piece(CYLINDER, (s.radius, 0.0, 0.5 * s.length)),
    Cone: lambda s: Piece(CONE, (s.radius, 0.0, s.height)),
    Ellipsoid: lambda s: Piece(ELLIPSOID, s.radii),
    Plane: lambda s: Piece(PLANE, ORIGIN),
    Torus: _torus,
    ConvexHull: lambda s: Piece(HULL, ORIGIN, s),
    TriangleMesh: _mesh,
    HeightField: lambda s: Piece(FIELD, ORIGIN, s),
    SphereTree: lambda s: Piece(BALLS, ORIGIN, s),
    DistanceMap: lambda s: Piece(MAP, ORIGIN, s),
}


def pieces_of(element: str, shape: Any, at: Vector = ORIGIN, rotation: Quaternion = UPRIGHT) -> Iterator[Piece]:
    """Pieces of a shape at a place in a body, frame of the body."""
    p, R = np.array(at), rotation_matrix(rotation)
    if isinstance(shape, Compound):
        for child in shape.children:
            for piece in pieces_of(element, *child):
                yield piece._replace(p=p + R @ piece.p, R=R @ piece.R)
        return
    if type(shape) not in PIECE:
        known = ", ".join(f"gk.{kind.__name__}" for kind in (*PIECE, Compound))
        if isinstance(shape, type):
            raise InputError(element, f"the class {shape.__name__}", "a shape", f"Make one: gk.{shape.__name__}(...).")
        remedy = "Use one of these for what collides, and collide=False for the part that is only seen."
        raise InputError(element, f"a {type(shape).__name__} that collides", known, remedy)
    yield PIECE[type(shape)](shape)._replace(p=p, R=R)
