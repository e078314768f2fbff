"""The shortest move that parts two shapes (V-27)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gelenk.checks import check_quaternion, check_vector
from gelenk.collision.global_depth import WayOut, way_out
from gelenk.collision.pieces import ORIGIN, UPRIGHT, Piece, pieces_of
from gelenk.collision.polytope import is_curved, polytope
from gelenk.errors import InputError


def separating_move(
    a: Any, b: Any, *, at_a: Any = ORIGIN, rotation_a: Any = UPRIGHT, at_b: Any = ORIGIN, rotation_b: Any = UPRIGHT
) -> WayOut:
    """Shortest straight move of shape ``b`` after which no piece of it overlaps one of shape ``a``.

    Exact for boxes, hulls, planes and compounds of them, such as ``gk.decompose`` makes. A curved piece counts as a
    polyhedron of 200 faces around it: the move surely parts the shapes and is about 1 % of a radius too long at most
    beside such a piece; ``least`` is that of polyhedra inside.

    Parameters
    ----------
    a, b : shapes
        Convex, or compounds of convex shapes; planes.
    at_a, rotation_a, at_b, rotation_b :
        Where they are, world [m], and the unit quaternions w x y z that turn their axes to those of the world.
    """
    pieces = []
    for name, shape, at, q in (("a", a, at_a, rotation_a), ("b", b, at_b, rotation_b)):
        element = f"separating_move(), shape {name}"
        place = check_vector(element, "at", at, "m"), check_quaternion(element, "rotation", q)
        pieces.append(list(pieces_of(element, shape, *place)))
    return part_pieces("separating_move()", *pieces)


def part_pieces(element: str, a: Sequence[Piece], b: Sequence[Piece]) -> WayOut:
    """The same for pieces that are placed in the world."""
    if not a or not b:
        raise InputError(element, "a body without shapes that collide", "two that have some", "Give it a shape.")
    around = _way_out(element, a, b, True)
    if not any(is_curved(piece) for piece in (*a, *b)):
        return around
    inside = _way_out(element, a, b, False)
    return around._replace(least=min(inside.least, around.depth))


def _way_out(element: str, a: Sequence[Piece], b: Sequence[Piece], outside: bool) -> WayOut:
    A, B = ([polytope(element, piece, outside) for piece in pieces] for pieces in (a, b))
    return way_out(A, B)
