"""Plane against convex hull (V-24, I-087)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.collision.vclip_features import NONE, climb
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

LOW = 0.1  # of the height of the hull: corners above the lowest by less than this can hold it
FLAT = 0.06  # of its height: looking at all corners is quicker than going from one to the next if they may be higher
KEPT = 4  # corners that hold a hull
FEW = 24  # low ones up to which looking for those already known is cheap


@routine
def plane_hull(A, B, r, margin, tables, memory, work, out):
    """The lowest corner, and up to three more of the low ones, each time the one that spreads them most.

    Seen along the normal: the farthest from the first, the one of the largest triangle, the one that adds most to it.
    The lowest corner and the highest are found from those of the last call along edges that lead down and up.
    ``work.clip`` is a :class:`ClipSpace`.
    """
    hulls, pair = tables.hulls, memory.features
    hull = hulls.hull[B.table]
    begin = np.int64(hull.vertex_first)
    n = plane_normal(A)
    u, lift = B.R.tdot(n), r @ n
    first = climb(hulls, begin if pair[1] == NONE else np.int64(pair[1]), -u)
    pair[1] = first
    low = get3(hulls.vertex, first) @ u
    if lift + low > margin:
        return 0
    top = begin if pair[0] == NONE else np.int64(pair[0])
    size = get3(hulls.vertex, top) @ u - low
    if margin - lift - low > LOW * size:  # else it makes no difference how high the hull is
        top = climb(hulls, top, u)
        size = get3(hulls.vertex, top) @ u - low
        pair[0] = top
    room = work.clip.vertex
    limit = min(margin - lift, low + LOW * size)
    count = 0
    if limit - low < FLAT * size:
        count = low_corners(hulls, first, u, limit, room)
    if count == 0:
        for v in range(hull.vertex_first, hull.vertex_last):
            room[count] = v
            count += 1 if get3(hulls.vertex, v) @ u <= limit else 0
    for i in range(count):  # of equally low ones the first in the table
        height = get3(hulls.vertex, room[i]) @ u
        if height < low or (height == low and room[i] < first):
            low, first = height, np.int64(room[i])
    p = get3(hulls.vertex, first)
    points = put_over(out, 0, n, r, B.R @ p, margin, first - begin)
    if count <= KEPT:  # no choice
        for i in range(count):
            if np.int64(room[i]) != first:
                x = get3(hulls.vertex, room[i])
                points = put_over(out, points, n, r, B.R @ x, margin, np.int64(room[i]) - begin)
        return points
    q, s, none = p, p, Vec3(0.0, 0.0, 0.0)
    c, d, e = none, none, none  # towards the inside of the triangle p, q, s from its sides, as long as these
    for stage in range(1, 4):
        best, most = first, (1e-6 * size) ** 2
        for i in range(count):
            x = get3(hulls.vertex, room[i])
            w = x - p
            if stage == 1:
                gain = w @ w - (w @ u) * (w @ u)
            elif stage == 2:
                gain = abs(w @ c)
            else:
                gain = -min(w @ c, (x - q) @ d, w @ e)
            if gain > most:
                best, most = np.int64(room[i]), gain * (1.0 + 1e-6)
        if best == first:
            break
        x = get3(hulls.vertex, best)
        if stage == 1:
            q, c = x, u.cross(x - p)
        elif stage == 2:
            s = x
            turn = 1.0 if (s - p) @ c > 0.0 else -1.0
            c, d, e = c * turn, u.cross(s - q) * turn, u.cross(p - s) * turn
        points = put_over(out, points, n, r, B.R @ x, margin, best - begin)
    return points


@helper
def low_corners(hulls, first, u, limit, room):
    """Vertices up to a height along u, in rising order: how many, or 0 if they are more than FEW.

    On a convex body they hang together by edges, so that they are reached from the lowest one.
    """
    room[0] = first
    count, looked, marks = 1, 0, 1 << (first & 31)
    while looked < count:
        v = np.int64(room[looked])
        looked += 1
        for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
            w = np.int64(hulls.fan_vertex[k])
            if get3(hulls.vertex, w) @ u <= limit:
                bit, i = 1 << (w & 31), count
                if marks & bit:  # only then it can be there already
                    i = 0
                    while i < count and room[i] != w:
                        i += 1
                if i == count:
                    if count == FEW:
                        return 0
                    room[count] = w
                    count, marks = count + 1, marks | bit
    for i in range(1, count):
        v, k = np.int64(room[i]), i
        while k > 0 and room[k - 1] > v:
            room[k] = room[k - 1]
            k -= 1
        room[k] = v
    return count
