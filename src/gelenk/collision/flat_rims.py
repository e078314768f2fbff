"""Where the rim of a flat end crosses an edge or another rim: a normal to start from (V-25).

Seen along a normal that is nearly the axis of a rim, the curvature of its support function changes within an angle as
small as that to the axis; the method of Newton finds nothing from farther away. Here the places are known first: with e
the unit vector from the axis to the place on a rim of radius R, and u the rest of the way w from core to core,

    w = u - R e  (- R' e' of a second rim)  =  f n

where f, the gap, is small against R. On the circle of an edge k this is one equation for the angle of e, for two rims
a triangle of sides R, R' and |u - f n|. What touches is crossed by tangents of rims and by the edge: n is at right
angles to these.
"""

from __future__ import annotations

import math

from gelenk.collision.gjk import difference_point
from gelenk.collision.kinks import Kink, crossing
from gelenk.collision.solid import CONE, CYLINDER
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

LEVEL = 0.995  # cosine (5.7 degrees) from which on a rim is nearly across the normal
ASIDE = 1e-9
TURNS = 3  # of the place, while f n is that of the last one


@helper
def axis_of(solid):
    """Axis z, world axes."""
    return Vec3(solid.R.xz, solid.R.yz, solid.R.zz)


@helper
def has_rim(solid, n):
    """Whether a rim faces along n, outward, nearly across it."""
    along = axis_of(solid) @ n
    return (solid.kind == CYLINDER and abs(along) > LEVEL) or (solid.kind == CONE and along < -LEVEL)


@helper
def out_along(z, n):
    """Unit vector across z in the direction of n."""
    q = n - z * (z @ n)
    size = q.norm()
    return q * (1.0 / size) if size > 0.0 else q


@routine
def edge_over_rim(A, B, r, n, k, c, of_a, hulls, work):
    """Direction on the circle n . k = c of a line of A (of_a) or B, where it crosses the rim of the other; or n."""
    z, radius = (axis_of(B), B.size.x) if of_a else (axis_of(A), A.size.x)
    side = out_along(z, k)
    beside = z.cross(side)
    t = k.cross(n) * ASIDE  # of two edges of a face that n is the normal of, the one that makes the gap wider
    w, _ = difference_point(A, B, r, hulls, work.near, n + t)
    n = n + t if t @ w > 0.0 else n - t
    for _ in range(TURNS):
        w, a = difference_point(A, B, r, hulls, work.near, n)
        if of_a and A.kind == CONE:
            w = w + a - axis_of(A) * A.size.z
        elif not of_a and B.kind == CONE:
            w = r + axis_of(B) * B.size.z - a
        t = k.cross(n)
        e = out_along(z, n)
        rest = w + e * radius - n * (n @ w)
        x = (rest @ t) / (radius * (beside @ t))
        if not abs(x) < 1.0:
            return n
        y = math.copysign(math.sqrt(1.0 - x * x), c - (z @ k) * (z @ n))
        m = crossing(Kink(k, c, 0.0), Kink(beside * y - side * x, 0.0, 0.0), n)
        if m @ m == 0.0:
            return n
        n = m
    return n


@routine
def rim_over_rim(A, B, r, n, hulls, work):
    """Direction near n where two rims cross, or n."""
    z, p, q = n, A.size.x, B.size.x
    z_a, z_b = axis_of(A), axis_of(B)
    for _ in range(TURNS):
        w, _ = difference_point(A, B, r, hulls, work.near, n)
        rest = w + out_along(z_a, n) * p + out_along(z_b, n) * q - n * (n @ w)
        g = rest.norm()
        if not abs(p - q) < g < p + q:
            return z
        x, y = (p * p + g * g - q * q) / (2.0 * p * g), (q * q + g * g - p * p) / (2.0 * q * g)
        if not (abs(x) < 1.0 and abs(y) < 1.0):
            return z
        best, m = 0.0, n
        for side in (1.0, -1.0):
            e = on_rim(z_a, rest, x, side * math.sqrt(1.0 - x * x))
            f = on_rim(z_b, rest, y, -side * math.copysign(math.sqrt(1.0 - y * y), z_a @ z_b))
            u = z_a.cross(e).cross(z_b.cross(f))
            size = u.norm()
            if size > 0.0:
                u = u * (math.copysign(1.0, u @ n) / size)
                fits = min(out_along(z_a, u) @ e, out_along(z_b, u) @ f)
                if fits > best:
                    best, m = fits, u
        if best == 0.0:
            return z
        n = m
    return n


@helper
def on_rim(z, rest, x, y):
    """Unit vector across z, x its part along ``rest`` and y that to the left of it."""
    u = out_along(z, rest)
    return u * x + z.cross(u) * y
