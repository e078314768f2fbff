"""Ray against plane."""

from __future__ import annotations

import math

from gelenk.collision.query.hit import from_inside, in_reach, miss
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def ray_plane(start, direction, length):
    """From above  s = -z / d_z; below the plane everything is inside."""
    if start.z <= 0.0:
        return from_inside(direction, length)
    if direction.z < 0.0:
        s = -start.z / direction.z
        if in_reach(s, math.inf, length):
            return s, Vec3(0.0, 0.0, 1.0)
    return miss()
