"""Any number of curves as arrays, and what runs on them compiled: point, frame, nearest point.

    c(s)       point [m] at the arc length s [m], with its derivatives c', c''
    n1, n2     unit vectors across the tangent t = c' / |c'|, continuous along the whole curve
    foot       the s near a guess where (p - c) . c' = 0

Along a closed curve s runs on over any number of turns. An open curve goes on straight beyond its ends, with constant
n1 and n2; there c'' and the derivatives of n1 and n2 jump to zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelenk.checks import check_vector
from gelenk.compile import helper
from gelenk.geometry.curve import Curve
from gelenk.math.vec3 import Vec3, vec3

FOOT_STEPS = 60  # most evaluations of a search; two or three from the last foot
# A Newton step of this share of the mean spacing leaves an error of its square, 1e-15: round-off.
FOOT_STEP = 3e-8
# The squared distance may grow by this share through rounding alone.
FOOT_SLACK = 1e-12
# Least second derivative of half the squared distance, as a share of the metric; 0 where p is a centre of curvature.
FOOT_FLAT = 1e-3
MOST_TURNS = 1e15  # beyond, the place within a turn has no digit left

SEARCH_WIDTH = 1e-3  # of the mean spacing: then Newton finds the rest
SEARCH_MOST = 4096  # intervals kept, of places that are equally near


class Curves(NamedTuple):
    """Curves one after the other; the segments of curve k are first[k] .. first[k + 1] - 1."""

    first: np.ndarray  # (k + 1,) uint32
    closed: np.ndarray  # (k,) bool
    length: np.ndarray  # (k,) [m]
    start: np.ndarray  # (n,) s where the segment begins [m]
    table: np.ndarray  # (n,) uint32: the segment, counted in its curve, in which the i-th of n equal parts begins
    course: np.ndarray  # (n, 4, 3) coefficients of the powers of s - start
    normal: np.ndarray  # (n, 4, 3) the same for the normal field N


def pack_curves(curves: Sequence[Curve]) -> Curves:
    """All curves as arrays; there may be none."""
    splines = [curve.spline for curve in curves]
    counts = [len(spline.point) for spline in splines]
    parts = [spline.knots[-1] * (np.arange(n) / n) for spline, n in zip(splines, counts)]
    found = [np.searchsorted(spline.knots, part, side="right") - 1 for spline, part in zip(splines, parts)]
    return Curves(
        np.concatenate(([0], np.cumsum(counts))).astype(np.uint32),
        np.array([curve.closed for curve in curves], dtype=np.bool_),
        np.array([curve.length for curve in curves], dtype=np.float64),
        np.concatenate([np.empty(0), *(spline.knots[:-1] for spline in splines)]),
        np.concatenate([np.empty(0), *found]).astype(np.uint32),
        np.concatenate([np.empty((0, 4, 3)), *(spline.point for spline in splines)]),
        np.concatenate([np.empty((0, 4, 3)), *(spline.normal for spline in splines)]),
    )


@helper
def _place(curves, k, s):
    """Segment i, place x = s - start[i] in it, and how far s lies beyond the ends of an open curve.

    A table of equal parts bounds the segment, which is then found by halving, mostly at once. Not-a-number stays so
    and finds a segment that exists.
    """
    first, end = np.int64(curves.first[k]), np.int64(curves.first[k + 1])
    length = curves.length[k]
    share, beyond = s / length, 0.0
    if curves.closed[k]:
        if abs(share) < MOST_TURNS:
            turns = math.floor(share)
            share -= turns
            s -= length * turns
    elif s < 0.0:
        beyond, s = s, 0.0
    elif s > length:
        beyond, s = s - length, length
    i = last = first if not share >= 1.0 else end - 1
    if 0.0 < share < 1.0:
        part = first + int(share * (end - first))
        i = first + np.int64(curves.table[part])
        last = first + np.int64(curves.table[part + 1]) if part + 1 < end else end - 1
    while i < last:
        middle = (i + last + 1) >> 1
        if s >= curves.start[middle]:
            i = middle
        else:
            last = middle - 1
    return i, s - curves.start[i], beyond


@helper
def _row3(A, i, j):
    return Vec3(A[i, j, 0], A[i, j, 1], A[i, j, 2])


@helper
def _cubic(A, i, x):
    """Value and two derivatives of  a0 + a1 x + a2 x^2 + a3 x^3,  whose coefficients are A[i]."""
    a1, a2, a3 = _row3(A, i, 1), _row3(A, i, 2), _row3(A, i, 3)
    value = _row3(A, i, 0) + (a1 + (a2 + a3 * x) * x) * x
    return value, a1 + (a2 * 2.0 + a3 * (3.0 * x)) * x, a2 * 2.0 + a3 * (6.0 * x)


@helper
def curve_point(curves, k, s):
    """Point c and its derivatives c', c'' by s, of curve k at the arc length s [m]; |c'| is near 1, not 1."""
    i, x, beyond = _place(curves, k, s)
    c, c1, c2 = _cubic(curves.course, i, x)
    if beyond != 0.0:
        c, c2 = c + c1 * beyond, Vec3(0.0, 0.0, 0.0)
    return c, c1, c2


@helper
def curve_frame(curves, k, s):
    """Unit normals n1, n2 = t x n1 and their derivatives by s, of curve k at the arc length s [m].

    t   = c' / |c'|                  t'  = (c'' - t (t . c'')) / |c'|
    m   = N - t (t . N)              m'  = N' - t' (t . N) - t (t' . N + t . N')
    n1  = m / |m|                    n1' = (m' - n1 (n1 . m')) / |m|
    n2  = t x n1                     n2' = t' x n1 + t x n1'

    N is the packed field of normals, so that n1 turns about t as little as it can.
    """
    i, x, beyond = _place(curves, k, s)
    _, c1, c2 = _cubic(curves.course, i, x)
    N, dN, _ = _cubic(curves.normal, i, x)
    if beyond != 0.0:
        c2 = dN = Vec3(0.0, 0.0, 0.0)
    rate = 1.0 / c1.norm()
    t = c1 * rate
    dt = (c2 - t * (t @ c2)) * rate
    along = t @ N
    m = N - t * along
    dm = dN - dt * along - t * (dt @ N + t @ dN)
    size = 1.0 / m.norm()
    n1 = m * size
    dn1 = (dm - n1 * (n1 @ dm)) * size
    return n1, t.cross(n1), dn1, dt.cross(n1) + t.cross(dn1)


@helper
def curve_bend(curves, k, s):
    """Rotation D of the frame (t, n1, n2) per length, and its derivative by s, in the axes of the curve.

    D  = t x t' + t (n1'.n2)        D' = t x t'' + t' (n1'.n2) + t (n1'.n2)'

    with, for m = N - t (t.N) and n1 = m / |m| as in :func:`curve_frame`,

    n1'.n2 = m'.n2 / |m|            (n1'.n2)' = (m''.n2 + m'.n2') / |m| - m'.n2 (n1.m') / |m|^2
    """
    i, x, beyond = _place(curves, k, s)
    _, c1, c2 = _cubic(curves.course, i, x)
    N, dN, ddN = _cubic(curves.normal, i, x)
    c3 = _row3(curves.course, i, 3) * 6.0
    if beyond != 0.0:
        c2 = c3 = dN = ddN = Vec3(0.0, 0.0, 0.0)
    rate = 1.0 / c1.norm()
    t = c1 * rate
    across = c2 - t * (t @ c2)
    dt = across * rate
    ddt = (c3 - dt * (t @ c2) - t * (dt @ c2 + t @ c3)) * rate - across * (rate * rate * (t @ c2))
    along, d_along = t @ N, dt @ N + t @ dN
    m = N - t * along
    dm = dN - dt * along - t * d_along
    ddm = ddN - ddt * along - dt * (2.0 * d_along) - t * (ddt @ N + 2.0 * (dt @ dN) + t @ ddN)
    size = 1.0 / m.norm()
    n1 = m * size
    n2 = t.cross(n1)
    dn2 = dt.cross(n1) + t.cross((dm - n1 * (n1 @ dm)) * size)
    roll = (dm @ n2) * size
    d_roll = (ddm @ n2 + dm @ dn2) * size - roll * size * (n1 @ dm)
    return t.cross(dt) + t * roll, t.cross(ddt) + dt * roll + t * d_roll


@helper
def curve_foot(curves, k, p, s_guess):
    """Arc length [m] of the point of curve k nearest to p, searched from a guess; near it, also over several turns.

        min 1/2 |p - c(s)|^2:     ds = (p - c) . c' / | |c'|^2 - (p - c) . c'' |

    Newton's step; the denominator without its sign, which is negative where p lies beyond the centre of curvature,
    so that every step leads downhill. No step turns by more than a radian at the present curvature or passes a
    quarter of a closed curve, and one that leads away is halved. Exact to round-off, unless p is a centre of
    curvature, where every s nearby is as good. It stays where it is if the guess is the farthest point.

    Source: J. Nocedal, S. Wright, Numerical Optimization, 3.4 (Newton's method with a modified Hessian).
    """
    spacing = curves.length[k] / (np.int64(curves.first[k + 1]) - np.int64(curves.first[k]))
    s, step = s_guess, 0.0
    nearest2 = math.inf
    for _ in range(FOOT_STEPS):
        c, c1, c2 = curve_point(curves, k, s + step)
        d = p - c
        distance2 = d @ d
        if distance2 > nearest2 * (1.0 + FOOT_SLACK):
            step *= 0.5
            continue
        s += step
        nearest2 = distance2
        metric = c1 @ c1
        step = (d @ c1) / max(abs(metric - d @ c2), FOOT_FLAT * metric)
        if not abs(step) > FOOT_STEP * spacing:
            return s + step
        if step * step * (c2 @ c2) > metric:
            step = math.copysign(math.sqrt(metric / (c2 @ c2)), step)
        if curves.closed[k] and abs(step) > 0.25 * curves.length[k]:
            step = math.copysign(0.25 * curves.length[k], step)
    return s


def nearest_on_curve(curve: Curve, p: Sequence[float]) -> float:
    """Arc length [m] of the point of the whole curve, ends included, that is nearest to p; one of them if several are.

    Intervals are halved, and dropped when none of their points can be nearer than the nearest found:
    |p - c(s)| changes at most by  max |c'|  a metre. Then :func:`curve_foot` from the best one.
    """
    target = np.array(check_vector("nearest_on_curve", "p", p, "m"))
    knots, a = curve.spline.knots, curve.spline.point
    # c' is a parabola in every segment, and lies within the triangle of its Bezier points
    h = np.diff(knots)[:, None]
    hull = np.stack((a[:, 1], a[:, 1] + a[:, 2] * h, a[:, 1] + (2.0 * a[:, 2] + 3.0 * a[:, 3] * h) * h))
    fastest = np.linalg.norm(hull, axis=-1).max()

    half = 0.5 * curve.length / len(h)
    s = half * (2.0 * np.arange(len(h)) + 1.0)
    while True:
        distance = np.linalg.norm(curve.at(s) - target, axis=1)
        kept = np.flatnonzero(distance - fastest * half <= distance.min())
        kept = np.sort(kept[np.argsort(distance[kept], kind="stable")[:SEARCH_MOST]])
        s, distance = s[kept], distance[kept]
        if half * len(h) <= SEARCH_WIDTH * curve.length:
            break
        half *= 0.5
        s = (s[:, None] + [-half, half]).ravel()
    guess = float(s[np.argmin(distance)])
    foot = float(curve_foot(pack_curves([curve]), 0, vec3(target), guess))
    foot = foot % curve.length if curve.closed else min(max(foot, 0.0), curve.length)
    places = np.array([foot, guess, 0.0, curve.length])
    return float(places[np.argmin(np.linalg.norm(curve.at(places) - target, axis=1))])
