"""Sphere against sphere."""

from __future__ import annotations

from gelenk.collision.closest import unit_or
from gelenk.collision.narrow.ball import put_round
from gelenk.compile import helper
from gelenk.math.vec3 import Vec3


@helper
def sphere_sphere(A, B, r, margin, hulls, out):
    """One point:  d = |r| - r_A - r_B.  The normal of spheres with one centre is z."""
    reach = A.size.x + B.size.x + margin
    if r @ r > reach * reach:
        return 0
    n = unit_or(r, Vec3(0.0, 0.0, 1.0))
    return put_round(out, 0, Vec3(0.0, 0.0, 0.0), A.size.x, B.size.x, r.norm(), n, r, margin, 0, 0)
