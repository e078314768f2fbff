"""A smooth open surface through sections, as a shape: ground for segments, without facets (B-19, bobsleigh 8.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gelenk.arguments import friendly
from gelenk.errors import InputError
from gelenk.geometry.mass import FloatArray, MassProperties
from gelenk.geometry.shapes import Triangles
from gelenk.geometry.sheet import Sheet, sheet_grid
from gelenk.geometry.sheet_parts import grouped

SHORT = 1e-3  # [m] pieces shorter than this count as having no length
DRAWN_ACROSS = 3  # parts of a piece, as drawn
WHO = "lofted sheet"


@friendly
@dataclass(frozen=True, eq=False, repr=False, init=False)
class LoftedSheet:
    """Surface through sections that follow each other along a track; it touches segments alone (``SegmentContacts``).

    Each section is a row of pieces of degree 2 with weights, as arcs of ellipses are: three control points each, the
    last of one the first of the next. Along the track every control point, times its weight, is a cubic spline
    ("not a knot" at its ends), so that normals turn evenly; sections are met exactly, and between them a surface with
    four derivatives to  5/384 h^4 |d4S/ds4|.

    It has no thickness and no mass. Seen along the track, pieces go from left to right where its upper side is driven
    on; the normal points there. Two sheets are equal if all their numbers are.

    Parameters
    ----------
    s : (n,) [m]
        Where the sections stand along the track, rising; a patch begins where the one before ended.
    points : (n, 2 k + 1, 3) [m]
        Control points of k pieces.
    weights : (n, 2 k + 1), optional
        Positive; 1 makes each piece an arc of a parabola, or straight.
    patches : sequence of (first section, turn), optional
        Patches of their own splines. Pieces are counted from the first rim; where the turn changes from 1 to -1 those
        of the next patch go on with a number that is higher by one, and back.
    ruled : bool
        Straight from section to section, with an edge at each.
    """

    kind: ClassVar[str] = "lofted_sheet"
    s: FloatArray
    points: FloatArray
    weights: FloatArray
    patches: tuple[tuple[int, int], ...]
    ruled: bool

    def __init__(
        self,
        s: ArrayLike,
        points: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        patches: Sequence[tuple[int, int]] = ((0, 1),),
        ruled: bool = False,
    ) -> None:
        P = numbers("points", points, 3)
        if P.shape[0] < 2 or P.shape[1] < 3 or P.shape[1] % 2 == 0 or P.shape[2] != 3:
            remedy = "Give two sections or more, each with three control points for the first piece and two for others."
            raise InputError(WHO, f"points have shape {P.shape}", "(n, 2 k + 1, 3)", remedy)
        w = np.ones(P.shape[:2]) if weights is None else numbers("weights", weights, 2)
        place = numbers("s", s, 1)
        for name, values, wanted in (("weights", w, P.shape[:2]), ("s", place, P.shape[:1])):
            if values.shape != wanted:
                raise InputError(WHO, f"{name} have shape {values.shape}", f"{wanted}", "Give one for each.")
        if not (w > 0.0).all():
            raise InputError(WHO, f"a weight is {w.min():g}", "weights above 0", "Give 1 where there is no arc.")
        if not isinstance(ruled, bool):
            raise InputError(WHO, f"ruled is {ruled!r}"[:80], "true or false", "Pass a bool.")
        rows = checked_patches(patches, place)
        for name, value in (("s", place), ("points", P), ("weights", w)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "patches", rows)
        object.__setattr__(self, "ruled", ruled)

    @cached_property
    def sheet(self) -> Sheet:
        """As compiled code sees it."""
        from scipy.interpolate import CubicSpline

        begin, cubic, turn, empty = [], [], [], []
        for first, last, way in self.ranges():
            s, P, w = self.s[first:last], self.points[first:last], self.weights[first:last, :, None]
            Q = np.concatenate((w * P, w), axis=2)
            powers = straight(s, Q) if self.ruled else CubicSpline(s, Q, axis=0).c
            begin.append(s[:-1])
            cubic.append(powers[::-1].transpose(1, 2, 0, 3))
            turn.append(np.full(len(s) - 1, way))
            chord = np.linalg.norm(P[:, 2::2] - P[:, :-2:2], axis=2)
            empty.append(np.minimum(chord[:-1], chord[1:]) < SHORT)
        s = np.append(np.concatenate(begin), self.s[-1])
        metres = np.arange(math.ceil(s[-1] - s[0]) + 1) + s[0]
        first_cell = np.clip(np.searchsorted(s, metres, side="right") - 1, 0, len(s) - 2).astype(np.uint32)
        whole, bare = np.ascontiguousarray(np.concatenate(cubic)), np.concatenate(empty).astype(np.uint8)
        disc, ball, far, farther = grouped(s, whole, bare)
        found = np.zeros(len(disc), np.uint32)
        turns = np.concatenate(turn).astype(np.int64)
        return Sheet(s, whole, turns, bare, first_cell, disc, ball, far, farther, found)

    def ranges(self) -> list[tuple[int, int, int]]:
        """First section, the one behind the last, and turn of each patch."""
        ends = [*(first for first, _ in self.patches[1:]), len(self.s)]
        return [(first, end, turn) for (first, turn), end in zip(self.patches, ends)]

    def mass_properties(self, density: float) -> MassProperties:
        """Always refused: a surface without thickness has no mass properties."""
        found = f"mass properties were asked for with density {density!r}"
        raise InputError(WHO, found, "a fixed body", "Let the part not weigh, and the body be static.")

    def triangles(self, resolution: int = DRAWN_ACROSS) -> Triangles:
        """Open surface for drawing, with corners on the exact one: all sections, and so many parts of each piece."""
        across = min(max(int(resolution), 1), 32)
        v = np.arange(self.sheet.empty.shape[1] * across + 1) / across
        vertices, faces, count = [], [], 0
        for first, last, _ in self.ranges():
            s = self.s[first:last].copy()
            s[-1] = np.nextafter(s[-1], -np.inf)  # the last section belongs to this patch too
            points, normals = np.empty((len(s), len(v), 3)), np.empty((len(s), len(v), 3))
            sheet_grid(self.sheet, s, v, points, normals)
            number = count + np.arange(len(s) * len(v)).reshape(len(s), len(v))
            a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
            full = np.linalg.norm(points[:-1, 1:] - points[1:, :-1], axis=2) > SHORT
            full &= np.linalg.norm(points[:-1, 1:] - points[:-1, :-1], axis=2) > 0.0
            faces.append(np.stack((a, b, c, a, c, d), axis=2)[full].reshape(-1, 3))
            vertices.append(points.reshape(-1, 3))
            count += number.size
        return np.concatenate(vertices), np.concatenate(faces).astype(np.uint32)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LoftedSheet):
            return NotImplemented
        return self is other or self._bits == other._bits

    def __hash__(self) -> int:
        return hash(self._bits)

    def __repr__(self) -> str:
        n, across = self.points.shape[:2]
        return f"LoftedSheet({n} sections of {across // 2} pieces, s {self.s[0]:g} to {self.s[-1]:g} m)"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (np.array(self.s), np.array(self.points), np.array(self.weights), self.patches, self.ruled)

    @cached_property
    def _bits(self) -> tuple[Any, ...]:
        arrays = self.s.tobytes(), self.points.tobytes(), self.weights.tobytes()
        return self.points.shape, *arrays, self.patches, self.ruled


def _made_again(s: Any, points: Any, weights: Any, patches: Any, ruled: bool) -> LoftedSheet:
    return LoftedSheet(s, points, weights, patches=patches, ruled=ruled)


def straight(s: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Coefficients of straight lines between rows of Q, as of cubics, highest power first."""
    rate = np.diff(Q, axis=0) / np.diff(s)[:, None, None]
    return np.stack((np.zeros_like(rate), np.zeros_like(rate), rate, Q[:-1]))


def no_sheet() -> Sheet:
    """A sheet without cells, for models that have none."""
    none, disc, ball = np.zeros(0, np.uint32), np.zeros((0, 8)), np.zeros((0, 4))
    cubic, turn, empty = np.zeros((0, 3, 4, 4)), np.zeros(0, np.int64), np.zeros((0, 1), np.uint8)
    return Sheet(np.zeros(1), cubic, turn, empty, none, disc, ball, ball, ball, none)


def numbers(name: str, values: Any, axes: int) -> FloatArray:
    """A fresh array of finite numbers with so many axes."""
    try:
        found = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(WHO, f"{name} is no table of numbers", "finite numbers", "Give an array.") from None
    if found.ndim != axes or not np.isfinite(found).all():
        what = f"{name} have shape {found.shape}" if found.ndim != axes else f"{name} hold a number that is not finite"
        raise InputError(WHO, what, f"an array of {axes} axes of finite numbers", "Give s, points and weights.")
    return found


def checked_patches(patches: Any, s: FloatArray) -> tuple[tuple[int, int], ...]:
    """First sections and turns; refused if sections do not rise in a patch, or patches do not meet."""
    allowed = "rows (first section, 1 or -1), from 0 on, two sections or more in each"
    try:
        rows = tuple((int(first), int(turn)) for first, turn in patches)
    except (TypeError, ValueError):
        raise InputError(WHO, f"patches is {patches!r}"[:100], allowed, "Give e.g. ((0, 1), (40, -1)).") from None
    edges = np.array([*(first for first, _ in rows), len(s)])
    if not rows or edges[0] != 0 or (np.diff(edges) < 2).any() or any(abs(turn) != 1 for _, turn in rows):
        raise InputError(WHO, f"patches is {rows}"[:100], allowed, "Give e.g. ((0, 1), (40, -1)).")
    inner = np.delete(np.diff(s), edges[1:-1] - 1)
    if not (inner > 0.0).all():
        raise InputError(WHO, "s does not rise in a patch", "places that rise from section to section", "Sort them.")
    gap = s[edges[1:-1]] - s[edges[1:-1] - 1]
    if (gap != 0.0).any():
        k = int(np.argmax(gap != 0.0)) + 1
        found = f"patch {k} begins at {s[edges[k]]:g} m, and the one before ends at {s[edges[k] - 1]:g} m"
        raise InputError(WHO, found, "patches that meet", "Repeat the section where one ends and the next begins.")
    return rows
