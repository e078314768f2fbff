"""Ray against capsule."""

from __future__ import annotations

import math

from gelenk.collision.query.hit import circle_span, in_reach, miss
from gelenk.collision.query.ray_sphere import ray_sphere
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def ray_capsule(size, start, direction, length):
    """The place where the ray comes into the infinite cylinder around the axis tells the part it meets.

    Beside the axis it is the side. Beyond an end it is the ball there: to reach anything else the ray must pass the
    disc in the middle of that ball.
    """
    enter, leave = circle_span(start, direction, size.x)
    s = max(enter, 0.0)
    if s > leave or s == math.inf:
        return miss()
    p = start + direction * s
    if abs(p.z) > size.z or enter <= 0.0:
        q = min(max(p.z, -size.z), size.z)
        return ray_sphere(size, start - Vec3(0.0, 0.0, q), direction, length)
    if not in_reach(enter, leave, length):
        return miss()
    k = 1.0 / math.sqrt(p.x * p.x + p.y * p.y)
    return enter, Vec3(p.x * k, p.y * k, 0.0)
