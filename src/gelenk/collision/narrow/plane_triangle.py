"""Plane against triangle."""

from __future__ import annotations

from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.collision.narrow.triangle import corners
from gelenk.compile import routine


@routine
def plane_triangle(A, B, r, margin, hulls, out):
    """Its corners."""
    n = plane_normal(A)
    a, b, c = corners(B)
    count = put_over(out, 0, n, r, a, margin, 0)
    count = put_over(out, count, n, r, b, margin, 1)
    return put_over(out, count, n, r, c, margin, 2)
