"""The point of a triangle mesh nearest to a point, and the triangles near one (V-20, B-20)."""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.closest import point_triangle
from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_tree import child, child_box, leaf_box, next_aside, put_aside
from gelenk.compile import helper, kernel, routine
from gelenk.math.vec3 import Vec3, get3, put3

SHORTER = 1.0 - 8.0 * float(np.finfo(np.float64).eps)  # takes the round-off from a squared distance of boxes


@helper
def squared_distance(p, box):
    """Squared distance of a point from a box, not above the true one; infinite for an empty box."""
    x, y, z = max(box.x - p.x, p.x - box.x_high), max(box.y - p.y, p.y - box.y_high), max(box.z - p.z, p.z - box.z_high)
    x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
    return SHORTER * (x * x + y * y + z * z)


@helper
def distance_within(meshes, p, node, side, limit):
    """Squared distance of a point from the box of a child, infinite above a limit."""
    away = squared_distance(p, child_box(meshes, node, side))
    return away if away <= limit else math.inf


@helper
def leaf_corners(meshes, k):
    """Corners of the triangle in place k of the leaves."""
    c = meshes.corner
    return Vec3(c[k, 0], c[k, 1], c[k, 2]), Vec3(c[k, 3], c[k, 4], c[k, 5]), Vec3(c[k, 6], c[k, 7], c[k, 8])


@routine
def nearest_in_leaf(meshes, p, first, size, dd, point, hit):
    """Nearer point among the triangles of a leaf; of equal ones that of the first triangle in the mesh."""
    for k in range(first, first + size):
        if squared_distance(p, leaf_box(meshes, k)) > dd:
            continue
        a, b, c = leaf_corners(meshes, k)
        foot, _ = point_triangle(p, a, b, c)
        w = foot - p
        ww = w @ w
        if ww < dd or (ww == dd and (hit == NONE or meshes.leaf_face[k] < meshes.leaf_face[hit])):
            dd, point, hit = ww, foot, np.int64(k)
    return dd, point, hit


@routine
def nearest_on_mesh(meshes, index, p, limit):
    """Nearest point of the surface to p, at most ``limit`` away; shape axes.

    Returns
    -------
    distance : float
        [m], infinite if there is none.
    point : Vec3
        p itself if there is none.
    t : int
        Triangle with the point; NONE if there is none.
    """
    dd, point, hit = limit * limit, p, np.int64(NONE)
    top, node, size = 0, np.int64(meshes.mesh[index].node), np.int64(0)
    while True:
        if size > 0:
            dd, point, hit = nearest_in_leaf(meshes, p, node, size, dd, point, hit)
            near = math.inf
        else:
            a, b = distance_within(meshes, p, node, 0, dd), distance_within(meshes, p, node, 1, dd)
            near = min(a, b)
            top = put_aside(meshes, node, 1 if a <= b else 0, max(a, b), top)
            node, size = child(meshes, node, 0 if a <= b else 1)
        if near == math.inf:
            node, size, top = next_aside(meshes, dd, top)
            if top < 0:
                break
    if hit == NONE:
        return math.inf, p, hit
    return math.sqrt(dd), point, np.int64(meshes.leaf_face[hit])


@routine
def mesh_in_ball(meshes, index, centre, radius, leaf_out):
    """Places in the leaves of all triangles whose boxes come within ``radius`` of a point; returns their number.

    As many as fit are written, all are counted.
    """
    rr = radius * radius
    count, top, node = 0, 0, np.int64(meshes.mesh[index].node)
    while True:
        for side in range(2):
            if squared_distance(centre, child_box(meshes, node, side)) <= rr:
                first, size = child(meshes, node, side)
                if size == 0:
                    meshes.stack[top, 0] = first
                    top += 1
                for k in range(first, first + size):
                    if squared_distance(centre, leaf_box(meshes, k)) <= rr:
                        if count < leaf_out.shape[0]:
                            leaf_out[count] = k
                        count += 1
        if top == 0:
            return count
        top -= 1
        node = np.int64(meshes.stack[top, 0])


@kernel
def nearest_points_on_mesh(meshes, index, p, limit, distance_out, point_out, t_out):
    """Nearest points to many points (k, 3) [m], each within its limit (k,) [m]."""
    for i in range(p.shape[0]):
        distance, point, t = nearest_on_mesh(meshes, index, get3(p, i), limit[i])
        distance_out[i], t_out[i] = distance, t
        put3(point_out, i, point)
