"""What pairs with a plane share. A is the plane, its normal is the axis z of A and that of every point."""

from __future__ import annotations

import math

from gelenk.collision.manifold import put_point
from gelenk.compile import helper
from gelenk.math.vec3 import Vec3

LEVEL = 1e-12  # sine of the angle below which a circle is parallel to the plane


@helper
def plane_normal(A):
    """Normal of the plane, world axes."""
    return Vec3(A.R.xz, A.R.yz, A.R.zz)


@helper
def put_over(out, k, n, r, x, margin, feature):
    """Point k under the point x of B, from the centre of B, world axes; number of points then, k if it is too far."""
    p = r + x
    d = p @ n
    if d > margin:
        return k
    put_point(out, k, p - n * d, r, n, d, 0, feature)
    return k + 1


@helper
def lowest_on_rim(R, n):
    """Direction in the plane x, y of R that goes down most steeply against n, and the one a quarter turn on.

    Where none goes down, x and y.
    """
    x, y = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy)
    u, v = -(x @ n), -(y @ n)
    size = math.sqrt(u * u + v * v)
    u, v = (u / size, v / size) if size > LEVEL else (1.0, 0.0)
    return x * u + y * v, y * u - x * v
