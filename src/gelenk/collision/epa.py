"""Penetration depth of two convex solids: the expanding polytope (EPA), and the one entry for signed distances (V-25).

Cores that overlap have the origin inside their difference K = B - A. They come apart by the shortest way out of K:

    depth = min over unit m of h(m),     h(m) = max { m . w : w in K },     n = -m

A polytope with corners on K grows from a tetrahedron. The plane of its face nearest to the origin is a lower bound of
the depth, the height h of any direction an upper one; the point of K farthest along the normal of that face becomes a
corner. For polyhedra both bounds meet after finitely many faces.
Source: van den Bergen, Proximity queries and penetration depth computation on 3D game objects, GDC 2001.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.every_way import every_way
from gelenk.collision.gjk import (
    MOST_SEARCHES,
    NOWHERE,
    ROUND_OFF,
    TOUCH,
    difference_point,
    first_direction,
    gjk_on,
    gjk_start,
    nearest_on_triangle,
)
from gelenk.collision.matched import matched
from gelenk.collision.near_proof import nothing_far
from gelenk.collision.near_way import Way, better, near_way
from gelenk.collision.solid import BOX, ELLIPSOID, HULL, TRIANGLE, rounding
from gelenk.collision.way_out import around, move_simplex, polish, step_apart
from gelenk.collision.wrap import SIZE_GAP, allowed_gap, is_curved, wrap
from gelenk.compile import helper, routine, unit
from gelenk.math.vec3 import Vec3, get3, put3

FLAT = 16.0 * ROUND_OFF  # of the sizes: what rounding does to heights over a plane
SAME_PLANE = 1.0 - 1e-12  # cosine between normals
MOST_TRIES = 3
COARSER = 300.0  # slack of the next try
FEW = (3, 3, 6, MOST_SEARCHES)  # searches between looks for a better way
FAT = 1e-8  # volume of a tetrahedron good enough to start from, over the cube of its longest edge


# --- the polytope ----------------------------------------------------------------------------------------------------


@helper
def unit_or(v, other):
    """Direction of v, or another where v has none."""
    size = v.norm()
    return v * (1.0 / size) if size > 0.0 else other


@helper
def across(v):
    """Some unit vector at right angles to the unit vector v."""
    x, y, z = abs(v.x), abs(v.y), abs(v.z)
    if x <= y and x <= z:
        u = Vec3(0.0, v.z, -v.y)
    elif y <= z:
        u = Vec3(-v.z, 0.0, v.x)
    else:
        u = Vec3(v.y, -v.x, 0.0)
    return u * (1.0 / u.norm())


@routine
def put_face(work, f, i, j, k):
    """Face f with corners i, j, k; its plane from the two shorter edges, which lose the fewest digits."""
    work.corner[f, 0], work.corner[f, 1], work.corner[f, 2] = i, j, k
    p, q, s = get3(work.w, i), get3(work.w, j), get3(work.w, k)
    e_p, e_q, e_s = q - p, s - q, p - s
    ee_p, ee_q, ee_s = e_p @ e_p, e_q @ e_q, e_s @ e_s
    if ee_s >= ee_p and ee_s >= ee_q:
        m, p = e_p.cross(e_q), q
    elif ee_p >= ee_q:
        m, p = e_q.cross(e_s), s
    else:
        m = e_s.cross(e_p)
    size = m.norm()
    if size > ROUND_OFF * ROUND_OFF * (ee_p + ee_q + ee_s):
        m = m * (1.0 / size)
        work.offset[f] = m @ p
    else:  # a line: no plane to leave through
        m = Vec3(0.0, 0.0, 0.0)
        work.offset[f] = math.inf
    put3(work.normal, f, m)


@helper
def put_tetrahedron(work):
    """Faces of the first four points, all outward."""
    p = get3(work.w, 0)
    turn = (get3(work.w, 1) - p).cross(get3(work.w, 2) - p) @ (get3(work.w, 3) - p)
    i, j = (1, 2) if turn < 0.0 else (2, 1)
    put_face(work, 0, 0, i, j)
    put_face(work, 1, 0, 3, i)
    put_face(work, 2, 0, j, 3)
    put_face(work, 3, i, 3, j)


@helper
def is_fat(w):
    """Whether four points span a tetrahedron with digits left in its faces."""
    p = get3(w, 0)
    e, f, g = get3(w, 1) - p, get3(w, 2) - p, get3(w, 3) - p
    longest2 = max(max(e @ e, f @ f), g @ g)
    return abs(e.cross(f) @ g) > FAT * longest2 * math.sqrt(longest2)


@helper
def toggle_edge(work, rim, i, j):
    """Add an edge to the rim, or take out the same edge of the neighbour: then it lies inside."""
    for e in range(rim):
        if work.rim[e, 0] == j and work.rim[e, 1] == i:
            work.rim[e, 0], work.rim[e, 1] = work.rim[rim - 1, 0], work.rim[rim - 1, 1]
            return rim - 1
    work.rim[rim, 0], work.rim[rim, 1] = i, j
    return rim + 1


@routine
def grow(work, faces, point, centre, slack):
    """Put corner ``point`` on the polytope: the new number of faces, or -1 where there is no room.

    Faces that it sees go, also those in whose plane it lies, so that no new face is without area; what is left is
    closed by triangles from the rim to the point. Also -1 where a new face has the centre outside: too thin for digits.
    """
    x = get3(work.w, point)
    rim = 0
    f = 0
    while f < faces:
        if get3(work.normal, f) @ x < work.offset[f] - slack or work.offset[f] == math.inf:
            f += 1
            continue
        if rim + 3 > work.rim.shape[0]:
            return -1
        i, j, k = np.int64(work.corner[f, 0]), np.int64(work.corner[f, 1]), np.int64(work.corner[f, 2])
        rim = toggle_edge(work, rim, i, j)
        rim = toggle_edge(work, rim, j, k)
        rim = toggle_edge(work, rim, k, i)
        faces -= 1
        for c in range(3):
            work.corner[f, c] = work.corner[faces, c]
            work.normal[f, c] = work.normal[faces, c]
        work.offset[f] = work.offset[faces]
    if faces + rim > work.corner.shape[0]:
        return -1
    for e in range(rim):
        put_face(work, faces + e, np.int64(work.rim[e, 0]), np.int64(work.rim[e, 1]), point)
        if get3(work.normal, faces + e) @ centre > work.offset[faces + e] + slack:
            return -1
    return faces + rim


@helper
def nearest_face(work, faces):
    """Face whose plane has the least offset."""
    best = 0
    for f in range(1, faces):
        if work.offset[f] < work.offset[best]:
            best = f
    return best


# --- a tetrahedron to start from -------------------------------------------------------------------------------------


@routine
def farthest_pair(A, B, r, hulls, work, slot, m):
    """Points of K least and most along m into rows ``slot`` and ``slot + 1``; their way along m."""
    w_0, a_0 = difference_point(A, B, r, hulls, work.near, m)
    w_1, a_1 = difference_point(A, B, r, hulls, work.near, -m)
    put3(work.w, slot, w_0)
    put3(work.a, slot, a_0)
    put3(work.w, slot + 1, w_1)
    put3(work.a, slot + 1, a_1)
    return m @ (w_1 - w_0)


@helper
def take_farther(work, slot, m):
    """Leave in row ``slot`` that one of it and the next that is farther from the first point along +-m; how far."""
    p = get3(work.w, 0)
    low, high = m @ (get3(work.w, slot) - p), m @ (get3(work.w, slot + 1) - p)
    if abs(high) > abs(low):
        put3(work.w, slot, get3(work.w, slot + 1))
        put3(work.a, slot, get3(work.a, slot + 1))
    return max(abs(high), abs(low))


@routine
def spread(A, B, r, guess, hulls, work, scale):
    """Four points of K that span a volume into the first rows: the number 4, and a direction that is not used.

    Else K is a point, a line or a plane: the number of points that span it, and the normal to be taken for it, as far
    along the guess as can be.
    """
    flat = FLAT * scale
    g = first_direction(guess, r)
    g = g * (1.0 / g.norm())
    width = farthest_pair(A, B, r, hulls, work, 0, Vec3(1.0, 0.0, 0.0))
    if width <= flat:
        width = farthest_pair(A, B, r, hulls, work, 0, Vec3(0.0, 1.0, 0.0))
    if width <= flat:
        width = farthest_pair(A, B, r, hulls, work, 0, Vec3(0.0, 0.0, 1.0))
    if width <= flat:
        return 1, g
    e = get3(work.w, 1) - get3(work.w, 0)
    e = e * (1.0 / e.norm())
    u = across(e)
    farthest_pair(A, B, r, hulls, work, 2, u)
    if take_farther(work, 2, u) <= flat:
        u = e.cross(u)
        farthest_pair(A, B, r, hulls, work, 2, u)
        if take_farther(work, 2, u) <= flat:
            return 2, unit_or(g - e * (g @ e), u)
    m = e.cross(get3(work.w, 2) - get3(work.w, 0))
    m = m * (1.0 / m.norm())
    farthest_pair(A, B, r, hulls, work, 3, m)
    if take_farther(work, 3, m) <= flat:
        return 3, m if m @ g >= 0.0 else -m
    return 4, m


# --- the search ------------------------------------------------------------------------------------------------------


@helper
def triangle_foot(work, f):
    """Point of face f nearest to the origin, and the point of A it comes from."""
    i, j, k = np.int64(work.corner[f, 0]), np.int64(work.corner[f, 1]), np.int64(work.corner[f, 2])
    v, k_i, k_j, k_k = nearest_on_triangle(get3(work.w, i), get3(work.w, j), get3(work.w, k))
    return v @ v, get3(work.a, i) * k_i + get3(work.a, j) * k_j + get3(work.a, k) * k_k


@routine
def foot(work, faces, f, slack):
    """Point of A for the way out through face f: of all triangles in its plane that one which the way goes through."""
    near2, a = triangle_foot(work, f)
    for g in range(faces):
        if work.offset[g] <= work.offset[f] + slack and get3(work.normal, g) @ get3(work.normal, f) > SAME_PLANE:
            v2, a_g = triangle_foot(work, g)
            if v2 < near2:
                near2, a = v2, a_g
    return a


@routine
def expand(A, B, r, hulls, work, scale, slack):
    """Depth, normal and point of A from the tetrahedron in the first rows; last, whether the polytope stayed convex.

    Where it did not, or the scratch is full, the least height found so far is the answer.
    """
    put_tetrahedron(work)
    points, faces = 4, 4
    centre = (get3(work.w, 0) + get3(work.w, 1) + get3(work.w, 2) + get3(work.w, 3)) * 0.25
    curved = is_curved(A) or is_curved(B)
    depth, n, a = math.inf, Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    while True:
        f = nearest_face(work, faces)
        m, lower = get3(work.normal, f), work.offset[f]
        w, a_w = difference_point(A, B, r, hulls, work.near, -m)
        h = m @ w
        if h - lower <= (allowed_gap(A, B, h, scale) if curved else slack):
            work.bound[0] = max(h - lower, 0.0)
            return h, -m, foot(work, faces, f, slack), True
        if h < depth:
            depth, n, a = h, -m, a_w
        work.bound[0] = depth - lower
        if points == work.w.shape[0]:
            return depth, n, a, True
        put3(work.w, points, w)
        put3(work.a, points, a_w)
        faces = grow(work, faces, points, centre, slack)
        points += 1
        if faces < 0:
            return depth, n, a, False


@routine
def epa(A, B, r, guess, hulls, work, count, scale, a):
    """Depth, normal from A to B and point of A, of cores that overlap or touch; ``work.bound`` tells the last gap.

    count, scale, a: what :func:`gelenk.collision.gjk.gjk` left. Faces that are parallel but for less than rounding of
    their planes can fold the polytope; then all is done again with such faces taken for one.
    """
    slack = FLAT * scale
    depth, n, convex = math.inf, Vec3(0.0, 0.0, 0.0), False
    if count == 4 and is_fat(work.w):
        depth, n, a, convex = expand(A, B, r, hulls, work, scale, slack)
    for _ in range(MOST_TRIES):
        if convex:
            break
        span, m = spread(A, B, r, guess, hulls, work, scale)
        if span < 4:
            w, _ = difference_point(A, B, r, hulls, work.near, m)
            return -(m @ w), m, a
        h, m, a_h, convex = expand(A, B, r, hulls, work, scale, slack)
        if convex or h < depth:
            depth, n, a = h, m, a_h
        slack *= COARSER
    return depth, n, a


@routine
def local_way(A, B, r, n, limit, hulls, work):
    """The way near to the unit vector n, of an overlap also a shorter one met; sure if it is proven."""
    way = near_way(A, B, r, n, limit, nothing_far(), hulls, work)
    for _ in range(MOST_TRIES):
        if way.sure or way.d >= 0.0:
            break
        other = wrap(A, B, r, way.n, hulls, work)
        if other.sure and way.tangent > 0.0:
            return Way(way.d, way.n, way.a, True, way.tangent)
        if other.sure or other.d <= way.d:
            return other
        way = better(other, near_way(A, B, r, other.n, limit, nothing_far(), hulls, work))
    return way


@routine
def settled_near(A, B, r, way, hulls, work, scale):
    """The way next to a way out, if it is no longer and better known; else that one."""
    near = near_way(A, B, r, way.n, math.inf, nothing_far(), hulls, work)
    if near.d > way.d or (near.tangent > 0.0 and near.d >= way.d - ROUND_OFF * scale):
        return near
    return way


@unit
def by_polytope(A, B, r, guess, count, scale, a, hulls, work):
    """The way out that a polytope finds, made better on curved solids; arguments as of :func:`epa`."""
    depth, n, a = epa(A, B, r, guess, hulls, work, count, scale, a)
    way = Way(-depth, n, a, False, 0.0)
    if depth <= 0.0 or not (is_curved(A) or is_curved(B)):
        return way
    way = settled_near(A, B, r, way, hulls, work, scale)
    if way.tangent == 0.0:
        d, n, a = polish(A, B, r, way.d, way.n, way.a, hulls, work, scale)
        way = settled_near(A, B, r, Way(d, n, a, False, 0.0), hulls, work, scale)
    if work.bound[0] > allowed_gap(A, B, depth, scale):
        way = around(A, B, r, way, hulls, work)
        if A.kind == ELLIPSOID or B.kind == ELLIPSOID:
            way = every_way(A, B, r, B.R if B.kind == ELLIPSOID else A.R, way, hulls, work)
    return matched(A, B, r, way, hulls, work)


@helper
def has_volume(solid):
    """Whether a core is more than a point, a line or a triangle."""
    return is_curved(solid) or solid.kind == BOX or solid.kind == HULL


@routine
def distance_near(A, B, r, way, limit, hulls, work):
    """Like :func:`distance_within` where a way that is not proven is known: of an overlap the polytope at once.

    Its bound tells whether they do overlap.
    """
    radius = rounding(A)
    radii = radius + rounding(B)
    if way.d < 0.0 and (has_volume(A) or has_volume(B)):
        work.bound[0] = 0.0
        other = wrap(A, B, r, way.n, hulls, work)
        if other.sure:
            if way.tangent > 0.0:
                other = way
            return other.d - radii, other.n, other.a + other.n * radius
        other = by_polytope(A, B, r, way.n, 0, r.norm() + way.a.norm() - way.d, way.a, hulls, work)
        if -other.d > work.bound[0] + SIZE_GAP * (r.norm() + way.a.norm()):
            return other.d - radii, other.n, other.a + other.n * radius
    return distance_within(A, B, r, way.n, limit, hulls, work)


@unit
def distance_within(A, B, r, guess, limit, hulls, work):
    """Like :func:`distance_from`; beyond ``limit`` some lower bound above it, and a direction that shows it.

    First the neighbourhood of the guess is searched (:mod:`gelenk.collision.near_way`), then that of the last way
    before an overlap was seen, and of better ones (:mod:`gelenk.collision.way_out`). Where nothing is proven, the
    polytope tells.
    """
    work.bound[0] = 0.0
    radius = rounding(A)
    radii = radius + rounding(B)
    if guess @ guess > 0.0:
        way = local_way(A, B, r, guess * (1.0 / guess.norm()), limit + radii, hulls, work)
        if way.sure:
            return way.d - radii, way.n, way.a + way.n * radius
    v, a, count, scale = gjk_start(A, B, r, guess, limit + radii, hulls, work)
    done = count == 0
    smooth = is_curved(A) or is_curved(B)
    for some in FEW:
        if not done:
            v, a, count, done = gjk_on(
                A, B, r, v, a, count, scale, limit + radii, some if smooth else MOST_SEARCHES, hulls, work
            )
        if not done and v @ v > 0.0:  # the method of Newton is faster from here, if it is near enough
            way = near_way(A, B, r, v * (1.0 / v.norm()), limit + radii, nothing_far(), hulls, work)
            if way.sure:
                return way.d - radii, way.n, way.a + way.n * radius
    d = v.norm()
    if count < 4 and d > TOUCH * scale:
        n = v * (1.0 / d)
    else:
        way = Way(0.0, v, a, False, 0.0)
        if count == 4 and not (A.kind == TRIANGLE and B.kind == TRIANGLE):  # of these the polytope is a small one
            saved = 2 * count <= work.w.shape[0]
            if saved:
                move_simplex(work, 0, 4)
            way = local_way(A, B, r, v * (1.0 / d), math.inf, hulls, work)
            for _ in range(MOST_TRIES):
                if way.sure or way.d >= 0.0:
                    break
                n = step_apart(A, B, r, way, hulls, work)
                way = better(way, local_way(A, B, r, n, math.inf, hulls, work))
            if saved:
                move_simplex(work, 4, 0)
            else:
                count = 0
        if way.sure:
            d, n, a = way.d, way.n, way.a
        else:
            way = by_polytope(A, B, r, guess, count, scale, a, hulls, work)
            d, n, a = way.d, way.n, way.a
    return d - radii, n, a + n * radius


@routine
def distance_from(A, B, r, guess, hulls, work):
    """Like :func:`convex_distance`; hulls are climbed from the vertices ``work.near``, which are then those found."""
    return distance_within(A, B, r, guess, math.inf, hulls, work)


@routine
def convex_distance(A, B, r, guess, hulls, work):
    """Signed distance of two convex solids, the unit normal from A to B, and the point of A, from its centre.

    r: centre of A to centre of B; guess: the last normal, for motion from step to step, or zero. Balls and capsules
    are cores of points and lines with a radius added, so they are exact also where they overlap, until the cores meet.
    """
    work.near[0] = work.near[1] = NOWHERE
    return distance_from(A, B, r, guess, hulls, work)
