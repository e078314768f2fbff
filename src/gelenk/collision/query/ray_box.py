"""Ray against box."""

from __future__ import annotations

import math

from gelenk.collision.query.hit import from_inside, in_reach, miss, slab_span
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def ray_box(size, start, direction, length):
    """Where the ray is between all three pairs of faces; the face passed last gives the normal.

    Source: T. Kay, J. Kajiya, Ray tracing complex scenes, SIGGRAPH 1986.
    """
    if abs(start.x) <= size.x and abs(start.y) <= size.y and abs(start.z) <= size.z:
        return from_inside(direction, length)
    x, x_leave = slab_span(start.x, direction.x, size.x)
    y, y_leave = slab_span(start.y, direction.y, size.y)
    z, z_leave = slab_span(start.z, direction.z, size.z)
    enter = max(x, y, z)
    if not in_reach(enter, min(x_leave, y_leave, z_leave), length):
        return miss()
    if x == enter:
        return enter, Vec3(-math.copysign(1.0, direction.x), 0.0, 0.0)
    if y == enter:
        return enter, Vec3(0.0, -math.copysign(1.0, direction.y), 0.0)
    return enter, Vec3(0.0, 0.0, -math.copysign(1.0, direction.z))
