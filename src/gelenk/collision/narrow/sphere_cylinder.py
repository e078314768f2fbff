"""Sphere against cylinder."""

from __future__ import annotations

import math

from gelenk.collision.closest import Foot
from gelenk.collision.narrow.ball import put_ball
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def point_cylinder(p, size):
    """Foot of a point on a cylinder: bottom 0, top 1, side 2, rims 3 and 4.

    In the half plane of the axis and the point, the cylinder is the rectangle  rho <= radius, |z| <= half axis.
    """
    rho = math.sqrt(p.x * p.x + p.y * p.y)
    cx, cy = (p.x / rho, p.y / rho) if rho > 0.0 else (1.0, 0.0)
    up = 1.0 if p.z >= 0.0 else -1.0
    x, z = rho - size.x, abs(p.z) - size.z
    top = 1 if up > 0.0 else 0
    if x > 0.0 and z > 0.0:
        d = math.sqrt(x * x + z * z)
        return Foot(d, Vec3(cx * x / d, cy * x / d, up * z / d), 3 + top)
    if z > x:
        return Foot(z, Vec3(0.0, 0.0, up), top)
    return Foot(x, Vec3(cx, cy, 0.0), 2)


@routine
def sphere_cylinder(A, B, r, margin, hulls, out):
    """One point."""
    return put_ball(out, A, B, r, point_cylinder(B.R.tdot(-r), B.size), margin)
