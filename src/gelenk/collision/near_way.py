"""Signed distance from a direction that is nearly the normal, with proof: for motion from step to step (V-25, I-088).

The gap between two solids along a unit vector n is

    f(n) = n . w(n),     w(n) = r + s_B(-n) - s_A(n),     d = max over n of f(n)

A face that faces the direction gives n at once. Lines (edges, sides of cylinders) give one or two equations n . e = 0.
What is left is found by the method of Newton on the sphere: with P the projection across n, and H the sum of the second
derivatives of both support functions, which are the radii of curvature of the two surfaces,

    (P H P + f) step = P w

No result is taken on trust. Apart: f(n) is a lower bound of the distance, that of any two points of the solids an upper
one. Overlapping: see :mod:`gelenk.collision.inscribed` and :mod:`gelenk.collision.crossed_edges`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.crossed_edges import edge_crosses
from gelenk.collision.gjk import ROUND_OFF, difference_point
from gelenk.collision.inscribed import room
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

FLAT = 0.995  # cosine (5.7 degrees) from which on a direction belongs to a face
ACROSS = 0.05  # sine up to which a direction belongs to a line
CROSSED = 1e-3  # sine of the angle between two lines from which on they cross
PROVEN = 1e-13  # of the sizes: gap of the bounds
LEVELLED = 1e-13  # of the sizes: what of w may be left across n
MOST_NEWTON = 8


class Way(NamedTuple):
    """The way from core to core, or out of an overlap."""

    d: float  # signed distance [m]
    n: Vec3  # from A to B
    a: Vec3  # point of the core of A, from its centre
    sure: bool


@routine
def contains(solid, hulls, x, tol):
    """Whether the core contains a point, but for ``tol``; triangles never do."""
    s, p = solid.size, solid.R.tdot(x)
    if solid.kind == CAPSULE:
        return abs(p.z) <= s.z + tol and p.x * p.x + p.y * p.y <= tol * tol
    if solid.kind == ELLIPSOID:
        return False
    if solid.kind == BOX or solid.kind == CYLINDER or solid.kind == CONE or solid.kind == HULL:
        return room(solid, hulls, x, x) >= -tol
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
    if d <= 0.0 and e @ e > 0.0 and edge_crosses(A, B, hulls, b - n * d, b - r, e, n, d, tol):
        return Way(d, n, b - n * d, True)
    if d <= 0.0 and g @ g > 0.0 and edge_crosses(B, A, hulls, a + n * d - r, a, g, -n, d, tol):
        return Way(d, n, a, True)
    if g @ g > 0.0:
        b = b - g * (2.0 * ((b - r) @ g))
        if reached(A, hulls, b, n, d, tol):
            return Way(d, n, b - n * d, True)
    if e @ e > 0.0:
        a = a - e * (2.0 * (a @ e))
        if reached(B, hulls, a - r, -n, d, tol):
            return Way(d, n, a, True)
    return Way(d, n, a, False)


@routine
def prove_crossed(A, B, r, n, e, g, hulls, work):
    """The way along n across a line e of A and a line g of B, sure if it is proven.

    With  w - f n = e x - g y  the points  a + e x  and  b + g y  lie over each other.
    """
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d = n @ w
    tol = PROVEN * (r.norm() + a.norm() + w.norm())
    side, area = w - n * d, e.cross(g) @ n
    b = a + w + g * ((side.cross(e) @ n) / area)
    a = a + e * ((side.cross(g) @ n) / area)
    if not (contains(A, hulls, a, tol) and contains(B, hulls, b - r, tol)):
        return Way(d, n, a, False)
    sure = d > 0.0 or max(room(A, hulls, b, n), room(B, hulls, a - r, -n)) >= -d - tol
    sure = sure or edge_crosses(A, B, hulls, a, b - r, e, n, d, tol)
    return Way(d, n, a, sure or edge_crosses(B, A, hulls, b - r, a, g, -n, d, tol))


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
    return solid.R @ p


@helper
def flat(x):
    """Sign of a component if it is nearly all, else zero."""
    return math.copysign(1.0, x) if abs(x) > FLAT else 0.0


@helper
def line_near(solid, m):
    """Direction of an edge or a side line across m, world axes; zero if there is none."""
    u = solid.R.tdot(m)
    p = Vec3(0.0, 0.0, 0.0)
    if solid.kind == CYLINDER or solid.kind == CAPSULE:
        p = Vec3(0.0, 0.0, 1.0 if abs(u.z) <= ACROSS else 0.0)
    elif solid.kind == BOX:
        x, y, z = abs(u.x), abs(u.y), abs(u.z)
        if x <= ACROSS and x <= y and x <= z:
            p = Vec3(1.0, 0.0, 0.0)
        elif y <= ACROSS and y <= z:
            p = Vec3(0.0, 1.0, 0.0)
        elif z <= ACROSS:
            p = Vec3(0.0, 0.0, 1.0)
    return solid.R @ p


@routine
def bend(solid, m, s, t):
    """Second derivatives of the support function at the unit vector m along s, s and t, and t; world axes.

    Ellipsoid: h = |S u|, S the semi-axes, h'' = (S S - g g^T) / h, g = S S u / h. Circle: along its tangent, the radius
    over the part of u across the axis. Corners have none.
    """
    u, p, q, size = solid.R.tdot(m), solid.R.tdot(s), solid.R.tdot(t), solid.size
    if solid.kind == ELLIPSOID:
        x, y, z = size.x * size.x, size.y * size.y, size.z * size.z
        h = math.sqrt(x * u.x * u.x + y * u.y * u.y + z * u.z * u.z)
        k = 1.0 / h if h > 0.0 else 0.0
        g = Vec3(x * u.x * k, y * u.y * k, z * u.z * k)
        gp, gq = g @ p, g @ q
        pp = x * p.x * p.x + y * p.y * p.y + z * p.z * p.z
        pq = x * p.x * q.x + y * p.y * q.y + z * p.z * q.z
        qq = x * q.x * q.x + y * q.y * q.y + z * q.z * q.z
        return (pp - gp * gp) * k, (pq - gp * gq) * k, (qq - gq * gq) * k
    if solid.kind == CYLINDER or solid.kind == CONE:
        across = math.sqrt(u.x * u.x + u.y * u.y)
        if across > 0.0 and (solid.kind == CYLINDER or u.z * size.z <= size.x * across):
            i, j = (u.x * p.y - u.y * p.x) / across, (u.x * q.y - u.y * q.x) / across
            k = size.x / across
            return k * i * i, k * i * j, k * j * j
    return 0.0, 0.0, 0.0


@helper
def across_unit(n):
    """A unit vector across the unit vector n."""
    if abs(n.x) < 0.6:
        s = Vec3(0.0, n.z, -n.y)
    else:
        s = Vec3(-n.z, 0.0, n.x)
    return s * (1.0 / s.norm())


@routine
def newton(A, B, r, n, e, hulls, work):
    """Better n by the method of Newton, among those across e if that is not zero; zero if it does not converge."""
    bound = e @ e > 0.0
    if bound:
        n = n - e * (n @ e)
        n = n * (1.0 / n.norm())
    last = math.inf
    for _ in range(MOST_NEWTON):
        w, a = difference_point(A, B, r, hulls, work.near, n)
        f = n @ w
        scale = r.norm() + a.norm() + w.norm()
        s = n.cross(e) if bound else across_unit(n)
        t = e if bound else n.cross(s)
        x, y = w @ s, 0.0 if bound else w @ t
        left = math.sqrt(x * x + y * y)
        if left <= LEVELLED * scale or left * left <= ROUND_OFF * scale * f:
            return n
        if left > 0.7 * last:
            break
        last = left
        a_0, a_1, a_2 = bend(A, n, s, t)
        b_0, b_1, b_2 = bend(B, n, s, t)
        ss, st, tt = a_0 + b_0 + f, a_1 + b_1, a_2 + b_2 + f
        if bound:
            st, tt = 0.0, 1.0
        det = ss * tt - st * st
        if ss <= 0.0 or det <= 0.0:
            break
        n = n + s * ((x * tt - y * st) / det) + t * ((y * ss - x * st) / det)
        n = n * (1.0 / n.norm())
    return Vec3(0.0, 0.0, 0.0)


@routine
def near_way(A, B, r, n, limit, hulls, work):
    """The way near to the unit vector n. Sure: proven to be the distance, or that to be above the limit."""
    w, a = difference_point(A, B, r, hulls, work.near, n)
    d = n @ w
    if d > limit:
        return Way(d, n, a, True)
    none = Vec3(0.0, 0.0, 0.0)
    m = face_near(A, hulls, work.near[0], n)
    if m @ m > 0.0:
        way = prove(A, B, r, m, none, none, hulls, work)
        if way.sure:
            return way
    m = face_near(B, hulls, work.near[1], -n)
    if m @ m > 0.0:
        way = prove(A, B, r, -m, none, none, hulls, work)
        if way.sure:
            return way
    e, g = line_near(A, n), line_near(B, n)
    if e @ e > 0.0 or g @ g > 0.0:
        m = e.cross(g)
        if m @ m > CROSSED * CROSSED:
            m = m * ((1.0 if m @ n > 0.0 else -1.0) / m.norm())
            way = prove_crossed(A, B, r, m, e, g, hulls, work)
            if way.sure:
                return way
        else:
            m = newton(A, B, r, n, e if e @ e > 0.0 else g, hulls, work)
            if m @ m > 0.0:
                way = prove(A, B, r, m, e, g, hulls, work)
                if way.sure:
                    return way
    m = newton(A, B, r, n, none, hulls, work)
    if m @ m > 0.0:
        return prove(A, B, r, m, none, none, hulls, work)
    return Way(d, n, a, False)
