"""Proof of depth in two parts: no other way out near to the one found, none far from it (V-25).

Along a unit vector n two cores overlap by h(n) >= 0; n is taken for the shortest way out. Far from it a ball inside
K = B - A tells that all others are longer (:mod:`gelenk.collision.far_proof`). Near to it, for n + t with t across n
and |t| <= T, what touches tells: support functions are convex, so with the points w of K that reach as far along n

    h(n + t) >= h + max over w of t . w  +  t . Q t / 2

where Q bounds the second derivatives of both support functions from below as far as T. A direction n + t has a length
of  sqrt(1 + t^2) <= 1 + t^2 / 2,  so nothing near is shorter if

    max over w of t . w  +  t . Q t / 2  >=  h t^2 / 2     for all |t| <= T

With a the distance of the place of the way out from the border of a face the first term is a |t|, and a >= h T / 2 is
enough; for two lines that cross a is that of their parallelogram. Of one line e, across it p, with ends a away,

    a >= T / 2 (h - Q_ee + Q_ep^2 / (Q_pp - h)),     Q_pp > h

and of a single point Q - h must be positive definite.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.closest import across_unit
from gelenk.collision.newton import bend
from gelenk.collision.solid import BOX, CONE, CYLINDER, ELLIPSOID, HULL, TRIANGLE
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

SAFE = 1.0 + 1e-9  # over rounding in the conditions
SMALL = 1e-12  # depth over room below which it is as good as none


class Far(NamedTuple):
    """Along any unit vector n two cores overlap by at least  depth - push (n . m).  Push 0: nothing known."""

    m: Vec3  # unit vector, world axes
    depth: float  # [m]
    push: float  # [m]


TANGENTS = (2.0, 1.0, 0.5, 0.25, 0.12, 0.06, 0.03)  # looked at


@helper
def nothing_far():
    """Nothing is known of what is far."""
    return Far(Vec3(0.0, 0.0, 0.0), 0.0, 0.0)


@helper
def open_tangent(far, n, depth):
    """Tangent of the angle around n beyond which all directions overlap by more than ``depth``; negative: unknown.

    That is so where  n . m  is below  c = (far.depth - depth) / far.push;  an angle more about m, and from m to n.
    """
    if far.push <= 0.0:
        return -1.0
    c = min((far.depth - depth) / far.push, 1.0)
    near = n @ far.m
    if c <= 0.0 or near <= 0.0:
        return -1.0
    x, y = math.sqrt(1.0 - c * c) / c, n.cross(far.m).norm() / near
    return (x + y) * SAFE / (1.0 - x * y) if x * y < 0.9 else -1.0


@helper
def bend_left(solid, m, tangent):
    """Part of the second derivatives of a support function at m that is left for all m + t, |t| <= tangent.

    For a length |v + s|, s linear in t and s' its part across v:

        |v + s| >= |v| + s . v / |v| + s'^2 / (2 |v| + 2 |s|)
    """
    u, size = solid.R.tdot(m), solid.size
    if solid.kind == ELLIPSOID:
        x, y, z = size.x * u.x, size.y * u.y, size.z * u.z
        h = math.sqrt(x * x + y * y + z * z)
        return h / (h + tangent * max(size.x, max(size.y, size.z)))
    if solid.kind == CYLINDER or solid.kind == CONE:
        flat = math.sqrt(u.x * u.x + u.y * u.y)
        return flat / (flat + tangent)
    return 0.0


@routine
def bends_left(A, B, n, s, t, tangent, part_a, part_b):
    """Lower bound of the second derivatives of both support functions, along s, s and t, and t; parts: of A and B."""
    k, j = bend_left(A, n, tangent) * part_a, bend_left(B, -n, tangent) * part_b
    a_0, a_1, a_2 = bend(A, n, s, t)
    b_0, b_1, b_2 = bend(B, -n, s, t)
    return k * a_0 + j * b_0, k * a_1 + j * b_1, k * a_2 + j * b_2


@routine
def holds_at_point(A, B, n, depth, tangent, left2, loss):
    """Whether nothing within the tangent is shorter, of cores that touch with one point each.

    left2: square of what of w is left across n. It may cost  left2 / 2  over the least value of Q - depth.
    """
    s = across_unit(n)
    ss, st, tt = bends_left(A, B, n, s, n.cross(s), tangent, 1.0, 1.0)
    ss, tt = ss - depth * SAFE, tt - depth * SAFE
    det = ss * tt - SAFE * st * st
    return ss > 0.0 and det > 0.0 and 0.5 * left2 * (ss + tt) <= loss * det


@routine
def holds_on_line(A, B, n, depth, tangent, e, room, part_a, part_b):
    """The same for one line along e, the place of the way out ``room`` away from its ends."""
    ee, ep, pp = bends_left(A, B, n, e, n.cross(e), tangent, part_a, part_b)
    pp -= depth * SAFE
    return pp > 0.0 and room >= 0.5 * tangent * SAFE * (depth - ee + ep * ep / pp)


@helper
def face_tangent(depth, room):
    """Largest such tangent for a face or two lines that cross, the way out ``room`` away from the border; or 0."""
    return room / max(0.5 * SAFE * depth, SMALL * room) if room > 0.0 else 0.0


@routine
def room_in_face(solid, hulls, face, n, x):
    """How far the point x on the face with the outward normal n lies inside its border; negative outside.

    face: of a hull, which one.
    """
    s, p = solid.size, solid.R.tdot(x)
    if solid.kind == CYLINDER or solid.kind == CONE:
        return s.x - math.sqrt(p.x * p.x + p.y * p.y)
    if solid.kind == BOX:
        u = solid.R.tdot(n)
        i, j, k = s.x - abs(p.x), s.y - abs(p.y), s.z - abs(p.z)
        if abs(u.x) > 0.5:
            return min(j, k)
        return min(i, k) if abs(u.y) > 0.5 else min(i, j)
    if solid.kind == TRIANGLE:
        R = solid.R
        a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
        if (b - a).cross(c - a) @ n < 0.0:
            b, c = c, b
        return min(beside(a, b, n, x), min(beside(b, c, n, x), beside(c, a, n, x)))
    if solid.kind == HULL:
        u, least = solid.R.tdot(n), math.inf
        first, last = np.int64(hulls.face[face].first), np.int64(hulls.face[face].last)
        v = get3(hulls.vertex, np.int64(hulls.loop[last - 1]))
        for k in range(first, last):
            w = get3(hulls.vertex, np.int64(hulls.loop[k]))
            least = min(least, beside(v, w, u, p))
            v = w
        return least
    return -1.0


@helper
def beside(p, q, n, x):
    """Distance of x to the left of the line from p to q, seen against n."""
    e = q - p
    return n.cross(e) @ (x - p) / e.norm()
