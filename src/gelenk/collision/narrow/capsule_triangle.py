"""Capsule against triangle."""

from __future__ import annotations

from gelenk.collision.closest import segment_triangle
from gelenk.collision.narrow.ball import put_round
from gelenk.collision.narrow.capsule import SHORT, SLANT, cut, farther, half_axis, place_of_two, place_on_axis
from gelenk.collision.narrow.triangle import corners, triangle_normal
from gelenk.compile import helper, routine

MEETS = 1e-10  # of the size: an axis closer to the triangle than this passes through it
FLAT = 0.995


@helper
def way_out(p, h, a, b, c, n):
    """Least depth of a segment that passes through a triangle: gap, outward normal, place on the segment, feature.

    Normals of their sum: that of the triangle, and three perpendicular to the segment and to an edge.
    """
    height, rise = (p - a) @ n, h @ n
    gap = abs(height) - abs(rise)
    m = n if height >= 0.0 else -n
    t = 0.0 if rise == 0.0 else (-1.0 if (m @ h) > 0.0 else 1.0)
    feature = 6
    for k in range(3):
        start, end, other = (a, b, c) if k == 0 else ((b, c, a) if k == 1 else (c, a, b))
        w = (end - start).cross(h)
        size = w.norm()
        if size > 0.0:
            w = w * (1.0 / size)
            if w @ (other - start) > 0.0:
                w = -w
            out = w @ (p - start)
            if out > gap:
                e = end - start
                q = p - start
                gap, m, feature = out, w, 3 + k
                # both lines seen along w: where the segment is next to the edge
                t = min(max(-(e.cross(q) @ w) / size * (1.0 if e.cross(h) @ w > 0.0 else -1.0), -1.0), 1.0)
    return gap, m, t, feature


@helper
def beside(p, h, a, b, c, n, low, high):
    """Narrow low .. high to the part of a segment above the inner side of three edges of a triangle."""
    for k in range(3):
        start, end = (a, b) if k == 0 else ((b, c) if k == 1 else (c, a))
        inward = n.cross(end - start)
        low, high = cut(low, high, (p - start) @ inward, h @ inward)
    return low, high


@routine
def capsule_triangle(A, B, r, margin, hulls, out):
    """Closest points of axis and triangle, or the least way out; a second point if the capsule lies along the face."""
    a, b, c = corners(B)
    h, p = half_axis(A), -r
    n = triangle_normal(a, b, c)
    if abs((p - a) @ n) - abs(h @ n) - A.size.x > margin:
        return 0
    total = h.norm() + (b - a).norm() + (c - a).norm()
    t, foot, feature = segment_triangle(p, h, a, b, c)
    w = p + h * t - foot
    distance = w.norm()
    if distance - A.size.x > margin:
        return 0
    if distance > MEETS * total:
        m = w * (1.0 / distance)
        if feature == 6:
            m = n if w @ n > 0.0 else -n
    else:
        distance, m, t, feature = way_out(p, h, a, b, c, n)

    along = m @ n
    low, high = 0.0, 0.0
    if abs(along) > FLAT and abs(h @ n) <= SLANT * h.norm():
        low, high = beside(p, h, a, b, c, n, -1.0, 1.0)
        if high > low and feature == 6:
            t = low if (h @ n) * along >= 0.0 else high
    other = farther(t, low, high)
    if high - low <= SHORT or abs(other - t) <= SHORT:
        return put_round(out, 0, h * t, A.size.x, 0.0, distance, -m, r, margin, place_on_axis(t), feature)
    count = put_round(out, 0, h * t, A.size.x, 0.0, distance, -m, r, margin, place_of_two(t, other), 6)
    m = n if along > 0.0 else -n
    height = max((p + h * other - a) @ m, distance)
    return put_round(out, count, h * other, A.size.x, 0.0, height, -m, r, margin, place_of_two(other, t), 6)
