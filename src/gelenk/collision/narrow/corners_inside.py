"""Corners of one surface that lie inside the other, and the points they give (V-20, V-21, I-093).

The tree of the one is descended. A box in which the other surface has no triangle is inside as a whole or not at all,
which one point of it tells. Corners at which a side bends outward are asked, each with its own way out: the deepest
place of two surfaces is at one of them or at two such sides. Where there are more than there is room for, every second
is left out, as often as needed, but for sharp ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.field_raster import cells_in, triangle_of
from gelenk.collision.field_table import bend, sample
from gelenk.collision.mesh_tree import child, child_box
from gelenk.collision.narrow.facet_contact import FACE, TIP, feature_of
from gelenk.collision.narrow.inward_edges import put_at_inward_edge
from gelenk.collision.narrow.point_pool import CORNER_A, CORNER_B, put_surface_point
from gelenk.collision.narrow.surface_inside import (
    UPRIGHT,
    corner_outward,
    corner_place,
    is_inside,
    is_within,
    to_a,
    to_b,
    way_out,
)
from gelenk.collision.narrow.surface_meets import field_meets, mesh_meets
from gelenk.collision.narrow.surface_pairs import put_walk, turned_box
from gelenk.collision.solid import FIELD
from gelenk.collision.surface import surface_bounds, surface_face
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3

SHARP = 0.65  # cosine between the normals of a corner and of a face there: a corner of a cube has 0.58, an edge 0.71


@helper
def solid_part(Y, tables, sheet):
    """Box around all that is inside a surface; below a field without end."""
    box = surface_bounds(Y, tables)
    if Y.kind == FIELD:
        return Bounds(box.x, box.y, -math.inf, box.x_high, box.y_high, box.z_high)
    s = sheet if tables.meshes.mesh[Y.table].closed == 0 else 0.0
    return Bounds(box.x - s, box.y - s, box.z - s, box.x_high + s, box.y_high + s, box.z_high + s)


@routine
def side_of_box(Y, tables, box, q):
    """Where a box lies, axes of Y: 1 inside, -1 outside, 0 if it must be opened."""
    whole = solid_part(Y, tables, q.sheet)
    if not box.meets(whole):
        return -1
    if Y.kind == FIELD:
        on_field = whole.x <= box.x and box.x_high <= whole.x_high and whole.y <= box.y and box.y_high <= whole.y_high
        if not on_field or field_meets(tables.fields, Y.table, box):
            return 0
    elif tables.meshes.mesh[Y.table].closed == 0 or mesh_meets(tables.meshes, Y.table, box):
        return 0
    middle = Vec3(0.5 * (box.x + box.x_high), 0.5 * (box.y + box.y_high), 0.5 * (box.z + box.z_high))
    return 1 if is_within(Y, tables, middle, q.sheet) else -1


class Listed(NamedTuple):
    """How a list of corners is filled: the sharp ones come first and stay."""

    sharp: int
    filled: int  # with the sharp ones
    every: int  # of those that are not sharp every so many are listed
    seen: int  # corners there are


@routine
def put_corner(listed, at, t, k, sharp):
    """Note corner k of triangle t as  3 t + k;  how the list is filled then."""
    first, count, every = at.sharp, at.filled, at.every
    if sharp and 2 * first < listed.shape[0]:
        if count == listed.shape[0]:
            count -= 1
        listed[count] = listed[first]
        listed[first] = 3 * t + k
        return Listed(first + 1, count + 1, every, at.seen + 1)
    if at.seen % every == 0:
        if count == listed.shape[0]:
            rest = (count - first) // 2
            for i in range(rest):
                listed[first + i] = listed[first + 2 * i]
            count, every = first + rest, 2 * every
        if at.seen % every == 0:
            listed[count] = 3 * t + k
            count += 1
    return Listed(first, count, every, at.seen + 1)


@routine
def mesh_corners_inside(X, Y, Q, z, q, tables, walk, listed):
    """Corners of a mesh X inside Y,  y = Q x + z,  in a list; their number, and how many there are."""
    meshes, mesh = tables.meshes, tables.meshes.mesh[X.table]
    root, face, vertex = np.int64(mesh.node), np.int64(mesh.face), np.int64(mesh.vertex)
    at = Listed(0, 0, 1, 0)
    top = put_walk(walk, 0, 2 * root, 0)
    top = put_walk(walk, top, 2 * root + 1, 0)
    while top > 0:
        top -= 1
        a, known = walk[top, 0], walk[top, 1]
        if known == 0:
            box = turned_box(child_box(meshes, a >> 1, a & 1), Q, z, q.slack)
            known = np.int64(side_of_box(Y, tables, box, q) if box.is_box() else -1)
        if known < 0:
            continue
        first, size = child(meshes, a >> 1, a & 1)
        if size == 0:
            top = put_walk(walk, top, 2 * first, known)
            top = put_walk(walk, top, 2 * first + 1, known)
        for i in range(first, first + size):
            t = np.int64(meshes.leaf_face[i])
            for k in range(3):
                if np.int64(meshes.owner[vertex + np.int64(meshes.face[face + t, k])]) == t:
                    p = Q @ corner_place(X, tables, t, k) + z
                    if known == 1 or is_inside(Y, tables, p, q.slack, q.sheet):
                        sharp = get3(meshes.outward, face + t) @ corner_outward(X, tables, t, k) < SHARP
                        at = put_corner(listed, at, t, k, sharp)
    return at.filled, at.seen


@routine
def field_corners_inside(X, Y, Q, z, q, tables, listed):
    """The same of a field X: samples in the box of Y."""
    fields, field = tables.fields, tables.fields.field[X.table]
    whole = solid_part(Y, tables, q.sheet)
    low, high = -math.inf, math.inf
    cells = cells_in(field, low, high, low, high)
    if Y.kind != FIELD:
        near = turned_box(whole, Q.transposed(), -Q.tdot(z), q.slack)
        cells = cells_in(field, near.x, near.x_high, near.y, near.y_high)
    at = Listed(0, 0, 1, 0)
    for i in range(cells.i, cells.i_last + 2):
        for j in range(cells.j, cells.j_last + 2):
            p = Q @ sample(fields, field, i, j) + z
            asked = holds(whole, p, q.slack) and bends_outward(fields, field, i, j)
            if asked and is_inside(Y, tables, p, q.slack, q.sheet):
                t, k = triangle_at(field, i, j)
                at = put_corner(listed, at, t, k, False)
    return at.filled, at.seen


@routine
def bends_outward(fields, field, i, j):
    """Whether a field bends outward along a side that begins or ends at a sample."""
    for k in range(6):
        right, up = (1, 1) if k >= 4 else (k & 1, 1 - (k & 1))
        back = k // 2 if k < 4 else k - 4
        m, n = i - back * right, j - back * up
        if (
            m >= 0
            and n >= 0
            and m + right < field.nx
            and n + up < field.ny
            and bend(fields, field, m, n, right, up) > 0.0
        ):
            return True
    return False


@helper
def holds(box, p, slack):
    """Whether a point lies in a box."""
    x, y = box.x - slack <= p.x <= box.x_high + slack, box.y - slack <= p.y <= box.y_high + slack
    return x and y and box.z - slack <= p.z <= box.z_high + slack


@helper
def triangle_at(field, i, j):
    """A triangle at a sample of a field, and which of its corners that is."""
    right, up = (1 if i == field.nx - 1 else 0), (1 if j == field.ny - 1 else 0)
    half = 1 if up == 1 and right == 0 else 0
    k = 2 if up == 1 else right
    return np.int64(triangle_of(field, i - right, j - up, half)), k


@routine
def corners_inside(X, Y, Q, z, q, tables, walk, listed):
    """Corners of a surface X inside Y in a list: how many are in it, and how many there are."""
    if X.kind == FIELD:
        return field_corners_inside(X, Y, Q, z, q, tables, listed)
    return mesh_corners_inside(X, Y, Q, z, q, tables, walk, listed)


@helper
def puts_apart(of_a, t, k, p, n, foot, N, u, q, tables, surface):
    """Whether a corner comes out at an inward edge, not over the face u, and gave points for each face there."""
    m = surface_face(q.B if of_a else q.A, tables, u).n
    return N @ m < UPRIGHT and put_at_inward_edge(of_a, t, k, p, n, foot, u, q, tables, surface) > 0


@routine
def put_corner_of_a(t, k, q, tables, surface):
    """The point of a corner of A inside B, by its way out; its length, infinite if there is none."""
    p = corner_place(q.A, tables, t, k)
    n = q.R.tdot(corner_outward(q.A, tables, t, k))
    d, foot, N, u = way_out(q.B, tables, to_b(q, p), n, q.limit, q.slack)
    if q.slack < d < math.inf and not puts_apart(True, t, k, to_b(q, p), n, foot, N, u, q, tables, surface):
        put_surface_point(surface, p, -(q.R @ N), -d, feature_of(t, TIP + k), feature_of(u, FACE), CORNER_A)
    return d


@routine
def put_corner_of_b(t, k, q, tables, surface):
    """The same of a corner of B inside A."""
    p = to_a(q, corner_place(q.B, tables, t, k))
    n = q.R @ corner_outward(q.B, tables, t, k)
    d, foot, N, u = way_out(q.A, tables, p, n, q.limit, q.slack)
    if q.slack < d < math.inf and not puts_apart(False, t, k, p, n, foot, N, u, q, tables, surface):
        put_surface_point(surface, foot, N, -d, feature_of(u, FACE), feature_of(t, TIP + k), CORNER_B)
    return d


@routine
def put_corners(of_a, listed, count, q, tables, surface):
    """Points of all corners of a list."""
    for i in range(count):
        t, k = np.int64(listed[i]) // 3, np.int64(listed[i]) % 3
        if of_a:
            put_corner_of_a(t, k, q, tables, surface)
        else:
            put_corner_of_b(t, k, q, tables, surface)
