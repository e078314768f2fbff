"""Contact of a convex solid with a facet: over its face, with its one normal n (V-20, V-21).

The underside of the solid, seen along n, is cut to the triangle; the height of its corners over the plane is the
distance. A finding is *regular* if the solid nowhere reaches farther down along n than there: then, apart, the distance
from the facet is that height. Otherwise what is lower lies over other facets, and the finding only adds points to
theirs. All vectors are in the axes of the surface; c is the centre of the solid.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.clip import cut
from gelenk.collision.gjk import core_point
from gelenk.collision.narrow.meeting import meets
from gelenk.collision.narrow.underside import Underside, underside
from gelenk.collision.solid import CAPSULE, SPHERE, Solid
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

FACE = 0  # places on a facet: its face, sides, corners
SIDE = 1
TIP = 4
FLAT = 0.995  # cosine (5.7 degrees) from which on two faces are nearly parallel
SAME = 1e-10  # of the sizes: heights closer than this are equal
GROWN = 1e-12  # of the sizes: triangles are grown by this, so that nothing falls between two of them
# Features of the solid: the number of its corner, or one of these, which lie above all numbers of corners. So points of
# one place of a facet differ, and keep their names as long as the same things cross.
KIND = 1 << 24
CROSSING = KIND  # k + 1 times, k a side of the facet: with the line of the solid from the corner of this number
INNER = 4 * KIND  # + k: corner k of the facet over the inside of the face of the solid
ENDS = 5 * KIND  # + 0 or 1: an end of the part of a side that is over the solid
BESIDE = 6 * KIND  # + i: a corner of the surface beside the solid, on its way out through face i
OVERLAP = 7 * KIND  # where no other place undoes an overlap
NEAREST = 8 * KIND  # the nearest places, where they are not regular
SWALLOWED = 9 * KIND
THROUGH = 10 * KIND  # where a solid that goes through leaves
# what is known of a facet after a look at its face
FAR = 0  # farther than the margin, all of it
SETTLED = 1  # nothing nearer can be at its sides and corners
FOUND = 2  # there is a finding, and there may be more around
UNSETTLED = 3  # near, and no finding that is sure to be its nearest place
UNKNOWN = 4


class Query(NamedTuple):
    """What is asked about every facet."""

    B: Solid  # axes of the surface
    c: Vec3  # its centre
    radius: float  # rounding
    margin: float
    scale: float  # sizes that rounding errors are of
    top: Vec3  # a point of its core, the highest
    sinks: bool  # the surface has no underside: what has sunk below it is pushed up from any depth


@helper
def put_found(surface, row, place, m, d, low, regular):
    """Write down a finding; without room for it that is counted, as of candidates."""
    k = surface.counts[0]
    if k == surface.finding.shape[0]:
        surface.counts[LEFT_OUT] += 1
    else:
        finding = surface.finding[k]
        finding.m[0], finding.m[1], finding.m[2] = m.x, m.y, m.z
        finding.d, finding.low, finding.aside = d, low, 0.0
        finding.row, finding.place, finding.regular, finding.gone = row, place, 1 if regular else 0, 0
        surface.counts[0] = k + 1


@helper
def put_pool(surface, a, m, d, feature_a, feature_b):
    """A point of the finding that is written down next: its place on the surface. Counted if there is no room."""
    k = surface.counts[1]
    if k == surface.pool.shape[0] or surface.counts[0] == surface.finding.shape[0]:
        surface.counts[LEFT_OUT] += 1
    else:
        point = surface.pool[k]
        point.a[0], point.a[1], point.a[2] = a.x, a.y, a.z
        point.n[0], point.n[1], point.n[2] = m.x, m.y, m.z
        point.b[0], point.b[1] = -1.0, float(surface.counts[0])
        point.d, point.feature_a, point.feature_b = d, feature_a, feature_b
        surface.counts[1] = k + 1


@helper
def feature_of(t, place):
    """Feature of a surface: the triangle and the place on it."""
    return 8 * np.int64(t) + place


@helper
def to_polygon(surface, count, shift, origin, u, v, n):
    """Underside seen in the plane u, v through ``origin``, with heights along n."""
    for i in range(count):
        x = get3(surface.corner, i) + shift - origin
        row = surface.polygon[0, i]
        row[0], row[1], row[2], row[3] = x @ u, x @ v, x @ n, float(i)


@helper
def reaches_beyond(polygon, count, x, y, c):
    """Whether a polygon has a corner with  x u + y v > c."""
    most = -math.inf
    for i in range(count):
        most = max(most, x * polygon[i, 0] + y * polygon[i, 1])
    return most > c


@helper
def cut_to_triangle(surface, count, F, u, v, slack):
    """Cut the polygon to the three sides of a facet: which of the two polygons it is then, and how many corners."""
    which = 0
    for k in range(3):
        start, end = (F.p, F.q) if k == 0 else ((F.q, F.s) if k == 1 else (F.s, F.p))
        e = end - start
        # outward in the plane: the side turned to the right
        x, y = e @ v, -(e @ u)
        size = math.sqrt(x * x + y * y)
        x, y = (x / size, y / size) if size > 0.0 else (0.0, 0.0)
        w = start - F.p
        c = x * (w @ u) + y * (w @ v) + slack
        if reaches_beyond(surface.polygon[which], count, x, y, c):
            count = cut(surface.polygon[which], count, x, y, c, float(-1 - k), surface.polygon[1 - which])
            which = 1 - which
    return which, count


@helper
def feature_under(surface, which, i, count, corners):
    """Feature of the solid at corner i of a polygon that was cut: lines from a corner of it have its number, sides of
    the facet are -1 - k. A line of the solid that is no polygon goes there and back.
    """
    here = surface.polygon[which, i, 3]
    before = surface.polygon[which, i - 1 if i > 0 else count - 1, 3]
    if corners == 1 or (here >= 0.0 and before >= 0.0 and before != here):
        return np.int64(surface.number[int(here)])
    if here < 0.0 and before < 0.0:
        return INNER + np.int64(-1.0 - here)
    line, side = (here, before) if here >= 0.0 else (before, here)
    start = 0 if corners == 2 else int(line)
    return CROSSING * np.int64(-side if side < 0.0 else 1.0) + np.int64(surface.number[start])


@helper
def is_beside(F, q, hulls, near):
    """Whether the whole solid lies beyond a side of a facet by more than the margin.

    A ball whose centre is at the height h over the plane reaches  sqrt((radius + margin)^2 - h^2)  far there.
    """
    reach = q.radius + q.margin
    if q.B.kind == SPHERE:
        h = (q.c - F.p) @ F.n
        reach = math.sqrt(max(0.0, (reach - h) * (reach + h)))
    for k in range(3):
        start, end = (F.p, F.q) if k == 0 else ((F.q, F.s) if k == 1 else (F.s, F.p))
        o = (end - start).cross(F.n)
        least = (q.c + core_point(q.B, hulls, near, 1, -o) - start) @ o
        if least > 0.0 and least * least > reach * reach * (o @ o):
            return True
    return False


@helper
def settled(regular, least):
    """What a finding over the face tells of the facet: apart, only a regular one has its nearest place."""
    return FOUND if least < 0.0 else (SETTLED if regular else UNSETTLED)


@helper
def lowest_along(n, q, hulls, surface, near):
    """How far down a solid reaches along n from its centre, less its rounding; that of the facet before may be it."""
    last = surface.last
    if last[0] != n.x or last[1] != n.y or last[2] != n.z:
        last[0], last[1], last[2], last[3] = n.x, n.y, n.z, 0.0
        last[7] = core_point(q.B, hulls, near, 1, -n) @ n
    return last[7]


@helper
def underside_along(n, q, hulls, surface, near):
    """Underside of a solid seen along n; that of the facet before may be it. After :func:`lowest_along`."""
    last = surface.last
    if last[3] == 0.0:
        under = underside(q.B, hulls, -n, near, surface.corner, surface.number)
        last[3], last[4], last[5], last[6] = float(under.corners), under.n.x, under.n.y, under.n.z
    return Underside(int(last[3]), Vec3(last[4], last[5], last[6]))


@helper
def sine_of_axis(B, n):
    """Sine of the angle of the axis of a capsule to a plane with normal n; zero for what has none."""
    return abs(B.R.xz * n.x + B.R.yz * n.y + B.R.zz * n.z) if B.kind == CAPSULE and B.size.z > 0.0 else 0.0


@helper
def below_axis(height, sine, radius):
    """How far along -n the surface of a capsule is below a point of its axis, ``height`` along n above the lower end.

    The way x leaves over the mantle, or over the ball around the lower end, which the point is l along the axis from:

        x = radius / sqrt(1 - sine^2),     x = l sine + sqrt(radius^2 - l^2 (1 - sine^2)),   l = height / sine

    The first from  l >= radius sine / sqrt(1 - sine^2)  on. A ball has sine zero.
    """
    if sine == 0.0:
        return radius
    square = max(1.0 - sine * sine, 0.0)
    if height * height * square >= (radius * sine * sine) ** 2:
        return radius / math.sqrt(square)
    away = height / sine
    return height + math.sqrt(radius * radius - away * away * square)


@routine
def face_contact(F, t, row, q, hulls, surface, convex):
    """Points over the face of a facet, in the pool; FAR, SETTLED, FOUND or UNSETTLED.

    A solid with a part below a facet need not reach it: it may be behind or beside.
    """
    n, near = F.n, convex.near
    low = (q.c - F.p) @ n + lowest_along(n, q, hulls, surface, near) - q.radius
    if low > q.margin:
        return FAR
    below = (q.top - F.p) @ n + q.radius < 0.0
    if below:
        below = (q.c + core_point(q.B, hulls, near, 1, n) - F.p) @ n + q.radius < 0.0
    if q.B.kind == SPHERE and not (q.sinks and below) and is_beside(F, q, hulls, near):
        return FAR
    if below and not q.sinks:
        return FAR if is_beside(F, q, hulls, near) else UNSETTLED
    under = underside_along(n, q, hulls, surface, near)
    e = F.q - F.p
    length = e.norm()
    u = e * (1.0 / length if length > 0.0 else 0.0)
    v = n.cross(u)
    to_polygon(surface, under.corners, q.c, F.p, u, v, n)
    which, count = cut_to_triangle(surface, under.corners, F, u, v, GROWN * q.scale)
    if count == 0:
        return FAR if is_beside(F, q, hulls, near) else UNSETTLED
    least, x, y = math.inf, 0.0, 0.0
    end, sine = low + q.radius, sine_of_axis(q.B, n)
    for i in range(count):
        corner = surface.polygon[which, i]
        corner[2] -= below_axis(corner[2] - end, sine, q.radius)
        least, x, y = min(least, corner[2]), x + corner[0], y + corner[1]
    regular = least <= low + SAME * q.scale
    if least > q.margin or (not regular and least > 0.0 and -(under.n @ n) < FLAT):
        return UNSETTLED
    if least < 0.0 and not q.sinks and q.B.kind != SPHERE:
        middle = F.p + u * (x / count) + v * (y / count)
        if not meets(F, middle, row, q, hulls, surface, convex):
            return UNSETTLED
    for i in range(count):
        x, y, d = surface.polygon[which, i, 0], surface.polygon[which, i, 1], surface.polygon[which, i, 2]
        if d <= q.margin:
            number = feature_under(surface, which, i, count, under.corners)
            put_pool(surface, F.p + u * x + v * y, n, d, feature_of(t, FACE), number)
    put_found(surface, row, FACE, n, least, low + F.p @ n, regular)
    return settled(regular, least)
