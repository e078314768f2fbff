"""The part of a convex solid that looks most along a direction, however slanted it is: a face, a line or a point.

Its lowest point along that direction is always a corner of it. Round caps are polygons of eight corners fixed to the
body, and one more at the lowest place, which comes first. So over any small piece of a surface there is something of
the solid to measure the height of.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.gjk import core_point
from gelenk.collision.narrow.box import coordinate, corner_id, largest, turn_back, turn_to
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, HULL, TRIANGLE
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3

STEEP = 0.7  # cosine up to which the mantle of a cylinder or cone counts rather than its cap
LEVEL = 1e-9  # sine below which a circle has no lowest point: what that costs in height is less than round-off counts
CORNERS = 8  # of a circle
RIM = 16  # numbers of corners at the top: as in :mod:`gelenk.collision.facing`
EIGHTH = 0.25 * math.pi  # an eighth of a turn [rad]
CLOSE = 1e-9  # of an eighth: places on a circle that are one
MOVING = 1 << 23  # the number of a corner that is where the circle is lowest, and no fixed place of the body
ONE_CORNER = 1.0 - 1e-9  # cosine between two corners of a circle that are one


class Underside(NamedTuple):
    """Polygon, line (two corners) or point of a solid."""

    corners: int
    n: Vec3  # outward normal of a polygon, else zero


@helper
def put_under(corner, number, i, R, p, own):
    """Corner i at p, shape axes, with its number among the features of the solid."""
    put3(corner, i, R @ p)
    number[i] = own


@routine
def underside(B, hulls, u, near, corner, number):
    """What of B looks along u: corners from its centre, in the axes of u; counter-clockwise from outside. No rounding.

    near: vertices where climbing on hulls begins. Numbers of corners are those of other pairs of the same solid.
    """
    flat = Vec3(0.0, 0.0, 0.0)
    v, s = B.R.tdot(u), B.size
    if B.kind == BOX:
        return under_box(B.R, s, v, corner, number)
    if B.kind == HULL:
        return under_hull(B, hulls, u, near, corner, number)
    if B.kind == TRIANGLE:
        R = B.R
        a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
        n = (b - a).cross(c - a)
        size = n.norm()
        n = n * (1.0 / size if size > 0.0 else 0.0)
        back = n @ u < 0.0
        put3(corner, 0, a)
        put3(corner, 1, c if back else b)
        put3(corner, 2, b if back else c)
        number[0], number[1], number[2] = 0, 2 if back else 1, 1 if back else 2
        return Underside(3, -n if back else n)
    if B.kind == CAPSULE:
        put_under(corner, number, 0, B.R, Vec3(0.0, 0.0, -s.z), 0)
        put_under(corner, number, 1, B.R, Vec3(0.0, 0.0, s.z), 1)
        return Underside(2 if s.z > 0.0 else 1, flat)
    if B.kind == CYLINDER or B.kind == CONE:
        return under_round(B, v, corner, number)
    put3(corner, 0, core_point(B, hulls, near, 1, u))
    number[0] = 0
    return Underside(1, flat)


@routine
def under_box(R, s, v, corner, number):
    """Face of a box; v in shape axes."""
    axis = largest(v)
    sign = 1.0 if coordinate(v, axis) > 0.0 else -1.0
    half = turn_to(s, axis)
    for k in range(4):
        x = 1.0 if k == 0 or k == 3 else -1.0
        y = sign if k < 2 else -sign
        p = turn_back(Vec3(x * half.x, y * half.y, sign * half.z), axis)
        put_under(corner, number, k, R, p, corner_id(p.x, p.y, p.z))
    return Underside(4, R @ turn_back(Vec3(0.0, 0.0, sign), axis))


@routine
def under_round(B, v, corner, number):
    """Cap or side line of a cylinder or cone; v in shape axes."""
    s, cone = B.size, B.kind == CONE
    across = math.sqrt(v.x * v.x + v.y * v.y)
    c, t = (v.x / across, v.y / across) if across > LEVEL else (1.0, 0.0)
    up = 1.0 if v.z > 0.0 else -1.0
    if v.z < -STEEP or (v.z > STEEP and not cone):
        z = 0.0 if cone else up * s.z
        rim = RIM if z > 0.0 else 0
        put_under(corner, number, 0, B.R, Vec3(s.x * c, s.x * t, z), rim + MOVING)
        turn = math.atan2(t, c) / EIGHTH  # eighths of a full turn to the lowest place
        first = math.floor(turn + 1.0 - CLOSE) if up > 0.0 else math.ceil(turn - 1.0 + CLOSE)  # next one on the way
        count = 1
        for k in range(CORNERS):
            i = (first + (k if up > 0.0 else -k)) % CORNERS
            x, y = math.cos(i * EIGHTH), math.sin(i * EIGHTH)
            if x * c + y * t < ONE_CORNER:
                put_under(corner, number, count, B.R, Vec3(s.x * x, s.x * y, z), rim + i)
                count += 1
            else:
                number[0] = rim + i
        return Underside(count, B.R @ Vec3(0.0, 0.0, up))
    put_under(corner, number, 0, B.R, Vec3(s.x * c, s.x * t, 0.0 if cone else -s.z), 0)
    put_under(corner, number, 1, B.R, Vec3(0.0, 0.0, s.z) if cone else Vec3(s.x * c, s.x * t, s.z), 16)
    return Underside(2, Vec3(0.0, 0.0, 0.0))


@routine
def under_hull(B, hulls, u, near, corner, number):
    """Of the faces around the farthest vertex of a hull the one that looks most along u; of equals the first."""
    core_point(B, hulls, near, 1, u)
    v, w = np.int64(near[1]), B.R.tdot(u)
    best, most = np.int64(-1), -2.0
    for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
        edge = hulls.edge[hulls.fan[k]]
        f = np.int64(edge.left if edge.tail == v else edge.right)  # every face once
        c = get3(hulls.face.n, f) @ w
        if c > most + 1e-9 or (c > most - 1e-9 and f < best):
            best, most = f, c
    face = hulls.face[best]
    first, size = np.int64(face.first), np.int64(face.last) - np.int64(face.first)
    stride = (size + corner.shape[0] - 1) // corner.shape[0]  # leave out corners of a face too large for the room
    origin = np.int64(hulls.hull[B.table].vertex_first)
    count, lowest = 0, np.int64(-1)
    for k in range(first, first + size):
        vertex = np.int64(hulls.loop[k])
        if (k - first) % stride == 0:
            put_under(corner, number, count, B.R, get3(hulls.vertex, vertex), vertex - origin)
            lowest = vertex if vertex == v else lowest
            count += 1
    if lowest < 0:
        put_under(corner, number, 0, B.R, get3(hulls.vertex, v), v - origin)
    return Underside(count, B.R @ get3(hulls.face.n, best))
