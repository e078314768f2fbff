"""How far a convex solid is from a line, over normals of an arc: the signed distance from a side of a facet (I-093).

Seen along the line the solid is a convex figure K. Over an arc of directions m of at most half a turn

    g(m) = min { m . x : x in K },     wanted: the m of the arc with the largest g

which is the distance if the line is outside, and less the least way out over normals of the arc if it is inside. Two
neighbouring directions a, b with lowest points x_a, x_b bound g in between:  g(m) <= min(m . x_a, m . x_b),  largest
where m is across x_b - x_a, or along one of the two. The place of the largest bound is looked at next, until no bound
is above the best found. For polygons that ends after finitely many looks, for round figures quadratically.

A line inside K has several ways out, each a peak of g. The best one may lie beyond the ends of the side, where it is no
way out of anything; then all peaks are wanted (:func:`all_peaks`).
"""

from __future__ import annotations

import math

from gelenk.collision.facet_normal import arc_normal
from gelenk.collision.gjk import core_point
from gelenk.compile import helper, routine

LOOKS = 32  # directions looked at, at most
CLOSE = 1e-13  # of the sizes: bounds this close end the search


@helper
def look(side, B, c, hulls, near, arc, i, x, y):
    """Look along the direction (x, y) of the arc: its lowest point becomes entry i."""
    m = arc_normal(side, x, y)
    p = c + core_point(B, hulls, near, 1, -m) - side.start
    arc[i, 0], arc[i, 1], arc[i, 2], arc[i, 3], arc[i, 4] = x, y, p @ side.n, p @ side.o, p @ side.e
    return x * arc[i, 2] + y * arc[i, 3]


@helper
def between(ax, ay, x, y, bx, by):
    """Whether a direction lies strictly between two others, less than half a turn apart."""
    return ax * y - ay * x > 0.0 and x * by - y * bx > 0.0


@helper
def higher(ax, ay, bx, by, px, py, qx, qy, x, y, best, top_x, top_y):
    """The better of the best so far and the bound at direction (x, y), if it lies between a and b."""
    size = math.sqrt(x * x + y * y)
    if size > 0.0 and between(ax, ay, x, y, bx, by):
        x, y = x / size, y / size
        value = min(x * px + y * py, x * qx + y * qy)
        if value > best:
            return value, x, y
    return best, top_x, top_y


@helper
def highest_bound(arc, i):
    """Largest bound of g between entries i and i + 1, and where."""
    ax, ay, px, py = arc[i, 0], arc[i, 1], arc[i, 2], arc[i, 3]
    bx, by, qx, qy = arc[i + 1, 0], arc[i + 1, 1], arc[i + 1, 2], arc[i + 1, 3]
    best, x, y = -math.inf, ax, ay
    best, x, y = higher(ax, ay, bx, by, px, py, qx, qy, px, py, best, x, y)
    best, x, y = higher(ax, ay, bx, by, px, py, qx, qy, qx, qy, best, x, y)
    best, x, y = higher(ax, ay, bx, by, px, py, qx, qy, qy - py, px - qx, best, x, y)
    best, x, y = higher(ax, ay, bx, by, px, py, qx, qy, py - qy, qx - px, best, x, y)
    return best, x, y


@routine
def arc_search(side, B, c, hulls, near, arc, scale):
    """Direction (cosine, sine) of the arc of a side with the largest g, g [m], its entry, and how many there are.

    B, c: the solid and its centre, axes of the surface. Rounding is left out. The lowest points of the entries before
    and after it are the ends of the line along which the solid is lowest, if that is more than a point.
    """
    top_x, top_y = 1.0, 0.0
    best = look(side, B, c, hulls, near, arc, 0, 1.0, 0.0)
    half = math.atan2(side.s, side.c) * 0.5
    value = look(side, B, c, hulls, near, arc, 2, side.c, side.s)
    if value > best:
        best, top_x, top_y = value, side.c, side.s
    value = look(side, B, c, hulls, near, arc, 1, math.cos(half), math.sin(half))
    slack = CLOSE * scale
    if value > best + slack:
        best, top_x, top_y = value, arc[1, 0], arc[1, 1]
    count = 3
    while count < LOOKS:
        at, most, x, y = -1, best + slack, 0.0, 0.0
        for i in range(count - 1):
            bound, bx, by = highest_bound(arc, i)
            if bound > most:
                at, most, x, y = i, bound, bx, by
        if at < 0:
            break
        make_room(arc, count, at + 1)
        count += 1
        value = look(side, B, c, hulls, near, arc, at + 1, x, y)
        if value > best + slack:
            best, top_x, top_y = value, x, y
    at = 0
    for i in range(count):
        if arc[i, 0] == top_x and arc[i, 1] == top_y:
            at = i
    return top_x, top_y, best, at, count


@helper
def height(arc, i):
    """G of entry i."""
    return arc[i, 0] * arc[i, 2] + arc[i, 1] * arc[i, 3]


@helper
def make_room(arc, count, at):
    """Move entries from ``at`` on by one."""
    for i in range(count, at, -1):
        for k in range(5):
            arc[i, k] = arc[i - 1, k]


@routine
def all_peaks(side, B, c, hulls, near, arc, count, scale):
    """Look on until no bound is above both its ends: every peak that the looks before separate is an entry; how many.

    Where g rises or falls from one entry to the next, the bound in between is below the higher one.
    """
    slack = CLOSE * scale
    while count < arc.shape[0]:
        at, most, x, y = -1, slack, 0.0, 0.0
        for i in range(count - 1):
            bound, bx, by = highest_bound(arc, i)
            rise = bound - max(height(arc, i), height(arc, i + 1))
            if rise > most:
                at, most, x, y = i, rise, bx, by
        if at < 0:
            break
        make_room(arc, count, at + 1)
        count += 1
        look(side, B, c, hulls, near, arc, at + 1, x, y)
    return count


@helper
def next_peak(arc, count, below):
    """Entry of the highest peak inside the arc with g under ``below``, or -1."""
    best, most = -1, -math.inf
    for i in range(1, count - 1):
        g = height(arc, i)
        if most < g < below and g >= height(arc, i - 1) and g >= height(arc, i + 1):
            best, most = i, g
    return best


@helper
def arc_point(side, arc, i):
    """Lowest point of entry i, from the start of the side."""
    return side.n * arc[i, 2] + side.o * arc[i, 3] + side.e * arc[i, 4]
