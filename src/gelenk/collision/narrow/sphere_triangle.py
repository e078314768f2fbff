"""Sphere against triangle."""

from __future__ import annotations

from gelenk.collision.closest import point_triangle, unit_or
from gelenk.collision.narrow.ball import put_round
from gelenk.collision.narrow.triangle import corners, triangle_normal
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def sphere_triangle(A, B, r, margin, hulls, out):
    """One point. A triangle has no inside: a sphere is pushed to the side on which its centre is."""
    a, b, c = corners(B)
    foot, feature = point_triangle(-r, a, b, c)
    w = r + foot
    n = unit_or(w, -triangle_normal(a, b, c))
    if feature == 6 and w @ w > 0.0:
        m = triangle_normal(a, b, c)
        n = m if m @ w > 0.0 else -m
    return put_round(out, 0, Vec3(0.0, 0.0, 0.0), A.size.x, 0.0, w.norm(), n, r, margin, 0, feature)
