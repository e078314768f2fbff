"""Point of an ellipsoid nearest to a point."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

STEPS = 60  # most steps; 3 to 8 are usual
ROUNDING = 4e-16  # relative step below which the root is found


@helper
def ratio(y, s):
    """Ratio y / s, and 0 for 0 / 0."""
    return y / s if s > 0.0 else 0.0


@routine
def nearest_on_ellipsoid(size, p):
    """Signed distance, point and normal.

    The nearest point x has  p - x = t g,  g_i = x_i / e_i^2,  so  x_i = e_i^2 p_i / (t + e_i^2)  with the root t of

        |v(t)| = 1,   v_i = e_i p_i / (t + e_i^2),   t > -e_min^2.

    The unknown here is  q = t + e_min^2 > 0, since t + e_min^2 would lose its digits near the middle. Newton's method
    on 1 - 1 / |v|, which is convex and falls, comes from the left without passing the root. A point on the plane of the
    two longer axes may have no root with q > 0: then q = 0, and x is off that plane.
    Source: D. Eberly, Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid (2013), on the regions;
    J. More, D. Sorensen, Computing a trust region step, SIAM J. Sci. Stat. Comput. 4 (1983), on the iteration.
    """
    ex, ey, ez = size.x, size.y, size.z
    e = min(ex, ey, ez)
    dx, dy, dz = (ex - e) * (ex + e), (ey - e) * (ey + e), (ez - e) * (ez + e)
    zx, zy, zz = ex * abs(p.x), ey * abs(p.y), ez * abs(p.z)
    q = max(zx - dx, zy - dy, zz - dz, 0.0)
    for _ in range(STEPS):
        vx, vy, vz = ratio(zx, q + dx), ratio(zy, q + dy), ratio(zz, q + dz)
        vv = vx * vx + vy * vy + vz * vz
        fall = ratio(vx * vx, q + dx) + ratio(vy * vy, q + dy) + ratio(vz * vz, q + dz)
        if vv <= 1.0 or fall <= 0.0:
            break
        step = vv / fall * (math.sqrt(vv) - 1.0)
        q += step
        if step <= ROUNDING * q:
            break
    gx, gy, gz = ratio(p.x, q + dx), ratio(p.y, q + dy), ratio(p.z, q + dz)
    if q <= 0.0:
        gx, gy, gz = off_plane(size, e, Vec3(gx, gy, gz))
    g = math.sqrt(gx * gx + gy * gy + gz * gz)
    x = Vec3(ex * ex * gx, ey * ey * gy, ez * ez * gz)
    return (q - e * e) * g, x, Vec3(gx / g, gy / g, gz / g)


@helper
def off_plane(size, e, g):
    """Add to g the share of a shortest axis:  (e g_i)^2 = 1 - sum of the others."""
    x, y, z = size.x * g.x, size.y * g.y, size.z * g.z
    rest = math.sqrt(max(1.0 - x * x - y * y - z * z, 0.0)) / e
    if size.z == e:
        return g.x, g.y, rest
    if size.y == e:
        return g.x, rest, g.z
    return rest, g.y, g.z
