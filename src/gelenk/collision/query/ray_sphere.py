"""Ray against sphere."""

from __future__ import annotations

from gelenk.collision.closest import unit_or
from gelenk.collision.query.hit import ball_span, from_inside, in_reach, miss
from gelenk.compile import routine


@routine
def ray_sphere(size, start, direction, length):
    """Smaller root of  |start + s direction| = radius."""
    far = start.norm()
    if far <= size.x:
        return from_inside(direction, length)
    x = start.cross(direction).norm()
    enter, leave = ball_span(far, start @ direction, direction @ direction, x, size.x)
    if in_reach(enter, leave, length):
        return enter, unit_or(start + direction * enter, -direction)
    return miss()
