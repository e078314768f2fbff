"""Cones around the normals of the triangles below each node of the tree of a mesh (V-20).

All normals n of a child are in a cone of half angle h about an axis c:  n . c >= cos h.  The cone around two cones has
its axis between theirs, and reaches the farther side of each. A query that asks for triangles that look into a
direction passes over nodes whose cones look elsewhere.

Source: L. Shirman, S. Abi-Ezzi, The cone of normals technique for fast processing of curved patches (1993).
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, kernel
from gelenk.math.vec3 import Vec3, get3

WIDER = 1e-7  # angle by which cones are wider than they need to be, for round-off


@helper
def get_cone(cone, node, side):
    """Axis, cosine and sine of the half angle of the cone of a child."""
    k = 5 * side
    return Vec3(cone[node, k], cone[node, k + 1], cone[node, k + 2]), cone[node, k + 3], cone[node, k + 4]


@helper
def put_cone(cone, node, side, axis, half):
    """Store the cone of a child; from a straight angle on it holds all."""
    k, half = 5 * side, min(half + WIDER, math.pi)
    cone[node, k], cone[node, k + 1], cone[node, k + 2] = axis.x, axis.y, axis.z
    cone[node, k + 3], cone[node, k + 4] = math.cos(half), math.sin(half)


@helper
def largest_facing(cone, node, side, n):
    """Largest cosine between -n and a normal in the cone of a child:  cos(max(0, angle to the axis - h))."""
    axis, c, s = get_cone(cone, node, side)
    x = min(max(-(axis @ n), -1.0), 1.0)
    return 1.0 if x >= c else x * c + math.sqrt(1.0 - x * x) * s


@helper
def angle_between(a, b):
    """Angle of two unit vectors."""
    return math.atan2(a.cross(b).norm(), a @ b)


@helper
def middle_of(total):
    """Direction of a sum of unit vectors."""
    size = total.norm()
    return total * (1.0 / size) if size > 1e-6 else Vec3(0.0, 0.0, 1.0)


@kernel
def build_cones(link, order, outward, cone_out):
    """Cones (N, 10) of both children of every node: axis x y z, cosine and sine of the half angle.

    ``link`` (N, 4) and ``order`` as of ``build_tree``: nodes come after those they are children of.
    """
    for node in range(link.shape[0] - 1, -1, -1):
        for side in range(2):
            first, count = np.int64(link[node, side]), np.int64(link[node, 2 + side])
            total, half = Vec3(0.0, 0.0, 0.0), math.pi
            if count > 0:
                for i in range(first, first + count):
                    total = total + get3(outward, order[i])
                axis, half = middle_of(total), 0.0
                for i in range(first, first + count):
                    half = max(half, angle_between(axis, get3(outward, order[i])))
            elif first > node:
                a, c, s = get_cone(cone_out, first, 0)
                b, d, t = get_cone(cone_out, first, 1)
                axis = middle_of(a + b)
                half = max(angle_between(axis, a) + math.atan2(s, c), angle_between(axis, b) + math.atan2(t, d))
            else:
                axis = Vec3(0.0, 0.0, 1.0)  # a child that is not there
            put_cone(cone_out, node, side, axis, half)
