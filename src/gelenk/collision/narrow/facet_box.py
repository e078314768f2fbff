"""Boxes and facets in the simple cases: the same as :func:`face_contact` for less (V-20, V-21)."""

from __future__ import annotations

from gelenk.collision.narrow.box import coordinate, largest
from gelenk.collision.narrow.facet_contact import (
    FACE,
    FAR,
    FLAT,
    INNER,
    SAME,
    UNKNOWN,
    UNSETTLED,
    feature_of,
    put_found,
    put_pool,
    settled,
)
from gelenk.compile import helper, routine


@helper
def in_box(B, x):
    """Whether x, from the centre of a box, is inside."""
    p = B.R.tdot(x)
    return abs(p.x) <= B.size.x and abs(p.y) <= B.size.y and abs(p.z) <= B.size.z


@helper
def put_corner_below(x, d, k, t, n, q, surface):
    """Corner k of a facet below the face of a box, if near; features as of :func:`feature_under`."""
    if d <= q.margin:
        put_pool(surface, x, n, d, feature_of(t, FACE), INNER + k)


@helper
def is_outside(a, b, c, limit):
    """Whether three coordinates are all above a limit, or all below its negative."""
    return min(a, min(b, c)) > limit or max(a, max(b, c)) < -limit


@routine
def below_box(F, t, row, q, surface):
    """What is known of a facet that is far from a box, or below one face of it as a whole; else UNKNOWN.

    The face, at  x_i = s  in the axes of the box, has over the corner x the height  d = (s - x_i) / n_i.
    """
    R, size = q.B.R, q.B.size
    n = R.tdot(F.n)
    half = abs(n.x) * size.x + abs(n.y) * size.y + abs(n.z) * size.z
    low, high = (q.c - F.p) @ F.n - half, (q.c - F.p) @ F.n + half
    if low > q.margin:
        return FAR
    i = largest(n)
    n_i = coordinate(n, i)
    s = -coordinate(size, i) if n_i > 0.0 else coordinate(size, i)
    a, b, c = R.tdot(F.p - q.c), R.tdot(F.q - q.c), R.tdot(F.s - q.c)
    x, y, z = size.x + q.margin, size.y + q.margin, size.z + q.margin
    outside = is_outside(a.x, b.x, c.x, x) or is_outside(a.y, b.y, c.y, y) or is_outside(a.z, b.z, c.z, z)
    if outside and (high > 0.0 or not q.sinks):
        return FAR
    d_a, d_b, d_c = (s - coordinate(a, i)) / n_i, (s - coordinate(b, i)) / n_i, (s - coordinate(c, i)) / n_i
    if not (in_shadow(a + n * d_a, size, i) and in_shadow(b + n * d_b, size, i) and in_shadow(c + n * d_c, size, i)):
        return UNKNOWN
    least = min(d_a, min(d_b, d_c))
    regular = least <= low + SAME * q.scale
    if least > q.margin or (not regular and least > 0.0 and abs(n_i) < FLAT):
        return UNSETTLED
    if least < 0.0 and not q.sinks and not in_box(q.B, (F.p + F.q + F.s) * (1.0 / 3.0) - q.c):
        return UNKNOWN
    put_corner_below(F.p, d_a, 0, t, F.n, q, surface)
    put_corner_below(F.q, d_b, 1, t, F.n, q, surface)
    put_corner_below(F.s, d_c, 2, t, F.n, q, surface)
    put_found(surface, row, FACE, F.n, least, low + F.p @ F.n, regular)
    return settled(regular, least)


@helper
def in_shadow(x, size, i):
    """Whether a point in the plane of a face of a box, across axis i, lies in that face."""
    return (i == 0 or abs(x.x) <= size.x) and (i == 1 or abs(x.y) <= size.y) and (i == 2 or abs(x.z) <= size.z)
