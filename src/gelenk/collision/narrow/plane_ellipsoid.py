"""Plane against ellipsoid."""

from __future__ import annotations

from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.collision.solid import core_support
from gelenk.compile import routine


@routine
def plane_ellipsoid(A, B, r, margin, hulls, out):
    """The lowest point:  x = -S^2 u / |S u|  with u the normal in axes of the ellipsoid, S its semi-axes."""
    n = plane_normal(A)
    return put_over(out, 0, n, r, core_support(B, hulls, -n), margin, 0)
