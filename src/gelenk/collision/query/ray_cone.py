"""Ray against cone."""

from __future__ import annotations

import math

from gelenk.collision.query.hit import from_inside, in_reach, miss, way_to
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@helper
def side_span(p, d, slope, height):
    """Where  rho + s delta  lies in the cone  |rho| <= k w,  w = height - z below the apex, k = radius / height.

    The roots of  a s^2 + 2 b s + c = 0,
        a = delta . delta - k^2 d_z^2,    b = rho . delta + k^2 w d_z,    c = (|rho| - k w) (|rho| + k w),
        b^2 - a c = k^2 |w delta + d_z rho|^2 - |rho x delta|^2,
    are on the cone or on its mirror image above the apex. A line flatter than the side (a > 0) passes one of the two
    between the roots; a steeper one has a root on each and stays in the cone below it.
    """
    w = height - p.z
    size = math.sqrt(p.x * p.x + p.y * p.y)
    across = math.sqrt(d.x * d.x + d.y * d.y)
    fall = slope * abs(d.z)
    a = (across - fall) * (across + fall)
    b = p.x * d.x + p.y * d.y + slope * slope * w * d.z
    c = (size - slope * w) * (size + slope * w)
    mx, my = w * d.x + d.z * p.x, w * d.y + d.z * p.y
    m, x = slope * math.sqrt(mx * mx + my * my), abs(p.x * d.y - p.y * d.x)
    if x > m and a > 0.0 and c > 0.0:
        return math.inf, -math.inf
    root = math.sqrt(max((m - x) * (m + x), 0.0))
    enter, leave = -math.inf, math.inf
    if b > 0.0:
        enter = -(b + root) / a if a != 0.0 else -math.inf
        leave = -c / (b + root)
    elif root - b > 0.0:
        enter = c / (root - b)
        leave = (root - b) / a if a != 0.0 else math.inf
    elif c > 0.0:
        return math.inf, -math.inf
    if a >= 0.0:
        # the middle between the roots, -b / a, is on the side of the apex where both are
        return (enter, leave) if a * w + b * d.z >= 0.0 else (math.inf, -math.inf)
    return (enter, math.inf) if d.z < 0.0 else (-math.inf, leave)


@routine
def ray_cone(size, start, direction, length):
    """Where the ray is both within the infinite cone and above the base; a far start is first moved along the ray."""
    slope, height = size.x / size.z, size.z
    rho = math.sqrt(start.x * start.x + start.y * start.y)
    if start.z >= 0.0 and rho <= slope * (height - start.z):
        return from_inside(direction, length)
    ahead = way_to(start, direction, 2.0 * (size.x + height))
    p = start + direction * ahead
    side, leave = side_span(p, direction, slope, height)
    base = -math.inf
    if direction.z != 0.0:
        level = -p.z / direction.z
        if direction.z > 0.0:
            base = level
        else:
            leave = min(leave, level)
    elif p.z < 0.0:
        return miss()
    enter = max(side, base)
    if not in_reach(ahead + enter, ahead + leave, length):
        return miss()
    if base >= side:
        return ahead + enter, Vec3(0.0, 0.0, -1.0)
    x, y = p.x + enter * direction.x, p.y + enter * direction.y
    rho = math.sqrt(x * x + y * y)
    if rho == 0.0:
        return ahead + enter, Vec3(0.0, 0.0, 1.0)
    edge = math.sqrt(size.x * size.x + height * height)
    return ahead + enter, Vec3(height / edge * x / rho, height / edge * y / rho, size.x / edge)
