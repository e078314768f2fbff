"""Whether points lie inside a mesh or below a height field, and by which way they come out (V-20, V-21, I-093).

A corner of one solid that lies inside another has an outward normal of its own. The other one's triangles that look
against it *face* it: through them it can have come in and the solids come apart again. The nearest place on those,
weighed by how much they face it, is the way out. So what is behind a plate, or on the far side of a body that lies
wholly inside, does not count.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.closest import point_triangle, unit_or
from gelenk.collision.facet_normal import corner_of
from gelenk.collision.field_nearest import nearest_on_field
from gelenk.collision.field_raster import height_of
from gelenk.collision.field_ray import ray_field
from gelenk.collision.field_table import cell_and_half, field_height
from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_cones import largest_facing
from gelenk.collision.mesh_nearest import SHORTER, leaf_corners, nearest_on_mesh, squared_distance
from gelenk.collision.mesh_ray import ray_mesh
from gelenk.collision.mesh_table import mesh_bounds
from gelenk.collision.mesh_tree import child, child_box, leaf_box, next_aside, put_aside
from gelenk.collision.solid import FIELD, Solid
from gelenk.collision.surface import surface_face
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3

FACING = 1e-6  # cosine from which on normals look against each other
STEEP = 0.01  # cosine from which on a ray meets a triangle safely
BESIDE = 1e-9  # of the size: so far from its sides
UPRIGHT = 1.0 - 1e-12  # cosine to the normal of a triangle of what lies over or below it, and not beside


class Meeting(NamedTuple):
    """Two surfaces, with lengths that are of use everywhere."""

    A: Solid
    B: Solid
    R: Mat3  # axes of B to those of A
    c: Vec3  # origin of B, axes of A [m]
    margin: float  # [m]
    slack: float  # round-off [m]
    scale: float  # size of the smaller one [m]
    limit: float  # no way out is longer than this [m]
    sheet: float  # as deep below a mesh that has a rim is inside [m]


@helper
def to_b(q, x):
    """A point in axes of A seen in those of B."""
    return q.R.tdot(x - q.c)


@helper
def to_a(q, y):
    """A point in axes of B seen in those of A."""
    return q.R @ y + q.c


@helper
def is_over(F, x, slack):
    """Whether a point lies over or under a facet."""
    for k in range(3):
        start, end = (F.p, F.q) if k == 0 else ((F.q, F.s) if k == 1 else (F.s, F.p))
        o = (end - start).cross(F.n)
        if (x - start) @ o > slack * o.norm():
            return False
    return True


@routine
def nearest_on_surface(Y, tables, p, limit):
    """Distance, place and triangle of a surface nearest to p."""
    if Y.kind == FIELD:
        return nearest_on_field(tables.fields, Y.table, p, limit)
    return nearest_on_mesh(tables.meshes, Y.table, p, limit)


@routine
def ray_surface(Y, tables, start, direction, length):
    """Where a ray meets a surface first, as ``ray_mesh``."""
    if Y.kind == FIELD:
        return ray_field(tables.fields, Y.table, start, direction, length)
    return ray_mesh(tables.meshes, Y.table, start, direction, length)


@routine
def is_inside(Y, tables, p, slack, sheet):
    """Whether p, axes of Y, is inside or on a surface.

    Over its nearest triangle, the side of that tells. Otherwise a line from p to the middle of it meets the surface
    first from within. Meshes with a rim are sheets: inside is what lies below one of their triangles, no deeper than
    ``sheet``.
    """
    if Y.kind == FIELD:
        height, _ = field_height(tables.fields, Y.table, p.x, p.y)
        return p.z <= height + slack
    meshes = tables.meshes
    below = slack if meshes.mesh[Y.table].closed == 1 else slack + sheet
    if squared_distance(p, mesh_bounds(meshes, Y.table)) > below * below:
        return False
    distance, q, t = nearest_on_mesh(meshes, Y.table, p, math.inf)
    if distance <= slack:
        return True
    F = surface_face(Y, tables, t)
    up = (q - p) @ F.n
    if meshes.mesh[Y.table].closed == 0:
        return distance <= sheet and up >= UPRIGHT * distance
    if abs(up) >= UPRIGHT * distance:
        return up > 0.0
    to = (F.p + F.q + F.s) * (1.0 / 3.0) - p
    _, m, _ = ray_mesh(meshes, Y.table, p, to, math.inf)
    return m @ to > 0.0


@helper
def way_to_side(box, p):
    """Direction to the nearest side of a box, a little askew, lest a ray runs along edges."""
    x, y, z = 0.5 * (box.x + box.x_high), 0.5 * (box.y + box.y_high), 0.5 * (box.z + box.z_high)
    u, v, w = box.x_high - x - abs(p.x - x), box.y_high - y - abs(p.y - y), box.z_high - z - abs(p.z - z)
    if u <= v and u <= w:
        return Vec3(1.0 if p.x > x else -1.0, 0.0137, 0.0291)
    if v <= w:
        return Vec3(0.0137, 1.0 if p.y > y else -1.0, 0.0291)
    return Vec3(0.0137, 0.0291, 1.0 if p.z > z else -1.0)


@routine
def is_within(Y, tables, p, sheet):
    """Whether p, axes of Y, is inside a surface; what is nearly on it may be either.

    A ray meets the surface first from within. Where it does so near a side, or at a flat angle, the nearest triangle is
    asked as well.
    """
    if Y.kind == FIELD or tables.meshes.mesh[Y.table].closed == 0:
        return is_inside(Y, tables, p, 0.0, sheet)
    meshes = tables.meshes
    box = mesh_bounds(meshes, Y.table)
    if squared_distance(p, box) > 0.0:
        return False
    way = way_to_side(box, p)
    s, m, t = ray_mesh(meshes, Y.table, p, way, math.inf)
    if s == math.inf:
        return False
    if abs(m @ way) > STEEP and is_over(surface_face(Y, tables, t), p + way * s, -BESIDE * meshes.mesh[Y.table].reach):
        return m @ way > 0.0
    return is_inside(Y, tables, p, 0.0, sheet)


@routine
def facing_in_leaf(meshes, face, p, n, limit, slack, first, size, best, point, hit):
    """Better point among the triangles of a leaf that face n and have p behind them."""
    for k in range(first, first + size):
        N = get3(meshes.outward, face + np.int64(meshes.leaf_face[k]))
        facing = -(N @ n)
        if facing > FACING and squared_distance(p, leaf_box(meshes, k)) <= min(best, limit):
            a, b, c = leaf_corners(meshes, k)
            foot, _ = point_triangle(p, a, b, c)
            w = foot - p
            cost = (w @ w) / (facing * facing)
            better = cost < best or (cost == best and (hit == NONE or meshes.leaf_face[k] < meshes.leaf_face[hit]))
            if better and w @ w <= limit and w @ N >= -slack:
                best, point, hit = cost, foot, np.int64(k)
    return best, point, hit


@helper
def cost_below(meshes, p, n, node, side, best, most):
    """Least cost that a triangle below a child can have, infinite if it is above the best so far or too far away."""
    dd, facing = squared_distance(p, child_box(meshes, node, side)), largest_facing(meshes.cone, node, side, n)
    if facing <= FACING or dd > most:
        return math.inf
    cost = dd / (facing * facing) * SHORTER
    return cost if cost <= best else math.inf


@routine
def facing_on_mesh(meshes, index, p, n, limit, slack):
    """Distance, place and triangle that p comes out by, among those that face n and have p behind them.

    The one with the least  distance / cosine  between the way and n: a corner leaves rather against its own normal.
    """
    best, most, point, hit = math.inf, limit * limit, p, np.int64(NONE)
    face = np.int64(meshes.mesh[index].face)
    top, node, size = 0, np.int64(meshes.mesh[index].node), np.int64(0)
    while True:
        if size > 0:
            best, point, hit = facing_in_leaf(meshes, face, p, n, most, slack, node, size, best, point, hit)
            near = math.inf
        else:
            a, b = cost_below(meshes, p, n, node, 0, best, most), cost_below(meshes, p, n, node, 1, best, most)
            near = min(a, b)
            top = put_aside(meshes, node, 1 if a <= b else 0, max(a, b), top)
            node, size = child(meshes, node, 0 if a <= b else 1)
        if near == math.inf:
            node, size, top = next_aside(meshes, best, top)
            if top < 0:
                break
    if hit == NONE:
        return math.inf, p, hit
    return (point - p).norm(), point, np.int64(meshes.leaf_face[hit])


@routine
def way_out(Y, tables, p, n, limit, slack):
    """Length, end, direction and triangle of the way by which a corner p with the normal n comes out of Y.

    Infinite if there is none up to a limit; axes of Y.
    """
    if Y.kind == FIELD:
        distance, foot, t = nearest_on_field(tables.fields, Y.table, p, limit)
    else:
        distance, foot, t = facing_on_mesh(tables.meshes, Y.table, p, n, limit, slack)
    if distance == math.inf:
        return math.inf, p, n, t
    N = surface_face(Y, tables, t).n
    if distance > slack:
        N = unit_or(foot - p, N)
    if N @ n >= 0.0:
        return math.inf, p, n, t
    return distance, foot, N, t


@routine
def corner_outward(X, tables, t, k):
    """Unit normal of a surface at corner k of triangle t, its own axes; of a field from differences along x and y."""
    if X.kind == FIELD:
        fields, field = tables.fields, tables.fields.field[X.table]
        i, j, half = cell_and_half(field, t)
        i += 1 if (k > 0 and half == 0) or (k == 1 and half == 1) else 0
        j += 1 if k == 2 or (k == 1 and half == 1) else 0
        w, e = max(i - 1, 0), min(i + 1, field.nx - 1)
        s, n = max(j - 1, 0), min(j + 1, field.ny - 1)
        x = (height_of(fields, field, e, j) - height_of(fields, field, w, j)) / ((e - w) * field.dx)
        y = (height_of(fields, field, i, n) - height_of(fields, field, i, s)) / ((n - s) * field.dy)
        size = math.sqrt(x * x + y * y + 1.0)
        return Vec3(-x / size, -y / size, 1.0 / size)
    meshes, mesh = tables.meshes, tables.meshes.mesh[X.table]
    return get3(meshes.vertex_outward, np.int64(mesh.vertex) + np.int64(meshes.face[np.int64(mesh.face) + t, k]))


@routine
def own_corners(X, tables, t):
    """Corners of triangle t that are looked at from it, as bits; on a field all of them."""
    if X.kind == FIELD:
        return np.int64(7)
    meshes, mesh = tables.meshes, tables.meshes.mesh[X.table]
    own = np.int64(0)
    for k in range(3):
        v = np.int64(mesh.vertex) + np.int64(meshes.face[np.int64(mesh.face) + t, k])
        if np.int64(meshes.owner[v]) == t:
            own |= 1 << k
    return own


@helper
def corner_place(X, tables, t, k):
    """Corner k of triangle t, its own axes."""
    return corner_of(surface_face(X, tables, t), k)
