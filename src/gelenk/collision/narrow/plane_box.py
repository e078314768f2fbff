"""Plane against box."""

from __future__ import annotations

from gelenk.collision.narrow.box import corner_id, largest, turn_back, turn_to
from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def plane_box(A, B, r, margin, hulls, out):
    """The corners of the face that looks down most; the lowest corner is one of them."""
    n = plane_normal(A)
    u = B.R.tdot(n)
    axis = largest(u)
    s = turn_to(B.size, axis)
    bottom = -s.z if turn_to(u, axis).z > 0.0 else s.z
    count = 0
    for k in range(4):
        x = turn_back(Vec3(s.x if k & 1 else -s.x, s.y if k & 2 else -s.y, bottom), axis)
        count = put_over(out, count, n, r, B.R @ x, margin, corner_id(x.x, x.y, x.z))
    return count
