"""Questions to all colliders at once: what a ray hits first, what is nearest to a point, what a shape overlaps."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.broad.pair_filter import present
from gelenk.collision.broad.phase import NONE
from gelenk.collision.broad.tree import is_leaf, node_box, push_root
from gelenk.collision.broad.tree_phase import descend_to_box, slab_entry
from gelenk.collision.collider import centre_of, matrix, solid_of, vector
from gelenk.collision.manifold import forget
from gelenk.collision.pair_table import collide
from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.collision.query.ray import ray_solid
from gelenk.collision.solid import Solid
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import helper, kernel, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import get3

HIT = np.dtype(
    [
        ("collider", "u4"),  # NONE: nothing
        ("distance", "f8"),  # how far along the ray, in lengths of its direction; infinite: nothing
        ("point", "f8", (3,)),  # where, world [m]
        ("normal", "f8", (3,)),  # unit normal of the surface there, outward
    ]
)
NEAREST = HIT  # the same of the nearest point of a surface; the distance is negative inside [m]
OVERLAP = np.dtype(
    [
        ("query", "u4"),  # which of the places
        ("collider", "u4"),
        ("distance", "f8"),  # of the deepest point, negative by the depth [m]
        ("normal", "f8", (3,)),  # unit normal there, from the collider to the shape
    ]
)


@helper
def put_nothing(hit):
    """Nothing found yet."""
    hit.collider, hit.distance = NONE, math.inf
    for k in range(3):
        hit.point[k] = hit.normal[k] = math.nan


@helper
def put_hit(hit, collider, distance, p, n):
    """What was found, at a point with a normal."""
    hit.collider, hit.distance = collider, distance
    hit.point[0], hit.point[1], hit.point[2] = p.x, p.y, p.z
    hit.normal[0], hit.normal[1], hit.normal[2] = n.x, n.y, n.z


@kernel
def cast_rays(tree, colliders, tables, filter_, start, direction, length, mask, hit_out):
    """First hits of many rays  start + s direction,  0 <= s <= length, among colliders in groups of ``mask``."""
    for k in range(start.shape[0]):
        cast_ray(tree, colliders, tables, filter_, get3(start, k), get3(direction, k), length[k], mask, hit_out[k])


@routine
def cast_ray(tree, colliders, tables, filter_, p, d, length, mask, hit):
    """First hit of one ray, of equal ones that of the lowest number; nodes behind the nearest so far are left out."""
    put_nothing(hit)
    stack, top = tree.stack, push_root(tree)
    while top > 0:
        top -= 1
        node = np.int64(stack[top, 0])
        reach = min(length, hit.distance)
        if slab_entry(node_box(tree, node), p, d, reach) == math.inf:
            continue
        if not is_leaf(tree, node):
            left, right = np.int64(tree.node[node].left), np.int64(tree.node[node].right)
            if slab_entry(node_box(tree, left), p, d, reach) < slab_entry(node_box(tree, right), p, d, reach):
                left, right = right, left
            stack[top, 0], stack[top + 1, 0] = left, right
            top += 2
        elif filter_.element[node].group & mask != 0 and present(filter_, colliders.box, node):
            s, n = ray_solid(solid_of(colliders, node), tables, p - centre_of(colliders, node), d, reach)
            if s < hit.distance or (s == hit.distance and s < math.inf and node < hit.collider):
                put_hit(hit, node, s, p + d * s, n)


@helper
def box_distance(box, p):
    """From a point to a box, 0 inside."""
    x = max(box.x - p.x, 0.0, p.x - box.x_high)
    y = max(box.y - p.y, 0.0, p.y - box.y_high)
    z = max(box.z - p.z, 0.0, p.z - box.z_high)
    return math.sqrt(x * x + y * y + z * z)


@kernel
def find_nearest(tree, colliders, tables, filter_, point, limit, mask, nearest_out):
    """For many points the collider of least signed distance, at most ``limit``, in groups of ``mask``."""
    for k in range(point.shape[0]):
        nearest_collider(tree, colliders, tables, filter_, get3(point, k), limit[k], mask, nearest_out[k])


@routine
def nearest_collider(tree, colliders, tables, filter_, p, limit, mask, nearest):
    """One point: boxes that hold it are all looked at, others while they are nearer than the nearest so far."""
    put_nothing(nearest)
    stack, top = tree.stack, push_root(tree)
    while top > 0:
        top -= 1
        node = np.int64(stack[top, 0])
        if box_distance(node_box(tree, node), p) > max(min(limit, nearest.distance), 0.0):
            continue
        if not is_leaf(tree, node):
            left, right = np.int64(tree.node[node].left), np.int64(tree.node[node].right)
            if box_distance(node_box(tree, left), p) < box_distance(node_box(tree, right), p):
                left, right = right, left
            stack[top, 0], stack[top + 1, 0] = left, right
            top += 2
        elif filter_.element[node].group & mask != 0 and present(filter_, colliders.box, node):
            centre = centre_of(colliders, node)
            d, q, n = nearest_on_solid(solid_of(colliders, node), tables, p - centre)
            if d <= limit and (d < nearest.distance or (d == nearest.distance and node < nearest.collider)):
                put_hit(nearest, node, d, centre + q, n)


@kernel
def closest_pair(colliders, tables, rows_a, rows_b, margin, work, memory, point, best_out):
    """Nearest or deepest point of some colliders and some others within a margin, into ``best_out`` (1,).

    Returns which pair of the rows it is, counted i * len(rows_b) + j, or -1 if there is none.
    """
    found, nearest = -1, margin
    for k in range(rows_a.shape[0] * rows_b.shape[0]):
        i, j = np.int64(rows_a[k // rows_b.shape[0]]), np.int64(rows_b[k % rows_b.shape[0]])
        A, B, r = solid_of(colliders, i), solid_of(colliders, j), centre_of(colliders, j) - centre_of(colliders, i)
        forget(memory[0])
        count = collide(A, B, r, max(nearest, 0.0), tables, memory[0], work, point)
        for m in range(count):
            if found < 0 or point[m].d < nearest:
                found, nearest = k, point[m].d
                best, p = best_out[0], point[m]
                for c in range(3):
                    best.a[c], best.b[c], best.n[c] = p.a[c], p.b[c], p.n[c]
                best.d, best.feature_a, best.feature_b = p.d, p.feature_a, p.feature_b
    return found


@helper
def box_around(solid, tables, centre, margin):
    """Bounds of a solid in the world, grown by a margin."""
    b = solid_bounds(solid, tables)
    return Bounds(
        centre.x + b.x - margin,
        centre.y + b.y - margin,
        centre.z + b.z - margin,
        centre.x + b.x_high + margin,
        centre.y + b.y_high + margin,
        centre.z + b.z_high + margin,
    )


@helper
def placed(asked, k, at, R_WS):
    """Piece k of a shape at a place: the solid and its centre, world axes."""
    item = asked.item[k]
    solid = Solid(int(item.kind), int(item.table), R_WS.times(matrix(item.R_BS)), vector(item.lengths))
    return solid, at + R_WS @ vector(item.p_CS)


@kernel
def find_overlaps(tree, colliders, tables, filter_, asked, at, turn, margin, mask, work, memory, found, point, out):
    """Parts within ``margin`` of a shape at many places (k, 3), turned by (k, 4): how many rows there are.

    ``asked`` is a block like ``colliders`` with a row for each piece of the shape; ``found`` is scratch for candidates,
    ``point`` for contact points. Of the pieces and colliders of two parts the deepest counts. If there is not room for
    all candidates or rows, what is needed is returned negative: ask again with more. If triangles of a surface had no
    room, -1 is returned and ``work.surface.counts`` says how many.
    """
    rows = 0
    for q in range(at.shape[0]):
        first = rows
        for k in range(asked.item.shape[0]):
            A, centre = placed(asked, k, get3(at, q), rotation(get4(turn, q)))
            work.surface.counts[LEFT_OUT] = 0
            near = descend_to_box(tree, colliders.box, filter_, box_around(A, tables, centre, margin), mask, found)
            if near > found.shape[0] or rows + near > out.shape[0]:
                return -max(near, rows + near) - 1
            rows = overlaps_of(
                A, centre, near, colliders, tables, filter_, margin, work, memory, found, point, out, first, rows
            )
            if rows < 0:
                return -1
        for k in range(first, rows):
            out[k].query = q
    return rows


@routine
def overlaps_of(A, centre, near, colliders, tables, filter_, margin, work, memory, found, point, out, first, rows):
    """Add the contacts of one piece with its candidates to the rows ``first`` to ``rows``; the number of rows then."""
    for k in range(near):
        i = np.int64(found[k])
        if not present(filter_, colliders.box, i):
            continue
        forget(memory[0])
        r = centre_of(colliders, i) - centre
        count = collide(A, solid_of(colliders, i), r, margin, tables, memory[0], work, point)
        if work.surface.counts[LEFT_OUT] > 0:
            return -1
        if count == 0:
            continue
        deepest = 0
        for m in range(1, count):
            if point[m].d < point[deepest].d:
                deepest = m
        row = row_of_part(colliders, i, out, first, rows)
        if row == rows or point[deepest].d < out[row].distance:
            out[row].collider, out[row].distance = i, point[deepest].d
            for m in range(3):
                out[row].normal[m] = -point[deepest].n[m]
        rows = max(rows, row + 1)
    return rows


@helper
def row_of_part(colliders, i, out, first, rows):
    """Row of the part that collider i is of, or the next one."""
    for row in range(first, rows):
        other = colliders.item[out[row].collider]
        if other.node == colliders.item[i].node and other.part == colliders.item[i].part:
            return row
    return rows
