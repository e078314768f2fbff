"""Capsule against ellipsoid, by one number: the multiplier of the ellipsoid's equation (V-25).

With D the squares of the semi-axes, the points p(t) = c + t h of the capsule's axis and W = (D + s)^-1, the foot of p
on the ellipsoid is  x = D W p,  and the way to it  p - x = s W p.  For every s >= 0

    l(s) = min over |t| <= 1 of  s (p . W p - 1)

is no more than the squared distance, which is its largest value (a convex problem and its dual). The least place has
h . W p = 0, or is an end of the axis. There

    l'(s) = v . v - 1,     v = D^(1/2) W p,
    l''(s) = -2 v . W v  -  2 s (h . W^2 p)^2 / (h . W h),     the last term not at an end

and 1 - 1 / |v| is convex, nearly straight and falls, so that Newton's method for its root comes from the left without
passing it; only where the place leaves an end it may, and steps are kept between two values of different sign. Where
the root is not above zero the axis meets the ellipsoid, and the routine for all convex pairs is asked.
Source: J. More, D. Sorensen, Computing a trust region step, SIAM J. Sci. Stat. Comput. 4 (1983), on the iteration.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.collision.manifold import put_point
from gelenk.collision.narrow.capsule import SLANT, half_axis
from gelenk.collision.pair_plugs import run_searched
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

MOST = 60  # steps; 3 to 8 are usual
LAST = 1e-8  # of s, a step this long: the error after it is its square
NOISE = 1e-15  # of the squares of the sizes: rounding of s
CLOSE = 1e-9  # of the sizes: an axis nearer than this meets the ellipsoid


class Nearest(NamedTuple):
    """The axis of a capsule seen from an ellipsoid."""

    s: float  # multiplier [m^2]; zero: they meet, negative: -s shows that they are farther apart than the limit
    t: float  # place on the axis
    q: Vec3  # W p, along the normal of the ellipsoid [1/m]


@helper
def at_place(c, h, wx, wy, wz, hh):
    """Place t where  p . W p  is least, and whether it is no end; hh: h . W h."""
    t = -(wx * h.x * c.x + wy * h.y * c.y + wz * h.z * c.z) / hh if hh > 0.0 else 0.0
    return min(max(t, -1.0), 1.0), abs(t) < 1.0 and hh > 0.0


@routine
def nearest_axis(size, c, h, start, limit):
    """The closest place of the points  c + t h  to an ellipsoid, axes of the ellipsoid; start: some s, or zero."""
    dx, dy, dz = size.x * size.x, size.y * size.y, size.z * size.z
    s, ends, knows_low, low, high = max(start, 0.0), False, False, 0.0, math.inf
    least, t, q = NOISE * (dx + dy + dz), 0.0, c
    for _ in range(MOST):
        wx, wy, wz = 1.0 / (dx + s), 1.0 / (dy + s), 1.0 / (dz + s)
        hx, hy, hz = wx * h.x, wy * h.y, wz * h.z
        hh = hx * h.x + hy * h.y + hz * h.z
        t, inside = at_place(c, h, wx, wy, wz, hh)
        p = c + h * t
        q = Vec3(wx * p.x, wy * p.y, wz * p.z)
        if ends:
            break
        if s * (p @ q - 1.0) > limit * limit:
            return Nearest(-s, t, q)
        vx, vy, vz = dx * q.x * q.x, dy * q.y * q.y, dz * q.z * q.z
        vv = vx + vy + vz
        fall = vx * wx + vy * wy + vz * wz
        if inside:
            cross = hx * q.x + hy * q.y + hz * q.z
            fall += s * cross * cross / hh
        new = s + vv / fall * (math.sqrt(vv) - 1.0) if fall > 0.0 else 0.0
        if vv > 1.0:
            low, knows_low = s, True
        elif s == 0.0:
            return Nearest(0.0, t, q)
        else:
            high = s
        ends = abs(new - s) <= LAST * s + least
        if not (ends or low < new < high):
            new = 0.5 * (low + high) if knows_low else 0.0
        s = max(new, 0.0)
    return Nearest(s, t, q)


@routine
def capsule_ellipsoid(A, B, r, margin, tables, memory, work, out):
    """One point of a capsule A and an ellipsoid B."""
    h = half_axis(A)
    near = nearest_axis(B.size, B.R.tdot(-r), B.R.tdot(h), memory.near_point[0, 0], margin + A.size.x)
    memory.near_point[0, 0] = abs(near.s)
    if near.s < 0.0:
        return 0
    size = near.q.norm()
    distance = near.s * size
    if distance <= CLOSE * (A.size.z + max(B.size.x, max(B.size.y, B.size.z))):
        return run_searched(tables.rows[A.kind, B.kind].behind, A, B, r, margin, tables, memory, work, out)
    d = distance - A.size.x
    if d > margin:
        return 0
    n = B.R @ (near.q * (-1.0 / size))
    along = n @ h
    feature = 2 if abs(along) <= SLANT * A.size.z and A.size.z > 0.0 else (1 if along > 0.0 else 0)
    put_point(out, 0, h * near.t + n * A.size.x, r, n, d, feature, 0)
    return 1
