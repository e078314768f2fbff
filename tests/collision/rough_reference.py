"""What trees of balls and maps of distances stand for, measured a second time: by triangles, solid angles, boxes."""

from __future__ import annotations

import math

import numpy as np
from table_parts import is_under, samples, view_taken
from table_reference import to_triangle

from gelenk.collision.solid import FIELD, MESH
from gelenk.compile import kernel, routine
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3


@routine
def from_triangles(parts, first, last, x, field):
    """Signed distance of a point from a closed mesh, or from a height field, by all triangles of it."""
    least = math.inf
    for p in range(first, last):
        c = parts.corner[p]
        a, b, s = Vec3(c[0], c[1], c[2]), Vec3(c[3], c[4], c[5]), Vec3(c[6], c[7], c[8])
        least = min(least, to_triangle(x, a, b, s))
    inside = is_under(parts, first, last, x) if field else view_taken(parts, first, last, x) > 0.5
    return -least if inside else least


@kernel
def nearest_of(table, R, r, of_b, points, point_first, parts, field, out):
    """Least signed distance of points with a radius, fixed to one solid of a pair, from the surface that is the other.

    of_b: 1 if the points are B's; points: (P, 4) places and radii, ``point_first`` where those of each table begin.
    """
    for i in range(r.shape[0]):
        X, Y = get33(R[i], of_b), get33(R[i], 1 - of_b)
        way = get3(r, i) * (1.0 if of_b == 1 else -1.0)  # from the centre of the surface to that of the points
        mine, other = table[i, of_b], table[i, 1 - of_b]
        least = math.inf
        for k in range(point_first[mine], point_first[mine + 1]):
            x = Y.tdot(way + X @ get3(points, k))
            least = min(
                least, from_triangles(parts, parts.first[other], parts.first[other + 1], x, field) - points[k, 3]
            )
        out[i] = least


def balls_on_surface(pairs):
    """Of trees A on meshes or fields B: least distance of the last balls."""
    s, kind = samples(), int(pairs["kind"][0, 1])
    balls, out = s.parts[int(pairs["kind"][0, 0])], np.zeros(len(pairs))
    columns = [np.ascontiguousarray(pairs[f]) for f in ("table", "R", "r")]
    points = np.ascontiguousarray(balls.corner[:, :4])
    nearest_of(*columns, 0, points, balls.first, s.parts[kind], kind == FIELD, out)
    return out


def corners_in_surface(pairs, corners):
    """Of boxes A, given by their corners, on meshes or fields B: least distance of a corner."""
    s, kind, out = samples(), int(pairs["kind"][0, 1]), np.zeros(len(pairs))
    table, R, r = (np.ascontiguousarray(pairs[f]) for f in ("table", "R", "r"))
    table[:, 0] = 0  # the points are those of all boxes
    points = np.column_stack((corners, np.zeros(len(corners))))
    nearest_of(table, R, r, 0, points, np.array([0, len(points)]), s.parts[kind], kind == FIELD, out)
    return out


def from_box(x, half):
    """Signed distance of points (..., 3) from a box about the origin."""
    q = np.abs(x) - half
    return np.linalg.norm(np.maximum(q, 0.0), axis=-1) + np.minimum(q.max(axis=-1), 0.0)


def points_in_box(pairs, side, points, half):
    """(n, P) signed distances of points of the solid at ``side`` of each pair from a box that is the other solid."""
    way = pairs["r"] * (1 if side == 1 else -1)
    x = way[:, None] + np.einsum("nij,pj->npi", pairs["R"][:, side], points)
    return from_box(np.einsum("nji,npj->npi", pairs["R"][:, 1 - side], x), half)


def places(kind, table):
    """Corners of the triangles of a surface, or centres and radii of the last balls of a tree, of one table."""
    parts = samples().parts[kind]
    rows = parts.corner[parts.first[table] : parts.first[table + 1]]
    return np.unique(rows.reshape(-1, 3), axis=0) if kind in (MESH, FIELD) else rows[:, :4]


def chosen(pairs, table, side):
    """Which pairs have this table at a side."""
    return np.flatnonzero(pairs["table"][:, side] == table)
