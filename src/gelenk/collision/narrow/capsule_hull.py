"""Capsule against convex hull: V-Clip with the axis as a polyhedron of one edge (H-63..H-71, I-087, I-091)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.closest import Foot
from gelenk.collision.hull_manifold import facing_face
from gelenk.collision.narrow.ball import put_ball, put_round
from gelenk.collision.narrow.capsule import SHORT, SLANT, cut, farther, half_axis, place_of_two, place_on_axis
from gelenk.collision.narrow.hull_hull import still_apart
from gelenk.collision.polyhedra import SEGMENT_ROW, put_segment
from gelenk.collision.region_lines import OFF
from gelenk.collision.solid import HULL, Solid
from gelenk.collision.vclip import vclip
from gelenk.collision.vclip_features import EDGE, FACE, VERTEX, along, face_normal, feature, index_of, kind_of
from gelenk.collision.vclip_point import nearest_feature
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

FLAT = 0.995  # cosine (5.7 degrees) between n and a face up to which the axis lies over the face
PARALLEL = 0.015  # sine of the angle up to which an edge and the axis lie along each other
SAME = 1e-9  # of the axis: distances closer than this are the same


class Over(NamedTuple):
    """Part of the axis that lies over a face or along an edge of the hull, from -1 to 1 along the axis."""

    low: float
    high: float
    d_low: float  # distance there, without the radius [m]
    d_high: float
    feature: int  # of the hull
    aside_low: float  # how far beside the axis the place is there, along n x axis [m]
    aside_high: float


@routine
def capsule_hull(A, B, r, margin, tables, memory, work, out):
    """The closest points, or the deepest ones; a second one where the capsule lies along a face or an edge.

    ``work.clip`` is a :class:`ClipSpace`. For V-Clip the hull comes first and n points from it to the axis.
    """
    space, hulls, radius = work.clip, tables.hulls, A.size.x
    if A.size.z == 0.0:
        near = nearest_feature(hulls, B.table, B.R.tdot(-r), memory.features[0])
        memory.features[0] = near.X
        return put_ball(out, A, B, r, Foot(near.d, near.n, near.X), margin)
    small = space.small
    put_segment(small, Vec3(0.0, 0.0, A.size.z))
    segment = Solid(HULL, SEGMENT_ROW, A.R, A.size)
    if still_apart(B, segment, -r, margin + radius, hulls, small, memory):
        return 0
    closest = vclip(B, segment, -r, hulls, small, memory, space.trace)
    n, X = closest.n, closest.X
    away = closest.d > margin + radius
    keep = 1.0 if away else 0.0
    memory.guess[0], memory.guess[1], memory.guess[2] = keep * n.x, keep * n.y, keep * n.z
    if away:
        return 0
    half = half_axis(A)
    t = min(max(((closest.a + n * closest.d + r) @ half) / (half @ half), -1.0), 1.0)
    if abs(half @ n) <= SLANT * A.size.z:
        over = along_hull(hulls, X, B.R.tdot(-r), B.R.tdot(half), B.R.tdot(n), radius)
        slack = SAME * A.size.z
        if kind_of(over.feature) == FACE and over.high > over.low and min(over.d_low, over.d_high) <= closest.d + slack:
            t = over.low if over.d_low <= over.d_high + slack else over.high
        other = farther(t, over.low, over.high)
        if over.high - over.low > SHORT and abs(other - t) > SHORT:
            lower = other == over.low
            d = max(over.d_low if lower else over.d_high, closest.d)
            end = half * other + across(n, half) * (over.aside_low if lower else over.aside_high)
            place, second = place_of_two(t, other), place_of_two(other, t)
            count = put_round(out, 0, half * t, radius, 0.0, closest.d, -n, r, margin, place, over.feature)
            return put_round(out, count, end, radius, 0.0, d, -n, r, margin, second, over.feature)
    return put_round(out, 0, half * t, radius, 0.0, closest.d, -n, r, margin, place_on_axis(t), X)


@routine
def along_hull(hulls, X, p, h, n, radius):
    """Part of the axis from p - h to p + h along what of the hull looks along n, hull axes; X: its closest feature."""
    f = facing_face(hulls, X, n)
    if face_normal(hulls, f) @ n > FLAT:
        return over_face(hulls, f, p, h, n)
    e = np.int64(-1)
    if kind_of(X) == EDGE:
        e = index_of(X)
    elif kind_of(X) == VERTEX:
        e = edge_along(hulls, index_of(X), h)
    if e >= 0:
        w = along(hulls, e).cross(h)
        u = along(hulls, e)
        if w @ w <= PARALLEL * PARALLEL * (u @ u) * (h @ h):
            return over_edge(hulls, e, p, h, n, radius)
    return Over(0.0, 0.0, math.inf, math.inf, X, 0.0, 0.0)


@helper
def over_face(hulls, f, p, h, n):
    """Over a face, seen along n: its sides cut off what lies beyond them."""
    face = hulls.face[f]
    low, high = -1.0, 1.0
    a = get3(hulls.vertex, hulls.loop[np.int64(face.last) - 1])
    for k in range(np.int64(face.first), np.int64(face.last)):
        b = get3(hulls.vertex, hulls.loop[k])
        inward = n.cross(b - a)
        low, high = cut(low, high, (p - a) @ inward, h @ inward)
        a = b
    m = face_normal(hulls, f)
    height, rise, k = m @ p - face.d, m @ h, 1.0 / (m @ n)
    return Over(low, high, k * (height + rise * low), k * (height + rise * high), feature(FACE, f), 0.0, 0.0)


@helper
def across(n, h):
    """Unit vector along  n x h."""
    w = n.cross(h)
    return w * (1.0 / w.norm())


@helper
def part_within(z, aside, z_other, aside_other, most):
    """Where from the place z on toward another two lines are at most so far beside each other, and how far; beyond the
    other one if nowhere.
    """
    if abs(aside) <= most:
        return z, aside
    bound = math.copysign(most, aside)
    if not (aside - bound) * (aside_other - bound) < 0.0:
        return z_other, aside_other
    return z + (z_other - z) * ((aside - bound) / (aside - aside_other)), bound


@helper
def over_edge(hulls, e, p, h, n, radius):
    """Along an edge that is nearly parallel: the common part seen along n, as far as the lines are close.

    A place between them, x beside the axis and y beside the edge, is off both by a tolerance t at most
    (:mod:`gelenk.collision.region_lines`):  x <= max(t, sqrt(2 radius t)),  y <= t.
    """
    a, u = get3(hulls.vertex, hulls.edge[e].tail), along(hulls, e)
    s0, rate = ((a - p) @ h) / (h @ h), (u @ h) / (h @ h)  # place on the axis of the tail, and how it goes on
    low, high = max(min(s0, s0 + rate), -1.0), min(max(s0, s0 + rate), 1.0)
    side = across(n, h)
    aside_low = (a + u * ((low - s0) / rate) - p) @ side
    aside_high = (a + u * ((high - s0) / rate) - p) @ side
    y = OFF * (h.norm() + radius)
    x = max(y, math.sqrt(2.0 * radius * y))
    first, first_aside = part_within(low, aside_low, high, aside_high, x + y)
    last, last_aside = part_within(high, aside_high, low, aside_low, x + y)
    d_first = (p + h * first - a - u * ((first - s0) / rate)) @ n
    d_last = (p + h * last - a - u * ((last - s0) / rate)) @ n
    share = x / (x + y)
    return Over(first, last, d_first, d_last, feature(EDGE, e), first_aside * share, last_aside * share)


@helper
def edge_along(hulls, v, h):
    """Edge of a vertex that goes most along h."""
    best, most = np.int64(-1), -1.0
    for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
        u = along(hulls, np.int64(hulls.fan[k]))
        c = (u @ h) * (u @ h) / (u @ u)
        if c > most:
            best, most = np.int64(hulls.fan[k]), c
    return best
