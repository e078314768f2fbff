"""Capsule against cylinder or cone, by the closest place of its axis.

The distance of a point from a convex solid is a convex function f of the place t on the axis, so it is least where f'
changes sign; points have closed forms. In the half plane of the solid's axis and the point, coordinates rho and z, the
solid is a polygon. With the way h of half the capsule's axis and the normal n at the foot of the point,

    f' = n . h,    f'' = n_rho rho''  +  (rho'^2 + z'^2 - f'^2) / f   at a corner of the polygon (a rim, the apex) only,

and Newton's steps are kept between two places of different sign. Where the axis meets the solid itself, depth is
another matter, and the routine for all convex pairs is asked.
"""

from __future__ import annotations

import math

from gelenk.collision.narrow.capsule import half_axis
from gelenk.collision.narrow.sphere_cone import point_cone
from gelenk.collision.narrow.sphere_cylinder import point_cylinder
from gelenk.collision.pair_plugs import run_searched
from gelenk.collision.region import region
from gelenk.collision.solid import CYLINDER
from gelenk.compile import helper, routine

MOST = 30  # steps; the worst of many pairs took 12
CLOSE = 1e-3  # of the sizes: nearer to the solid, the direction to it is lost to rounding, and within it there is none
FLAT = 1e-15  # of half the axis: a slope below this is zero
SMALLEST = 1e-15  # step along the axis, of its half


@helper
def foot_of(p, B):
    """Foot of a point on a cylinder or a cone, axes of the solid."""
    return point_cylinder(p, B.size) if B.kind == CYLINDER else point_cone(p, B.size)


@helper
def is_corner(foot, B):
    """Whether a foot lies on a rim or at an apex."""
    return foot.feature >= 3 or (foot.feature == 1 and B.kind != CYLINDER)


@helper
def bend(p, h, foot, B, slope):
    """F'' at a point p of the axis."""
    rho = math.sqrt(p.x * p.x + p.y * p.y)
    if not rho > 0.0:
        return 0.0
    rise = (p.x * h.x + p.y * h.y) / rho
    curve = (foot.n.x * p.x + foot.n.y * p.y) / rho * (h.x * h.x + h.y * h.y - rise * rise) / rho
    if is_corner(foot, B):
        curve += (rise * rise + h.z * h.z - slope * slope) / foot.d
    return curve


@routine
def closest_place(c, h, B, start, limit):
    """Place t from -1 to 1 where  c + t h  is closest to a solid; 2 if that is certainly farther than ``limit``.

    f lies above its tangents, which tell early that all places are far away.
    """
    low, high, t = -1.0, 1.0, start if abs(start) <= 1.0 else 0.0
    knows_low, knows_high, step, least = False, False, math.inf, FLAT * h.norm()
    for _ in range(MOST):
        p = c + h * t
        foot = foot_of(p, B)
        slope = foot.n @ h
        if foot.d + min(slope * (low - t), slope * (high - t)) > limit:
            return 2.0
        if slope > 0.0:
            high, knows_high = t, True
        else:
            low, knows_low = t, True
        if abs(slope) <= least or high <= low:
            return t
        curve = bend(p, h, foot, B, slope)
        if abs(slope) <= SMALLEST * curve:
            return t
        new = t - slope / curve if curve > 0.0 else math.inf
        if not (low < new < high and abs(new - t) <= 0.5 * step):
            if slope > 0.0:
                new = 0.5 * (low + t) if knows_low else low
            else:
                new = 0.5 * (t + high) if knows_high else high
        step = abs(new - t)
        if step <= SMALLEST:
            return t
        t = new
    return t


@routine
def capsule_round(A, B, r, margin, tables, memory, work, out):
    """Points of a capsule A and a cylinder or cone B."""
    h, c = half_axis(A), B.R.tdot(-r)
    inner = B.R.tdot(h)
    t = closest_place(c, inner, B, memory.near_point[0, 0], margin + A.size.x)
    if t > 1.0:
        return 0
    memory.near_point[0, 0] = t
    foot = foot_of(c + inner * t, B)
    d = foot.d - A.size.x
    if foot.d <= CLOSE * (A.size.z + B.size.x + B.size.z):
        return run_searched(tables.rows[A.kind, B.kind].behind, A, B, r, margin, tables, memory, work, out)
    if d > margin:
        return 0
    n = -(B.R @ foot.n)
    return region(A, B, r, margin, d, n, h * t + n * A.size.x, tables.hulls, work.convex.near, work.region, out)
