"""Proof of depth where an edge crosses an edge or a rim, so that no ball fits in (V-25); see also ``inscribed``.

A holds a segment a + t e of its edge, |t| <= l, B holds a flat disc of radius R across k that the way out leaves at its
border, at b = a + d n, d < 0. Seen along e the disc is an ellipse whose least radius of curvature is R (k . e)^2. If
that is not below the depth -d, a circle of radius -d around a lies in it. So each y with |y| <= -d is a way from a
point of the segment to a point of the disc, if the segment is long enough:

    l >= -d (1 + 2 tan),     tan = |k x e| / |k . e|

Then the depth is not less than -d, which is the overlap along n.
"""

from __future__ import annotations

import math

from gelenk.collision.inscribed import room
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@routine
def holds_segment(solid, hulls, x, half, tol):
    """Whether the core holds the segment x - half .. x + half, from its centre, world axes."""
    s = solid.size
    if solid.kind == CAPSULE:
        p, h = solid.R.tdot(x), solid.R.tdot(half)
        return p.x * p.x + p.y * p.y <= tol * tol and abs(p.z) + abs(h.z) <= s.z + tol
    if solid.kind == BOX or solid.kind == CYLINDER:
        return min(room(solid, hulls, x - half, x), room(solid, hulls, x + half, x)) >= -tol
    return False


@helper
def disc_proves(x, n, centre, radius, axis, e, tol):
    """Least radius of curvature seen along e, and tan, of a disc whose point farthest along n is x; shape axes.

    The radius is zero where the point is another one.
    """
    c, up = axis @ e, axis @ n
    flat = math.sqrt(max(1.0 - up * up, 0.0))
    if c == 0.0 or abs((x - centre) @ n - radius * flat) > tol:
        return 0.0, 0.0
    return radius * c * c, axis.cross(e).norm() / abs(c)


@routine
def disc_at(solid, x, n, e, tol):
    """The same for the best disc that is known in a solid at its point x, with outward n; all in world axes."""
    s, p, u, f = solid.size, solid.R.tdot(x), solid.R.tdot(n), solid.R.tdot(e)
    if solid.kind == CYLINDER or solid.kind == CONE:
        radius = s.x if solid.kind == CYLINDER else s.x * (1.0 - p.z / s.z)
        return disc_proves(p, u, Vec3(0.0, 0.0, p.z), radius, Vec3(0.0, 0.0, 1.0), f, tol)
    best, tan = 0.0, 0.0
    if solid.kind == BOX:
        gx, gy, gz = s.x - abs(p.x), s.y - abs(p.y), s.z - abs(p.z)  # zero on the faces beside an edge
        rx, ry, rz = math.copysign(1.0, p.x), math.copysign(1.0, p.y), math.copysign(1.0, p.z)
        for axis in range(3):
            # across ``axis``, touching an edge along the one after the next, or along the next
            k = Vec3(1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
            for other in range(2):
                in_x, in_y, in_z = (axis + 1 + other) % 3 == 0, (axis + 1 + other) % 3 == 1, (axis + 1 + other) % 3 == 2
                width = s.x if in_x else (s.y if in_y else s.z)
                along_x, along_y = (axis + 2 - other) % 3 == 0, (axis + 2 - other) % 3 == 1
                ends = gx if along_x else (gy if along_y else gz)
                radius = min(width, ends)
                inward = Vec3(-rx if in_x else 0.0, -ry if in_y else 0.0, -rz if in_z else 0.0)
                if radius > 0.0:
                    q, t = disc_proves(p, u, p + inward * radius, radius, k, f, tol)
                    if q > best:
                        best, tan = q, t
    return best, tan


@routine
def edge_crosses(A, B, hulls, a, b, e, n, d, tol):
    """Whether the segment of A at a along e and a disc of B at b prove the depth -d; n from A to B, own centres."""
    radius, tan = disc_at(B, b, -n, e, tol)
    return radius >= -d and holds_segment(A, hulls, a, e * (-d * (1.0 + 2.0 * tan)), tol)
