"""Questions to all colliders at once: what a ray hits first, what is nearest to a point, what a shape overlaps."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.broad.pair_filter import present
from gelenk.collision.broad.phase import NONE
from gelenk.collision.broad.tree import ROOT, is_leaf, node_box
from gelenk.collision.broad.tree_phase import descend_to_box, slab_entry
from gelenk.collision.collider import centre_of, solid_of
from gelenk.collision.manifold import forget
from gelenk.collision.pair_table import collide
from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.collision.query.ray import ray_solid
from gelenk.compile import helper, kernel, routine
from gelenk.math.vec3 import get3

HIT = np.dtype(
    [
        ("collider", "u4"),  # NONE: nothing
        ("s", "f8"),  # how far along the ray, in lengths of its direction; infinite: nothing
        ("p", "f8", (3,)),  # where, world [m]
        ("n", "f8", (3,)),  # unit normal of the surface there, outward
    ]
)
NEAREST = np.dtype(
    [
        ("collider", "u4"),  # NONE: nothing within the limit
        ("d", "f8"),  # distance, negative inside [m]
        ("p", "f8", (3,)),  # nearest point of the surface, world [m]
        ("n", "f8", (3,)),  # unit normal of the surface there, outward
    ]
)
OVERLAP = np.dtype([("collider", "u4"), ("d", "f8"), ("n", "f8", (3,))])  # deepest point: distance, normal outward


@kernel
def cast_rays(tree, colliders, tables, filter_, start, direction, length, mask, hit_out):
    """First hits of many rays  start + s direction,  0 <= s <= length, among colliders in groups of ``mask``."""
    for k in range(start.shape[0]):
        cast_ray(tree, colliders, tables, filter_, get3(start, k), get3(direction, k), length[k], mask, hit_out[k])


@routine
def cast_ray(tree, colliders, tables, filter_, p, d, length, mask, hit):
    """First hit of one ray, of equal ones that of the lowest number; nodes behind the nearest so far are left out."""
    hit.collider, hit.s = NONE, math.inf
    stack, top = tree.stack, 0
    if tree.state[ROOT] != NONE:
        stack[0, 0] = tree.state[ROOT]
        top = 1
    while top > 0:
        top -= 1
        node = np.int64(stack[top, 0])
        reach = min(length, hit.s)
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
            if s < hit.s or (s == hit.s and s < math.inf and node < hit.collider):
                q = p + d * s
                hit.collider, hit.s = node, s
                hit.p[0], hit.p[1], hit.p[2] = q.x, q.y, q.z
                hit.n[0], hit.n[1], hit.n[2] = n.x, n.y, n.z


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
    nearest.collider, nearest.d = NONE, math.inf
    stack, top = tree.stack, 0
    if tree.state[ROOT] != NONE:
        stack[0, 0] = tree.state[ROOT]
        top = 1
    while top > 0:
        top -= 1
        node = np.int64(stack[top, 0])
        if box_distance(node_box(tree, node), p) > max(min(limit, nearest.d), 0.0):
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
            if d <= limit and (d < nearest.d or (d == nearest.d and node < nearest.collider)):
                q = centre + q
                nearest.collider, nearest.d = node, d
                nearest.p[0], nearest.p[1], nearest.p[2] = q.x, q.y, q.z
                nearest.n[0], nearest.n[1], nearest.n[2] = n.x, n.y, n.z


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


@kernel
def find_overlaps(tree, colliders, tables, filter_, asked, margin, mask, work, memory, found, point, overlap_out):
    """Colliders within ``margin`` of one shape (``asked`` a block like ``colliders`` with one row): their number.

    ``found`` is scratch for candidates, ``point`` for contact points. If the number of candidates is larger than
    ``found`` or ``overlap_out``, it is returned negative: ask again with more space.
    """
    A, centre = solid_of(asked, 0), centre_of(asked, 0)
    near = descend_to_box(tree, colliders.box, filter_, box_around(A, tables, centre, margin), mask, found)
    if near > min(found.shape[0], overlap_out.shape[0]):
        return -near
    count = 0
    for k in range(near):
        i = np.int64(found[k])
        if not present(filter_, colliders.box, i):
            continue
        forget(memory[0])
        B, r = solid_of(colliders, i), centre_of(colliders, i) - centre
        points = collide(A, B, r, margin, tables, memory[0], work, point)
        if points == 0:
            continue
        deepest = 0
        for m in range(1, points):
            if point[m].d < point[deepest].d:
                deepest = m
        out = overlap_out[count]
        out.collider, out.d = i, point[deepest].d
        for m in range(3):
            out.n[m] = -point[deepest].n[m]
        count += 1
    return count
