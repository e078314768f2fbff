"""What pairs of round solids share: points of solids that are larger than their core by a radius."""

from __future__ import annotations

from gelenk.collision.manifold import put_point
from gelenk.compile import helper


@helper
def put_round(out, k, p, radius_a, radius_b, distance, n, r, margin, feature_a, feature_b):
    """Point k of two rounded cores at a distance along n, p the one of A; number of points then, k if it is too far."""
    d = distance - radius_a - radius_b
    if d > margin:
        return k
    put_point(out, k, p + n * radius_a, r, n, d, feature_a, feature_b)
    return k + 1


@helper
def put_ball(out, A, B, r, foot, margin):
    """Point of a sphere A whose centre B sees as ``foot``, axes of B."""
    n = -(B.R @ foot.n)
    return put_round(out, 0, n * 0.0, A.size.x, 0.0, foot.d, n, r, margin, 0, foot.feature)
