"""Capsule against capsule."""

from __future__ import annotations

from gelenk.collision.closest import perpendicular, point_segment, segment_segment, unit_or
from gelenk.collision.narrow.ball import put_round
from gelenk.collision.narrow.capsule import SHORT, SLANT, farther, half_axis, place_on_axis
from gelenk.compile import helper, routine

CROSSED = 1e-10  # of the size: axes closer than this give no direction of their own


@helper
def across(h, g, r):
    """Unit normal of both axes on the side of r; of parallel ones any."""
    m, hh, gg = h.cross(g), h @ h, g @ g
    aside = perpendicular(h if hh > gg else g)
    n = unit_or(m, aside) if m @ m > 1e-20 * hh * gg else aside
    return n if n @ r >= 0.0 else -n


@helper
def put_places(out, k, A, B, r, h, g, x, y, margin):
    """Point k at the places x, y of both axes."""
    w = r + g * y - h * x
    distance = w.norm()
    if distance > CROSSED * (A.size.z + B.size.z + A.size.x + B.size.x):
        n = w * (1.0 / distance)
    else:
        m = across(h, g, r)
        n = m if m @ w >= 0.0 else -m
    a, b = place_on_axis(x), place_on_axis(y)
    return put_round(out, k, h * x, A.size.x, B.size.x, distance, n, r, margin, a, b)


@routine
def capsule_capsule(A, B, r, margin, hulls, out):
    """The closest points of both axes; a second point where nearly parallel axes cease to lie side by side.

    The depth of axes that meet is the sum of the radii, along the normal of both.
    """
    h, g = half_axis(A), half_axis(B)
    x, y = segment_segment(h, r, g)
    count = put_places(out, 0, A, B, r, h, g, x, y, margin)
    m, hh, gg = h.cross(g), h @ h, g @ g
    if count == 1 and m @ m < SLANT * SLANT * hh * gg:
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
            count = put_places(out, 1, A, B, r, h, g, x2, y2, margin)
    return count
