"""Plane against ellipsoid."""

from __future__ import annotations

from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def plane_ellipsoid(A, B, r, margin, hulls, out):
    """The lowest point:  x = -S^2 u / |S u|  with u the normal in axes of the ellipsoid, S its semi-axes."""
    n, s = plane_normal(A), B.size
    u = B.R.tdot(n)
    w = Vec3(s.x * u.x, s.y * u.y, s.z * u.z)
    size = w.norm()
    k = -1.0 / size if size > 0.0 else 0.0
    return put_over(out, 0, n, r, B.R @ Vec3(s.x * w.x * k, s.y * w.y * k, s.z * w.z * k), margin, 0)
