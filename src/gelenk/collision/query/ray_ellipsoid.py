"""Ray against ellipsoid."""

from __future__ import annotations

from gelenk.collision.closest import unit_or
from gelenk.collision.query.hit import ball_span, from_inside, in_reach, miss, way_to
from gelenk.compile import routine
from gelenk.math.vec3 import Vec3


@routine
def ray_ellipsoid(size, start, direction, length):
    """Ray against the unit sphere in coordinates divided by the semi-axes.

    A far start is first moved along the ray: the rounding of one coordinate, divided by a short axis, would show in the
    others.
    """
    p = Vec3(start.x / size.x, start.y / size.y, start.z / size.z)
    if p @ p <= 1.0:
        return from_inside(direction, length)
    ahead = way_to(start, direction, 2.0 * max(size.x, size.y, size.z))
    q = start + direction * ahead
    p = Vec3(q.x / size.x, q.y / size.y, q.z / size.z)
    d = Vec3(direction.x / size.x, direction.y / size.y, direction.z / size.z)
    enter, leave = ball_span(p.norm(), p @ d, d @ d, p.cross(d).norm(), 1.0)
    if not in_reach(ahead + enter, ahead + leave, length):
        return miss()
    q = q + direction * enter
    n = Vec3(q.x / (size.x * size.x), q.y / (size.y * size.y), q.z / (size.z * size.z))
    return ahead + enter, unit_or(n, -direction)
