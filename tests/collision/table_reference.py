"""What shapes are, written a second time: support functions, distances of points, and the certificate of a contact.

Of two convex solids, B seen from A by r, the gap along a unit vector n is

    g(n) = n . r - h_A(n) - h_B(-n),        h(n) = max n . x  over the solid,

and the signed distance is its maximum over all n. So the gap along a reported normal is never above the distance; two
points of the solids are never closer than it; and no other n may have a wider gap.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull as Quickhull

from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, PLANE, SPHERE, TRIANGLE, Solid
from gelenk.compile import helper, kernel, routine
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3

MOST_STEPS = 300  # of a search
STARTS, BESIDE = 6, 0.9  # searches for the widest gap, and the cosine between two that begin in one place
LEVEL = 1e-14  # how far a direction may be from the normal of a plane: rounding of a unit vector


class Clouds(NamedTuple):
    """Points whose hulls are meant, and the triangles around them, found anew."""

    vertex: np.ndarray  # (P, 3)
    first: np.ndarray  # (h + 1,) int64
    corner: np.ndarray  # (T, 9)
    side: np.ndarray  # (T, 4) outward normal and offset
    side_first: np.ndarray  # (h + 1,) int64


def new_clouds(clouds):
    """Of point sets, (n, 3) each."""
    hulls = [Quickhull(c) for c in clouds]
    corner = [c[h.simplices].reshape(-1, 9) for c, h in zip(clouds, hulls, strict=True)]
    ends = [np.concatenate(([0], np.cumsum([len(x) for x in part]))) for part in (clouds, corner)]
    side = np.concatenate([h.equations * (1, 1, 1, -1) for h in hulls])
    return Clouds(np.concatenate(clouds), ends[0], np.concatenate(corner), side, ends[1])


@routine
def support(S, clouds, n):
    """Support function h(n) of a solid about its centre."""
    u, s = S.R.tdot(n), S.size
    across = math.sqrt(u.x * u.x + u.y * u.y)
    if S.kind == SPHERE:
        return s.x
    if S.kind == BOX:
        return s.x * abs(u.x) + s.y * abs(u.y) + s.z * abs(u.z)
    if S.kind == CAPSULE:
        return s.x + s.z * abs(u.z)
    if S.kind == CYLINDER:
        return s.x * across + s.z * abs(u.z)
    if S.kind == CONE:
        return max(s.x * across, s.z * u.z)
    if S.kind == ELLIPSOID:
        return math.sqrt((s.x * u.x) ** 2 + (s.y * u.y) ** 2 + (s.z * u.z) ** 2)
    if S.kind == TRIANGLE:
        return max(u.x, u.y, u.z)
    if S.kind == PLANE:
        return 0.0 if across <= LEVEL and u.z > 0.0 else math.inf
    most = -math.inf
    for i in range(clouds.first[S.table], clouds.first[S.table + 1]):
        most = max(most, u @ get3(clouds.vertex, i))
    return most


@routine
def gap(A, B, r, clouds, n):
    """Width of the gap along n."""
    return n @ r - support(A, clouds, n) - support(B, clouds, -n)


@helper
def to_segment(x, p, q):
    """Distance of a point from a segment."""
    e, w = q - p, x - p
    return (w - e * min(max((w @ e) / max(e @ e, 1e-300), 0.0), 1.0)).norm()


@routine
def to_triangle(x, p, q, s):
    """Distance of a point from a triangle: from its area where the foot lies in it, else from its nearest side."""
    m = (q - p).cross(s - p)
    least = min(to_segment(x, p, q), to_segment(x, q, s), to_segment(x, s, p))
    size = m.norm()
    over = min((q - p).cross(x - p) @ m, (s - q).cross(x - q) @ m, (p - s).cross(x - s) @ m)
    return min(least, abs((x - p) @ m) / size) if size > 0.0 and over >= 0.0 else least


@routine
def outside(S, clouds, x):
    """Signed distance of a point, from the centre of the solid, to its surface; of ellipsoids to first order."""
    if S.kind == TRIANGLE:
        R = S.R
        return to_triangle(x, Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz))
    u, s = S.R.tdot(x), S.size
    rho = math.sqrt(u.x * u.x + u.y * u.y)
    if S.kind == SPHERE:
        return u.norm() - s.x
    if S.kind == BOX:
        p = Vec3(abs(u.x) - s.x, abs(u.y) - s.y, abs(u.z) - s.z)
        out = Vec3(max(p.x, 0.0), max(p.y, 0.0), max(p.z, 0.0))
        return out.norm() + min(max(p.x, p.y, p.z), 0.0)
    if S.kind == CAPSULE:
        return math.hypot(rho, max(abs(u.z) - s.z, 0.0)) - s.x
    if S.kind == CYLINDER:
        p, q = rho - s.x, abs(u.z) - s.z
        return math.hypot(max(p, 0.0), max(q, 0.0)) + min(max(p, q), 0.0)
    if S.kind == CONE:
        y = Vec3(rho, u.z, 0.0)
        centre, rim, tip = Vec3(0.0, 0.0, 0.0), Vec3(s.x, 0.0, 0.0), Vec3(0.0, s.z, 0.0)
        away = min(to_segment(y, centre, rim), to_segment(y, rim, tip))
        return -away if u.z >= 0.0 and rho * s.z + u.z * s.x <= s.x * s.z else away
    if S.kind == ELLIPSOID:
        w = Vec3(u.x / s.x, u.y / s.y, u.z / s.z)
        k, slope = w.norm(), Vec3(w.x / s.x, w.y / s.y, w.z / s.z).norm()
        return k * (k - 1.0) / slope if slope > 0.0 else -min(s.x, s.y, s.z)
    if S.kind == PLANE:
        return u.z
    return outside_hull(S.table, clouds, u)


@routine
def outside_hull(table, clouds, u):
    """Of a hull, shape axes: over all its triangles."""
    high, away = -math.inf, math.inf
    for t in range(clouds.side_first[table], clouds.side_first[table + 1]):
        n = clouds.side[t]
        high = max(high, n[0] * u.x + n[1] * u.y + n[2] * u.z - n[3])
    if high <= 0.0:
        return high
    for t in range(clouds.side_first[table], clouds.side_first[table + 1]):
        c = clouds.corner[t]
        p, q, s = Vec3(c[0], c[1], c[2]), Vec3(c[3], c[4], c[5]), Vec3(c[6], c[7], c[8])
        away = min(away, to_triangle(u, p, q, s))
    return away


@helper
def side_frame(n, angle):
    """Two unit vectors across n, turned about it."""
    w = Vec3(1.0, 0.0, 0.0) if abs(n.x) < 0.6 else Vec3(0.0, 1.0, 0.0)
    e = n.cross(w)
    e = e * (1.0 / e.norm())
    f = n.cross(e)
    return e * math.cos(angle) + f * math.sin(angle), f * math.cos(angle) - e * math.sin(angle)


@routine
def climb_gap(A, B, r, clouds, n, step, finest):
    """Widest gap uphill from n, and where: steps in turning crosses, halved where none is better."""
    best, angle = gap(A, B, r, clouds, n), 0.0
    for _ in range(MOST_STEPS):
        if step < finest:
            break
        e, f = side_frame(n, angle)
        angle += 2.4  # golden: no direction is left out for long
        better = False
        for k in range(4):
            m = n + (e if k < 2 else f) * (step if k % 2 == 0 else -step)
            m = m * (1.0 / m.norm())
            width = gap(A, B, r, clouds, m)
            if width > best:
                best, n, better = width, m, True
        step *= 1.0 if better else 0.5
    return best, n


@routine
def widest_gap(A, B, r, clouds, n, directions, width):
    """Widest gap found: uphill from n, and from the STARTS best of many directions that lie well apart.

    width: scratch, one number a direction.
    """
    for k in range(directions.shape[0]):
        width[k] = gap(A, B, r, clouds, get3(directions, k))
    best, top = climb_gap(A, B, r, clouds, n, 0.1, 1e-3)
    for _ in range(STARTS):
        start = 0
        for k in range(directions.shape[0]):
            if width[k] > width[start]:
                start = k
        if width[start] == -math.inf:
            break
        m = get3(directions, start)
        for k in range(directions.shape[0]):
            if get3(directions, k) @ m > BESIDE:
                width[k] = -math.inf
        high, m = climb_gap(A, B, r, clouds, m, 0.1, 1e-3)
        if high > best:
            best, top = high, m
    best, top = climb_gap(A, B, r, clouds, top, 1e-3, 1e-9)
    return max(best, climb_gap(A, B, r, clouds, n, 1e-3, 1e-9)[0])


@routine
def any_gap(A, B, r, clouds):
    """Widest gap uphill from the corners of a tetrahedron: if there is any gap at all, one of these ways leads to it.

    With g(m) > 0, g concave and g(t n) = t g(n), the slope of g on the sphere at n towards m is g(m) - g(n) (n . m) or
    more: uphill wherever g(n) < 0 and n . m > 0. One corner of a tetrahedron is on the side of m, whatever m is.
    """
    best = -math.inf
    for k in range(4):
        n = Vec3(1.0 if k < 2 else -1.0, 1.0 if k % 2 == 0 else -1.0, 1.0 if k == 0 or k == 3 else -1.0)
        best = max(best, climb_gap(A, B, r, clouds, n * (1.0 / n.norm()), 0.3, 1e-6)[0])
    return best


@helper
def out_of_both(A, B, r, clouds, x):
    """How far a point is outside the one or the other."""
    return max(outside(A, clouds, x), outside(B, clouds, x - r))


@routine
def common_point(A, B, r, clouds, a, b, size):
    """How far the best point found is from lying in both solids; the measure is convex, so going downhill finds it."""
    x, best = a, math.inf
    for k in range(6):
        y = a * (0.25 * k) + b * (1.0 - 0.25 * k) if k < 5 else r * 0.5
        out = out_of_both(A, B, r, clouds, y)
        if out < best:
            best, x = out, y
    step, n, angle = 0.1 * size, Vec3(0.6, 0.0, 0.8), 0.0
    for _ in range(MOST_STEPS):
        if best <= 0.0 or step < 1e-10 * size:
            break
        e, f = side_frame(n, angle)
        angle += 2.4
        better = False
        for k in range(6):
            y = x + (n if k < 2 else e if k < 4 else f) * (step if k % 2 == 0 else -step)
            out = out_of_both(A, B, r, clouds, y)
            if out < best:
                best, x, better = out, y, True
        n = e
        step *= 1.0 if better else 0.5
    return best


CERTIFICATE = np.dtype(
    [
        ("gap", "f8"),  # gap along the normal
        ("a", "f8"),  # signed distance of each point from its own surface
        ("b", "f8"),
        ("shared", "f8"),  # how far the best point found is from lying in both; infinite where they are apart
        ("widest", "f8"),  # widest gap found, where they overlap or a point is off its surface
    ]
)


@kernel
def certify(kind, table, R, size, r, points, lengths, clouds, directions, width, out):
    """Evidence for the deepest points of many pairs."""
    for i in range(r.shape[0]):
        A = Solid(kind[i, 0], table[i, 0], get33(R[i], 0), get3(size[i], 0))
        B = Solid(kind[i, 1], table[i, 1], get33(R[i], 1), get3(size[i], 1))
        p, q = points[i], out[i]
        n, way = Vec3(p.n[0], p.n[1], p.n[2]), get3(r, i)
        a, b = Vec3(p.a[0], p.a[1], p.a[2]), Vec3(p.b[0], p.b[1], p.b[2])
        q.gap = q.widest = gap(A, B, way, clouds, n)
        q.a, q.b, q.shared = outside(A, clouds, a), outside(B, clouds, b), math.inf
        if p.d < 0.0:
            q.shared = common_point(A, B, way, clouds, a, way + b, lengths[i])
        off = max(abs(q.a), abs(q.b))
        if (p.d < 0.0 or off > 1e-9 * lengths[i]) and A.kind != PLANE and B.kind != PLANE:
            q.widest = widest_gap(A, B, way, clouds, n, directions, width)
            if p.d < 0.0 < q.shared:
                q.widest = max(q.widest, any_gap(A, B, way, clouds))


@kernel
def measure_points(kind, table, R, size, owner, points, clouds, a_out, b_out):
    """Signed distances of points from the surfaces that they should lie on; ``owner``: the pair of each."""
    for k in range(owner.shape[0]):
        i, p = owner[k], points[k]
        A = Solid(kind[i, 0], table[i, 0], get33(R[i], 0), get3(size[i], 0))
        B = Solid(kind[i, 1], table[i, 1], get33(R[i], 1), get3(size[i], 1))
        a_out[k] = outside(A, clouds, Vec3(p.a[0], p.a[1], p.a[2]))
        b_out[k] = outside(B, clouds, Vec3(p.b[0], p.b[1], p.b[2]))
