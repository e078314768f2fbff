"""Contact of a convex solid with a side of a facet at which the surface bends outward or ends (V-20, V-21, I-093)."""

from __future__ import annotations

import math

from gelenk.collision.epa import distance_from, is_curved
from gelenk.collision.facet import Facet
from gelenk.collision.facet_normal import arc_normal, may_end
from gelenk.collision.narrow.arc_search import all_peaks, arc_point, arc_search, height, next_peak
from gelenk.collision.narrow.facet_contact import ENDS, FLAT, SAME, SIDE, feature_of, put_found, put_pool
from gelenk.collision.narrow.fans import END, beyond_side, candidate_corner
from gelenk.collision.narrow.meeting import meets
from gelenk.collision.narrow.underside import underside
from gelenk.collision.solid import CONE, CYLINDER, HULL, TRIANGLE, Solid
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3

LEVEL = 1e-5  # of its length: an edge of the solid that rises by less lies across the normal
ROUND_PLACE = 3e-7  # of the sizes: how well the lowest place of a curved solid is known
ALONG = 1e-5  # sine below which two lines are parallel


@helper
def facet_of_row(surface, row):
    """A candidate as a flat facet."""
    p, q, s = candidate_corner(surface, row, 0), candidate_corner(surface, row, 1), candidate_corner(surface, row, 2)
    n = surface.outward[row]
    n = Vec3(n[0], n[1], n[2])
    return Facet(p, q, s, n, n, n, n, 0)


@helper
def is_sharp(B):
    """Whether a solid has edges sharper than a right angle."""
    return B.kind == CONE or B.kind == HULL or B.kind == TRIANGLE


@routine
def misses_side(side, k, row, at, q, hulls, surface, convex):
    """Whether a solid reaches no facet of a side, though no normal of the arc parts them: it is behind, or beside."""
    x = side.start + side.e * min(max(surface.arc[at, 4], 0.0), side.length)
    if meets(facet_of_row(surface, row), x, row, q, hulls, surface, convex):
        return False
    other = beyond_side(surface, row, k)
    return other == END or not meets(facet_of_row(surface, other), x, other, q, hulls, surface, convex)


@helper
def over_polygon(surface, count, shift, side, m):
    """Part of a side over the inside of a polygon, seen along m: from and to, as lengths from its start."""
    low, high = 0.0, side.length
    for i in range(count):
        p = get3(surface.corner, i) + shift - side.start
        e = get3(surface.corner, i + 1 if i + 1 < count else 0) + shift - side.start - p
        inward = e.cross(m)
        here, rate = -(p @ inward), side.e @ inward
        if rate > 0.0:
            low = max(low, -here / rate)
        elif rate < 0.0:
            high = min(high, -here / rate)
        elif here < 0.0:
            high = low - 1.0
    return low, high


@helper
def over_circle(B, shift, side, m, n):
    """Part of a side over the inside of the round cap of a cylinder or cone with normal n, seen along m.

    A place t on the side has the shadow  t e + h(t) m  on the cap.
    """
    w = side.start - n * (B.size.z if B.kind == CYLINDER else 0.0) - shift
    radius2 = B.size.x * B.size.x
    w, e = w - m * ((w @ n) / (m @ n)), side.e - m * ((side.e @ n) / (m @ n))
    ee, we = e @ e, w @ e
    root = we * we - ee * (w @ w - radius2)
    if root < 0.0:
        return 1.0, 0.0
    root = math.sqrt(root)
    return max(0.0, (-we - root) / ee), min(side.length, (-we + root) / ee)


@helper
def lowest_line(side, arc, at, m):
    """Ends of the line along which a solid is lowest along m, from the start of the side; equal for a point."""
    p, own, q = arc_point(side, arc, at - 1), arc_point(side, arc, at), arc_point(side, arc, at + 1)
    w = q - p
    slack = LEVEL * w.norm()
    if abs(w @ m) <= slack and (p - own) @ m <= slack:
        return p, q
    return own, own


@helper
def over_line(p, f, side, m, slack):
    """Part of a side under a level line p + x f, 0 <= x <= 1, seen along m: where they cross, or run side by side."""
    across = side.e.cross(f) @ m
    if abs(across) > ALONG * f.norm():
        t = p.cross(f) @ m / across
        x = p.cross(side.e) @ m / across
        if -slack <= t <= side.length + slack and -ALONG <= x <= 1.0 + ALONG:
            t = min(max(t, 0.0), side.length)
            return t, t
        return 1.0, 0.0
    a, b = p @ side.e, (p + f) @ side.e
    return max(0.0, min(a, b)), min(side.length, max(a, b))


@routine
def exact_side(side, m, q, hulls, convex):
    """Distance of a side from a solid that is apart, the normal, and where on the side; m: nearly that normal.

    The search over the arc knows the place on the side only to a root of round-off. Near an end that is not enough.
    """
    h = side.e * (0.5 * side.length)
    segment = Solid(TRIANGLE, 0, Mat3(-h.x, h.x, h.x, -h.y, h.y, h.y, -h.z, h.z, h.z), Vec3(0.0, 0.0, 0.0))
    d, m, a = distance_from(segment, q.B, q.c - side.start - h, m, hulls, convex)
    return d, m, min(max(a @ side.e + 0.5 * side.length, 0.0), side.length)


@routine
def put_peak(side, k, t, row, at, inner, q, hulls, surface, convex):
    """Points along a side for the normal of entry ``at`` of the arc, in the pool; how many.

    Two where a face or a line of the solid lies along the side, else one.
    """
    x, y = surface.arc[at, 0], surface.arc[at, 1]
    d = height(surface.arc, at) - q.radius
    m = arc_normal(side, x, y)
    under = underside(q.B, hulls, -m, convex.near, surface.corner, surface.number)
    surface.last[3] = 0.0  # no longer the corners of the last facet
    slack = SAME * q.scale
    feature = feature_of(t, SIDE + k)
    start = surface.counts[1]
    along = -(under.n @ m)
    if along > FLAT:
        if q.B.kind == CYLINDER or q.B.kind == CONE:
            low, high = over_circle(q.B, q.c, side, m, under.n)
        else:
            low, high = over_polygon(surface, under.corners, q.c, side, m)
        p = get3(surface.corner, 0) + q.c - side.start
        a = -((p - side.e * low) @ under.n) / along - q.radius
        b = -((p - side.e * high) @ under.n) / along - q.radius
        if low <= high and min(a, b) <= d + slack:
            if a <= q.margin:
                put_pool(surface, side.start + side.e * low, m, max(a, d), feature, ENDS)
            if b <= q.margin and high - low > slack:
                put_pool(surface, side.start + side.e * high, m, max(b, d), feature, ENDS + 1)
    if surface.counts[1] == start:
        p = other = arc_point(side, surface.arc, at)
        if inner:
            p, other = lowest_line(side, surface.arc, at, m)
        elif abs(p @ side.e.cross(m)) > slack:
            return 0
        f = other - p
        low = high = p @ side.e
        if f.norm() > LEVEL * q.scale:
            low, high = over_line(p, f, side, m, slack)
        beyond = ROUND_PLACE * q.scale if is_curved(q.B) else slack
        if low <= high and low >= -beyond and high <= side.length + beyond:
            if d > 0.0 and is_curved(q.B) and high - low <= slack:
                d, m, low = exact_side(side, m, q, hulls, convex)
                high = low
                if d > q.margin:
                    return 0
            low, high = max(low, 0.0), min(high, side.length)
            put_pool(surface, side.start + side.e * low, m, d, feature, ENDS)
            if high - low > slack:
                put_pool(surface, side.start + side.e * high, m, d, feature, ENDS + 1)
    if surface.counts[1] > start:
        put_found(surface, row, SIDE + k, m, d, d + side.start @ m, True)
    return surface.counts[1] - start


@helper
def put_unmet(surface, row, k, d):
    """Write down side k of a candidate that the solid misses, with the least depth d that it can have."""
    i = surface.counts[7]
    if i == surface.pierce.shape[0]:
        surface.counts[LEFT_OUT] += 1
    else:
        side = surface.pierce[i]
        side[0], side[1], side[2] = row, k, d
        surface.counts[7] = i + 1


@routine
def side_contact(side, k, t, row, q, hulls, surface, convex):
    """Points along side k of facet t, in the pool, with the normal of its arc that keeps the solid farthest off.

    A normal at either end of the arc is left to the face that has it, except where the surface ends there. Where solids
    overlap and the best normal belongs to a place beyond the ends of the side, the next best one counts. A side that is
    missed is written down (:mod:`gelenk.collision.narrow.unmet`).
    """
    near, arc = convex.near, surface.arc
    _, y, g, at, looks = arc_search(side, q.B, q.c, hulls, near, arc, q.scale)
    inner = 0 < at < looks - 1
    if g - q.radius > q.margin:
        return 0
    overlaps = g < q.radius
    ends = not inner and may_end(side) and y > 0.5 and beyond_side(surface, row, k) == END
    if not (inner or ends or (overlaps and is_sharp(q.B))):
        return 0
    if overlaps and misses_side(side, k, row, at, q, hulls, surface, convex):
        put_unmet(surface, row, k, g - q.radius)
        return 0
    put = put_peak(side, k, t, row, at, inner, q, hulls, surface, convex) if inner or ends else 0
    if put == 0 and overlaps:
        looks = all_peaks(side, q.B, q.c, hulls, near, arc, looks, q.scale)
        at = next_peak(arc, looks, math.inf)
        while at >= 0 and put == 0:
            put = put_peak(side, k, t, row, at, True, q, hulls, surface, convex)
            at = next_peak(arc, looks, height(arc, at))
    return put
