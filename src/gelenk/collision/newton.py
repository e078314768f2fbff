"""Method of Newton for the direction of the widest gap or the least overlap of two solids (V-25).

The gap along a unit vector n is  f(n) = n . w(n),  w(n) = r + s_B(-n) - s_A(n),  and w is its gradient. With P the
projection across n, and H the sum of the second derivatives of both support functions, which are the radii of curvature
of the two surfaces, the step on the sphere is

    (P H P + f) step = P w

On a circle of directions  n . k = c  (:mod:`gelenk.collision.kinks`) with tangent  t = k x n  it is an angle,

    (t . H t + f - c k . w) angle = t . w
"""

from __future__ import annotations

import math

from gelenk.collision.closest import across_unit
from gelenk.collision.gjk import ROUND_OFF, difference_point
from gelenk.collision.solid import CONE, CYLINDER, ELLIPSOID
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

LEVELLED = 1e-13  # of the sizes: what of w may be left across n
LAST = 1e-6  # of the sizes, or a step this long: the error after it is the square
ALONG = 1e-12  # sine from which on a direction is along another
MOST_NEWTON = 8
SLOW = 0.7  # by which w across n must shrink a step


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


@routine
def newton(A, B, r, n, w, a, hulls, work):
    """Better n; zero if it does not converge. w, a: the way from core to core along n, and the point of A."""
    last = math.inf
    for _ in range(MOST_NEWTON):
        f = n @ w
        scale = r.norm() + a.norm() + w.norm()
        s = across_unit(n)
        t = n.cross(s)
        x, y = w @ s, w @ t
        left = math.sqrt(x * x + y * y)
        a_0, a_1, a_2 = bend(A, n, s, t)
        b_0, b_1, b_2 = bend(B, -n, s, t)
        # rounding of n shows in w as far as it is bent
        if left <= LEVELLED * scale + ROUND_OFF * (a_0 + a_2 + b_0 + b_2) or left * left <= ROUND_OFF * scale * f:
            return n
        if left > SLOW * last:
            break
        last = left
        ss, st, tt = a_0 + b_0 + f, a_1 + b_1, a_2 + b_2 + f
        det = ss * tt - st * st
        if ss <= 0.0 or det <= 0.0:
            break
        n = n + s * ((x * tt - y * st) / det) + t * ((y * ss - x * st) / det)
        n = n * (1.0 / n.norm())
        if left <= LAST * scale and left * (ss + tt) <= LAST * det:
            return n
        w, a = difference_point(A, B, r, hulls, work.near, n)
    return Vec3(0.0, 0.0, 0.0)


@helper
def on_circle(n, k, c):
    """Unit vector of the circle next to n, zero if n is along its axis; twice across k, lest round-off stays."""
    flat = n - k * (n @ k)
    flat = flat - k * (flat @ k)
    size = flat.norm()
    return k * c + flat * (math.sqrt(1.0 - c * c) / size) if size > ALONG else Vec3(0.0, 0.0, 0.0)


@routine
def newton_on(A, B, r, n, k, c, of_a, hulls, work):
    """Better n on the circle of a line of A (of_a) or of B; zero if it does not converge.

    On its circle the tip of a cone reaches as far as its rim, so that it stands for the whole cone.
    """
    last = math.inf
    n = on_circle(n, k, c)
    for _ in range(MOST_NEWTON):
        w, a = difference_point(A, B, r, hulls, work.near, n)
        scale = r.norm() + a.norm() + w.norm()
        t = k.cross(n)
        rest, _, _ = bend(B, -n, t, t) if of_a else bend(A, n, t, t)
        if of_a and A.kind == CONE:
            w = w + a - A.R @ Vec3(0.0, 0.0, A.size.z)
        elif not of_a and B.kind == CONE:
            w = r + B.R @ Vec3(0.0, 0.0, B.size.z) - a
        else:
            more, _, _ = bend(A, n, t, t) if of_a else bend(B, -n, t, t)
            rest += more
        f = n @ w
        x = w @ t
        if abs(x) <= LEVELLED * scale + ROUND_OFF * rest or x * x <= ROUND_OFF * scale * f:
            return n
        if abs(x) > SLOW * last:
            break
        last = abs(x)
        steep = rest + f * (t @ t) if c == 0.0 else rest + f - c * (w @ k)
        if steep <= 0.0:
            break
        n = on_circle(n + t * (x / steep), k, c)
        if abs(x) <= LAST * min(scale, steep):
            return n
    return Vec3(0.0, 0.0, 0.0)
