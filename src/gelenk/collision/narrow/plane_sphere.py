"""Plane against sphere."""

from __future__ import annotations

from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.compile import routine


@routine
def plane_sphere(A, B, r, margin, hulls, out):
    """The lowest point of the sphere."""
    n = plane_normal(A)
    return put_over(out, 0, n, r, n * -B.size.x, margin, 0)
