"""Signed distance from a direction that is nearly the normal, with proof: for motion from step to step (V-25, I-088).

The gap between two solids along a unit vector n is

    f(n) = n . w(n),     w(n) = r + s_B(-n) - s_A(n),     d = max over n of f(n)

A face that faces the direction gives n at once. Lines give one equation each (:mod:`gelenk.collision.kinks`). What is
left is found by the method of Newton (:mod:`gelenk.collision.newton`).

No result is taken on trust. Apart: f(n) is a lower bound of the distance, that of any two points of the solids an upper
one. Overlapping: see :mod:`gelenk.collision.inscribed`; where it does not tell, :mod:`gelenk.collision.wrap` may.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.closest import point_triangle
from gelenk.collision.flat_rims import edge_over_rim, has_rim, rim_over_rim
from gelenk.collision.gjk import ROUND_OFF, difference_point
from gelenk.collision.inscribed import room
from gelenk.collision.kinks import Kink, crossing, kink_near, line_of, other_edge
from gelenk.collision.near_proof import (
    TANGENTS,
    face_tangent,
    holds_at_point,
    holds_on_line,
    nothing_far,
    open_tangent,
    room_in_face,
)
from gelenk.collision.newton import newton, newton_on, on_circle
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE
from gelenk.compile import helper, routine, unit
from gelenk.math.vec3 import Vec3, get3

FLAT = 0.995  # cosine (5.7 degrees) from which on a direction belongs to a face
CROSSED = 1e-3  # sine of the angle between two lines from which on they cross
PROVEN = 1e-13  # of the sizes: gap of the bounds
SAME = 1e-10  # depths that differ by this part are equal
NEARLY = 1e-6  # of the sizes: what of w may be left across n where both touch with one point


class Way(NamedTuple):
    """The way from core to core, or out of an overlap."""

    d: float  # signed distance [m]
    n: Vec3  # from A to B
    a: Vec3  # point of the core of A, from its centre
    sure: bool
    tangent: float  # around n within which no other way out is shorter, of those looked at


@routine
def contains(solid, hulls, x, tol):
    """Whether the core contains a point, but for ``tol``; ellipsoids never do."""
    s, p = solid.size, solid.R.tdot(x)
    if solid.kind == CAPSULE:
        return abs(p.z) <= s.z + tol and p.x * p.x + p.y * p.y <= tol * tol
    if solid.kind == BOX or solid.kind == CYLINDER or solid.kind == CONE or solid.kind == HULL:
        return room(solid, hulls, x, x) >= -tol
    if solid.kind == TRIANGLE:
        R = solid.R
        foot, _ = point_triangle(x, Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz))
        return (foot - x).norm() <= tol
    return False


@routine
def reached(solid, hulls, x, n, d, tol):
    """Whether the point x of the other solid, d over this one along its outward n, proves that the distance is d."""
    if d > (0.0 if solid.kind == ELLIPSOID else -tol):
        return contains(solid, hulls, x - n * d, tol)
    return room(solid, hulls, x, n) >= -d - tol


@routine
def prove(A, B, r, n, e, g, far, hulls, work):
    """The way along n, sure if it is proven; e, g: directions of lines of A and B, whose other ends may do, or zero."""
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d, b = n @ w, a + w
    scale = r.norm() + a.norm() + w.norm()
    tol = PROVEN * scale
    if d > 0.0 and w.norm() - d <= ROUND_OFF * scale:
        return Way(d, n, a, True, 0.0)
    if reached(A, hulls, b, n, d, tol):
        return Way(d, n, b - n * d, True, 0.0)
    if reached(B, hulls, a - r, -n, d, tol):
        return Way(d, n, a, True, 0.0)
    if g @ g > 0.0 and is_even(B):
        b = b - g * (2.0 * ((b - r) @ g))
        if reached(A, hulls, b, n, d, tol):
            return Way(d, n, b - n * d, True, 0.0)
    if e @ e > 0.0 and is_even(A):
        other = a - e * (2.0 * (a @ e))
        if reached(B, hulls, other - r, -n, d, tol):
            return Way(d, n, other, True, 0.0)
    side = w - n * d
    if d < 0.0 and side.norm() <= NEARLY * scale:
        left2 = side @ side
        tangent = open_tangent(far, n, -d)
        if tangent >= 0.0 and holds_at_point(A, B, n, -d, tangent, left2, tol):
            return Way(d, n, a, True, tangent)
        for t in TANGENTS:
            if holds_at_point(A, B, n, -d, t, left2, tol):
                return Way(d, n, a, False, t)
    return Way(d, n, a, False, 0.0)


@routine
def prove_face(A, B, r, n, of_a, face, far, hulls, work):
    """The way along the normal n of a face of A (of_a) or B, sure if it is proven; face: of a hull, which one."""
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d, b = n @ w, a + w
    tangent = 0.0
    if of_a:
        room_there = room_in_face(A, hulls, face, n, b - n * d)
    else:
        room_there = room_in_face(B, hulls, face, -n, a - r + n * d)
    if d < 0.0:
        tangent = face_tangent(-d, room_there)
        if tangent > 0.0 and 0.0 <= open_tangent(far, n, -d) <= tangent:
            return Way(d, n, b - n * d if of_a else a, True, tangent)
    scale = r.norm() + a.norm() + w.norm()
    tol = PROVEN * scale
    # beside the face nothing of its solid is reached; above it, it is enough not to be beside
    over, above = room_there >= -tol, d > -tol
    if (over or not of_a) and ((above and of_a) or reached(A, hulls, b, n, d, tol)):
        return Way(d, n, b - n * d, True, tangent)
    if (over or of_a) and ((above and not of_a) or reached(B, hulls, a - r, -n, d, tol)):
        return Way(d, n, a, True, tangent)
    if d > 0.0:
        return Way(d, n, a, w.norm() - d <= ROUND_OFF * scale, 0.0)
    return Way(d, n, b - n * d if of_a and tangent > 0.0 else a, False, tangent)


@helper
def is_even(solid):
    """Whether the other end of a line is its mirror image."""
    return solid.kind == BOX or solid.kind == CYLINDER or solid.kind == CAPSULE


@helper
def share_of_rim(solid, x):
    """Of a point on a side line, its share of the rim of a cone, the rest being that of the tip; else 1."""
    if solid.kind == CONE:
        return 1.0 - (solid.R.xz * x.x + solid.R.yz * x.y + solid.R.zz * x.z) / solid.size.z
    return 1.0


@routine
def holds_on_side(A, B, n, depth, tangent, e, room_there, share, of_a):
    """:func:`holds_on_line` of a line of A (of_a) or B.

    Of a cone the rim alone is curved: half of the smaller share is for the line, the rest for the curve.
    """
    part = share
    if share < 1.0:
        half = 0.5 * min(share, 1.0 - share)
        room_there, part = 0.5 * room_there, share - half
    if of_a:
        return holds_on_line(A, B, n, depth, tangent, e, room_there, part, 1.0)
    return holds_on_line(A, B, n, depth, tangent, e, room_there, 1.0, part)


@routine
def on_core(solid, hulls, vertex, foot, way, length, tol):
    """Whether the foot is a point of a core, ``way`` from the farthest one along a line of some length.

    That one is a vertex of a hull: an edge from there tells, mostly.
    """
    if solid.kind != HULL:
        return contains(solid, hulls, foot, tol)
    size = way.norm()
    if size > length + tol:
        return False
    u, start = solid.R.tdot(way), get3(hulls.vertex, vertex)
    for k in range(np.int64(hulls.fan_first[vertex]), np.int64(hulls.fan_first[vertex + 1])):
        edge = get3(hulls.vertex, np.int64(hulls.fan_vertex[k])) - start
        along = edge @ u
        if along >= size * (size - tol):
            t = size * size / along if along > 0.0 else 0.0
            if (edge * t - u).norm() <= tol:
                return True
    return contains(solid, hulls, foot, tol)


@routine
def prove_lines(A, B, r, n, p, q, far, hulls, work):
    """The way along n across a line p of A, a line q of B or both, the other being none; sure if it is proven.

    With  w - f n = e x - g y  the points  a + e x  and  b + g y  lie over each other.
    """
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d = n @ w
    e, g = line_of(p, n), line_of(q, n)
    scale = r.norm() + a.norm() + w.norm()
    tol = PROVEN * scale
    side = w - n * d
    of_a, of_b = e @ e > 0.0, g @ g > 0.0
    x, y, sine = 0.0, 0.0, 0.0
    if of_a and of_b:
        sine = e.cross(g) @ n
        x, y = (side.cross(g) @ n) / sine, (side.cross(e) @ n) / sine
    elif of_a:
        x = side @ e
    else:
        y = -(side @ g)
    foot, b = a + e * x, a + w + g * y
    if of_a and not on_core(A, hulls, np.int64(work.near[0]), foot, e * x, p.length, tol):
        return Way(d, n, a, False, 0.0)
    if of_b and not on_core(B, hulls, np.int64(work.near[1]), b - r, g * y, q.length, tol):
        return Way(d, n, a, False, 0.0)
    if d > 0.0:
        return Way(d, n, foot, (b - foot).norm() - d <= 4.0 * ROUND_OFF * scale, 0.0)
    if (b - foot - n * d).norm() > NEARLY * scale:  # a circle seen along its axis: n is lost in rounding
        return Way(d, n, a, False, 0.0)
    room_a, room_b = min(abs(x), p.length - abs(x)), min(abs(y), q.length - abs(y))
    open_to, tangent = open_tangent(far, n, -d), 0.0
    line, room_there = (e, room_a) if of_a else (g, room_b)
    share = share_of_rim(A, foot) if of_a else share_of_rim(B, b - r)
    if of_a and of_b:
        tangent = face_tangent(-d, min(room_a, room_b) * abs(sine))
        if tangent > 0.0 and 0.0 <= open_to <= tangent:
            return Way(d, n, foot, True, tangent)
    elif open_to >= 0.0 and holds_on_side(A, B, n, -d, open_to, line, room_there, share, of_a):
        return Way(d, n, foot, True, open_to)
    # where a hull touches with an edge or a vertex no ball inside it does
    if A.kind != HULL and room(A, hulls, b, n) >= -d - tol:
        return Way(d, n, foot, True, 0.0)
    if B.kind != HULL and room(B, hulls, foot - r, -n) >= -d - tol:
        return Way(d, n, foot, True, 0.0)
    if not (of_a and of_b):
        for t in TANGENTS:
            if holds_on_side(A, B, n, -d, t, line, room_there, share, of_a):
                tangent = t
                break
    return Way(d, n, foot, False, tangent)


@helper
def has_faces(solid):
    """Whether a core has flat faces."""
    return solid.kind != CAPSULE and solid.kind != ELLIPSOID and solid.kind != SPHERE


class Face(NamedTuple):
    """A flat face."""

    n: Vec3  # outward, world axes; zero if there is none
    face: int | np.integer  # of a hull, which one


@routine
def face_near(solid, hulls, vertex, m):
    """The flat face whose outward normal is nearest to the direction m, if it is near."""
    u = solid.R.tdot(m)
    p, face = Vec3(0.0, 0.0, 0.0), np.int64(0)
    if solid.kind == BOX:
        p = Vec3(flat(u.x), flat(u.y), flat(u.z))
    elif solid.kind == CYLINDER or (solid.kind == CONE and u.z < 0.0):
        p = Vec3(0.0, 0.0, flat(u.z))
    elif solid.kind == HULL:
        v = np.int64(vertex)
        most = FLAT
        for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
            edge = hulls.edge[hulls.fan[k]]
            f = np.int64(edge.left if edge.tail == v else edge.right)  # every face once
            n = hulls.face[f].n
            q = Vec3(n[0], n[1], n[2])
            if q @ u > most:
                p, most, face = q, q @ u, f
    elif solid.kind == TRIANGLE:
        R = solid.R
        a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
        q = (b - a).cross(c - a)
        if abs(q @ m) > FLAT * q.norm():
            return Face(q * (math.copysign(1.0, q @ m) / q.norm()), face)
        return Face(p, face)
    return Face(solid.R @ p, face)


@helper
def flat(x):
    """Sign of a component if it is nearly all, else zero."""
    return math.copysign(1.0, x) if abs(x) > FLAT else 0.0


@helper
def better(x, y):
    """The one of two ways that is proven, or else shows less overlap; of equals the one that is settled."""
    equal = y.tangent > 0.0 and x.tangent == 0.0 and y.d >= x.d - SAME * abs(x.d)
    return y if y.sure or (not x.sure and (y.d > x.d or equal)) else x


@helper
def is_settled(way):
    """Whether there is no need to look around: proven, or nothing near is shorter."""
    return way.sure or way.tangent > 0.0


@routine
def on_line(A, B, r, n, kink, of_a, hulls, work):
    """Better n on the circle of a line of A (of_a) or B; zero if none is found."""
    if has_rim(B, -n) if of_a else has_rim(A, n):
        n = edge_over_rim(A, B, r, on_circle(n, kink.k, kink.c), kink.k, kink.c, of_a, hulls, work)
    return newton_on(A, B, r, n, kink.k, kink.c, of_a, hulls, work)


@unit
def near_way(A, B, r, n, limit, far, hulls, work):
    """The way near to the unit vector n. Sure: proven to be the distance, or that to be above the limit."""
    w, a = difference_point(A, B, r, hulls, work.near, n)
    way = Way(n @ w, n, a, False, 0.0)
    if way.d > limit:
        return Way(way.d, n, a, True, 0.0)
    in_a, in_b = work.near[0], work.near[1]
    if has_faces(A):
        face = face_near(A, hulls, in_a, n)
        if face.n @ face.n > 0.0:
            way = better(way, prove_face(A, B, r, face.n, True, face.face, far, hulls, work))
            if is_settled(way):
                return way
    if has_faces(B):
        face = face_near(B, hulls, in_b, -n)
        if face.n @ face.n > 0.0:
            way = better(way, prove_face(A, B, r, -face.n, False, face.face, far, hulls, work))
            if is_settled(way):
                return way
    p, q = kink_near(A, hulls, in_a, n), kink_near(B, hulls, in_b, -n)
    q = Kink(q.k, -q.c, q.length)
    none = Vec3(0.0, 0.0, 0.0)
    no_kink = Kink(none, 0.0, 0.0)
    of_a, of_b = p.k @ p.k > 0.0, q.k @ q.k > 0.0
    if of_a and of_b:
        e, g = line_of(p, n), line_of(q, n)
        m = e.cross(g)
        if m @ m > CROSSED * CROSSED:
            m = crossing(p, q, n)
            if m @ m > 0.0:
                way = better(way, prove_lines(A, B, r, m, p, q, far, hulls, work))
        else:
            m = on_line(A, B, r, n, p, True, hulls, work)
            if m @ m > 0.0:
                way = better(way, prove(A, B, r, m, line_of(p, m), line_of(q, m), nothing_far(), hulls, work))
        if is_settled(way):
            return way
    if of_a:
        m = on_line(A, B, r, n, p, True, hulls, work)
        if m @ m > 0.0:
            way = better(way, prove_lines(A, B, r, m, p, no_kink, far, hulls, work))
            if is_settled(way):
                return way
    if of_a and has_rim(B, -n):
        p = other_edge(A, p, n)
        if p.k @ p.k > 0.0:
            m = on_line(A, B, r, n, p, True, hulls, work)
            if m @ m > 0.0:
                way = better(way, prove_lines(A, B, r, m, p, no_kink, far, hulls, work))
                if is_settled(way):
                    return way
    if of_b:
        m = on_line(A, B, r, n, q, False, hulls, work)
        if m @ m > 0.0:
            way = better(way, prove_lines(A, B, r, m, no_kink, q, far, hulls, work))
            if is_settled(way):
                return way
    if has_rim(A, n) and has_rim(B, -n):
        n = rim_over_rim(A, B, r, n, hulls, work)
        w, a = difference_point(A, B, r, hulls, work.near, n)
    m = newton(A, B, r, n, w, a, hulls, work)
    if m @ m > 0.0:
        way = better(way, prove(A, B, r, m, none, none, far, hulls, work))
    return way
