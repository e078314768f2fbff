"""Whether a convex solid meets a facet: looked at once for each, and mostly without a search (V-20)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.gjk import gjk_within
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE, Solid
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3

SLACK = 1e-10  # of the sizes: a solid this close to a facet touches it
NOT_ASKED = 0
MISSES = 1
TOUCHES = 2  # to round-off
OVERLAPS = 3
HELD = 4  # holds a point of it: one of the last two
ADMITTED = 5  # missed, but looked at as if it were touched: see ``narrow/unmet.py``
FACES = 64  # hulls of more faces are searched: that is faster


@helper
def facet_solid(F):
    """A facet as a solid whose centre is its first corner."""
    e, f = F.q - F.p, F.s - F.p
    return Solid(TRIANGLE, 0, Mat3(0.0, e.x, f.x, 0.0, e.y, f.y, 0.0, e.z, f.z), Vec3(0.0, 0.0, 0.0))


@routine
def holds(B, x, hulls):
    """Whether a point, from the centre of a solid, is inside; may say no where that takes long to tell."""
    p, s = B.R.tdot(x), B.size
    if B.kind == BOX:
        return abs(p.x) <= s.x and abs(p.y) <= s.y and abs(p.z) <= s.z
    if B.kind == SPHERE:
        return p @ p <= s.x * s.x
    if B.kind == CAPSULE:
        z = p.z - min(max(p.z, -s.z), s.z)
        return p.x * p.x + p.y * p.y + z * z <= s.x * s.x
    if B.kind == CYLINDER:
        return abs(p.z) <= s.z and p.x * p.x + p.y * p.y <= s.x * s.x
    if B.kind == CONE:
        wide = s.x * (1.0 - p.z / s.z)
        return 0.0 <= p.z <= s.z and p.x * p.x + p.y * p.y <= wide * wide
    if B.kind == ELLIPSOID:
        return (p.x / s.x) ** 2 + (p.y / s.y) ** 2 + (p.z / s.z) ** 2 <= 1.0
    if B.kind == HULL:
        first, last = np.int64(hulls.hull[B.table].face_first), np.int64(hulls.hull[B.table].face_last)
        if last - first > FACES:
            return False
        for f in range(first, last):  # noqa: SIM110
            if get3(hulls.face.n, f) @ p > hulls.face[f].d:
                return False
        return True
    return False


@routine
def meets(F, x, row, q, hulls, surface, convex):
    """Whether a solid touches or overlaps the facet of a candidate; x: a point of it where it may be inside."""
    if surface.met[row] == NOT_ASKED and holds(q.B, x - q.c, hulls):
        surface.met[row] = HELD
    if surface.met[row] == NOT_ASKED:
        search(F, row, q, hulls, surface, convex)
    return surface.met[row] >= TOUCHES


@routine
def overlaps(F, row, q, hulls, surface, convex):
    """Whether a solid and the facet of a candidate have more in common than round-off."""
    if surface.met[row] == NOT_ASKED or surface.met[row] == HELD:
        search(F, row, q, hulls, surface, convex)
    return surface.met[row] == OVERLAPS


@routine
def search(F, row, q, hulls, surface, convex):
    """Write down how a solid lies to a facet."""
    slack = SLACK * q.scale
    v, _, count, _ = gjk_within(facet_solid(F), q.B, q.c - F.p, F.n, q.radius + slack, hulls, convex)
    d = v.norm() - q.radius
    if count == 4 or (count > 0 and d < -slack):
        surface.met[row] = OVERLAPS
    else:
        surface.met[row] = TOUCHES if count > 0 and d <= slack else MISSES
