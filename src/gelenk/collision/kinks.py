"""Lines of a solid as circles of directions (V-25).

All directions that see a whole edge or side line of a solid make a circle on the unit sphere,

    m . k = c

Edges, and the sides of cylinders and capsules, have k along the line and c = 0. All side lines of a cone share one
circle: k its axis, c the sine of half its opening. There the support function has a kink, and the directions of least
depth lie on kinks: at a crossing of two, one of each solid, or somewhere along one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, HULL, TRIANGLE
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

NEARLY_ONE = 1e-6  # length of a unit vector that round-off leaves one
ACROSS = 0.05  # sine up to which a direction belongs to a line


class Kink(NamedTuple):
    """Circle of directions; k is zero where there is none."""

    k: Vec3  # of unit length, world axes
    c: float
    length: float  # of the line [m]


@routine
def kink_near(solid, hulls, vertex, m):
    """The circle next to the unit vector m, outward, world axes; vertex: of a hull, the one farthest along m."""
    u = solid.R.tdot(m)
    if solid.kind == TRIANGLE:
        return triangle_kink(solid.R, m)
    p, c, length = Vec3(0.0, 0.0, 0.0), 0.0, 0.0
    if solid.kind == CYLINDER or solid.kind == CAPSULE:
        p, length = Vec3(0.0, 0.0, 1.0 if abs(u.z) <= ACROSS else 0.0), 2.0 * solid.size.z
    elif solid.kind == CONE:
        length = math.sqrt(solid.size.x * solid.size.x + solid.size.z * solid.size.z)
        c = solid.size.x / length if length > 0.0 else 0.0
        p = Vec3(0.0, 0.0, 1.0 if abs(u.z - c) <= ACROSS else 0.0)
    elif solid.kind == BOX:
        x, y, z = abs(u.x), abs(u.y), abs(u.z)
        if x <= ACROSS and x <= y and x <= z:
            p, length = Vec3(1.0, 0.0, 0.0), 2.0 * solid.size.x
        elif y <= ACROSS and y <= z:
            p, length = Vec3(0.0, 1.0, 0.0), 2.0 * solid.size.y
        elif z <= ACROSS:
            p, length = Vec3(0.0, 0.0, 1.0), 2.0 * solid.size.z
    elif solid.kind == HULL:
        v = np.int64(vertex)
        least = ACROSS
        for i in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
            edge = hulls.edge[hulls.fan[i]]
            e = get3(hulls.vertex, np.int64(edge.head)) - get3(hulls.vertex, np.int64(edge.tail))
            ee, eu = e @ e, e @ u
            if eu * eu < least * least * ee:
                length = math.sqrt(ee)
                p, least = e * (1.0 / length), abs(eu) / length
    return Kink(solid.R @ p, c, length)


@helper
def side_kink(solid):
    """The circle of the side of a cylinder or cone, else none."""
    z = Vec3(solid.R.xz, solid.R.yz, solid.R.zz)
    if solid.kind == CYLINDER:
        return Kink(z, 0.0, 2.0 * solid.size.z)
    if solid.kind == CONE:
        length = math.sqrt(solid.size.x * solid.size.x + solid.size.z * solid.size.z)
        return Kink(z, solid.size.x / length if length > 0.0 else 0.0, length)
    return Kink(Vec3(0.0, 0.0, 0.0), 0.0, 0.0)


@routine
def other_edge(solid, kink, m):
    """Of a box with a face nearly across m, the circle of its other edges there; else none."""
    u, k = solid.R.tdot(m), solid.R.tdot(kink.k)
    if solid.kind == BOX:
        if abs(u.x) <= ACROSS and abs(k.x) < 0.5:
            return Kink(solid.R @ Vec3(1.0, 0.0, 0.0), 0.0, 2.0 * solid.size.x)
        if abs(u.y) <= ACROSS and abs(k.y) < 0.5:
            return Kink(solid.R @ Vec3(0.0, 1.0, 0.0), 0.0, 2.0 * solid.size.y)
        if abs(u.z) <= ACROSS and abs(k.z) < 0.5:
            return Kink(solid.R @ Vec3(0.0, 0.0, 1.0), 0.0, 2.0 * solid.size.z)
    return Kink(Vec3(0.0, 0.0, 0.0), 0.0, 0.0)


@helper
def triangle_kink(R, m):
    """Of the three edges that one which is most across m, among the two at the farthest corner."""
    a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
    x, y, z = a @ m, b @ m, c @ m
    low = 0 if x <= y and x <= z else (1 if y <= z else 2)
    e = c - b if low == 0 else (a - c if low == 1 else b - a)
    size = e.norm()
    if size == 0.0 or abs(e @ m) > ACROSS * size:
        return Kink(Vec3(0.0, 0.0, 0.0), 0.0, 0.0)
    return Kink(e * (1.0 / size), 0.0, size)


@helper
def line_of(kink, n):
    """Direction of the line that is seen along n, across n; zero if there is none."""
    e = kink.k - n * (kink.k @ n)
    size = e.norm()
    return e * (1.0 / size) if size > 0.0 else e


@helper
def crossing(p, q, n):
    """Unit vector next to n on both circles,  x k_p + y k_q + z k_p x k_q;  zero if they do not cross."""
    cosine = p.k @ q.k
    m = p.k.cross(q.k)
    sine2 = m @ m
    if sine2 <= 0.0:
        return m
    x, y = (p.c - cosine * q.c) / sine2, (q.c - cosine * p.c) / sine2
    flat = p.k * x + q.k * y
    left = (1.0 - flat @ flat) / sine2
    if left < 0.0:
        return Vec3(0.0, 0.0, 0.0)
    cross = flat + m * math.copysign(math.sqrt(left), m @ n)
    size = cross.norm()
    if abs(size - 1.0) > NEARLY_ONE:  # circles that nearly coincide: nothing is left of the differences
        return Vec3(0.0, 0.0, 0.0)
    return cross * (1.0 / size)
