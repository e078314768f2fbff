"""Sphere against box."""

from __future__ import annotations

from gelenk.collision.closest import Foot
from gelenk.collision.narrow.ball import put_ball
from gelenk.collision.narrow.box import clamp_to_box, coordinate, face_id, place_id, turn_back
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def point_box(p, size):
    """Foot of a point on a box: by clamping its coordinates outside, on the closest face inside."""
    w = p - clamp_to_box(p, size)
    d = w.norm()
    if d > 0.0:
        return Foot(d, w * (1.0 / d), place_id(p, size))
    x, y, z = size.x - abs(p.x), size.y - abs(p.y), size.z - abs(p.z)
    axis = 0 if x <= y and x <= z else (1 if y <= z else 2)
    sign = 1.0 if coordinate(p, axis) >= 0.0 else -1.0
    return Foot(-min(x, y, z), turn_back(Vec3(0.0, 0.0, sign), axis), face_id(axis, sign))


@routine
def sphere_box(A, B, r, margin, hulls, out):
    """One point."""
    return put_ball(out, A, B, r, point_box(B.R.tdot(-r), B.size), margin)
