"""Plane against cylinder."""

from __future__ import annotations

from gelenk.collision.narrow.capsule import half_axis
from gelenk.collision.narrow.plane import lowest_on_rim, plane_normal, put_over
from gelenk.compile import routine

STANDS = 0.7  # cosine between axis and normal from which on a cylinder stands rather than lies


@routine
def plane_cylinder(A, B, r, margin, hulls, out):
    """The lowest point of the rim below, which is the lowest of all. Standing: three more, a quarter turn apart; lying:
    the lowest point of the other rim.

    Features: 4 k + quarter on the rim k, 0 at the bottom and 1 at the top.
    """
    n, h = plane_normal(A), half_axis(B)
    upright = B.R.xz * n.x + B.R.yz * n.y + B.R.zz * n.z
    down, side = lowest_on_rim(B.R, n)
    down, side = down * B.size.x, side * B.size.x
    first = 0
    if upright < 0.0:
        h, first = -h, 4
    count = put_over(out, 0, n, r, down - h, margin, first)
    if abs(upright) > STANDS:
        count = put_over(out, count, n, r, side - h, margin, first + 1)
        count = put_over(out, count, n, r, -down - h, margin, first + 2)
        return put_over(out, count, n, r, -side - h, margin, first + 3)
    return put_over(out, count, n, r, down + h, margin, 4 - first)
