"""Box against box: exact signed distance and full contact region (I-091..I-093, H-69, V-29)."""

from __future__ import annotations

import math

from gelenk.collision.clip import copy_point, deepest_only
from gelenk.collision.manifold import put_point
from gelenk.collision.narrow.box import coordinate, largest, turn_back, turn_rows, turn_to
from gelenk.collision.narrow.box_gap import widest_gap
from gelenk.collision.narrow.box_nearest import Nearest, boxes_nearest, facing_edges
from gelenk.collision.narrow.box_region import face_region
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

EQUAL = 1e-10  # of the smaller box: distances closer than this are equal, and the face is preferred
ROUND_OFF = 1e-15  # of both boxes: what is lost in a distance
FLAT = 0.995  # cosine (5.7 degrees) from which on a normal belongs to a face, or two faces are nearly parallel


@helper
def unit(axis, sign):
    """Axis of a box."""
    return turn_back(Vec3(0.0, 0.0, sign), axis)


@helper
def axis_normal(axis, C, t):
    """Normal of one of the axes of :func:`widest_gap`, from A to B, axes of A; not for pairs of edges."""
    if axis < 3:
        return unit(axis, 1.0 if coordinate(t, axis) >= 0.0 else -1.0)
    n = C @ unit(axis - 3, 1.0)
    return n if n @ t >= 0.0 else -n


@helper
def to_world(A, B, r, swapped, axis, sign, count, out):
    """Bring flat points over a face of A (swapped: of B) to the world."""
    R, size = (B.R, B.size) if swapped else (A.R, A.size)
    m = R @ unit(axis, sign)
    top = sign * coordinate(size, axis)
    for k in range(count):
        point = out[k]
        p = R @ turn_back(Vec3(point.a[0], point.a[1], top), axis)
        if swapped:
            put_point(out, k, r + p + m * point.d, r, -m, point.d, point.feature_b, point.feature_a)
        else:
            put_point(out, k, p, r, m, point.d, point.feature_a, point.feature_b)


@helper
def region(A, B, r, C, t, swapped, axis, sign, margin, deep, small, out):
    """Points of the region over a face of A (swapped: of B)."""
    if swapped:
        count = face_region(C.transposed(), -C.tdot(t), B.size, A.size, axis, sign, margin, deep, small, out)
    else:
        count = face_region(C, t, A.size, B.size, axis, sign, margin, deep, small, out)
    to_world(A, B, r, swapped, axis, sign, count, out)
    return count


@helper
def lowest_over_face(A, B, C, t, swapped, axis, sign, tol):
    """Whether the lowest corner of the other box lies over a face of A (swapped: of B); true also if there are several.

    Where it does not, the distance to the face is not that of the boxes.
    """
    if swapped:
        D, c, size, other = C.transposed(), -C.tdot(t), B.size, A.size
    else:
        D, c, size, other = C, t, A.size, B.size
    D, c, h = turn_rows(D, axis), turn_to(c, axis), turn_to(size, axis)
    if min(abs(D.zx * other.x), abs(D.zy * other.y), abs(D.zz * other.z)) <= tol:
        return True
    x, y, z = (
        math.copysign(other.x, -sign * D.zx),
        math.copysign(other.y, -sign * D.zy),
        math.copysign(other.z, -sign * D.zz),
    )
    u, v = c.x + D.xx * x + D.xy * y + D.xz * z, c.y + D.yx * x + D.yy * y + D.yz * z
    return abs(u) <= h.x + tol and abs(v) <= h.y + tol


@helper
def make_room(out, count, a, feature_a, feature_b):
    """Free the first place: its point takes that of the point with these names, else of the one closest to a."""
    best, least = 0, 1e300
    for k in range(count):
        p = out[k].a
        w = Vec3(p[0] - a.x, p[1] - a.y, p[2] - a.z)
        far = -1.0 if out[k].feature_a == feature_a and out[k].feature_b == feature_b else w @ w
        if far < least:
            best, least = k, far
    if best != 0:
        copy_point(out, 0, best)


@routine
def box_box(A, B, r, margin, hulls, out):
    """Points of two boxes, at most four.

    Overlap: the normal is the axis of least depth out of fifteen (:mod:`box_gap`). Apart: it is the direction between
    the closest points (:mod:`box_nearest`), which is that of a face if the closest point lies inside a face, the
    vector product of two edges, the way from the foot on an edge to a corner, or from corner to corner (I-093).

    Where the normal is that of a face, the whole region in which both boxes face each other gives points
    (:mod:`box_region`). Where it nearly is, the region does so too, and the exact point takes the place of the one next
    to it. Otherwise there is one point. The first point is the deepest.
    """
    C, t = A.R.transposed().times(B.R), A.R.tdot(r)
    a, b = A.size, B.size
    total_a, total_b = a.x + a.y + a.z, b.x + b.y + b.z
    total, small = total_a + total_b, min(total_a, total_b)
    tol = EQUAL * small + ROUND_OFF * total
    widest = widest_gap(C, t, a, b, margin, tol)
    if widest.gap > margin:
        return 0

    if widest.axis < 6:
        swapped = widest.axis >= 3
        axis = widest.axis - 3 if swapped else widest.axis
        along = -coordinate(C.tdot(t), axis) if swapped else coordinate(t, axis)
        sign = 1.0 if along >= 0.0 else -1.0
        if widest.gap <= 0.0 or lowest_over_face(A, B, C, t, swapped, axis, sign, tol):
            count = region(A, B, r, C, t, swapped, axis, sign, margin, widest.gap, small, out)
            if count > 0 and out[0].d <= widest.gap + tol:
                return count
        exact = boxes_nearest(C, t, a, b, axis_normal(widest.axis, C, t), total, widest.edges)
    else:
        pair = facing_edges(C, t, a, b, (widest.axis - 6) // 3, (widest.axis - 6) % 3)
        if widest.gap <= 0.0 or pair.across:
            exact = Nearest(widest.gap, pair.n, pair.p, pair.feature_a, pair.feature_b)
        else:
            exact = boxes_nearest(C, t, a, b, pair.n, total, widest.edges)
    if exact.d > margin:
        return 0

    count = 0
    n, m = exact.n, C.tdot(exact.n)
    i, j = largest(n), largest(m)
    of_a, of_b = coordinate(n, i), -coordinate(m, j)
    p = A.R @ exact.p
    if abs(of_a) > FLAT or abs(of_b) > FLAT:
        swapped = abs(of_b) > abs(of_a) + EQUAL
        axis, along = (j, of_b) if swapped else (i, of_a)
        sign = 1.0 if along > 0.0 else -1.0
        count = region(A, B, r, C, t, swapped, axis, sign, margin, exact.d, small, out)
        make_room(out, count, p, exact.feature_a, exact.feature_b)
    put_point(out, 0, p, r, A.R @ n, exact.d, exact.feature_a, exact.feature_b)
    return max(count, 1)


@routine
def box_box_sparing(A, B, r, margin, hulls, out):
    """Points of two boxes by the rule of V-29: several only if two faces are nearly parallel, else the deepest."""
    count = box_box(A, B, r, margin, hulls, out)
    if count > 1:
        n = Vec3(out[0].n[0], out[0].n[1], out[0].n[2])
        u, v = A.R.tdot(n), B.R.tdot(n)
        if abs(coordinate(u, largest(u))) < FLAT or abs(coordinate(v, largest(v))) < FLAT:
            return deepest_only(out, count)
    return count
