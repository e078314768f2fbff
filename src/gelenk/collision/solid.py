"""A shape as a pair routine sees it, and the support mapping of the convex ones (V-25).

A routine gets two solids A and B and the way r from the centre of A to that of B. All vectors are in world axes and
start from the centre of their own solid, so that nothing is lost far from the origin of the world.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3

# kinds, and what their size means
SPHERE = 0  # x: radius
BOX = 1  # half of its edges along x, y, z
CAPSULE = 2  # x: radius, z: half of its axis
CYLINDER = 3  # x: radius, z: half of its axis
CONE = 4  # x: radius of the base, z: height; the centre is that of the base
ELLIPSOID = 5  # semi-axes
HULL = 6  # table: which hull
TRIANGLE = 7  # no size; the columns of R are its corners
PLANE = 8  # no size; all that lies below the plane z = 0 of its own axes. Not bounded, so it has no support mapping
# not convex
MESH = 9  # table: which triangle mesh
FIELD = 10  # table: which height field
BALLS = 11  # table: which tree of spheres
MAP = 12  # table: which map of distances
KINDS = 13


class Solid(NamedTuple):
    """A shape of some kind."""

    kind: int
    table: int  # place in the tables, for what has more than a size
    R: Mat3  # shape axes to world axes
    size: Vec3  # [m]


HULL_RECORD = np.dtype(
    [
        ("vertex_first", "u4"),
        ("vertex_last", "u4"),
        ("edge_first", "u4"),
        ("edge_last", "u4"),
        ("face_first", "u4"),
        ("face_last", "u4"),
    ]
)
EDGE_RECORD = np.dtype([("tail", "u4"), ("head", "u4"), ("left", "u4"), ("right", "u4")])  # vertices, faces beside it
FACE_RECORD = np.dtype([("first", "u4"), ("last", "u4"), ("n", "f8", (3,)), ("d", "f8")])  # its loop; plane n . x = d

NODE_RECORD = np.dtype(
    [
        ("c", "f8", (3,)),  # a point near the faces of the node [m]
        ("m", "f8", (3,)),  # axis of a cone around their normals, of unit length
        # of its half angle, and least n . (x - c), x in the plane of a face [m]: of the faces, then with all neighbours
        ("cosine", "f8", (2,)),
        ("sine", "f8", (2,)),
        ("e", "f8", (2,)),
        ("first", "u4"),  # its faces, in ``node_face``
        ("last", "u4"),
        ("skip", "u4"),  # the node after all below it
        ("leaf", "u4"),  # 1: nothing below it
    ]
)


class Hulls(NamedTuple):
    """Convex polyhedra of a model. Indices count over the whole table; faces are convex polygons, none two coplanar."""

    hull: np.ndarray  # (h,) HULL_RECORD
    vertex: np.ndarray  # (V, 3) shape axes [m]
    edge: np.ndarray  # (E,) EDGE_RECORD, each edge once
    face: np.ndarray  # (F,) FACE_RECORD, n outward and of unit length, shape axes
    loop: np.ndarray  # (L,) uint32 vertices of the faces, counter-clockwise from outside
    loop_edge: np.ndarray  # (L,) uint32 edge from this vertex of the loop to the next one
    fan_first: np.ndarray  # (V + 1,) uint32 where the edges of a vertex begin in ``fan``
    fan: np.ndarray  # (2 E,) uint32 edges around each vertex
    fan_vertex: np.ndarray = np.zeros(0, np.uint32)  # (2 E,) the vertex at the other end of each
    node: np.ndarray = np.zeros(0, NODE_RECORD).view(np.recarray)  # faces of alike normals (:mod:`face_tree`), or none
    node_first: np.ndarray = np.zeros(0, np.uint32)  # (h + 1,) where the nodes of a hull begin
    node_face: np.ndarray = np.zeros(0, np.uint32)  # (F,) faces in the order of the nodes


@helper
def rounding(solid):
    """Radius by which a solid is larger than its core: balls about a point, capsules about a line."""
    return solid.size.x if solid.kind == SPHERE or solid.kind == CAPSULE else 0.0


@helper
def core_support(solid, hulls, d):
    """A point of the core farthest along d, from the centre, world axes; d need not be of unit length."""
    u, s = solid.R.tdot(d), solid.size
    if solid.kind == BOX:
        p = Vec3(math.copysign(s.x, u.x), math.copysign(s.y, u.y), math.copysign(s.z, u.z))
    elif solid.kind == CAPSULE:
        p = Vec3(0.0, 0.0, math.copysign(s.z, u.z))
    elif solid.kind == CYLINDER or solid.kind == CONE:
        p = round_support(solid.kind, s, u)
    elif solid.kind == ELLIPSOID:
        w = Vec3(s.x * u.x, s.y * u.y, s.z * u.z)
        size = w.norm()
        k = 1.0 / size if size > 0.0 else 0.0
        p = Vec3(s.x * w.x * k, s.y * w.y * k, s.z * w.z * k)
    elif solid.kind == HULL:
        p = get3(hulls.vertex, farthest_vertex(hulls, solid.table, u))
    elif solid.kind == TRIANGLE:
        p = Vec3(1.0, 0.0, 0.0)
        if u.y > u.x and u.y >= u.z:
            p = Vec3(0.0, 1.0, 0.0)
        elif u.z > u.x:
            p = Vec3(0.0, 0.0, 1.0)
    else:
        p = Vec3(0.0, 0.0, 0.0)
    return solid.R @ p


@helper
def round_support(kind, s, u):
    """Of a cylinder or a cone, shape axes."""
    across = math.sqrt(u.x * u.x + u.y * u.y)
    k = s.x / across if across > 0.0 else 0.0
    if kind == CYLINDER:
        return Vec3(k * u.x, k * u.y, math.copysign(s.z, u.z))
    if u.z * s.z > s.x * across:
        return Vec3(0.0, 0.0, s.z)
    return Vec3(k * u.x, k * u.y, 0.0)


@helper
def farthest_vertex(hulls, table, u):
    """Vertex of a hull farthest along u, shape axes: all are looked at. Routines that have a guess climb instead."""
    hull = hulls.hull[table]
    best, most = hull.vertex_first, -math.inf
    for v in range(hull.vertex_first, hull.vertex_last):
        s = get3(hulls.vertex, v) @ u
        if s > most:
            best, most = v, s
    return best
