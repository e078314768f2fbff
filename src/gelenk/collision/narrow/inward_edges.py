"""Corners that have come in at an inward edge of a surface, as in the corner of a room (V-20, I-091, I-093).

The nearest place of the surface is on the edge then, and the way there has the normal of no face. Floor and wall are
both crossed, and both hold: each gives a point along its own normal, as deep as the corner is below its plane. Edges
of a curved surface that bend only a little are left as they are.
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.closest import point_triangle
from gelenk.collision.narrow.facet_contact import FACE, FLAT, TIP, feature_of
from gelenk.collision.narrow.point_pool import CORNER_A, CORNER_B, put_surface_point
from gelenk.collision.narrow.surface_inside import FACING, to_a
from gelenk.collision.surface import surface_face, surface_in_box
from gelenk.compile import helper, routine

SHARP = 0.8  # cosine (37 degrees) between normals of faces that both hold
NEAR = 1e-9  # of the size: a face is at a place if it is no farther off


@helper
def counts_at(F, p, n, foot, near, slack):
    """Whether a face goes through a place, looks against the normal n and has the corner p below it."""
    x, _ = point_triangle(foot, F.p, F.q, F.s)
    return F.n @ n < -FACING and (F.p - p) @ F.n > slack and (x - foot).norm() <= near


@helper
def is_first(Y, tables, p, n, foot, near, slack, faces, i):
    """Whether none of the faces before the one in place i of a list counts and has its normal."""
    m = surface_face(Y, tables, np.int64(faces[i])).n
    for j in range(i):
        F = surface_face(Y, tables, np.int64(faces[j]))
        if F.n @ m >= FLAT and counts_at(F, p, n, foot, near, slack):
            return False
    return True


@routine
def put_at_inward_edge(of_a, t, k, p, n, foot, u, q, tables, surface):
    """Points of corner k of triangle t, which comes out at ``foot`` on triangle u of the other surface Y, axes of Y.

    p, n: the corner and its normal, axes of Y. How many there are; none if the faces around the foot agree.
    """
    Y, faces, near = q.B if of_a else q.A, surface.unsettled, NEAR * q.scale + q.slack
    box = Bounds(foot.x - near, foot.y - near, foot.z - near, foot.x + near, foot.y + near, foot.z + near)
    count = min(surface_in_box(Y, tables, box, faces), faces.shape[0])
    m, sharp = surface_face(Y, tables, u).n, False
    for i in range(count):
        F = surface_face(Y, tables, np.int64(faces[i]))
        sharp = sharp or (F.n @ m < SHARP and counts_at(F, p, n, foot, near, q.slack))
    if not sharp:
        return 0
    put = 0
    for i in range(count):
        v = np.int64(faces[i])
        F = surface_face(Y, tables, v)
        first = counts_at(F, p, n, foot, near, q.slack)
        if first and is_first(Y, tables, p, n, foot, near, q.slack, faces, i):
            h = (F.p - p) @ F.n
            if of_a:
                corner, face = feature_of(t, TIP + k), feature_of(v, FACE)
                put_surface_point(surface, to_a(q, p), -(q.R @ F.n), -h, corner, face, CORNER_A)
            else:
                put_surface_point(surface, p + F.n * h, F.n, -h, feature_of(v, FACE), feature_of(t, TIP + k), CORNER_B)
            put += 1
    return put
