"""Plane against capsule."""

from __future__ import annotations

from gelenk.collision.narrow.capsule import half_axis
from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.collision.narrow.plane_cylinder import STANDS
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def plane_capsule(A, B, r, margin, hulls, out):
    """The lowest point of the end below, which is the lowest of all. Lying: the far end of its lowest side line.

    That line lies along  -e,  e = (n - (n . k) k) / |...|,  with k the axis. Features: 0 and 1 the ends at -z and z.
    """
    n, h = plane_normal(A), half_axis(B)
    k = Vec3(B.R.xz, B.R.yz, B.R.zz)
    upright = k @ n
    first = 0
    if upright < 0.0:
        h, first = -h, 1
    count = put_over(out, 0, n, r, -h - n * B.size.x, margin, first)
    if abs(upright) > STANDS or B.size.z == 0.0:
        return count
    e = n - k * upright
    return put_over(out, count, n, r, h - e * (B.size.x / e.norm()), margin, 1 - first)
