"""Contact region of two convex solids: where what faces each other overlaps, seen along the normal (I-091, H-69..H-71).

The closest points and the normal n are known. What faces along n is a polygon, a line or a point on each solid
(:mod:`gelenk.collision.facing`). Both are seen along n in a plane with axes s, t around the closest point of A:

    polygon and polygon   the corners of what they have in common
    line and polygon      the ends of the part of the line over the polygon
    line and line         nearly parallel: the ends of their common part

Over each of these places stand a point of A and a point of B, a distance d apart along n; none is closer than the
closest points. Where none is as close, these are a point too.
"""

from __future__ import annotations

import math

from gelenk.collision.closest import across_unit
from gelenk.collision.facing import facing
from gelenk.collision.gjk import difference_point
from gelenk.collision.hull_manifold import cut, mark_spread
from gelenk.collision.manifold import put_point
from gelenk.collision.region_lines import lines
from gelenk.collision.region_space import View, height, put_place, seen
from gelenk.collision.solid import rounding
from gelenk.compile import helper, routine, unit

KEPT = 4  # places of a region
SAME = 1e-12  # of the region: distances closer than this are the same
TWIN = 1e-3  # of the region, a line or a side: places closer than this are one
ROUND_OFF = 1e-12  # of the coordinates: likewise
STRAY = 1e-6  # of the region: by how much lines may part to the sides and be one; a normal knows no more than this
LEVEL = 1e-12  # of the sizes: loss of distance at which the normal of a face is as good as the one found


@unit
def region(A, B, r, margin, d, n, a, hulls, near, space, out):
    """Points of the region, at most KEPT and the closest pair: their number; the first is the deepest.

    d, n, a: signed distance, normal and point of A, with rounding.
    """
    F, G = facing(A, hulls, n, near, space.facing, 0), facing(B, hulls, -n, near, space.facing, 1)
    count, row, stray = 0, 0, 0.0
    if F.corners > 1 and G.corners > 1:
        radius = rounding(A)
        radii = radius + rounding(B)
        core, a_core = d + radii, a - n * radius
        scale = r.norm() + a.norm() + abs(core)
        n, core = level(A, B, r, n, core, F, 1.0, hulls, near, scale)
        n, core = level(A, B, r, n, core, G, -1.0, hulls, near, scale)
        d, a = core - radii, a_core + n * radius
        s = across_unit(n)
        view = View(n, s, n.cross(s), -a_core, r - a_core)
        if F.corners > 2 and G.corners > 2:
            row, count = polygons(F, G, view, space)
        elif F.corners > 2:
            count = line_polygon(1, F, G, view, space)
        elif G.corners > 2:
            count = line_polygon(0, G, F, view, space)
        else:
            count, stray = lines(A, B, F, G, view, scale, space)
        if count > 0:
            return choose(view, row, count, core, stray, radius, radii, r, margin, F.feature, G.feature, space, out)
    put_point(out, 0, a, r, n, d, F.feature, G.feature)
    return 1


@helper
def level(A, B, r, n, core, face, sign, hulls, near, scale):
    """Normal and distance of a face that faces, if it is as good a normal as n: that one is free of noise."""
    if face.corners > 2:
        m = face.n * sign
        w, _ = difference_point(A, B, r, hulls, near, m)
        along = m @ w
        if along >= core - LEVEL * scale:
            return m, along
    return n, core


@routine
def polygons(F, G, view, space):
    """What two polygons have in common: row of ``space`` with its corners, and how many.

    Seen along n that of A turns to the left, that of B to the right; each side of B cuts off what lies on its left
    (I. E. Sutherland, G. W. Hodgman, Reentrant polygon clipping, Comm. ACM 17 (1974)).
    """
    for i in range(F.corners):
        p = seen(view, space, 0, i)
        space.x[0, i], space.y[0, i], space.side[0, i] = p @ view.s, p @ view.t, i
    row, count = 0, F.corners
    p = seen(view, space, 1, G.corners - 1)
    x, y, last = p @ view.s, p @ view.t, G.corners - 1
    for i in range(G.corners):
        p = seen(view, space, 1, i)
        x_next, y_next = p @ view.s, p @ view.t
        count = cut(space, row, count, x, y, x_next - x, y_next - y, -1 - last)
        row = 1 - row
        x, y, last = x_next, y_next, i
    on_f, on_g = seen(view, space, 0, 0), seen(view, space, 1, 0)
    names = space.facing
    for i in range(count):
        before, after = space.side[row, i - 1 if i > 0 else count - 1], space.side[row, i]
        x, y = space.x[row, i], space.y[row, i]
        low = height(view, on_f, F.n, x, y)
        space.low[i], space.d[i] = low, height(view, on_g, G.n, x, y) - low
        feature_a, feature_b = F.feature, G.feature
        if before >= 0 and after >= 0:
            feature_a = names.corner[0, after]
        elif before < 0 and after < 0:
            feature_b = names.corner[1, -1 - before]
        elif before >= 0:
            feature_a, feature_b = names.side[0, before], names.side[1, -1 - after]
        else:
            feature_a, feature_b = names.side[0, after], names.side[1, -1 - before]
        space.feature[i, 0], space.feature[i, 1] = feature_a, feature_b
    return row, count


@helper
def crossed_name(names, which, side, after, x, y, ex, ey):
    """Name of where a side is crossed, x, y from its first corner: the side, or the corner next to it."""
    t = (x * ex + y * ey) / max(ex * ex + ey * ey, 1e-300)
    if t < TWIN:
        return names.corner[which, side]
    return names.corner[which, after] if t > 1.0 - TWIN else names.side[which, side]


@routine
def line_polygon(which, face, line, view, space):
    """Part of the line of A (which = 0) or B (1) over the polygon of the other: number of places, none or two.

    Source: M. Cyrus, J. Beck, Generalized two- and three-dimensional clipping, Computers and Graphics 3 (1978).
    """
    other = 1 - which
    p, q = seen(view, space, which, 0), seen(view, space, which, 1)
    px, py = p @ view.s, p @ view.t
    ux, uy = q @ view.s - px, q @ view.t - py
    inner = 1.0 if other == 0 else -1.0  # the inside of a polygon of A lies on the left of its sides
    low, high, low_side, high_side = 0.0, 1.0, -1, -1
    low_name, high_name = face.feature, face.feature
    names = space.facing
    c = seen(view, space, other, face.corners - 1)
    x, y, side = c @ view.s, c @ view.t, face.corners - 1
    for i in range(face.corners):
        c = seen(view, space, other, i)
        x_next, y_next = c @ view.s, c @ view.t
        ex, ey = (x_next - x) * inner, (y_next - y) * inner
        inside, rise = ex * (py - y) - ey * (px - x), ex * uy - ey * ux
        if rise > 0.0 and -inside > low * rise:
            low, low_side = -inside / rise, side
            low_name = crossed_name(names, other, side, i, px + low * ux - x, py + low * uy - y, x_next - x, y_next - y)
        elif rise < 0.0 and inside < -high * rise:
            high, high_side = -inside / rise, side
            high_name = crossed_name(
                names, other, side, i, px + high * ux - x, py + high * uy - y, x_next - x, y_next - y
            )
        elif rise == 0.0 and inside < 0.0:
            return 0
        x, y, side = x_next, y_next, i
    if high - low <= TWIN:  # it passes a corner, or hardly more
        return 0
    if low_side >= 0 and high_side >= 0 and low_name == high_name:  # across a corner: each side has one place
        low_name, high_name = names.side[other, low_side], names.side[other, high_side]
    on_face = seen(view, space, other, 0)
    for k in range(2):
        t, crossed, on_side = (low, low_side, low_name) if k == 0 else (high, high_side, high_name)
        x, y = px + t * ux, py + t * uy
        own, its = height(view, on_face, face.n, x, y), (p + (q - p) * t) @ view.n
        on_line = names.corner[which, k] if crossed < 0 else names.side[which, 0]
        if which == 0:
            put_place(space, k, x, y, its, own, on_line, on_side)
        else:
            put_place(space, k, x, y, own, its, on_side, on_line)
    return 2


@helper
def is_named(out, count, feature_a, feature_b):
    """Whether a point has these names already."""
    for k in range(count):  # noqa: SIM110
        if out[k].feature_a == feature_a and out[k].feature_b == feature_b:
            return True
    return False


@helper
def free_name(out, count, name_a, name_b, feature_a, feature_b):
    """The names of a place, or where a point has them the next best: two sides along each other cross twice."""
    if is_named(out, count, name_a, name_b):
        if not is_named(out, count, feature_a, feature_b):
            return feature_a, feature_b
        if not is_named(out, count, name_a, feature_b):
            return name_a, feature_b
        return feature_a, name_b
    return name_a, name_b


@routine
def choose(view, row, count, core, stray, radius, radii, r, margin, feature_a, feature_b, space, out):
    """Write the deepest place and again and again the one farthest from all chosen; how many.

    core: distance of the closest points without the rounding ``radii`` of both; radius: that of A; stray: how far the
    places lie beside the solids.
    """
    px, py = space.x[row], space.y[row]
    size = 0.0
    for i in range(count):
        size = max(size, abs(px[i] - px[0]) + abs(py[i] - py[0]))
    first = -1
    for i in range(count):
        space.d[i] = max(space.d[i], core)
        near = space.d[i] - radii <= margin
        space.spread[i] = math.inf if near else -1.0
        if near and (first < 0 or space.d[i] < space.d[first] - SAME * size):
            first = i
    twin = max(TWIN * size, ROUND_OFF * (view.from_a.norm() + view.from_b.norm()))
    chosen, most = 0, KEPT
    a = -view.from_a
    if first < 0 or space.d[first] > core + SAME * size or stray > STRAY * size:
        put_point(out, 0, a + view.n * radius, r, view.n, core - radii, feature_a, feature_b)
        mark_spread(space, px, py, count, 0.0, 0.0)
        chosen, most = 1, KEPT + 1
    while chosen < most:
        if chosen > 0:
            first, far = -1, twin * twin
            for i in range(count):
                if space.spread[i] > far:
                    first, far = i, space.spread[i] * (1.0 + SAME)
        if first < 0:
            break
        p = a + view.s * px[first] + view.t * py[first] + view.n * (space.low[first] + radius)
        d = space.d[first] - radii
        name_a, name_b = free_name(out, chosen, space.feature[first, 0], space.feature[first, 1], feature_a, feature_b)
        put_point(out, chosen, p, r, view.n, d, name_a, name_b)
        mark_spread(space, px, py, count, px[first], py[first])
        chosen += 1
    return chosen
