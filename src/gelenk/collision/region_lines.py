"""Contact region of two lines that are nearly parallel, seen along the normal (I-091, H-69).

They cross at a small angle, or hardly, and so part to the sides. A place of the region lies between both, x from the
line of A and y from that of B. Beside a side line of radius of curvature R the surface falls by  x^2 / (2 R),  beside
an edge by about x. Both may be off by t at most:

    x <= max(t, sqrt(2 R t))

Where the lines part by more than what both allow, they have no common place.
"""

from __future__ import annotations

import math

from gelenk.collision.near_way import share_of_rim
from gelenk.collision.region_space import put_place, seen
from gelenk.collision.solid import CAPSULE, CONE, CYLINDER
from gelenk.compile import helper, routine

PARALLEL = 0.03  # sine of the angle between two lines seen along n, up to which they lie along each other
OFF = 5e-4  # of the sizes: how far a place may be off a surface


@helper
def allowed_aside(solid, x, tol):
    """How far beside the point x of a line, from the centre, the surface has fallen by ``tol``."""
    radius = 0.0
    if solid.kind == CYLINDER or solid.kind == CAPSULE:
        radius = solid.size.x
    elif solid.kind == CONE:
        radius = solid.size.x * max(share_of_rim(solid, x), 0.0)
    return max(tol, math.sqrt(2.0 * radius * tol))


@routine
def lines(A, B, F, G, view, scale, space):
    """Common part of two lines: number of places, none or two; and how far their points are beside each other at most.

    scale: the sizes.
    """
    p, q = seen(view, space, 0, 0), seen(view, space, 0, 1)
    v, w = seen(view, space, 1, 0), seen(view, space, 1, 1)
    first, last = 0, 1  # ends of B in the order of those of A
    if (q - p) @ (w - v) < 0.0:
        v, w, first, last = w, v, 1, 0
    ex, ey, gx, gy = (q - p) @ view.s, (q - p) @ view.t, (w - v) @ view.s, (w - v) @ view.t
    e, g = math.sqrt(ex * ex + ey * ey), math.sqrt(gx * gx + gy * gy)
    if e == 0.0 or g == 0.0 or abs(ex * gy - ey * gx) > PARALLEL * e * g:
        return 0, 0.0
    cx, cy = ex / e + gx / g, ey / e + gy / g
    along, side = view.s * cx + view.t * cy, view.t * cx - view.s * cy
    side = side * (1.0 / side.norm())
    p_0, p_1, v_0, v_1 = p @ along, q @ along, v @ along, w @ along
    low, high = max(p_0, v_0), min(p_1, v_1)
    if low >= high:
        return 0, 0.0
    names, stray, tol = space.facing, 0.0, OFF * scale
    for k in range(2):
        z, z_other = (low, high) if k == 0 else (high, low)
        feature_a, feature_b = F.feature, G.feature
        if z == (p_0 if k == 0 else p_1):
            feature_a = names.corner[0, k]
        else:
            feature_b = names.corner[1, first if k == 0 else last]
        own, its = p + (q - p) * ((z - p_0) / (p_1 - p_0)), v + (w - v) * ((z - v_0) / (v_1 - v_0))
        x, y = allowed_aside(A, own - view.from_a, tol), allowed_aside(B, its - view.from_b, tol)
        aside = (its - own) @ side
        if abs(aside) > x + y:  # the part where they are as close begins between both ends
            end = (v + (w - v) * ((z_other - v_0) / (v_1 - v_0)) - p - (q - p) * ((z_other - p_0) / (p_1 - p_0))) @ side
            most = math.copysign(x + y, aside)
            if not (aside - most) * (end - most) < 0.0:
                return 0, 0.0
            z += (z_other - z) * ((aside - most) / (aside - end))
            own, its = p + (q - p) * ((z - p_0) / (p_1 - p_0)), v + (w - v) * ((z - v_0) / (v_1 - v_0))
            aside = most
        stray = max(stray, abs(aside))
        place = own + side * (aside * x / (x + y))
        put_place(space, k, place @ view.s, place @ view.t, own @ view.n, its @ view.n, feature_a, feature_b)
    return 2, stray
