"""Widest gap between two boxes over the fifteen axes that can separate them.

    gap(n) = |n . t| - (half width of A along n) - (half width of B along n)

The largest gap over all n is the signed distance wherever it is negative: then the fifteen normals of the faces of
the difference of both boxes are enough. Where it is positive it is a lower bound of the distance.

Source: S. Gottschalk, M. Lin, D. Manocha, OBBTree, SIGGRAPH 1996. Half widths along a x b are summed from the products
with a x b itself, not from the usual shorter form: so nothing is lost when both edges are nearly parallel.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.compile import helper

PARALLEL = 1e-12  # sine of the angle below which two edges span no axis


class Gap(NamedTuple):
    """A gap and its axis: 0..2 faces of A, 3..5 faces of B, 6 + 3 i + j edge i of A with edge j of B."""

    gap: float
    axis: int


class BoxGap(NamedTuple):
    """The same of two boxes."""

    gap: float
    axis: int
    edges: bool  # whether the gap of another pair of edges is as wide, or nearly


@helper
def across(best, tol, axis, t1, t2, c1, c2, x1, x2, y1, y2, a1, a2, b1, b2):
    """The better of ``best`` and the gap along e x c, where e is the edge of A and c = (c1, c2, .) that of B.

    1, 2: the other two axes of A in cyclic order; x, y: the other two edges of B; a, b: half sizes along all of these.
    """
    size = math.sqrt(c1 * c1 + c2 * c2)
    gap = (
        abs(c1 * t2 - c2 * t1)
        - (a1 * abs(c2) + a2 * abs(c1))
        - (b1 * abs(c1 * x2 - c2 * x1) + b2 * abs(c1 * y2 - c2 * y1))
    )
    if size > PARALLEL and gap > (best.gap + tol) * size:
        return BoxGap(gap / size, axis, False)
    return BoxGap(best.gap, best.axis, best.edges or gap >= (best.gap - tol) * size)


@helper
def widest_gap(C, t, a, b, margin, tol):
    """The widest gap, or the first one found that is wider than the margin.

    C: axes of B in those of A; t: centre of B there; a, b: half sizes. Faces of A are preferred to those of B, and
    faces to edges, unless the gap is wider by ``tol``: so round-off does not choose.
    """
    best = BoxGap(abs(t.x) - a.x - (b.x * abs(C.xx) + b.y * abs(C.xy) + b.z * abs(C.xz)), 0, False)
    gap = abs(t.y) - a.y - (b.x * abs(C.yx) + b.y * abs(C.yy) + b.z * abs(C.yz))
    if gap > best.gap:
        best = BoxGap(gap, 1, False)
    gap = abs(t.z) - a.z - (b.x * abs(C.zx) + b.y * abs(C.zy) + b.z * abs(C.zz))
    if gap > best.gap:
        best = BoxGap(gap, 2, False)
    if best.gap > margin:
        return best

    u = C.tdot(t)
    other = BoxGap(abs(u.x) - b.x - (a.x * abs(C.xx) + a.y * abs(C.yx) + a.z * abs(C.zx)), 3, False)
    gap = abs(u.y) - b.y - (a.x * abs(C.xy) + a.y * abs(C.yy) + a.z * abs(C.zy))
    if gap > other.gap:
        other = BoxGap(gap, 4, False)
    gap = abs(u.z) - b.z - (a.x * abs(C.xz) + a.y * abs(C.yz) + a.z * abs(C.zz))
    if gap > other.gap:
        other = BoxGap(gap, 5, False)
    if other.gap > best.gap + tol:
        best = other
    if best.gap > margin:
        return best

    best = across(best, tol, 6, t.y, t.z, C.yx, C.zx, C.yy, C.zy, C.yz, C.zz, a.y, a.z, b.y, b.z)
    best = across(best, tol, 7, t.y, t.z, C.yy, C.zy, C.yz, C.zz, C.yx, C.zx, a.y, a.z, b.z, b.x)
    best = across(best, tol, 8, t.y, t.z, C.yz, C.zz, C.yx, C.zx, C.yy, C.zy, a.y, a.z, b.x, b.y)
    best = across(best, tol, 9, t.z, t.x, C.zx, C.xx, C.zy, C.xy, C.zz, C.xz, a.z, a.x, b.y, b.z)
    best = across(best, tol, 10, t.z, t.x, C.zy, C.xy, C.zz, C.xz, C.zx, C.xx, a.z, a.x, b.z, b.x)
    best = across(best, tol, 11, t.z, t.x, C.zz, C.xz, C.zx, C.xx, C.zy, C.xy, a.z, a.x, b.x, b.y)
    best = across(best, tol, 12, t.x, t.y, C.xx, C.yx, C.xy, C.yy, C.xz, C.yz, a.x, a.y, b.y, b.z)
    best = across(best, tol, 13, t.x, t.y, C.xy, C.yy, C.xz, C.yz, C.xx, C.yx, a.x, a.y, b.z, b.x)
    best = across(best, tol, 14, t.x, t.y, C.xz, C.yz, C.xx, C.yx, C.xy, C.yy, a.x, a.y, b.x, b.y)
    return best
