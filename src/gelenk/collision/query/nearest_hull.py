"""Point of a convex hull nearest to a point."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.closest import on_edge
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

TOUCHING = 1e-12  # of the distance from the origin: a point closer to an edge than this gets the normal of a face
ROUND_OFF = 8 * 2.0**-52  # of the sizes: a vertex this little beyond a plane is on it


@helper
def face_normal(hulls, f):
    """Normal of a face."""
    n = hulls.face[f].n
    return Vec3(n[0], n[1], n[2])


@routine
def nearest_on_hull(hulls, table, p):
    """Signed distance, point and normal.

    Inside, the nearest point is that on the plane of the nearest face. Outside, it is the foot on a face that the point
    is above, if it lies in that face; otherwise it is on an edge of a face that the point is above. From the face whose
    plane is farthest below, a walk over the edges on which the nearest points of faces lie mostly ends there; if the
    hull turns out not to be behind the plane through its end, all faces are looked at.
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

    f, best, nearest = top, math.inf, p
    for _ in range(hull.face_last - hull.face_first):
        within, q, square, edge = on_face(hulls, f, p, best)
        if within:
            m = face_normal(hulls, f)
            h = m @ p - hulls.face[f].d
            return h, p - m * h, m
        if not square < best:
            break
        best, nearest = square, q
        beside = hulls.edge[edge]
        f = beside.right if beside.left == f else beside.left
    if not is_behind(hulls, table, p, nearest):
        for f in range(hull.face_first, hull.face_last):
            m = face_normal(hulls, f)
            h = m @ p - hulls.face[f].d
            if h > 0.0:
                within, q, square, edge = on_face(hulls, f, p, best)
                if within:
                    return h, p - m * h, m
                if square < best:
                    best, nearest = square, q
    w, d = p - nearest, math.sqrt(best)
    return d, nearest, w * (1.0 / d) if d > TOUCHING * p.norm() else n


@routine
def on_face(hulls, f, p, best):
    """Whether p lies over the inside of a face; else the nearest point of its edges if it is closer than ``best``.

    That as (within, point, squared distance, edge); the squared distance is ``best`` if none is closer.
    """
    face, m = hulls.face[f], face_normal(hulls, f)
    within, nearest, edge = True, p, hulls.loop_edge[face.first]
    last = face.last - np.uint32(1)
    a, leaving = get3(hulls.vertex, hulls.loop[last]), hulls.loop_edge[last]
    for k in range(face.first, face.last):
        b = get3(hulls.vertex, hulls.loop[k])
        if (b - a).cross(p - a) @ m < 0.0:
            within = False
            q, _ = on_edge(p, a, b - a, 0, 0, 0)
            square = (p - q) @ (p - q)
            if square < best:
                best, nearest, edge = square, q, leaving
        a, leaving = b, hulls.loop_edge[k]
    return within, nearest, best, edge


@helper
def is_behind(hulls, table, p, q):
    """Whether the hull is behind the plane through q across p - q; then its point q is the nearest one."""
    hull, w = hulls.hull[table], p - q
    most = w @ q + ROUND_OFF * w.norm() * p.norm()
    reach = -math.inf
    for v in range(hull.vertex_first, hull.vertex_last):
        reach = max(reach, get3(hulls.vertex, v) @ w)
    return reach <= most
