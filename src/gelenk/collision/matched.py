"""Which point of A belongs to a way out (V-11): one whose partner, d farther along n, is on B."""

from __future__ import annotations

from gelenk.collision.gjk import difference_point, gjk
from gelenk.collision.near_way import NEARLY, Way, contains
from gelenk.compile import routine

TOLERANCE = 1e-10  # of the sizes
APART = 1e-3  # of the sizes: gap of cores that are put apart


@routine
def matched(A, B, r, way, hulls, work):
    """The way with a point of A that has a partner on B. Points of the cores.

    Faces and lines are farthest along n with many points, and the one at hand may be off the other solid. Then the
    farthest point of B tells the place. Where this is off A too, both cores are put apart along n by a gap g:

        min |b - a| = g,     b - a = g n

    holds for those points alone that lie over each other, so these are the nearest ones.
    """
    scale = r.norm() + way.a.norm() + abs(way.d)
    tol = TOLERANCE * scale
    step = way.n * way.d
    if contains(B, hulls, way.a + step - r, tol):
        return way
    w, a = difference_point(A, B, r, hulls, work.near, way.n)
    aside = (w - step).norm()
    if aside <= NEARLY * scale:
        return Way(way.d, way.n, a, way.sure, way.tangent)
    above = w + a - step
    if contains(A, hulls, above, tol):
        return Way(way.d, way.n, above, way.sure, way.tangent)
    gap = way.n * (APART * scale)
    v, a, _, _ = gjk(A, B, r + gap - step, way.n, hulls, work)
    if (v - gap).norm() < aside:
        return Way(way.d, way.n, a, way.sure, way.tangent)
    return way
