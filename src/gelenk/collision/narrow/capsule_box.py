"""Capsule against box."""

from __future__ import annotations

import math

from gelenk.collision.closest import segment_box
from gelenk.collision.narrow.ball import put_round
from gelenk.collision.narrow.box import clamp_to_box, coordinate, face_id, largest, place_id, turn_back, turn_to
from gelenk.collision.narrow.box_gap import Gap
from gelenk.collision.narrow.capsule import SHORT, SLANT, farther, half_axis, place_of_two, place_on_axis
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

MEETS = 1e-10  # of the size: an axis closer to the box than this meets it
FLAT = 0.995  # cosine (5.7 degrees) from which on a normal belongs to a face


@helper
def gap_across(best, axis, px, py, hx, hy, ax, ay):
    """The better of ``best`` and the gap along e x h, e the edge of the box along z and h the half axis."""
    size = math.sqrt(hx * hx + hy * hy)
    gap = abs(hx * py - hy * px) - ax * abs(hy) - ay * abs(hx)
    return Gap(gap / size, axis) if size > 0.0 and gap > best.gap * size else best


@helper
def axis_in_box(p, h, size):
    """Least depth of a segment in a box over the six normals of their sum: gap, outward normal, place.

    Three are those of faces; the others are perpendicular to the segment and to an edge.
    """
    best = Gap(abs(p.x) - abs(h.x) - size.x, 0)
    gap = abs(p.y) - abs(h.y) - size.y
    best = Gap(gap, 1) if gap > best.gap else best
    gap = abs(p.z) - abs(h.z) - size.z
    best = Gap(gap, 2) if gap > best.gap else best
    best = gap_across(best, 3, p.y, p.z, h.y, h.z, size.y, size.z)
    best = gap_across(best, 4, p.z, p.x, h.z, h.x, size.z, size.x)
    best = gap_across(best, 5, p.x, p.y, h.x, h.y, size.x, size.y)
    axis = best.axis % 3
    q, g, s = turn_to(p, axis), turn_to(h, axis), turn_to(size, axis)
    if best.axis < 3:
        sign = 1.0 if q.z >= 0.0 else -1.0
        n = Vec3(0.0, 0.0, sign)
        t = -math.copysign(1.0, g.z * sign)
    else:
        across = math.sqrt(g.x * g.x + g.y * g.y)
        n = Vec3(-g.y / across, g.x / across, 0.0)
        if n.x * q.x + n.y * q.y < 0.0:
            n = -n
        # closest to the edge that looks along n
        x, y = math.copysign(s.x, n.x) - q.x, math.copysign(s.y, n.y) - q.y
        t = min(max((x * g.x + y * g.y) / (across * across), -1.0), 1.0)
    return best.gap, turn_back(n, axis), t


@helper
def over_face(p, h, size):
    """Part of a segment above the rectangle |x| <= size.x, |y| <= size.y."""
    low, high = -1.0, 1.0
    if h.x != 0.0:
        low = max(low, min((size.x - p.x) / h.x, (-size.x - p.x) / h.x))
        high = min(high, max((size.x - p.x) / h.x, (-size.x - p.x) / h.x))
    elif abs(p.x) > size.x:
        high = low
    if h.y != 0.0:
        low = max(low, min((size.y - p.y) / h.y, (-size.y - p.y) / h.y))
        high = min(high, max((size.y - p.y) / h.y, (-size.y - p.y) / h.y))
    elif abs(p.y) > size.y:
        high = low
    return low, high


@routine
def capsule_box(A, B, r, margin, hulls, out):
    """The point of the axis closest to the box, or deepest in it; a second one if the capsule lies along a face."""
    half = half_axis(A)
    p, h, size = B.R.tdot(-r), B.R.tdot(half), B.size
    total = h.norm() + size.x + size.y + size.z
    t = segment_box(p, h, size)
    x = p + h * t
    w = x - clamp_to_box(x, size)
    distance = w.norm()
    if distance - A.size.x > margin:
        return 0
    if distance > MEETS * total:
        m, feature = Vec3(w.x / distance, w.y / distance, w.z / distance), place_id(x, size)
    else:
        distance, m, t = axis_in_box(p, h, size)
        feature = face_id(largest(m), coordinate(m, largest(m)))

    axis = largest(m)
    along = coordinate(m, axis)
    sign = 1.0 if along > 0.0 else -1.0
    rise = sign * coordinate(h, axis)
    low, high = 0.0, 0.0
    if abs(along) > FLAT and abs(rise) <= SLANT * h.norm():
        low, high = over_face(turn_to(p, axis), turn_to(h, axis), turn_to(size, axis))
        if high > low and abs(along) == 1.0:
            t = low if rise >= 0.0 else high
    n = -(B.R @ m)
    other = farther(t, low, high)
    if high - low <= SHORT or abs(other - t) <= SHORT:
        return put_round(out, 0, half * t, A.size.x, 0.0, distance, n, r, margin, place_on_axis(t), feature)
    face = face_id(axis, sign)
    count = put_round(out, 0, half * t, A.size.x, 0.0, distance, n, r, margin, place_of_two(t, other), face)
    height = max(sign * coordinate(p + h * other, axis) - coordinate(size, axis), distance)
    n = -(B.R @ turn_back(Vec3(0.0, 0.0, sign), axis))
    return put_round(out, count, half * other, A.size.x, 0.0, height, n, r, margin, place_of_two(other, t), face)
