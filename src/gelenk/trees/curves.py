"""Joints along a space curve in minimal coordinates (T-75, track-vehicles 3.11).

The coordinate is the place s on the curve c(s), told in axes of side a. With the frame F = (t, n1, n2) of the curve and
its rotation D per length (Darboux's vector),

    v = c' s'            D v = c'' s'^2                  of the point
    w = D s'             D w = D' s'^2                   of the frame, which a slider follows and a ball does not
    D = t x t' + t (n1'.n2)

Curves are parametrised by s with |c'| near 1, not 1; nothing here needs more.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.geometry.curve_eval import curve_bend, curve_foot, curve_frame, curve_point
from gelenk.math.rotation import Mat3, quat_from_rotation


@routine
def curve_place(curves, k, s):
    """(c, orientation of the frame) at s."""
    c, _, _ = curve_point(curves, k, s)
    n1, n2, _, _ = curve_frame(curves, k, s)
    t = n1.cross(n2)
    return c, quat_from_rotation(Mat3(t.x, n1.x, n2.x, t.y, n1.y, n2.y, t.z, n1.z, n2.z))


@routine
def curve_columns(curves, k, s):
    """(c', c'', D, D') at s."""
    _, c1, c2 = curve_point(curves, k, s)
    turn, bend = curve_bend(curves, k, s)
    return c1, c2, turn, bend


@routine
def curve_s(curves, k, p, guess):
    """Place of the point of a curve nearest to p, from a guess."""
    return curve_foot(curves, k, p, guess)


@helper
def curve_rate(curves, k, s, v):
    """S' of a point that moves along the curve with velocity v, axes of a:  v.c' / c'.c'."""
    _, c1, _ = curve_point(curves, k, s)
    return (v @ c1) / (c1 @ c1)
