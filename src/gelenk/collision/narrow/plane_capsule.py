"""Plane against capsule."""

from __future__ import annotations

from gelenk.collision.narrow.capsule import half_axis
from gelenk.collision.narrow.plane import plane_normal, put_over
from gelenk.compile import routine


@routine
def plane_capsule(A, B, r, margin, hulls, out):
    """The lowest points of both ends."""
    n, h = plane_normal(A), half_axis(B)
    down = n * -B.size.x
    count = put_over(out, 0, n, r, down - h, margin, 0)
    return put_over(out, count, n, r, down + h, margin, 1)
