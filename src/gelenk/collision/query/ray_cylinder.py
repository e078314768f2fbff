"""Ray against cylinder."""

from __future__ import annotations

import math

from gelenk.collision.query.hit import circle_span, from_inside, in_reach, miss, slab_span
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def ray_cylinder(size, start, direction, length):
    """Where the ray is both within the infinite cylinder and between bottom and top."""
    if math.sqrt(start.x * start.x + start.y * start.y) <= size.x and abs(start.z) <= size.z:
        return from_inside(direction, length)
    side, side_leave = circle_span(start, direction, size.x)
    end, end_leave = slab_span(start.z, direction.z, size.z)
    enter = max(side, end)
    if not in_reach(enter, min(side_leave, end_leave), length):
        return miss()
    if end >= side:
        return enter, Vec3(0.0, 0.0, -math.copysign(1.0, direction.z))
    x, y = start.x + enter * direction.x, start.y + enter * direction.y
    k = 1.0 / math.sqrt(x * x + y * y)
    return enter, Vec3(k * x, k * y, 0.0)
