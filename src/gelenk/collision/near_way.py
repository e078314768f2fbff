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
from gelenk.collision.gjk import ROUND_OFF, difference_point
from gelenk.collision.inscribed import room
from gelenk.collision.kinks import Kink, crossing, kink_near, line_of
from gelenk.collision.newton import newton, newton_on
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, HULL, TRIANGLE
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

FLAT = 0.995  # cosine (5.7 degrees) from which on a direction belongs to a face
CROSSED = 1e-3  # sine of the angle between two lines from which on they cross
PROVEN = 1e-13  # of the sizes: gap of the bounds


class Way(NamedTuple):
    """The way from core to core, or out of an overlap."""

    d: float  # signed distance [m]
    n: Vec3  # from A to B
    a: Vec3  # point of the core of A, from its centre
    sure: bool


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
    if d > 0.0:
        return contains(solid, hulls, x - n * d, tol)
    return room(solid, hulls, x, n) >= -d - tol


@routine
def prove(A, B, r, n, e, g, hulls, work):
    """The way along n, sure if it is proven; e, g: directions of lines of A and B, whose other ends may do, or zero."""
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d, b = n @ w, a + w
    scale = r.norm() + a.norm() + w.norm()
    tol = PROVEN * scale
    if d > 0.0 and w.norm() - d <= ROUND_OFF * scale:
        return Way(d, n, a, True)
    if reached(A, hulls, b, n, d, tol):
        return Way(d, n, b - n * d, True)
    if reached(B, hulls, a - r, -n, d, tol):
        return Way(d, n, a, True)
    if g @ g > 0.0 and is_even(B):
        b = b - g * (2.0 * ((b - r) @ g))
        if reached(A, hulls, b, n, d, tol):
            return Way(d, n, b - n * d, True)
    if e @ e > 0.0 and is_even(A):
        other = a - e * (2.0 * (a @ e))
        if reached(B, hulls, other - r, -n, d, tol):
            return Way(d, n, other, True)
    return Way(d, n, a, False)


@helper
def is_even(solid):
    """Whether the other end of a line is its mirror image."""
    return solid.kind == BOX or solid.kind == CYLINDER or solid.kind == CAPSULE


@routine
def prove_lines(A, B, r, n, e, g, hulls, work):
    """The way along n across a line e of A, a line g of B or both, the other being zero; sure if it is proven.

    With  w - f n = e x - g y  the points  a + e x  and  b + g y  lie over each other.
    """
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d = n @ w
    scale = r.norm() + a.norm() + w.norm()
    tol = PROVEN * scale
    side = w - n * d
    of_a, of_b = e @ e > 0.0, g @ g > 0.0
    b, foot = a + w, a
    if of_a and of_b:
        area = e.cross(g) @ n
        b = b + g * ((side.cross(e) @ n) / area)
        foot = a + e * ((side.cross(g) @ n) / area)
    elif of_a:
        foot = a + e * (side @ e)
    else:
        b = b - g * (side @ g)
    if (of_a and not contains(A, hulls, foot, tol)) or (of_b and not contains(B, hulls, b - r, tol)):
        return Way(d, n, a, False)
    if d > 0.0:
        return Way(d, n, foot, (b - foot).norm() - d <= 4.0 * ROUND_OFF * scale)
    return Way(d, n, foot, max(room(A, hulls, b, n), room(B, hulls, foot - r, -n)) >= -d - tol)


@routine
def face_near(solid, hulls, vertex, m):
    """Outward normal of the flat face nearest to the direction m, world axes; zero if there is none."""
    u = solid.R.tdot(m)
    p = Vec3(0.0, 0.0, 0.0)
    if solid.kind == BOX:
        p = Vec3(flat(u.x), flat(u.y), flat(u.z))
    elif solid.kind == CYLINDER or (solid.kind == CONE and u.z < 0.0):
        p = Vec3(0.0, 0.0, flat(u.z))
    elif solid.kind == HULL:
        v = np.int64(vertex)
        most = FLAT
        for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
            edge = hulls.edge[hulls.fan[k]]
            n = hulls.face[edge.left if edge.tail == v else edge.right].n  # every face once
            q = Vec3(n[0], n[1], n[2])
            if q @ u > most:
                p, most = q, q @ u
    elif solid.kind == TRIANGLE:
        R = solid.R
        a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
        q = (b - a).cross(c - a)
        if abs(q @ m) > FLAT * q.norm():
            return q * (math.copysign(1.0, q @ m) / q.norm())
        return p
    return solid.R @ p


@helper
def flat(x):
    """Sign of a component if it is nearly all, else zero."""
    return math.copysign(1.0, x) if abs(x) > FLAT else 0.0


@helper
def better(x, y):
    """The one of two ways that is proven, or else shows less overlap."""
    return y if y.sure or (not x.sure and y.d > x.d) else x


@routine
def near_way(A, B, r, n, limit, hulls, work):
    """The way near to the unit vector n. Sure: proven to be the distance, or that to be above the limit."""
    w, a = difference_point(A, B, r, hulls, work.near, n)
    way = Way(n @ w, n, a, False)
    if way.d > limit:
        return Way(way.d, n, a, True)
    none = Vec3(0.0, 0.0, 0.0)
    in_a, in_b = work.near[0], work.near[1]
    m = face_near(A, hulls, in_a, n)
    if m @ m > 0.0:
        way = better(way, prove(A, B, r, m, none, none, hulls, work))
        if way.sure:
            return way
    m = face_near(B, hulls, in_b, -n)
    if m @ m > 0.0:
        way = better(way, prove(A, B, r, -m, none, none, hulls, work))
        if way.sure:
            return way
    p, q = kink_near(A, hulls, in_a, n), kink_near(B, hulls, in_b, -n)
    q = Kink(q.k, -q.c)
    of_a, of_b = p.k @ p.k > 0.0, q.k @ q.k > 0.0
    if of_a and of_b:
        e, g = line_of(p, n), line_of(q, n)
        m = e.cross(g)
        if m @ m > CROSSED * CROSSED:
            m = crossing(p, q, n)
            if m @ m > 0.0:
                way = better(way, prove_lines(A, B, r, m, line_of(p, m), line_of(q, m), hulls, work))
        else:
            m = newton_on(A, B, r, n, p.k, p.c, True, hulls, work)
            if m @ m > 0.0:
                way = better(way, prove(A, B, r, m, e, g, hulls, work))
        if way.sure:
            return way
    if of_a:
        m = newton_on(A, B, r, n, p.k, p.c, True, hulls, work)
        if m @ m > 0.0:
            way = better(way, prove_lines(A, B, r, m, line_of(p, m), none, hulls, work))
            if way.sure:
                return way
    if of_b:
        m = newton_on(A, B, r, n, q.k, q.c, False, hulls, work)
        if m @ m > 0.0:
            way = better(way, prove_lines(A, B, r, m, none, line_of(q, m), hulls, work))
            if way.sure:
                return way
    m = newton(A, B, r, n, hulls, work)
    if m @ m > 0.0:
        way = better(way, prove(A, B, r, m, none, none, hulls, work))
    return way
