"""Capsule against capsule."""

from __future__ import annotations

from gelenk.collision.closest import perpendicular, point_segment, segment_segment, unit_or
from gelenk.collision.narrow.ball import put_round
from gelenk.collision.narrow.capsule import SHORT, SLANT, farther, half_axis, place_on_axis
from gelenk.compile import helper, routine

CROSSED = 1e-10  # of the size: axes closer than this give no direction of their own


@helper
def put_places(out, k, A, B, r, h, g, x, y, m, total, margin):
    """Point k at the places x, y of both axes. m: normal if they touch there."""
    w = r + g * y - h * x
    distance = w.norm()
    n = w * (1.0 / distance) if distance > CROSSED * total else (m if m @ w >= 0.0 else -m)
    a, b = place_on_axis(x), place_on_axis(y)
    return put_round(out, k, h * x, A.size.x, B.size.x, distance, n, r, margin, a, b)


@routine
def capsule_capsule(A, B, r, margin, hulls, out):
    """The closest points of both axes; a second point where nearly parallel axes cease to lie side by side.

    The depth of axes that meet is the sum of the radii, along the normal of both.
    """
    h, g = half_axis(A), half_axis(B)
    x, y = segment_segment(h, r, g)
    m = h.cross(g)
    hh, gg = h @ h, g @ g
    total = h.norm() + g.norm() + A.size.x + B.size.x
    sine2 = (m @ m) / (hh * gg) if hh * gg > 0.0 else 1.0
    across = unit_or(m, perpendicular(h if hh > gg else g)) if sine2 > 1e-20 else perpendicular(h if hh > gg else g)
    count = put_places(out, 0, A, B, r, h, g, x, y, across if across @ r >= 0.0 else -across, total, margin)
    if count == 1 and sine2 < SLANT * SLANT:
        # the part of A beside B ends where one of both does
        one, two = (r - g) @ h / hh, (r + g) @ h / hh
        ahead = 1.0 if one < two else -1.0  # the end of B that lies ahead along A
        low, high = max(min(one, two), -1.0), min(max(one, two), 1.0)
        x2 = farther(x, low, high)
        if high > low and abs(x2 - x) > SHORT:
            if abs(x2) < 1.0:
                y2 = -ahead if x2 == low else ahead
            else:
                y2 = point_segment(h * x2 - r, g)
            count = put_places(out, 1, A, B, r, h, g, x2, y2, across, total, margin)
    return count
