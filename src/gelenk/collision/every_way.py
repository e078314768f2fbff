"""The shortest of many nearly equal ways out: a small solid deep in a large ellipsoid (V-25).

There the overlap h(m) hardly depends on the direction m, and a polytope would need very many faces. So it is looked at
all around, and the way out is followed from each place where a shorter one may be. Support functions are convex, so
with w the point that reaches farthest along m, and w' its part across m,

    h(m + t) >= h(m) + t . w'     =>     h / (unit length)  >=  (h - T |w'|) / sqrt(1 + T^2)     for all |t| <= T

With T the tangent from any direction to the nearest one looked at, nothing is missed but what is too close to a start.
"""

from __future__ import annotations

import math

from gelenk.collision.closest import across_unit
from gelenk.collision.gjk import difference_point
from gelenk.collision.near_proof import nothing_far
from gelenk.collision.near_way import near_way
from gelenk.collision.newton import bend
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3

LOOKS = 128
GOLDEN = math.pi * (3.0 - math.sqrt(5.0))  # angle of a spiral whose points lie evenly on a ball
WIDE = 0.25  # tangent from any direction to the nearest of these, at most
BESIDE = 0.97  # cosine (14 degrees) between two directions from which the same way out is found
MOST_STEPS = 16
LONGEST = 0.3  # step [rad]
SHORTEST = 1e-3  # step that is left to the method of Newton


@routine
def uphill(A, B, r, n, hulls, work):
    """A direction near n with a wider gap: steps of Newton, made shorter until they are good for something.

    Equations of :mod:`gelenk.collision.newton` with a number added to both main curvatures. Source: D. W. Marquardt,
    An algorithm for least-squares estimation of nonlinear parameters, SIAM J. 11 (1963).
    """
    w, _ = difference_point(A, B, r, hulls, work.near, n)
    more = 0.0
    for _ in range(MOST_STEPS):
        f = n @ w
        s = across_unit(n)
        t = n.cross(s)
        x, y = w @ s, w @ t
        left = math.sqrt(x * x + y * y)
        if left == 0.0:
            break
        a_0, a_1, a_2 = bend(A, n, s, t)
        b_0, b_1, b_2 = bend(B, -n, s, t)
        ss, st, tt = a_0 + b_0 + f, a_1 + b_1, a_2 + b_2 + f
        half = 0.5 * (ss - tt)
        least = 0.5 * (ss + tt) - math.sqrt(half * half + st * st)
        more = max(more, left / LONGEST - least)  # no step is longer
        ss, tt = ss + more, tt + more
        det = ss * tt - st * st
        i, j = (x * tt - y * st) / det, (y * ss - x * st) / det
        m = n + s * i + t * j
        m = m * (1.0 / m.norm())
        w_m, _ = difference_point(A, B, r, hulls, work.near, m)
        if m @ w_m > f:
            n, w, more = m, w_m, 0.0 if more <= 0.0 else 0.25 * more
        else:
            more = 4.0 * (least + more) - least
        if i * i + j * j < SHORTEST * SHORTEST:
            break
    return n


@helper
def look(k):
    """Direction k of an even spread on the unit sphere."""
    z = 1.0 - (2.0 * k + 1.0) / LOOKS
    rho, angle = math.sqrt(1.0 - z * z), GOLDEN * k
    return Vec3(rho * math.cos(angle), rho * math.sin(angle), z)


@helper
def highest(work):
    """Direction with the widest gap of those left, or -1."""
    best, most = -1, -math.inf
    for k in range(LOOKS):
        if work.offset[k] > most:
            best, most = k, work.offset[k]
    return best


@routine
def every_way(A, B, r, R, best, hulls, work):
    """The best way out of all, or ``best``; R: axes that directions are spread in. The polytope of ``work`` is lost."""
    if work.offset.shape[0] < LOOKS:
        return best
    for k in range(LOOKS):
        n = R @ look(k)
        put3(work.normal, k, n)
        w, _ = difference_point(A, B, r, hulls, work.near, n)
        d = n @ w
        work.offset[k] = d if widest_beside(d, w) > best.d else -math.inf
    while True:
        k = highest(work)
        if k < 0:
            return best
        start = get3(work.normal, k)
        way = near_way(A, B, r, uphill(A, B, r, start, hulls, work), math.inf, nothing_far(), hulls, work)
        if way.d > best.d:
            best = way
        for k in range(LOOKS):
            if get3(work.normal, k) @ start > BESIDE:
                work.offset[k] = -math.inf


@helper
def widest_beside(d, w):
    """Bound of the gap of directions nearby; d: part of w along one of them."""
    across = math.sqrt(max(w @ w - d * d, 0.0))
    return (d + WIDE * across) / math.sqrt(1.0 + WIDE * WIDE)
