"""Point of a convex hull nearest to a point."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.closest import on_edge
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

TOUCHING = 1e-12  # of the distance from the origin: a point closer to an edge than this gets the normal of a face


@helper
def face_normal(hulls, f):
    """Normal of a face."""
    n = hulls.face[f].n
    return Vec3(n[0], n[1], n[2])


@routine
def nearest_on_hull(hulls, table, p):
    """Signed distance, point and normal.

    Inside, the nearest point is that on the plane of the nearest face. Outside, it is the foot on a face that the point
    is above, if it lies in that face; otherwise it is on an edge of a face that the point is above.
    """
    hull = hulls.hull[table]
    height, top = -math.inf, hull.face_first
    for f in range(hull.face_first, hull.face_last):
        h = face_normal(hulls, f) @ p - hulls.face[f].d
        if h > height:
            height, top = h, f
    n = face_normal(hulls, top)
    if height <= 0.0:
        return height, p - n * height, n
    best, nearest = math.inf, p
    for f in range(hull.face_first, hull.face_last):
        m = face_normal(hulls, f)
        h = m @ p - hulls.face[f].d
        if h > 0.0 and h * h < best:
            within, q, square = on_face(hulls, f, m, p, best)
            if within:
                return h, p - m * h, m
            if square < best:
                best, nearest = square, q
    w, d = p - nearest, math.sqrt(best)
    return d, nearest, w * (1.0 / d) if d > TOUCHING * p.norm() else n


@helper
def on_face(hulls, f, m, p, best):
    """Whether p lies over the inside of a face; else the nearest point of its edges, if closer than ``best``."""
    face = hulls.face[f]
    within, nearest = True, p
    a = get3(hulls.vertex, hulls.loop[face.last - np.uint32(1)])
    for k in range(face.first, face.last):
        b = get3(hulls.vertex, hulls.loop[k])
        if (b - a).cross(p - a) @ m < 0.0:
            within = False
            q, _ = on_edge(p, a, b - a, 0, 0, 0)
            square = (p - q) @ (p - q)
            if square < best:
                best, nearest = square, q
        a = b
    return within, nearest, best
