"""Closest points of simple sets, exact up to round-off.

Segments are given by their middle and a half vector h: the points  t h,  -1 <= t <= 1, from the middle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.compile import helper
from gelenk.math.vec3 import Vec3

PARALLEL = 1e-24  # squared sine of the angle below which two segments do not cross


class Foot(NamedTuple):
    """A point seen from a solid: signed distance to its surface, outward normal there, and which feature is closest."""

    d: float
    n: Vec3
    feature: int


@helper
def perpendicular(v):
    """A unit vector perpendicular to v; any if v is zero."""
    if abs(v.x) <= abs(v.y) and abs(v.x) <= abs(v.z):
        w = Vec3(0.0, -v.z, v.y)
    elif abs(v.y) <= abs(v.z):
        w = Vec3(v.z, 0.0, -v.x)
    else:
        w = Vec3(-v.y, v.x, 0.0)
    size = w.norm()
    return w * (1.0 / size) if size > 0.0 else Vec3(0.0, 0.0, 1.0)


@helper
def across_unit(n):
    """A unit vector across the unit vector n."""
    if abs(n.x) < 0.6:
        s = Vec3(0.0, n.z, -n.y)
    else:
        s = Vec3(-n.z, 0.0, n.x)
    return s * (1.0 / s.norm())


@helper
def unit_or(v, instead):
    """Direction of v; ``instead`` if v is zero."""
    size = v.norm()
    return v * (1.0 / size) if size > 0.0 else instead


@helper
def point_segment(p, h):
    """Place t on a segment that is closest to the point p, seen from the middle."""
    hh = h @ h
    return min(max((p @ h) / hh, -1.0), 1.0) if hh > 0.0 else 0.0


@helper
def segment_segment(h, r, g):
    """Places x, y of the closest points x h and r + y g.

    Of the lines they are, with m = h x g,  x = (r x g) . m / m . m.  If that lies beyond an end of the first, it is the
    end; y follows from x, and if it lies beyond an end of the second, x from that end. Of lines that cannot be told
    from parallel ones, one of the four ends is the closest.
    """
    m = h.cross(g)
    mm = m @ m
    if mm > PARALLEL * (h @ h) * (g @ g):
        x = min(max(r.cross(g) @ m / mm, -1.0), 1.0)
        y = point_segment(h * x - r, g)
        return (point_segment(r + g * y, h) if abs(y) == 1.0 else x), y
    x, y = 1.0, point_segment(h - r, g)
    w = r + g * y - h
    best = w @ w
    t = point_segment(-h - r, g)
    w = r + g * t + h
    if w @ w < best:
        best, x, y = w @ w, -1.0, t
    t = point_segment(r + g, h)
    w = r + g - h * t
    if w @ w < best:
        best, x, y = w @ w, t, 1.0
    t = point_segment(r - g, h)
    w = r - g - h * t
    if w @ w < best:
        best, x, y = w @ w, t, -1.0
    return x, y


@helper
def outside(x, half):
    """How far x lies beyond -half .. half, with its sign."""
    return x - min(max(x, -half), half)


@helper
def slope(p, h, size, t):
    """Half of the derivative of the squared distance of p + t h from a box."""
    return (
        h.x * outside(p.x + t * h.x, size.x)
        + h.y * outside(p.y + t * h.y, size.y)
        + h.z * outside(p.z + t * h.z, size.z)
    )


@helper
def closer_in(p, h, size, at, way, low, high):
    """Narrow low .. high, which holds the minimum, at the place where a coordinate passes a side of the box."""
    t = at / way if way != 0.0 else math.inf
    if low < t < high:
        if slope(p, h, size, t) < 0.0:
            return t, high
        return low, t
    return low, high


@helper
def segment_box(p, h, size):
    """Place on the segment p + t h that is closest to a box, box axes.

    The squared distance is convex in t and quadratic between the at most six places where a coordinate passes a side.
    These leave one piece; there the derivative is a straight line.
    """
    low, high = -1.0, 1.0
    low, high = closer_in(p, h, size, size.x - p.x, h.x, low, high)
    low, high = closer_in(p, h, size, -size.x - p.x, h.x, low, high)
    low, high = closer_in(p, h, size, size.y - p.y, h.y, low, high)
    low, high = closer_in(p, h, size, -size.y - p.y, h.y, low, high)
    low, high = closer_in(p, h, size, size.z - p.z, h.z, low, high)
    low, high = closer_in(p, h, size, -size.z - p.z, h.z, low, high)
    t = 0.5 * (low + high)
    x, y, z = p.x + t * h.x, p.y + t * h.y, p.z + t * h.z
    ax = h.x if abs(x) > size.x else 0.0
    ay = h.y if abs(y) > size.y else 0.0
    az = h.z if abs(z) > size.z else 0.0
    steep = ax * ax + ay * ay + az * az
    if steep > 0.0:
        t -= (ax * outside(x, size.x) + ay * outside(y, size.y) + az * outside(z, size.z)) / steep
    return min(max(t, low), high)


@helper
def point_triangle(p, a, b, c):
    """Closest point of a triangle, and its feature: corners 0..2, edges 3..5 (opposite to corner 2, 0, 1), face 6.

    Source: C. Ericson, Real-Time Collision Detection, 2004, on Voronoi regions of a triangle; the region of the face is
    taken only where the normal is not zero.
    """
    ab, ac, bc = b - a, c - a, c - b
    n = ab.cross(ac)
    nn = n @ n
    if nn > 0.0:
        # areas of the triangles of p with the edges, relative to the whole
        u, v, w = bc.cross(p - b) @ n, (a - c).cross(p - c) @ n, ab.cross(p - a) @ n
        if u > 0.0 and v > 0.0 and w > 0.0:
            return p - n * (((p - a) @ n) / nn), 6
    foot, feature = on_edge(p, a, ab, 0, 1, 3)
    best = (p - foot) @ (p - foot)
    other, its = on_edge(p, b, bc, 1, 2, 4)
    d = (p - other) @ (p - other)
    if d < best:
        best, foot, feature = d, other, its
    other, its = on_edge(p, a, ac, 0, 2, 5)
    d = (p - other) @ (p - other)
    if d < best:
        foot, feature = other, its
    return foot, feature


@helper
def on_edge(p, start, way, first, last, edge):
    """Closest point of an edge, and whether it is its first end, its last one or in between."""
    size = way @ way
    t = ((p - start) @ way) / size if size > 0.0 else 0.0
    if t <= 0.0:
        return start, first
    if t >= 1.0:
        return start + way, last
    return start + way * t, edge


@helper
def segment_triangle(p, h, a, b, c):
    """Place t on the segment p + t h and point of the triangle closest to it. Equal points if it passes through."""
    n = (b - a).cross(c - a)
    height, rise = (p - a) @ n, h @ n
    if abs(height) <= abs(rise) and rise != 0.0:
        t = -height / rise
        q = p + h * t
        foot, feature = point_triangle(q, a, b, c)
        if feature == 6:
            return t, q, 6
    t = 1.0
    foot, feature = point_triangle(p + h, a, b, c)
    w = foot - p - h
    best = w @ w
    other, its = point_triangle(p - h, a, b, c)
    w = other - p + h
    if w @ w < best:
        best, t, foot, feature = w @ w, -1.0, other, its
    for k in range(3):
        start, end = (a, b) if k == 0 else ((b, c) if k == 1 else (a, c))
        middle, g = (start + end) * 0.5, (end - start) * 0.5
        x, y = segment_segment(h, middle - p, g)
        w = middle + g * y - p - h * x
        if w @ w < best:
            best, t, foot, feature = w @ w, x, middle + g * y, 3 + k
    return t, foot, feature
