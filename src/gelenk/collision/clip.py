"""Convex polygons cut at lines, and a few points that stand for many (I-091, H-69..H-71).

*Flat points* are rows of a POINT array before they are brought to the world: a[0], a[1] the place in the plane of the
contact, d the signed distance there, and the features. ``a[2]`` is free.
"""

from __future__ import annotations

import math

from gelenk.collision.manifold import put_copy
from gelenk.compile import helper, routine

KEPT = 4  # points of a region that are kept
TWIN = 1e-9  # of the size: points closer than this are one
BETTER = 1.0 + 1e-6  # by how much a later point must be better: round-off alone does not change the choice


@helper
def put_flat(out, k, u, v, d, feature_a, feature_b):
    """Flat point k."""
    point = out[k]
    point.a[0], point.a[1] = u, v
    point.d, point.feature_a, point.feature_b = d, feature_a, feature_b


@helper
def swap_flat(out, i, j):
    """Exchange two flat points."""
    p, q = out[i], out[j]
    p.a[0], q.a[0] = q.a[0], p.a[0]
    p.a[1], q.a[1] = q.a[1], p.a[1]
    p.d, q.d = q.d, p.d
    p.feature_a, q.feature_a = q.feature_a, p.feature_a
    p.feature_b, q.feature_b = q.feature_b, p.feature_b


@helper
def area(out, i, j, k):
    """Twice the area of the triangle of three flat points, positive if they go counter-clockwise."""
    p, q, s = out[i].a, out[j].a, out[k].a
    return (q[0] - p[0]) * (s[1] - p[1]) - (q[1] - p[1]) * (s[0] - p[0])


@helper
def apart(out, count):
    """Least squared distance of any two flat points."""
    least = math.inf
    for i in range(1, count):
        u, v = out[i].a[0], out[i].a[1]
        for k in range(i):
            x, y = out[k].a[0] - u, out[k].a[1] - v
            least = min(least, x * x + y * y)
    return least


@routine
def spread(out, count, size):
    """Keep at most four of ``count`` flat points: their number. The deepest comes first.

    The deepest; the one farthest from it; the one that makes the largest triangle with both; the one that adds most to
    that triangle. Points that add nothing are left out, so no two of those kept are closer than TWIN size.
    """
    if count < 2:
        return count
    best = 0
    for k in range(1, count):
        if out[k].d < out[best].d:
            best = k
    if best != 0:
        swap_flat(out, 0, best)
    if count <= KEPT and apart(out, count) > (TWIN * size) ** 2:
        return count

    best, most = 0, (TWIN * size) ** 2
    u, v = out[0].a[0], out[0].a[1]
    for k in range(1, count):
        x, y = out[k].a[0] - u, out[k].a[1] - v
        far = x * x + y * y
        if far > most:
            best, most = k, far * BETTER
    if best == 0:
        return 1
    if best != 1:
        swap_flat(out, 1, best)

    least = TWIN * size * math.sqrt(most)
    best, most = 0, least
    for k in range(2, count):
        far = abs(area(out, 0, 1, k))
        if far > most:
            best, most = k, far * BETTER
    if best == 0:
        return 2
    if best != 2:
        swap_flat(out, 2, best)

    turn = 1.0 if area(out, 0, 1, 2) > 0.0 else -1.0
    best, most = 0, least
    for k in range(3, count):
        far = -min(turn * area(out, 0, 1, k), turn * area(out, 1, 2, k), turn * area(out, 2, 0, k))
        if far > most:
            best, most = k, far * BETTER
    if best == 0:
        return 3
    if best != 3:
        swap_flat(out, 3, best)
    return KEPT


@helper
def copy_point(out, source, target):
    """Copy a point of a pair to another place."""
    put_copy(out[source], out[target])


@helper
def deepest_only(out, count):
    """One-point mode (H-71): the deepest of the points of a pair moves to the front; how many are left, 0 or 1."""
    best = 0
    for k in range(1, count):
        if out[k].d < out[best].d:
            best = k
    if best != 0:
        copy_point(out, best, 0)
    return min(count, 1)


@routine
def cut(polygon, count, x, y, c, line, out):
    """Part of a convex polygon with  x u + y v <= c,  by one pass of Sutherland and Hodgman (1974): number of corners.

    Rows of ``polygon`` and of ``out`` are u, v, w, edge: a corner, its height, which follows linearly, and the number
    of the line along which the polygon goes on from there; for the new edge that is ``line``. So a corner is known by
    the lines before and after it. Each cut gives a convex polygon one corner more at most.
    """
    kept = 0
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        here = x * polygon[k, 0] + y * polygon[k, 1] - c
        there = x * polygon[m, 0] + y * polygon[m, 1] - c
        if here <= 0.0:
            for i in range(4):
                out[kept, i] = polygon[k, i]
            kept += 1
        if (here <= 0.0) != (there <= 0.0):
            t = here / (here - there)
            for i in range(3):
                out[kept, i] = polygon[k, i] + t * (polygon[m, i] - polygon[k, i])
            out[kept, 3] = line if here <= 0.0 else polygon[k, 3]
            kept += 1
    return kept
