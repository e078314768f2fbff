"""Depth of two triangles: all faces of their difference looked at (V-25).

The difference of two triangles is a polyhedron whose faces have the normals of the two and those of an edge of one
across an edge of the other: eleven directions, both ways. The least overlap along these is the depth.
Source: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996, on the same directions for boxes.
"""

from __future__ import annotations

import math

from gelenk.collision.kinks import Kink
from gelenk.collision.near_proof import nothing_far
from gelenk.collision.near_way import Way, prove_face, prove_lines
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

THIN = 1e-12  # squared sine of the angle between two edges that are taken for parallel
NO_WAY = 1e300


@helper
def corners(R):
    """Corners of a triangle."""
    return Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)


@helper
def gap_along(A, B, r, m):
    """Gap along m, of any length, and along -m."""
    u, v = A.R.tdot(m), B.R.tdot(m)
    s = m @ r
    low_a, high_a = min(u.x, min(u.y, u.z)), max(u.x, max(u.y, u.z))
    low_b, high_b = min(v.x, min(v.y, v.z)), max(v.x, max(v.y, v.z))
    return s + low_b - high_a, low_a - high_b - s


@helper
def wider(A, B, r, m, best, n, size2):
    """The wider of the best gap so far, along n, and that along m or -m; ``size2`` is m . m."""
    k = 1.0 / math.sqrt(size2)
    ahead, back = gap_along(A, B, r, m)
    if max(ahead, back) * k <= best:
        return best, n, False
    return max(ahead, back) * k, m * (k if ahead >= back else -k), True


@routine
def triangle_depth(A, B, r, hulls, work):
    """The way out of two triangles that overlap, sure if it is one; gap above zero: they do not."""
    a, b, c = corners(A.R)
    p, q, s = corners(B.R)
    best, n, kind = -NO_WAY, Vec3(0.0, 0.0, 0.0), 0
    normal_a, normal_b = (b - a).cross(c - a), (q - p).cross(s - p)
    size_a, size_b = normal_a @ normal_a, normal_b @ normal_b
    line_a = line_b = n
    whole = size_a > THIN * ((b - a) @ (b - a)) * ((c - a) @ (c - a))
    whole = whole and size_b > THIN * ((q - p) @ (q - p)) * ((s - p) @ (s - p))
    if whole:
        best, n, _ = wider(A, B, r, normal_a, best, n, size_a)
        best, n, better = wider(A, B, r, normal_b, best, n, size_b)
        kind = 1 if better else 0
        for i in range(3):
            e = b - a if i == 0 else (c - b if i == 1 else a - c)
            ee = e @ e
            for j in range(3):
                g = q - p if j == 0 else (s - q if j == 1 else p - s)
                m = e.cross(g)
                mm = m @ m
                if mm <= THIN * ee * (g @ g):
                    whole = False
                else:
                    best, n, better = wider(A, B, r, m, best, n, mm)
                    if better:
                        kind, line_a, line_b = 2, e, g
    if not whole or best >= 0.0:
        return Way(best, n, n, False, 0.0)
    if kind == 2:
        size_a, size_b = line_a.norm(), line_b.norm()
        e, g = Kink(line_a * (1.0 / size_a), 0.0, size_a), Kink(line_b * (1.0 / size_b), 0.0, size_b)
        way = prove_lines(A, B, r, n, e, g, nothing_far(), hulls, work)
    else:
        way = prove_face(A, B, r, n, kind == 0, 0, nothing_far(), hulls, work)
    return Way(way.d, way.n, way.a, way.tangent > 0.0, way.tangent)
