"""What a world answers with: contacts, impacts, hits of rays and of shapes.

All are named tuples, equal if every field is. Points, normals and distances are in the world, in metres; ``part`` is
which part of the body, counted from 0 in the order of its shapes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

Record = TypeVar("Record", bound=type)


def compared(kind: Record) -> Record:
    """Give named tuples that hold arrays ``==`` and ``!=``."""

    def equal(one: Any, other: Any) -> bool:
        return type(one) is type(other) and all(map(np.array_equal, one, other))

    def unequal(one: Any, other: Any) -> bool:
        return not equal(one, other)

    kind.__eq__, kind.__ne__ = equal, unequal  # type: ignore[assignment]
    return kind


@compared
class Contact(NamedTuple):
    """A point where two bodies touch, overlap, or are near: ``point_b - point_a = distance * normal``.

    Bodies, parts, pieces and features together name a point: they stay the same from step to step as long as it is the
    same corner, edge or face that touches. Features are numbers to compare, not to read.

    Attributes
    ----------
    a, b : names of the bodies
    part_a, part_b : which of their parts, from 0
    point_a, point_b : (3,) on the surface of each body, world [m]
    normal : (3,) unit vector from a to b, world axes
    distance : signed [m], negative by the depth
    feature_a, feature_b : what touches of the piece
    piece_a, piece_b : which piece of the part, from 0: compounds have several
    """

    a: str
    b: str
    part_a: int
    part_b: int
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray
    distance: float
    feature_a: int
    feature_b: int
    piece_a: int
    piece_b: int

    def flipped(self) -> Contact:
        """The same contact seen from the other body."""
        a, b, part_a, part_b, point_a, point_b, n, d, feature_a, feature_b, piece_a, piece_b = self
        return Contact(b, a, part_b, part_a, point_b, point_a, -n, d, feature_b, feature_a, piece_b, piece_a)


@compared
class Impact(NamedTuple):
    """Two parts that will meet.

    Attributes
    ----------
    time : from now [s]
    a, b : names of the bodies
    part_a, part_b : which of their parts
    point : (3,) where, world [m]
    normal : (3,) unit vector from a to b, world axes
    """

    time: float
    a: str
    b: str
    part_a: int
    part_b: int
    point: np.ndarray
    normal: np.ndarray


@compared
class RayHit(NamedTuple):
    """What a ray hits first.

    Attributes
    ----------
    body, part : name of the body, and which of its parts
    distance : along the ray [m]
    point : (3,) world [m]
    normal : (3,) unit normal of the surface, outward, world axes
    """

    body: str
    part: int
    distance: float
    point: np.ndarray
    normal: np.ndarray


@compared
class ClosestPoint(NamedTuple):
    """The nearest surface to a point.

    Attributes
    ----------
    body, part : name of the body, and which of its parts
    distance : [m], negative if the point lies inside
    point : (3,) of the surface, world [m]
    normal : (3,) unit normal of the surface there, outward, world axes
    """

    body: str
    part: int
    distance: float
    point: np.ndarray
    normal: np.ndarray


class BoxHit(NamedTuple):
    """A part whose box meets a box: the name of its body, and which part of it."""

    body: str
    part: int


@compared
class Overlap(NamedTuple):
    """A part that a shape meets.

    Attributes
    ----------
    body, part : name of the body, and which of its parts
    distance : [m], negative by the depth
    normal : (3,) unit vector from the part to the shape: the way to move the shape to get it out
    """

    body: str
    part: int
    distance: float
    normal: np.ndarray


@compared
class SweepHit(NamedTuple):
    """What a moving shape meets first.

    Attributes
    ----------
    body, part : name of the body, and which of its parts
    distance : how far the shape went [m]
    share : the same as a share of its way, 0 to 1
    point : (3,) where they meet, world [m]
    normal : (3,) unit vector from the part to the shape, world axes
    """

    body: str
    part: int
    distance: float
    share: float
    point: np.ndarray
    normal: np.ndarray
