"""What pairs with a triangle share: its corners are the columns of R, from its centre, world axes."""

from __future__ import annotations

from gelenk.collision.closest import unit_or
from gelenk.compile import helper
from gelenk.math.vec3 import Vec3


@helper
def corners(solid):
    """The three corners."""
    R = solid.R
    return Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)


@helper
def triangle_normal(a, b, c):
    """Unit normal, on the side from which the corners go counter-clockwise; z for a triangle without area."""
    return unit_or((b - a).cross(c - a), Vec3(0.0, 0.0, 1.0))
