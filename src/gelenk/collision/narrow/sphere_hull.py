"""Sphere against convex hull: the nearest feature of the hull, from the last one on (H-63, I-087, V-24)."""

from __future__ import annotations

from gelenk.collision.closest import Foot
from gelenk.collision.narrow.ball import put_ball
from gelenk.collision.vclip_point import nearest_feature
from gelenk.compile import routine


@routine
def sphere_hull(A, B, r, margin, tables, memory, work, out):
    """One point."""
    near = nearest_feature(tables.hulls, B.table, B.R.tdot(-r), memory.features[1])
    memory.features[1] = near.X
    return put_ball(out, A, B, r, Foot(near.d, near.n, near.X), margin)
