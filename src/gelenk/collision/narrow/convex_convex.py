"""Any two convex solids (V-25, V-28, I-088, I-091..I-093, H-75): for pairs without a routine of their own."""

from __future__ import annotations

from gelenk.collision.epa import distance_near, distance_within
from gelenk.collision.far_proof import known_way
from gelenk.collision.gjk import TOUCH, difference_point, gjk_within
from gelenk.collision.manifold import put_point
from gelenk.collision.matched import matched
from gelenk.collision.near_way import Way
from gelenk.collision.region import region
from gelenk.collision.solid import TRIANGLE, rounding
from gelenk.collision.triangle_depth import triangle_depth
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@routine
def triangles(A, B, r, guess, margin, hulls, convex):
    """Like :func:`closest` of two triangles, and whether it is the answer: one look, then one of two short searches."""
    if guess @ guess > 0.0:
        w, a = difference_point(A, B, r, hulls, convex.near, guess)
        d = guess @ w
        if d > margin:
            return d, guess, a, True
        if d <= 0.0:
            way = triangle_depth(A, B, r)
            if way.sure:
                return way.d, way.n, way.a, True
            if way.d > 0.0:
                guess = way.n
    v, a, count, scale = gjk_within(A, B, r, guess, margin, hulls, convex)
    d = v.norm()
    if count < 4 and d > TOUCH * scale:
        return d, v * (1.0 / d), a, True
    way = triangle_depth(A, B, r)
    return way.d, way.n, way.a, way.sure


@helper
def closest(A, B, r, margin, hulls, memory, convex):
    """Signed distance, normal and point of A within the margin.

    Remembered are the normal, the vertices of hulls, and which ways out of an overlap are longer.
    """
    convex.near[0], convex.near[1] = memory.features[0], memory.features[1]
    guess = Vec3(memory.guess[0], memory.guess[1], memory.guess[2])
    d, n, a, sure, proven = 0.0, guess, guess, False, False
    radius = rounding(A)
    radii = radius + rounding(B)
    if A.kind == TRIANGLE and B.kind == TRIANGLE:
        d, n, a, sure = triangles(A, B, r, guess, margin, hulls, convex)
    elif guess @ guess > 0.0:
        way = known_way(A, B, r, guess * (1.0 / guess.norm()), margin + radii, hulls, memory, convex)
        d, n, a, sure = way.d - radii, way.n, way.a + way.n * radius, True
        proven = way.sure
        if not proven:
            d, n, a = distance_near(A, B, r, way, margin, hulls, convex)
    if not sure:
        d, n, a = distance_within(A, B, r, n, margin, hulls, convex)
    if d < -radii and not proven:
        core = a - n * radius
        a = matched(A, B, r, Way(d + radii, n, core, True, 0.0), hulls, convex).a + n * radius
    memory.guess[0], memory.guess[1], memory.guess[2] = n.x, n.y, n.z
    memory.features[0], memory.features[1] = convex.near[0], convex.near[1]
    return d, n, a


@routine
def convex_convex(A, B, r, margin, tables, memory, work, out):
    """Points of two convex solids: the whole region in which they face each other; the first is the deepest.

    tables: block with ``hulls``; work: block with ``convex`` (ConvexWork) and ``region`` (RegionSpace).
    """
    d, n, a = closest(A, B, r, margin, tables.hulls, memory, work.convex)
    if d > margin:
        return 0
    return region(A, B, r, margin, d, n, a, tables.hulls, work.convex.near, work.region, out)


@routine
def convex_single(A, B, r, margin, tables, memory, work, out):
    """The closest or deepest points alone (H-71)."""
    d, n, a = closest(A, B, r, margin, tables.hulls, memory, work.convex)
    if d > margin:
        return 0
    put_point(out, 0, a, r, n, d, 0, 0)
    return 1
