"""Sphere against capsule."""

from __future__ import annotations

from gelenk.collision.closest import perpendicular, point_segment, unit_or
from gelenk.collision.narrow.ball import put_round
from gelenk.collision.narrow.capsule import half_axis, place_on_axis
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def sphere_capsule(A, B, r, margin, hulls, out):
    """One point:  d = |c - q| - r_A - r_B,  q the point of the axis closest to the centre c."""
    h = half_axis(B)
    t = point_segment(-r, h)
    w = r + h * t
    n = unit_or(w, perpendicular(h))
    return put_round(out, 0, Vec3(0.0, 0.0, 0.0), A.size.x, B.size.x, w.norm(), n, r, margin, 0, place_on_axis(t))
