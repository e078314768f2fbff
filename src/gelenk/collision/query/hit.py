"""What rays on all shapes share."""

from __future__ import annotations

import math

from gelenk.collision.closest import unit_or
from gelenk.compile import helper
from gelenk.math.vec3 import Vec3


@helper
def miss():
    """No hit."""
    return math.inf, Vec3(0.0, 0.0, 0.0)


@helper
def from_inside(direction, length):
    """Hit of a ray that starts in the solid."""
    if length >= 0.0:
        return 0.0, unit_or(-direction, Vec3(0.0, 0.0, 0.0))
    return math.inf, Vec3(0.0, 0.0, 0.0)


@helper
def in_reach(enter, leave, length):
    """Whether a ray that starts outside meets what it is in from ``enter`` to ``leave``."""
    return 0.0 <= enter <= length and enter <= leave and enter < math.inf


@helper
def way_to(start, direction, radius):
    """Place on a ray where it may come into a ball around the centre, or 0 if it starts there: nothing is before it.

    For shapes where rounding of far starts would be multiplied.
    """
    speed = direction @ direction
    return max(-(start @ direction) / speed - radius / math.sqrt(speed), 0.0) if speed > 0.0 else 0.0


@helper
def ball_span(size, b, a, x, radius):
    """Where  |p + s d| <= radius, from size = |p|, b = p . d, a = d . d, x = |p x d|; (inf, -inf) if nowhere.

    The roots of  a s^2 + 2 b s + c = 0  with  c = (|p| - radius) (|p| + radius)  are  s = (-b -+ w) / a,
    w^2 = b^2 - a c = a radius^2 - x^2.  The root in which b and w cancel is taken from the product c / a of both,
    and w from x, so that nothing is lost for starts far away, for directions almost parallel and for a = 0.
    """
    c = (size - radius) * (size + radius)
    reach = radius * math.sqrt(a)
    if x > reach and c > 0.0:
        return math.inf, -math.inf
    w = math.sqrt(max((reach - x) * (reach + x), 0.0))
    if b > 0.0:
        return -(b + w) / a, -c / (b + w)
    far = w - b
    if far > 0.0:
        return c / far, far / a
    return (-math.inf, math.inf) if c <= 0.0 else (math.inf, -math.inf)


@helper
def circle_span(p, d, radius):
    """Where  p + s d  lies in the cylinder of infinite length around z."""
    size = math.sqrt(p.x * p.x + p.y * p.y)
    return ball_span(size, p.x * d.x + p.y * d.y, d.x * d.x + d.y * d.y, abs(p.x * d.y - p.y * d.x), radius)


@helper
def slab_span(x, d, half):
    """Where  |x + s d| <= half."""
    if d != 0.0:
        s, t = (-half - x) / d, (half - x) / d
        return min(s, t), max(s, t)
    return (-math.inf, math.inf) if abs(x) <= half else (math.inf, -math.inf)
