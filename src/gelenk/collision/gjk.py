"""Distance of two convex solids by support mappings: GJK (V-25, I-088, H-75).

All pairs of points of the two cores make one convex set, their difference

    K = B - A = { r + b - a },     d(A, B) = min { |w| : w in K }

Its point least along a direction n is  r + s_B(-n) - s_A(n),  s the support mapping. The search keeps a simplex of such
points and v, its point nearest to the origin. A point w least along v gives a bound:  v . w / |v| <= d <= |v|.
Source: Gilbert, Johnson and Keerthi, A fast procedure for computing the distance between complex objects in
three-dimensional space, IEEE J. Robotics and Automation 4 (1988); van den Bergen, Collision Detection in Interactive
3D Environments, chapter 4. Nearest points of simplices are found by orthogonalised edges and compared by their lengths
instead of Johnson's determinants, which lose all digits on slivers and needles.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.solid import HULL, core_support, farthest_vertex
from gelenk.compile import helper, routine, unit
from gelenk.math.vec3 import Vec3, get3, put3

NOWHERE = np.uint32(0xFFFFFFFF)  # no vertex to climb from
GAP = 1e-14  # bounds this close, relative to the distance, end the search
ROUND_OFF = 4.0 * 2.0**-52  # of a support point, relative to the sizes it is made of
TOUCH = 1e-13  # cores nearer than this part of the sizes touch: v has no direction left
MOST_IDLE = 8  # searches that come no nearer
MOST_SEARCHES = 200  # smooth solids close to touching need some tens, polyhedra fewer than ten


class ConvexWork(NamedTuple):
    """Scratch of one pair at a time: the simplex, and the polytope of :mod:`gelenk.collision.epa`."""

    w: np.ndarray  # (n, 3) points of B - A [m]; the first four are the simplex
    a: np.ndarray  # (n, 3) the points of A they come from, from its centre [m]
    near: np.ndarray  # (2,) uint32 vertices of the hulls A and B where climbing begins
    corner: np.ndarray  # (2 n, 3) uint32 corners of the faces of the polytope, counter-clockwise from outside
    normal: np.ndarray  # (2 n, 3) outward
    offset: np.ndarray  # (2 n,) normal . x = offset [m]
    rim: np.ndarray  # (2 n, 2) uint32 edges around what a new point sees
    bound: np.ndarray  # (1,) by how much the last depth may be too large [m]


def new_convex_work(points: int = 128) -> ConvexWork:
    """Scratch for polytopes of at most ``points`` corners."""
    faces = 2 * points
    return ConvexWork(
        np.zeros((points, 3)),
        np.zeros((points, 3)),
        np.full(2, NOWHERE, np.uint32),
        np.zeros((faces, 3), np.uint32),
        np.zeros((faces, 3)),
        np.zeros(faces),
        np.zeros((faces, 2), np.uint32),
        np.zeros(1),
    )


# --- support mapping of the difference -------------------------------------------------------------------------------


@helper
def climb(hulls, table, u, start):
    """Vertex of a hull farthest along u, shape axes: from ``start`` over edges that rise, in a convex hull to the top.

    Looks at all vertices where ``start`` is none of this hull.
    """
    hull = hulls.hull[table]
    if start < hull.vertex_first or start >= hull.vertex_last or hulls.fan_first[start] == hulls.fan_first[start + 1]:
        return np.int64(farthest_vertex(hulls, table, u))
    top = np.int64(start)
    most = get3(hulls.vertex, top) @ u
    below = np.int64(-1)
    while below != top:
        below = top
        for k in range(np.int64(hulls.fan_first[below]), np.int64(hulls.fan_first[below + 1])):
            v = np.int64(hulls.fan_vertex[k])
            s = get3(hulls.vertex, v) @ u
            if s > most:
                top, most = v, s
    return top


@helper
def core_point(solid, hulls, near, side, d):
    """A point of a core farthest along d; hulls climb from the vertex of the last call."""
    if solid.kind == HULL:
        vertex = climb(hulls, solid.table, solid.R.tdot(d), np.int64(near[side]))
        near[side] = vertex
        return solid.R @ get3(hulls.vertex, vertex)
    return core_support(solid, hulls, d)


@routine
def difference_point(A, B, r, hulls, near, n):
    """Point of B - A least along n, and the point of A it comes from:  w = r + s_B(-n) - s_A(n)."""
    a = core_point(A, hulls, near, 0, n)
    return r + core_point(B, hulls, near, 1, -n) - a, a


# --- nearest points of simplices -------------------------------------------------------------------------------------


@helper
def nearest_on_segment(p, q):
    """Nearest to the origin of the segment p q, and its weights."""
    e = q - p
    length2 = e @ e
    t = -(p @ e) / length2 if length2 > 0.0 else 0.0
    if t <= 0.0:
        return p, 1.0, 0.0
    if t >= 1.0:
        return q, 0.0, 1.0
    # from the nearer end, with what rounding left along the edge taken off
    v = p + e * t if t < 0.5 else q - e * (1.0 - t)
    return v - e * ((v @ e) / length2), 1.0 - t, t


@routine
def nearest_on_triangle(p, q, s):
    """Nearest to the origin of the triangle p q s, and its weights.

    With f = e_s less its part along e_q the foot of the origin on the plane is  p + t_q e_q + t_s e_s,

        t_s = -(p . f) / f^2,     t_q = -(p . e_q + t_s e_s . e_q) / e_q^2

    corrected once. This holds its digits however thin the triangle is.
    """
    e, g = q - p, s - p
    ee, eg = e @ e, e @ g
    f = g - e * (eg / ee) if ee > 0.0 else g
    f = f - e * ((f @ e) / ee) if ee > 0.0 else f
    ff = f @ f
    if ee > 0.0 and ff > ROUND_OFF * ROUND_OFF * (g @ g):
        t_s = -(p @ f) / ff
        t_q = -(p @ e + t_s * eg) / ee
        v = p + e * t_q + g * t_s
        c = -(v @ f) / ff
        t_s += c
        t_q -= (v @ e + c * eg) / ee
        if t_s >= 0.0 and t_q >= 0.0 and t_s + t_q <= 1.0:
            v = p + e * t_q + g * t_s
            # the same from its plane, which knows the direction better where v is short
            m = e.cross(f)
            u = m * ((m @ p) / (m @ m))
            off = u - v
            if off @ off <= ROUND_OFF * ROUND_OFF * (p @ p + ee + g @ g):
                v = u
            return v, 1.0 - t_q - t_s, t_q, t_s
    v, k_p, k_q = nearest_on_segment(p, q)
    k_s = 0.0
    u, j_p, j_s = nearest_on_segment(p, s)
    if u @ u < v @ v:
        v, k_p, k_q, k_s = u, j_p, 0.0, j_s
    u, j_q, j_s = nearest_on_segment(q, s)
    if u @ u < v @ v:
        v, k_p, k_q, k_s = u, 0.0, j_q, j_s
    return v, k_p, k_q, k_s


@helper
def faces_origin(p, q, s, opposite):
    """Whether the plane p q s parts the origin from the opposite corner, or the four lie in one plane."""
    m = (q - p).cross(s - p)
    height = m @ (opposite - p)
    flat = abs(height) <= ROUND_OFF * m.norm() * (opposite - p).norm()
    return flat or (m @ p) * height >= 0.0


@routine
def nearest_in_simplex(w, count, every):
    """Nearest to the origin of the first ``count`` rows of w, and its four weights; all above zero: it is inside.

    The last row is the newest. What lies opposite to it is where the nearest point was before: no need to look there.
    Of a tetrahedron the other faces are looked at that the origin lies beyond, or every one.
    """
    p, q = get3(w, 0), get3(w, 1)
    if count == 2:
        v, k_p, k_q = nearest_on_segment(p, q)
        return v, k_p, k_q, 0.0, 0.0
    s = get3(w, 2)
    if count == 3:
        v, k_p, k_q, k_s = nearest_on_triangle(p, q, s)
        return v, k_p, k_q, k_s, 0.0
    t = get3(w, 3)
    best = math.inf
    v, k_p, k_q, k_s, k_t = Vec3(0.0, 0.0, 0.0), 0.25, 0.25, 0.25, 0.25
    if every or faces_origin(t, p, q, s):
        v, k_t, k_p, k_q = nearest_on_triangle(t, p, q)
        k_s, best = 0.0, v @ v
    if every or faces_origin(t, q, s, p):
        u, j_t, j_q, j_s = nearest_on_triangle(t, q, s)
        if u @ u < best:
            v, k_p, k_q, k_s, k_t, best = u, 0.0, j_q, j_s, j_t, u @ u
    if every or faces_origin(t, s, p, q):
        u, j_t, j_s, j_p = nearest_on_triangle(t, s, p)
        if u @ u < best:
            v, k_p, k_q, k_s, k_t, best = u, j_p, 0.0, j_s, j_t, u @ u
    return v, k_p, k_q, k_s, k_t


# --- the search ------------------------------------------------------------------------------------------------------


@helper
def keep(work, i, to, weight, x):
    """Move row i of the simplex to row ``to`` if it has weight; sum of weighted points of A, and the next free row."""
    if weight <= 0.0:
        return x, to
    a = get3(work.a, i)
    if to != i:
        put3(work.w, to, get3(work.w, i))
        put3(work.a, to, a)
    return x + a * weight, to + 1


@helper
def is_row(w, count, x):
    """Whether x is one of the first rows of w."""
    for i in range(count):  # noqa: SIM110
        if w[i, 0] == x.x and w[i, 1] == x.y and w[i, 2] == x.z:
            return True
    return False


@helper
def first_direction(guess, r):
    """Where to look first: the guess, else from centre to centre, else anywhere."""
    if guess @ guess > 0.0:
        return guess
    return r if r @ r > 0.0 else Vec3(1.0, 0.0, 0.0)


@routine
def gjk_start(A, B, r, guess, limit, hulls, work):
    """First way v from core to core, the point of A it starts from, the rows of the simplex, and the sizes.

    No rows: the cores are farther apart than ``limit``, and v tells along which direction and at least how far.
    """
    n = first_direction(guess, r)
    v, a = difference_point(A, B, r, hulls, work.near, n)
    along = n @ v
    if along > limit * n.norm():
        return n * (along / (n @ n)), a, 0, along
    if along < 0.0:  # not apart along the guess: from here the way to a good simplex is longer
        v, a = difference_point(A, B, r, hulls, work.near, first_direction(r, n))
    put3(work.w, 0, v)
    put3(work.a, 0, a)
    return v, a, 1, r.norm() + a.norm() + v.norm()


@unit
def gjk_on(A, B, r, v, a, count, scale, limit, most, hulls, work):
    """Go on from a way v and ``count`` rows for at most ``most`` searches: the same, and whether the search has ended.

    Rows as in :func:`gjk_within`.
    """
    idle = 0
    for _ in range(most):
        vv = v @ v
        distance = math.sqrt(vv)
        if distance <= TOUCH * scale:
            return v, a, count, True
        w, a_new = difference_point(A, B, r, hulls, work.near, v)
        along = v @ w
        if along > limit * distance:
            return v * (along / vv), a, 0, True
        if vv - along <= GAP * vv + ROUND_OFF * scale * distance or is_row(work.w, count, w):
            return v, a, count, True
        put3(work.w, count, w)
        put3(work.a, count, a_new)
        farthest = distance + ROUND_OFF * scale
        u, k_0, k_1, k_2, k_3 = nearest_in_simplex(work.w, count + 1, False)
        # apart along v, the origin is in no simplex: rounding of four points in one plane may say so
        shut = along > ROUND_OFF * scale * distance and k_0 > 0.0 and k_1 > 0.0 and k_2 > 0.0 and k_3 > 0.0
        if count == 3 and (shut or u.norm() > farthest):
            u, k_0, k_1, k_2, k_3 = nearest_in_simplex(work.w, 4, True)
        # a turn of v may show in its length only below rounding, yet lead on; a few times it may
        idle += 0 if u @ u < vv else 1
        if idle > MOST_IDLE or u.norm() > farthest:
            return v, a, count, True
        a, count = keep(work, 0, 0, k_0, Vec3(0.0, 0.0, 0.0))
        a, count = keep(work, 1, count, k_1, a)
        a, count = keep(work, 2, count, k_2, a)
        a, count = keep(work, 3, count, k_3, a)
        if count == 4:
            return v, a, count, True
        v = u
    return v, a, count, False


@routine
def gjk_within(A, B, r, guess, limit, hulls, work):
    """Way v from core to core, the point of A it starts from, the rows of the simplex, and the sizes rounding is of.

    No rows: the cores are farther apart than ``limit``, and v tells along which direction and at least how far; most
    pairs end so after one look. Four rows, or |v| not above ``TOUCH`` of the sizes: the cores overlap or touch; v is
    the last way before that was seen.
    """
    v, a, count, scale = gjk_start(A, B, r, guess, limit, hulls, work)
    if count > 0:
        v, a, count, _ = gjk_on(A, B, r, v, a, count, scale, limit, MOST_SEARCHES, hulls, work)
    return v, a, count, scale


@helper
def gjk(A, B, r, guess, hulls, work):
    """Like :func:`gjk_within` for any distance."""
    return gjk_within(A, B, r, guess, math.inf, hulls, work)
