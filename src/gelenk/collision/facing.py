"""The part of a convex solid that faces a direction: a corner, an edge, a face, or what stands for them (I-091, H-69).

A face counts if its normal is nearly the direction, an edge or a straight side line if it lies nearly across it, else a
single point is left. Circles are polygons of eight corners fixed to the body, and one more where they reach farthest.

Features are numbers that stay the same while the same part of the solid is meant. Boxes, triangles, capsules and hulls
have those of their own pairs, cylinders and cones those below, with k = 0 for the rim at the bottom, 1 at the top.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.gjk import climb
from gelenk.collision.narrow.box import coordinate, corner_id, edge_id, face_id, largest, turn_back, turn_to
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, HULL, TRIANGLE, Hulls
from gelenk.collision.vclip_features import EDGE, FACE, VERTEX, far_end, feature
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3

FLAT = 0.995  # cosine (5.7 degrees) from which on a direction belongs to a face
SLANT = 0.1  # its sine: up to which an edge or side line lies across the direction
EQUAL = 1e-7  # sine of the angle across an edge up to which both its ends reach as far: the noise of normals
LEVEL = 1e-6  # sine below which a circle has no lowest place worth a corner of its own
CORNERS = 8  # of a circle
ONE_CORNER = 1.0 - 1e-6  # cosine between two corners of a circle that are one
EIGHTH = math.sqrt(0.5)  # cosine and sine of an eighth of a turn

RIM = 16  # RIM k + i: corner i of a rim; i = 8: the place that reaches farthest
CHORD = 32  # CHORD + RIM k + i: the side from that corner to the next
CAP = 64  # CAP + k
SIDE_LINE = 66
TIP = 67
AXIS_SIDE = 2  # side of a capsule; its ends are 0 and 1


class FacingSpace(NamedTuple):
    """Room for what faces, of A and of B."""

    p: np.ndarray  # (2, k, 3) corners from the centre, world axes; counter-clockwise seen from outside [m]
    corner: np.ndarray  # (2, k) features of the corners
    side: np.ndarray  # (2, k) features of the sides from a corner to the next


class Facing(NamedTuple):
    """What faces a direction."""

    corners: int  # 1: a point, 2: a line, more: a polygon
    feature: int  # of the whole
    n: Vec3  # outward normal of a polygon, world axes


def facing_space(hulls: Hulls) -> FacingSpace:
    """Room for the largest face of a table, and for circles."""
    sizes = hulls.face["last"].astype(np.int64) - hulls.face["first"]
    room = max(int(sizes.max(initial=3)), CORNERS + 1)
    return FacingSpace(np.zeros((2, room, 3)), np.zeros((2, room), np.int64), np.zeros((2, room), np.int64))


@helper
def put_corner(space, which, i, R, p, corner, side):
    """Corner i at p, shape axes."""
    put3(space.p[which], i, R @ p)
    space.corner[which, i], space.side[which, i] = corner, side


@helper
def a_point(number):
    """Facing with a single point; where it lies, the closest points tell."""
    return Facing(1, number, Vec3(0.0, 0.0, 0.0))


@helper
def a_line(number):
    """Facing with a line."""
    return Facing(2, number, Vec3(0.0, 0.0, 0.0))


@routine
def facing(solid, hulls, m, near, space, which):
    """What of a solid faces the unit vector m; corners go to row ``which`` of ``space``. Rounding is left out.

    near: (2,) vertices where climbing on hulls begins.
    """
    u, s = solid.R.tdot(m), solid.size
    if solid.kind == BOX:
        return facing_box(solid.R, s, u, space, which)
    if solid.kind == CAPSULE:
        end = 1 if u.z > 0.0 else 0
        if abs(u.z) > SLANT or s.z == 0.0:
            return a_point(end)
        put_corner(space, which, 0, solid.R, Vec3(0.0, 0.0, -s.z), 0, AXIS_SIDE)
        put_corner(space, which, 1, solid.R, Vec3(0.0, 0.0, s.z), 1, AXIS_SIDE)
        return a_line(AXIS_SIDE)
    if solid.kind == CYLINDER:
        return facing_cylinder(solid.R, s, u, space, which)
    if solid.kind == CONE:
        return facing_cone(solid.R, s, u, space, which)
    if solid.kind == TRIANGLE:
        return facing_triangle(solid.R, m, space, which)
    if solid.kind == HULL:
        return facing_hull(solid, hulls, u, near, space, which)
    return a_point(0)


@routine
def facing_box(R, s, u, space, which):
    """Face, edge or corner of a box; u in shape axes."""
    axis = largest(u)
    corner = corner_id(u.x, u.y, u.z)
    if abs(coordinate(u, axis)) >= FLAT:
        top = coordinate(s, axis) if coordinate(u, axis) > 0.0 else -coordinate(s, axis)
        half = turn_to(s, axis)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        sign = 1.0 if coordinate(u, axis) > 0.0 else -1.0
        base = corner & (1 << axis)
        for k in range(4):  # (+, +), (-, +), (-, -), (+, -) of the two other axes; seen from below the other way round
            x = 1.0 if k == 0 or k == 3 else -1.0
            y = sign if k < 2 else -sign
            own = base | ((1 << i) if x > 0.0 else 0) | ((1 << j) if y > 0.0 else 0)
            p = turn_back(Vec3(x * half.x, y * half.y, top), axis)
            put_corner(space, which, k, R, p, own, edge_id(i if k == 0 or k == 2 else j, own))
        return Facing(4, face_id(axis, sign), R @ turn_back(Vec3(0.0, 0.0, sign), axis))
    axis = least(u)
    p = Vec3(math.copysign(s.x, u.x), math.copysign(s.y, u.y), math.copysign(s.z, u.z))
    if abs(coordinate(u, axis)) > SLANT:
        return a_point(corner)
    edge = edge_id(axis, corner)
    q = turn_to(p, axis)
    low, high = turn_back(Vec3(q.x, q.y, -abs(q.z)), axis), turn_back(Vec3(q.x, q.y, abs(q.z)), axis)
    put_corner(space, which, 0, R, low, corner & ~(1 << axis), edge)
    put_corner(space, which, 1, R, high, corner | (1 << axis), edge)
    return a_line(edge)


@helper
def least(v):
    """Which component has the least magnitude; the first of equals."""
    x, y, z = abs(v.x), abs(v.y), abs(v.z)
    if x <= y and x <= z:
        return 0
    return 1 if y <= z else 2


@routine
def put_circle(R, radius, z, k, up, u, space, which):
    """Corners of the circle at height z, rim k, seen from above (up = 1) or below (-1); how many.

    u: where it reaches farthest, shape axes; not looked at if it goes along the axis.
    """
    size = math.sqrt(u.x * u.x + u.y * u.y)
    x, y = (u.x / size, up * u.y / size) if size > LEVEL else (0.0, 0.0)
    c, s = 1.0, 0.0
    count = 0
    for i in range(CORNERS):
        c_next, s_next = (c - s) * EIGHTH, (c + s) * EIGHTH
        if c * x + s * y < ONE_CORNER:  # else the farthest place stands for this corner
            p = Vec3(radius * c, up * radius * s, z)
            put_corner(space, which, count, R, p, RIM * k + i, CHORD + RIM * k + i)
            count += 1
        left, right = c * y - s * x, x * s_next - y * c_next
        if (left > 0.0 and right > 0.0) or c * x + s * y >= ONE_CORNER:
            p = Vec3(radius * x, up * radius * y, z)
            put_corner(space, which, count, R, p, RIM * k + CORNERS, CHORD + RIM * k + CORNERS)
            count += 1
        c, s = c_next, s_next
    return count


@routine
def facing_cylinder(R, s, u, space, which):
    """Cap, side line or rim of a cylinder; u in shape axes."""
    k, up = (1, 1.0) if u.z > 0.0 else (0, -1.0)
    if abs(u.z) >= FLAT:
        count = put_circle(R, s.x, up * s.z, k, up, u, space, which)
        return Facing(count, CAP + k, R @ Vec3(0.0, 0.0, up))
    if abs(u.z) > SLANT:
        return a_point(RIM * k + CORNERS)
    c = s.x / math.sqrt(u.x * u.x + u.y * u.y)
    put_corner(space, which, 0, R, Vec3(c * u.x, c * u.y, -s.z), CORNERS, SIDE_LINE)
    put_corner(space, which, 1, R, Vec3(c * u.x, c * u.y, s.z), RIM + CORNERS, SIDE_LINE)
    return a_line(SIDE_LINE)


@routine
def facing_cone(R, s, u, space, which):
    """Base, side line, tip or rim of a cone; u in shape axes. Its side has the normal (height, radius) / slant."""
    if u.z <= -FLAT:
        count = put_circle(R, s.x, 0.0, 0, -1.0, u, space, which)
        return Facing(count, CAP, R @ Vec3(0.0, 0.0, -1.0))
    across = math.sqrt(u.x * u.x + u.y * u.y)
    rises = u.z * s.z - s.x * across  # from rim to tip
    if abs(rises) > SLANT * math.sqrt(s.x * s.x + s.z * s.z) or across == 0.0:
        return a_point(TIP if rises > 0.0 else CORNERS)
    c = s.x / across
    put_corner(space, which, 0, R, Vec3(c * u.x, c * u.y, 0.0), CORNERS, SIDE_LINE)
    put_corner(space, which, 1, R, Vec3(0.0, 0.0, s.z), TIP, SIDE_LINE)
    return a_line(SIDE_LINE)


@routine
def facing_triangle(R, m, space, which):
    """Face, edge or corner of a triangle, which has two sides to face with."""
    a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
    n = (b - a).cross(c - a)
    size = n.norm()
    along = n @ m
    if size > 0.0 and abs(along) >= FLAT * size:
        front = along > 0.0
        for k in range(3):
            i = k if front else 2 - k
            p = a if i == 0 else (b if i == 1 else c)
            put3(space.p[which], k, p)
            first = i if front else (i + 2) % 3  # sides 3, 4, 5 begin at 0, 1, 2 in front
            space.corner[which, k], space.side[which, k] = i, 3 + first
        return Facing(3, 6, n * ((1.0 if front else -1.0) / size))
    h = Vec3(a @ m, b @ m, c @ m)
    low = 0 if h.x <= h.y and h.x <= h.z else (1 if h.y <= h.z else 2)
    p, q, first = (b, c, 1) if low == 0 else ((c, a, 2) if low == 1 else (a, b, 0))
    e = q - p
    last = (first + 1) % 3
    if abs(e @ m) > SLANT * e.norm():
        return a_point(first if p @ m > q @ m else last)
    put3(space.p[which], 0, p)
    put3(space.p[which], 1, q)
    space.corner[which, 0], space.corner[which, 1] = first, last
    space.side[which, 0] = space.side[which, 1] = 3 + first
    return a_line(3 + first)


@helper
def first_of_equals(hulls, v, u):
    """The least number among a vertex and its neighbours that reach as far along u."""
    first = v
    for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
        w = np.int64(far_end(hulls, np.int64(hulls.fan[k]), v))
        way = get3(hulls.vertex, w) - get3(hulls.vertex, v)
        if w < first and abs(way @ u) <= EQUAL * way.norm():
            first = w
    return first


@routine
def facing_hull(solid, hulls, u, near, space, which):
    """Face, edge or vertex of a hull: those around the vertex farthest along u, shape axes; of equals the first."""
    v = first_of_equals(hulls, climb(hulls, solid.table, u, np.int64(near[which])), u)
    best, most = np.int64(-1), FLAT
    line, flattest = np.int64(-1), SLANT
    for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
        e = np.int64(hulls.fan[k])
        edge = hulls.edge[e]
        f = np.int64(edge.left if edge.tail == v else edge.right)  # every face once
        n = hulls.face[f].n
        c = Vec3(n[0], n[1], n[2]) @ u
        if c > most:
            best, most = f, c
        way = get3(hulls.vertex, far_end(hulls, e, v)) - get3(hulls.vertex, v)
        slope = abs(way @ u) / way.norm()
        if slope < flattest:
            line, flattest = e, slope
    if best >= 0:
        face = hulls.face[best]
        count = 0
        for k in range(np.int64(face.first), np.int64(face.last)):
            p = get3(hulls.vertex, hulls.loop[k])
            side = feature(EDGE, hulls.loop_edge[k])
            put_corner(space, which, count, solid.R, p, feature(VERTEX, hulls.loop[k]), side)
            count += 1
        return Facing(count, feature(FACE, best), solid.R @ Vec3(face.n[0], face.n[1], face.n[2]))
    if line < 0:
        return a_point(feature(VERTEX, v))
    for i in range(2):
        end = np.int64(hulls.edge[line].tail if i == 0 else hulls.edge[line].head)
        p, own = get3(hulls.vertex, end), feature(EDGE, line)
        put_corner(space, which, i, solid.R, p, feature(VERTEX, end), own)
    return a_line(feature(EDGE, line))
