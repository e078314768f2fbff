"""Which point of A belongs to a way out (V-11): one whose partner, d farther along n, is on B."""

from __future__ import annotations

from gelenk.collision.gjk import difference_point
from gelenk.collision.near_way import Way, contains
from gelenk.compile import routine

TOLERANCE = 1e-10  # of the sizes


@routine
def matched(A, B, r, way, other, hulls, work):
    """The way with a point of A that has a partner on B.

    Faces are farthest along n with many points, and the one at hand may be off the other solid. Then the farthest point
    of B tells the place, or ``other``, one of A that is good for a direction close by. Points of the cores.
    """
    tol = TOLERANCE * (r.norm() + way.a.norm() + abs(way.d))
    step = way.n * way.d
    if contains(B, hulls, way.a + step - r, tol):
        return way
    w, a = difference_point(A, B, r, hulls, work.near, way.n)
    above = w + a - step
    if contains(A, hulls, above, tol):
        return Way(way.d, way.n, above, way.sure, way.tangent)
    beside = other + way.n * (way.n @ (a - other))
    if contains(B, hulls, beside + step - r, 1e4 * tol):
        return Way(way.d, way.n, beside, way.sure, way.tangent)
    return way
