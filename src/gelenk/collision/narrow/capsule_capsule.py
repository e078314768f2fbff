"""Capsule against capsule."""

from __future__ import annotations

from gelenk.collision.closest import perpendicular, point_segment, segment_segment, unit_or
from gelenk.collision.narrow.ball import put_round
from gelenk.collision.narrow.capsule import SHORT, SLANT, farther, half_axis, place_on_axis
from gelenk.compile import helper, routine

CROSSED = 1e-10  # of the size: axes closer than this give no direction of their own
CLOSE = 1e-3  # of the size: longer ways keep their direction to 1e-13 by themselves


@helper
def across_axis(w, axis):
    """What of w lies across an axis, which may be a point."""
    length2 = axis @ axis
    return w - axis * ((w @ axis) / length2) if length2 > 0.0 else w


@helper
def short_way(w, h, g, r, x, y, total):
    """Direction of a short way w from one axis to the other at the places x, y.

    Between the ends of an axis w is across it, which it loses by rounding: there the normal of both axes, or what of w
    is across one of them, knows better. If they touch it is the normal on the side of r; of parallel ones any.
    """
    m, hh, gg = h.cross(g), h @ h, g @ g
    sine2 = (m @ m) / (hh * gg) if hh * gg > 0.0 else 1.0
    inner_x, inner_y = abs(x) < 1.0, abs(y) < 1.0
    if w.norm() <= CROSSED * total or (inner_x and inner_y and sine2 * total * total > w @ w):
        aside = perpendicular(h if hh > gg else g)
        n = unit_or(m, aside) if sine2 > 1e-20 else aside
        n = n if n @ r >= 0.0 else -n
        return n if n @ w >= 0.0 else -n
    v = across_axis(w, h) if inner_x else across_axis(w, g) if inner_y else w
    return v * (1.0 / v.norm())


@helper
def put_places(out, k, A, B, r, h, g, x, y, margin):
    """Point k at the places x, y of both axes."""
    w = r + g * y - h * x
    distance, total = w.norm(), A.size.z + B.size.z + A.size.x + B.size.x
    n = w * (1.0 / distance) if distance > CLOSE * total else short_way(w, h, g, r, x, y, total)
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
