"""Features of a hull, their Voronoi planes, and distances between them (biomechanics 3.8).

A feature is a vertex, an edge or a face, written as one number: four times its place in the table, plus its kind. The
points outside that are nearer to it than to any other feature are its Voronoi region. Planes bound it: between a
vertex and an edge the plane through the vertex across the edge, between an edge and a face the plane through the edge
across the face. Both features see the same plane with the same bits, so that no point is refused by both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3

VERTEX = 0
EDGE = 1
FACE = 2
NONE = 0xFFFFFFFF  # no feature known yet


class Motion(NamedTuple):
    """From the axes of another hull to those of one."""

    table: int  # which hull
    R: Mat3
    p: Vec3  # centre of the other one [m]


@helper
def carry(motion, x):
    """A point of the other hull in the axes of the one: R x + p."""
    return motion.R @ x + motion.p


@helper
def feature(kind, index):
    """Number of a feature."""
    return 4 * np.int64(index) + kind


@helper
def kind_of(X):
    """VERTEX, EDGE or FACE."""
    return X & 3


@helper
def index_of(X):
    """Place in the table of vertices, edges or faces."""
    return X >> 2


@helper
def far_end(hulls, e, v):
    """The end of an edge that is not v."""
    edge = hulls.edge[e]
    return np.int64(edge.head) if edge.tail == v else np.int64(edge.tail)


@helper
def along(hulls, e):
    """Tail to head [m]."""
    return get3(hulls.vertex, hulls.edge[e].head) - get3(hulls.vertex, hulls.edge[e].tail)


@helper
def face_normal(hulls, f):
    """Outward, of unit length."""
    n = hulls.face[f].n
    return Vec3(n[0], n[1], n[2])


@helper
def height(hulls, f, x):
    """Signed distance of a point above the plane of a face [m]."""
    return face_normal(hulls, f) @ x - hulls.face[f].d


@helper
def into_face(hulls, e, f):
    """Across the edge e in the plane of the face f, towards its inside; as long as the edge."""
    u, n = along(hulls, e), face_normal(hulls, f)
    return n.cross(u) if hulls.edge[e].left == f else u.cross(n)


@helper
def beside(hulls, e, f, x):
    """How far x lies on the side of the face f of the plane between e and f, times the length of e."""
    return (x - get3(hulls.vertex, hulls.edge[e].tail)) @ into_face(hulls, e, f)


@helper
def climb(hulls, v, d):
    """Vertex farthest along d, reached from v along edges that rise: on a convex body no other summit is in the way."""
    most = get3(hulls.vertex, v) @ d
    best = v
    rising = True
    while rising:
        v = best
        for k in range(np.int64(hulls.fan_first[v]), np.int64(hulls.fan_first[v + 1])):
            w = np.int64(hulls.fan_vertex[k])
            s = get3(hulls.vertex, w) @ d
            if s > most:
                best, most = w, s
        rising = best != v
    return best


@helper
def vertex_of(hulls, X):
    """A vertex of the feature."""
    i = index_of(X)
    if kind_of(X) == EDGE:
        return np.int64(hulls.edge[i].tail)
    if kind_of(X) == FACE:
        return np.int64(hulls.loop[hulls.face[i].first])
    return np.int64(i)


@helper
def share(x, low, high):
    """The nearest number to x between bounds."""
    return min(max(x, low), high)


@helper
def closest_on_segments(p, u, q, w):
    """Where  p + s u  and  q + t w  are closest, s and t from 0 to 1; the middle of the overlap if they are parallel.

    With r = q - p the gradient vanishes at

        s = (u.r w.w - w.r u.w) / (u.u w.w - (u.w)^2),    t = (s u.w - w.r) / w.w

    and where one of them leaves its segment, it is held at the end and the other one is found anew.
    Source: C. Ericson, Real-Time Collision Detection (2005), 5.1.9.
    """
    r = q - p
    uu, ww, uw, ur, wr = u @ u, w @ w, u @ w, u @ r, w @ r
    across = uu * ww - uw * uw
    if across > 1e-24 * uu * ww:
        s = share((ur * ww - wr * uw) / across, 0.0, 1.0)
    else:
        s0, s1 = ur / uu, (ur + uw) / uu  # ends of the other one
        s = 0.5 * (share(min(s0, s1), 0.0, 1.0) + share(max(s0, s1), 0.0, 1.0))
    t = (s * uw - wr) / ww
    if t < 0.0 or t > 1.0:
        t = share(t, 0.0, 1.0)
        s = share((ur + t * uw) / uu, 0.0, 1.0)
    return s, t
