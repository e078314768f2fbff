"""Sphere against cone."""

from __future__ import annotations

import math

from gelenk.collision.closest import Foot
from gelenk.collision.narrow.ball import put_ball
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def point_cone(p, size):
    """Foot of a point on a cone: base 0, apex 1, side 2, rim 3.

    In the half plane of the axis and the point, the cone is the triangle (0, 0), (radius, 0), (0, height). ``along`` is
    measured on the side from rim to apex, ``off`` outward from it.
    """
    rho = math.sqrt(p.x * p.x + p.y * p.y)
    cx, cy = (p.x / rho, p.y / rho) if rho > 0.0 else (1.0, 0.0)
    radius, height = size.x, size.z
    side = math.sqrt(radius * radius + height * height)
    x = rho - radius
    along, off = (height * p.z - radius * x) / side, (height * x + radius * p.z) / side
    if (p.z < 0.0 and x <= 0.0) or (p.z >= 0.0 and off <= 0.0 and -p.z >= off):
        return Foot(-p.z, Vec3(0.0, 0.0, -1.0), 0)
    if p.z >= 0.0 and (off <= 0.0 or 0.0 <= along <= side):
        return Foot(off, Vec3(cx * height / side, cy * height / side, radius / side), 2)
    feature = 1 if along > side else 3
    x, z = (rho, p.z - height) if feature == 1 else (x, p.z)
    d = math.sqrt(x * x + z * z)
    return Foot(d, Vec3(cx * x / d, cy * x / d, z / d), feature)


@routine
def sphere_cone(A, B, r, margin, hulls, out):
    """One point."""
    return put_ball(out, A, B, r, point_cone(B.R.tdot(-r), B.size), margin)
