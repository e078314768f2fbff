"""The last touch of a convex solid that leaves a surface along a straight way (V-20, I-093).

Moved by s along the unit vector m, a convex solid B has from a facet F the distance

    d(s) = min { |b + s m - a| : a in F, b in B },     d'(s) = n . m,     n from a to b + s m where they are nearest

which is convex in s. From a place where they are apart, Newton's method goes back along the way,

    s <- s - d / (n . m)

and never past the touch, since a convex function lies above its tangents; there is none ahead where  n . m <= 0.  It
ends a hair before, where the nearest points are still told by their distance, and the last step is a tangent. The last
touch of a surface is that of the facet with the greatest s. Its point a lies on the surface and  a - s m  on the
solid where it is now: with the depth s along m they are the two points of one contact, and both lever arms are right.
Source: van den Bergen, Ray casting against general convex objects with application to continuous collision detection,
2004, of which this is the step with exact distances.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.epa import distance_within
from gelenk.collision.gjk import core_point
from gelenk.collision.narrow.meeting import facet_solid
from gelenk.collision.surface import surface_face, surface_in_box
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import helper, routine

HAIR = 1e-11  # of the sizes: how far before the touch the search ends
AWAY = -1e-6  # cosine of normals to the way: a solid that comes from outside meets no facet that looks against it
STEPS = 60  # of Newton's method: where solids graze, each halves the distance


@helper
def reach_of(F, m):
    """How far up along m a facet reaches."""
    return max(F.p @ m, max(F.q @ m, F.s @ m))


@helper
def swept(box, w):
    """Box around a box that moves by w."""
    return Bounds(
        box.x + min(w.x, 0.0),
        box.y + min(w.y, 0.0),
        box.z + min(w.z, 0.0),
        box.x_high + max(w.x, 0.0),
        box.y_high + max(w.y, 0.0),
        box.z_high + max(w.z, 0.0),
    )


@helper
def lowest_of(m, q, hulls, near):
    """How far down along m a solid reaches, from the origin of the surface."""
    return (q.c + core_point(q.B, hulls, near, 1, -m)) @ m - q.radius


@routine
def touch_of_facet(F, m, start, least, q, hulls, convex):
    """Way s along m at which a solid touches a facet last, and the place on the facet.

    start: a way after which they are apart, but for round-off; none is longer. Minus infinity where there is no touch
    between ``least`` and ``start``.
    """
    hair = HAIR * (q.scale + (q.c - F.p).norm())
    s, n, x = start + hair, F.n, F.p
    for _ in range(STEPS):
        d, n, a = distance_within(facet_solid(F), q.B, q.c + m * s - F.p, n, s - least, hulls, convex)
        x, along = F.p + a, n @ m
        if d >= (s - least) * along:  # no touch until there, or they part on the way back
            return -math.inf, x
        if d <= 2.0 * hair:
            return (min(s - d / along, start) if along > 0.0 else start), x
        s -= (d - hair) / along
    return s, x


@routine
def last_touch(A, tables, m, start, box, q, surface, convex):
    """Way s along m at which a solid touches a surface last, the place on the surface, and the facet.

    start: a way after which the solid is outside; box: around the solid where it is now. Facet -1 if nothing is found.
    """
    best, place, facet = 0.0, q.c, np.int64(-1)
    count = surface_in_box(A, tables, swept(box, m * start), surface.found_b)
    room = surface.found_b.shape[0]
    surface.counts[LEFT_OUT] = max(surface.counts[LEFT_OUT], count - room)
    count = min(count, room)
    low = lowest_of(m, q, tables.hulls, convex.near)
    for i in range(count):
        t = np.int64(surface.found_b[i])
        F = surface_face(A, tables, t)
        high = min(reach_of(F, m) - low, start)  # from there on the solid is above the facet
        if high > best and F.n @ m >= AWAY:
            s, x = touch_of_facet(F, m, high, best, q, tables.hulls, convex)
            if s > best:
                best, place, facet = s, x, t
    return best, place, facet
