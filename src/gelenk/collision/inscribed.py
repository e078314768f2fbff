"""Balls inside convex solids: a proof of depth (V-25).

A ball of radius q around a point x of B that lies inside A tells how deep B is in A at least: along any direction m the
two reach over each other by q or more,

    depth(A, B) = min over m of h(m) >= q

and h of any one direction is never less than the depth. Where the shortest way out leads through a face or a smooth
place, the two bounds meet: the ball around the deepest point of B touches the surface of A there. Only where an edge
crosses an edge there is no such ball.
"""

from __future__ import annotations

import math

from gelenk.collision.solid import BOX, CONE, CYLINDER, ELLIPSOID, HULL, core_support
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3


@routine
def room(solid, hulls, x, n):
    """Radius of a ball around the point x, from the centre, that lies inside the core; not above zero if none is known.

    It is the largest one, except in an ellipsoid: there it lies in a ball that touches the surface where its normal is
    n, of the least radius of curvature  a^2 / c,  a the shortest and c the longest semi-axis. Such balls lie inside
    (W. Blaschke, Kreis und Kugel, 1916, on rolling).
    """
    s, p = solid.size, solid.R.tdot(x)
    if solid.kind == BOX:
        return min(s.x - abs(p.x), min(s.y - abs(p.y), s.z - abs(p.z)))
    if solid.kind == CYLINDER:
        return min(s.x - math.sqrt(p.x * p.x + p.y * p.y), s.z - abs(p.z))
    if solid.kind == CONE:
        slant = math.sqrt(s.x * s.x + s.z * s.z)
        side = s.z * (s.x - math.sqrt(p.x * p.x + p.y * p.y)) - s.x * p.z
        return min(p.z, side / slant) if slant > 0.0 else 0.0
    if solid.kind == ELLIPSOID:
        least, most = min(s.x, min(s.y, s.z)), max(s.x, max(s.y, s.z))
        radius = least * least / most if most > 0.0 else 0.0
        return radius - (core_support(solid, hulls, n) - n * radius - x).norm()
    if solid.kind == HULL:
        return room_in_hull(hulls, solid.table, p)
    return 0.0


@helper
def room_in_hull(hulls, table, p):
    """Least depth below a face, shape axes."""
    hull = hulls.hull[table]
    least = math.inf
    for f in range(hull.face_first, hull.face_last):
        n = hulls.face[f].n
        least = min(least, hulls.face[f].d - Vec3(n[0], n[1], n[2]) @ p)
    return least
