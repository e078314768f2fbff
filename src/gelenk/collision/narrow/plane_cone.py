"""Plane against cone."""

from __future__ import annotations

from gelenk.collision.narrow.capsule import half_axis
from gelenk.collision.narrow.plane import lowest_on_rim, plane_normal, put_over
from gelenk.collision.narrow.plane_cylinder import STANDS
from gelenk.compile import routine


@routine
def plane_cone(A, B, r, margin, hulls, out):
    """The lowest point of the rim and the apex, one of which is the lowest of all; on its base: four of the rim.

    Features: quarters of the rim 0..3, apex 4.
    """
    n = plane_normal(A)
    apex = half_axis(B)  # the centre is that of the base, so this is the whole axis
    upright = B.R.xz * n.x + B.R.yz * n.y + B.R.zz * n.z
    down, side = lowest_on_rim(B.R, n)
    down, side = down * B.size.x, side * B.size.x
    count = put_over(out, 0, n, r, down, margin, 0)
    if upright > STANDS:
        count = put_over(out, count, n, r, side, margin, 1)
        count = put_over(out, count, n, r, -down, margin, 2)
        return put_over(out, count, n, r, -side, margin, 3)
    return put_over(out, count, n, r, apex, margin, 4)
