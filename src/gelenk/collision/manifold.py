"""Contact points of a pair of solids (V-11, I-092).

A point exists on each body. Both lie on one line along the normal n, which points from A to B:

    (point on B) - (point on A) = d n

d is the signed distance: positive apart, zero touching, negative by the depth.
"""

from __future__ import annotations

import numpy as np

from gelenk.compile import helper

MOST = 8  # points of a convex pair
MANY = 32  # points of a pair with a surface
NEAR = 16  # faces of a hull that a pair remembers

POINT = np.dtype(
    [
        ("a", "f8", (3,)),  # centre of A to its point, world axes [m]
        ("b", "f8", (3,)),  # centre of B to its point
        ("n", "f8", (3,)),  # unit normal from A to B
        ("d", "f8"),  # signed distance [m]
        ("feature_a", "u4"),  # what touches, the same from step to step while it is the same vertex, edge or face
        ("feature_b", "u4"),
    ]
)


MEMORY = np.dtype(
    [
        ("guess", "f8", (3,)),  # normal of the last step, or zero; world axes
        ("features", "u4", (2,)),  # closest features of two hulls, or NONE
        ("axis", "u4"),  # of the widest gap between two boxes
        # of two hulls, A then B: faces that a vertex of the other one lay little below (:mod:`vclip_depth`)
        ("near_vertex", "u4", (2,)),  # the vertex, or NONE
        ("near_count", "u4", (2,)),
        ("near_face", "u4", (2, NEAR)),
        ("near_point", "f8", (2, 3)),  # where it was, axes of the hull of the faces [m]
        ("near_reach", "f8", (2,)),  # every face less than this above it is among them [m]
        ("near_spare", "f8", (2,)),  # by how much that was more than was needed [m]
        ("far", "f8", (24,)),  # of two solids that overlap: ways out known to be longer (:mod:`far_proof`)
    ]
)
NONE = 0xFFFFFFFF  # nothing remembered


def new_memory(count: int = 1) -> np.ndarray:
    """What pairs remember from step to step to be faster in the next; results do not depend on it."""
    memory = np.zeros(count, MEMORY).view(np.recarray)
    memory.features = memory.axis = memory.near_vertex = NONE
    return memory


@helper
def forget(memory):
    """As of a pair that is new."""
    for i in range(3):
        memory.guess[i] = 0.0
    for i in range(2):
        memory.features[i] = memory.near_vertex[i] = NONE
    memory.axis = NONE
    memory.far[0] = memory.near_point[0, 0] = 0.0


def new_points(count: int = MOST) -> np.ndarray:
    """Space for the points of a pair."""
    return np.zeros(count, POINT).view(np.recarray)


@helper
def put_point(out, k, a, r, n, d, feature_a, feature_b):
    """Point k from the one on A: that on B is  a + d n - r  from the centre of B, r the way from centre to centre."""
    point = out[k]
    point.a[0], point.a[1], point.a[2] = a.x, a.y, a.z
    point.b[0], point.b[1], point.b[2] = a.x + d * n.x - r.x, a.y + d * n.y - r.y, a.z + d * n.z - r.z
    point.n[0], point.n[1], point.n[2] = n.x, n.y, n.z
    point.d, point.feature_a, point.feature_b = d, feature_a, feature_b


@helper
def put_copy(p, q):
    """Make point q one like p."""
    for i in range(3):
        q.a[i], q.b[i], q.n[i] = p.a[i], p.b[i], p.n[i]
    q.d, q.feature_a, q.feature_b = p.d, p.feature_a, p.feature_b


@helper
def swap_sides(point):
    """Exchange A and B of a point."""
    for i in range(3):
        point.a[i], point.b[i] = point.b[i], point.a[i]
        point.n[i] = -point.n[i]
    point.feature_a, point.feature_b = point.feature_b, point.feature_a
