"""Smooth space curves through points: a cubic spline over arc length, with a frame that twists as little as it can.

A curve is data: its points and whether it closes. Everything else follows from them and is kept beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import Vector, check_count, check_number, check_table, check_vector
from gelenk.errors import InputError
from gelenk.geometry.mass import FloatArray

# Neighbours nearer than this share of the extent differ by rounding alone, and give no direction.
SAME_POINT = 1e-12
# Coordinates above this [m] are refused, so that no square or cube of them overflows.
FARTHEST = 1e100
# The spacing of the knots has settled when it agrees with the arc lengths to this share. Passes shrink the difference
# by 5 to 100 on smooth points and by 2 on coarse ones.
SETTLED = 1e-11
PASSES = 60
# Slowest speed |c'|, and shortest part of the normal field across the tangent, that still give a direction. Below the
# first the curve is a cusp: it turns within 1e-4 of its spacing, since the radius is |c'|^2 / |c''|.
SLOWEST = 0.01
FLATTEST = 0.05
STEPS = 8  # of the double reflection between two knots
CHECKS = 32  # places between two knots where the curve is checked

GAUSS_X, GAUSS_W = np.polynomial.legendre.leggauss(8)  # exact for |c'| up to degree 15 in each segment


class CurveSpline(NamedTuple):
    """The polynomials of a curve; in segment i with  x = s - knots[i]:  c = a0 + a1 x + a2 x^2 + a3 x^3."""

    knots: FloatArray  # (n + 1,) arc length at the points, from 0 to the length [m]
    point: FloatArray  # (n, 4, 3) coefficients a0 .. a3 of c
    normal: FloatArray  # (n, 4, 3) the same for the normal field N


@dataclass(frozen=True)
class Curve:
    """Cubic spline with continuous second derivative through points, over its arc length s.

    The knots are the arc lengths of the curve itself at its points (chord lengths, refined until they settle), so
    every segment has its true length, and ``length`` is that of the curve. In between  |c'| = 1 + O(h^3)  for spacing
    h: within 2e-3 on a circle of 8 points, 1e-4 of 16, 6e-6 of 32; within 0.4 % at the ends of a helix of 16 points a
    turn. Nothing relies on |c'| = 1.

    Open curves have not-a-knot ends, of fourth order up to the end; if the points are too uneven for their knots to
    settle, natural ends. Beyond its ends an open curve goes on straight; there c'' jumps. Closed curves are periodic.

    A field of normals goes with it: rotation-minimising, begun as near to z as it can (to x where the curve starts
    along z); on a closed curve the twist that is left after one turn is spread evenly, so that it closes.

    Sources: C. de Boor, A Practical Guide to Splines, IV; W. Wang, B. Juettler, D. Zheng, Y. Liu, Computation of
    rotation minimizing frames, ACM Trans. Graphics 27 (2008), for the double reflection.

    Parameters
    ----------
    points : (n, 3) [m]
        At least 3, at least 4 if closed; a closed curve does not repeat its first point.
    closed : bool
        Whether the last point is followed by the first.
    """

    kind: ClassVar[str] = "curve"
    points: tuple[Vector, ...]
    closed: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "closed", check_flag(self.kind, "closed", self.closed))
        object.__setattr__(self, "points", _check_points(self.points, self.closed))
        _ = self.spline  # refuses what turns too sharply

    @classmethod
    def along(
        cls, function: Callable[[float], Sequence[float]], start: float, end: float, count: int, *, closed: bool = False
    ) -> Curve:
        """Curve through ``count`` points  function(t) = (x, y, z) [m],  t evenly from ``start`` to ``end``.

        A closed one leaves out t = ``end``, where the function is back at its start.
        """
        check_function(cls.kind, function, "function(t) -> (x, y, z)")
        first, last = check_number(cls.kind, "start", start, "1"), check_number(cls.kind, "end", end, "1")
        count = check_count(cls.kind, "count", count, least=3, most=1_000_000)
        closed = check_flag(cls.kind, "closed", closed)
        t = np.linspace(first, last, count, endpoint=not closed)
        return cls(tuple(check_vector(cls.kind, f"function({x})", function(x), "m") for x in t.tolist()), closed)

    @cached_property
    def spline(self) -> CurveSpline:
        """Knots and polynomials."""
        knots, point = _fit(np.array(self.points), self.closed)
        s = np.append(_places(knots, CHECKS), knots[-1])
        rate = _value(knots, point, s, 1)
        _check_turns(rate, SLOWEST)
        normal = _normals(knots, point, self.closed)
        N, t = _value(knots, normal, s), _unit(rate)
        _check_turns(N - t * _dot(N, t), FLATTEST)
        for array in (knots, point, normal):
            array.flags.writeable = False
        return CurveSpline(knots, point, normal)

    @property
    def length(self) -> float:
        """Arc length [m]; for a closed curve of one turn."""
        return float(self.spline.knots[-1])

    def at(self, s: ArrayLike) -> FloatArray:
        """Points (..., 3) [m] at arc lengths s (...) [m]."""
        inside, beyond = self._inside(s)
        a = self.spline
        return _value(a.knots, a.point, inside) + beyond * _value(a.knots, a.point, inside, 1)

    def tangent(self, s: ArrayLike) -> FloatArray:
        """Unit tangents (..., 3) at arc lengths s (...) [m]."""
        inside, _ = self._inside(s)
        return _unit(_value(self.spline.knots, self.spline.point, inside, 1))

    def normal(self, s: ArrayLike) -> FloatArray:
        """Unit normals n1 (..., 3) of the frame at arc lengths s (...) [m];  n2 = tangent x n1."""
        inside, _ = self._inside(s)
        return _across(_value(self.spline.knots, self.spline.normal, inside), self.tangent(inside))

    def _inside(self, s: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Arc length within the curve, and how far the place lies beyond its ends, the latter as (..., 1)."""
        s = np.asarray(s, dtype=np.float64)
        inside = s - self.length * np.floor(s / self.length) if self.closed else np.clip(s, 0.0, self.length)
        return inside, (np.zeros_like(s) if self.closed else s - inside)[..., None]


def check_flag(element: str, what: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(element, f"{what} is {value!r}", "true or false", "Pass a bool.")
    return bool(value)


def check_function(element: str, function: Any, form: str) -> None:
    """Something that can be called."""
    if not callable(function):
        raise InputError(element, f"function is {function!r}", form, "Pass the function itself.")


def _check_points(points: Any, closed: bool) -> tuple[Vector, ...]:
    table = check_table("curve", "points", points, 3, "m")
    least = 4 if closed else 3
    if len(table) < least:
        allowed = f"at least {least} points" + (" for a closed curve" if closed else "")
        raise InputError("curve", f"it has {len(table)} points", allowed, "Give more points.")
    extent = np.abs(table).max()
    if not extent <= FARTHEST:
        allowed = f"coordinates up to {FARTHEST:g} [m]"
        raise InputError("curve", f"a coordinate is {extent:g}", allowed, "Give the points in metres.")
    through = np.vstack((table, table[:1])) if closed else table
    same = np.linalg.norm(np.diff(through, axis=0), axis=1) <= SAME_POINT * np.ptp(table, axis=0).max()
    if same.any():
        i = int(np.argmax(same))
        last = closed and i == len(table) - 1
        raise InputError(
            "curve",
            f"points {i} and {0 if last else i + 1} are the same",
            "neighbours that differ",
            "Leave out the last point: a closed curve returns by itself." if last else "Leave out one of them.",
        )
    return tuple((x, y, z) for x, y, z in table.tolist())


def _check_turns(v: FloatArray, least: float) -> None:
    """Refuse a curve on which a vector, given at all places of the check, comes nearer to zero than ``least``."""
    # from place to place v runs nearly along a chord; its point nearest to the origin may lie in between
    chord = np.diff(v, axis=0)
    share = np.clip(-_dot(v[:-1], chord) / np.maximum(_dot(chord, chord), np.finfo(np.float64).tiny), 0.0, 1.0)
    small = ~(np.linalg.norm(v[:-1] + share * chord, axis=1) >= least)
    if small.any():
        place = int(np.argmax(small)) / CHECKS
        raise InputError(
            "curve",
            f"it turns back too sharply near point {round(place) % (len(chord) // CHECKS + 1)}",
            "a curve that turns gradually from point to point",
            "Round the turn by more points, or give them more evenly.",
        )


def _fit(points: FloatArray, closed: bool) -> tuple[FloatArray, FloatArray]:
    """Knots (n + 1,) and coefficients (n, 4, 3) of the spline through the points over its own arc length."""
    if closed:
        knots, coefficients, _ = _fit_ends(np.vstack((points, points[:1])), "periodic")
        return knots, coefficients
    knots, coefficients, settled = _fit_ends(points, "not-a-knot")
    if not settled:
        knots, coefficients, _ = _fit_ends(points, "natural")
    return knots, coefficients


def _fit_ends(points: FloatArray, ends: str) -> tuple[FloatArray, FloatArray, bool]:
    """Fit, measure every segment by Gauss' rule, take what was measured as its spacing, and fit again."""
    from scipy.interpolate import CubicSpline

    spacing = np.linalg.norm(np.diff(points, axis=0), axis=1)
    change, before = np.inf, np.inf
    for _ in range(PASSES):
        knots = np.concatenate(([0.0], np.cumsum(spacing)))
        coefficients = CubicSpline(knots, points, bc_type=ends).c[::-1].transpose(1, 0, 2).copy()
        s = knots[:-1, None] + spacing[:, None] * (0.5 * (GAUSS_X + 1.0))
        speed = np.linalg.norm(_polynomial(coefficients[:, None], s - knots[:-1, None], 1), axis=-1)
        arc = 0.5 * spacing * (speed @ GAUSS_W)
        change, before = float(np.abs(arc / spacing - 1.0).max()), change
        if change <= SETTLED or change >= 2.0 * before:
            break
        spacing = arc
    return knots, coefficients, change <= SETTLED


def _normals(knots: FloatArray, point: FloatArray, closed: bool) -> FloatArray:
    """Coefficients (n, 4, 3) of the normal field N: cubics by value and slope at the knots.

    The values come by double reflection. One step from (c, t) to (c*, t*): reflect the normal in the plane that halves
    c c*, then in the plane that halves the reflected t and t*. Both are linear, so a step is a matrix. The slopes are
    those of a frame with twist rate w, which is 0 for open curves:

        n' = -(n . t') t + w t x n
    """
    s = np.append(_places(knots, STEPS), knots[-1])
    c, t = _value(knots, point, s), _unit(_value(knots, point, s, 1))
    first = _reflections(np.diff(c, axis=0))
    second = _reflections(t[1:] - np.einsum("kij,kj->ki", first, t[:-1]))
    up = np.array([0.0, 0.0, 1.0]) if abs(t[0, 2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    normals = [_across(up, t[0])]
    for step in np.einsum("kij,kjl->kil", second, first):
        normals.append(step @ normals[-1])
    n, t, twist = _across(np.array(normals)[::STEPS], t[::STEPS]), t[::STEPS], 0.0
    if closed:
        left = np.arctan2(np.cross(n[0], n[-1]) @ t[0], n[0] @ n[-1])
        twist = -left / knots[-1]
        angle = twist * knots[:, None]
        n = n * np.cos(angle) + np.cross(t, n) * np.sin(angle)
    speed = np.linalg.norm(_value(knots, point, knots, 1), axis=1, keepdims=True)
    bend = _value(knots, point, knots, 2) / speed
    slope = twist * np.cross(t, n) - _dot(n, bend) * t
    if closed:
        n[-1], slope[-1] = n[0], slope[0]
    h = np.diff(knots)[:, None]
    rise = np.diff(n, axis=0) / h
    square = (3.0 * rise - 2.0 * slope[:-1] - slope[1:]) / h
    cube = (slope[:-1] + slope[1:] - 2.0 * rise) / (h * h)
    return np.stack((n[:-1], slope[:-1], square, cube), axis=1)


def _reflections(v: FloatArray) -> FloatArray:
    """Matrices  1 - 2 v v^T / v.v  (k, 3, 3) of the reflections along v (k, 3); none where v is zero."""
    v = v / np.maximum(np.abs(v).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    vv = np.maximum(_dot(v, v), 1.0)
    return np.eye(3) - (2.0 / vv[..., None]) * v[:, :, None] * v[:, None, :]


def _places(knots: FloatArray, count: int) -> FloatArray:
    """``count`` places in every segment, from its first knot on."""
    return (knots[:-1, None] + np.diff(knots)[:, None] * (np.arange(count) / count)).ravel()


def _value(knots: FloatArray, coefficients: FloatArray, s: FloatArray, order: int = 0) -> FloatArray:
    """Value or derivative (..., 3) of a spline at places s within its knots."""
    i = np.clip(np.searchsorted(knots, s, side="right") - 1, 0, len(coefficients) - 1)
    return _polynomial(coefficients[i], s - knots[i], order)


def _polynomial(a: FloatArray, x: FloatArray, order: int) -> FloatArray:
    x = x[..., None]
    if order == 0:
        return a[..., 0, :] + x * (a[..., 1, :] + x * (a[..., 2, :] + x * a[..., 3, :]))
    if order == 1:
        return a[..., 1, :] + x * (2.0 * a[..., 2, :] + x * (3.0 * a[..., 3, :]))
    return 2.0 * a[..., 2, :] + x * (6.0 * a[..., 3, :])


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return (a * b).sum(axis=-1, keepdims=True)


def _unit(a: FloatArray) -> FloatArray:
    return a / np.linalg.norm(a, axis=-1, keepdims=True)


def _across(N: FloatArray, t: FloatArray) -> FloatArray:
    """Unit part of N across the unit tangent t."""
    return _unit(N - t * _dot(N, t))
