"""Plane against convex hull."""

from __future__ import annotations

import math

from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

LOW = 0.1  # of the height of the hull: corners above the lowest by less than this can hold it


@helper
def spread_of(x, n, p, q, s, stage):
    """How much a corner x adds: distance from p; area with p, q; area added to the triangle p, q, s. Seen along n."""
    w = x - p
    if stage == 1:
        h = w @ n
        return w @ w - h * h
    area = (q - p).cross(w) @ n
    if stage == 2:
        return abs(area)
    turn = 1.0 if (q - p).cross(s - p) @ n > 0.0 else -1.0
    return -min(turn * area, turn * ((s - q).cross(x - q) @ n), turn * ((p - s).cross(x - s) @ n))


@routine
def plane_hull(A, B, r, margin, hulls, out):
    """The lowest corner, and up to three more of the low ones, each time the one that spreads them most.

    Seen along the normal: the farthest from the first, the one of the largest triangle, the one that adds most to it.
    """
    n = plane_normal(A)
    u, lift = B.R.tdot(n), r @ n
    hull = hulls.hull[B.table]
    low, high, first = math.inf, -math.inf, hull.vertex_first
    for v in range(hull.vertex_first, hull.vertex_last):
        height = get3(hulls.vertex, v) @ u
        high = max(high, height)
        if height < low:
            low, first = height, v
    p = get3(hulls.vertex, first)
    count = put_over(out, 0, n, r, B.R @ p, margin, first - hull.vertex_first)
    if count == 0:
        return 0

    limit = min(margin - lift, low + LOW * (high - low))
    q, s = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    least = (1e-6 * (high - low)) ** 2
    for stage in range(1, 4):
        best, most = first, least
        for v in range(hull.vertex_first, hull.vertex_last):
            x = get3(hulls.vertex, v)
            if x @ u <= limit:
                gain = spread_of(x, u, p, q, s, stage)
                if gain > most:
                    best, most = v, gain * (1.0 + 1e-6)
        if best == first:
            break
        x = get3(hulls.vertex, best)
        if stage == 1:
            q = x
        else:
            s = x
        count = put_over(out, count, n, r, B.R @ x, margin, best - hull.vertex_first)
    return count
