"""Sphere against ellipsoid."""

from __future__ import annotations

from gelenk.collision.closest import Foot
from gelenk.collision.narrow.ball import put_ball
from gelenk.collision.query.nearest_ellipsoid import nearest_on_ellipsoid
from gelenk.compile import routine


@routine
def sphere_ellipsoid(A, B, r, margin, hulls, out):
    """One point: the foot of the centre on the ellipsoid."""
    d, _, n = nearest_on_ellipsoid(B.size, B.R.tdot(-r))
    return put_ball(out, A, B, r, Foot(d, n, 0), margin)
