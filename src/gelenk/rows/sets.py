"""Convex sets of impulses and their nearest points: all that a projecting solver asks of a set (design, section 2).

prox(x) is the point of the set nearest to x. For everything it is x itself; a half-line and an interval clamp; a disc
scales; an ellipse needs one root of a decreasing function, found to round-off.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine

FLAT = 1e-140  # below this share the square of a number is nothing


@helper
def prox_interval(x, lo, hi):
    """Nearest point of [lo, hi]; a half-line or everything with infinite ends."""
    return min(max(x, lo), hi)


@helper
def prox_disc(x, y, radius):
    """Nearest point of the disc  x^2 + y^2 <= radius^2."""
    length = math.sqrt(x * x + y * y)
    if length <= radius:
        return x, y
    s = max(radius, 0.0) / length
    return s * x, s * y


@helper
def prox_ball(x, y, z, radius):
    """Nearest point of the ball  x^2 + y^2 + z^2 <= radius^2 (I-062)."""
    length = math.sqrt(x * x + y * y + z * z)
    if length <= radius:
        return x, y, z
    s = max(radius, 0.0) / length
    return s * x, s * y, s * z


@routine
def prox_ellipse(x, y, a, b):
    """Nearest point of the ellipse  (x/a)^2 + (y/b)^2 <= 1  with half axes a, b >= 0.

    On the boundary  x = a^2 X / (a^2 + t),  y = b^2 Y / (b^2 + t)  with the one root t > 0 of

        F(t) = (a X / (a^2 + t))^2 + (b Y / (b^2 + t))^2 - 1,

    which falls and is convex there, so Newton from the left converges from one side without overshoot.
    """
    a, b = max(a, 0.0), max(b, 0.0)
    if max(a, b) == math.inf or min(a, b) <= FLAT * max(a, b):  # the plane, a strip, a segment or a point
        return prox_interval(x, -a, a), prox_interval(y, -b, b)
    if a == b:
        return prox_disc(x, y, a)
    if (x / a) * (x / a) + (y / b) * (y / b) <= 1.0:
        return x, y
    far = max(abs(x), abs(y)) * FLAT
    if far > max(a, b):  # beyond all digits only the direction counts
        x, y = x * (max(a, b) / far), y * (max(a, b) / far)
    _, power = math.frexp(max(abs(x), abs(y), a, b))
    size = math.ldexp(1.0, power)  # an exact scale, so that no square overflows or underflows
    x, y, a, b = x / size, y / size, a / size, b / size
    ax, by = abs(a * x), abs(b * y)
    t = max(ax - a * a, by - b * b, 0.0)  # one term alone is 1 here, so F >= 0: left of the root
    for _ in range(64):
        u, v = ax / (a * a + t), by / (b * b + t)
        F = u * u + v * v - 1.0
        slope = 2.0 * (u * u / (a * a + t) + v * v / (b * b + t))
        step = F / slope
        t += step
        if not step > 1e-16 * t:
            break
    return size * (a * a * x / (a * a + t)), size * (b * b * y / (b * b + t))
