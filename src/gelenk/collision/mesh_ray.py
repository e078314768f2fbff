"""Rays against a triangle mesh (V-20)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_tree import child, next_aside, put_aside
from gelenk.collision.triangle_ray import line_triangle, sheared_line
from gelenk.compile import helper, kernel, routine
from gelenk.math.vec3 import Vec3, get3, put3

STEEP = 1e150  # stands for one over a component of a direction below its inverse
SLACK = 16.0 * float(np.finfo(np.float64).eps)  # of all coordinates: above the round-off of boxes and triangles


class BoxRay(NamedTuple):
    """A ray as boxes see it: where it passes a plane of an axis is  plane / d - start / d,  with some slack."""

    inverse: Vec3  # 1 / d
    near: Vec3  # start / d and slack, for planes where it enters
    far: Vec3  # for planes where it leaves
    low_x: int  # column of the plane where it enters: the low one of positive components
    low_y: int
    low_z: int


@helper
def inverse_of(d):
    """One over a component of a direction, finite."""
    return 1.0 / d if abs(d) > 1.0 / STEEP else math.copysign(STEEP, d)


@helper
def box_ray(p, d, reach):
    """Ray from p along d against boxes whose coordinates are at most ``reach``."""
    i = Vec3(inverse_of(d.x), inverse_of(d.y), inverse_of(d.z))
    e = SLACK * max(reach, abs(p.x), abs(p.y), abs(p.z))
    return BoxRay(
        i,
        Vec3(p.x * i.x + e * abs(i.x), p.y * i.y + e * abs(i.y), p.z * i.z + e * abs(i.z)),
        Vec3(p.x * i.x - e * abs(i.x), p.y * i.y - e * abs(i.y), p.z * i.z - e * abs(i.z)),
        0 if i.x > 0.0 else 3,
        1 if i.y > 0.0 else 4,
        2 if i.z > 0.0 else 5,
    )


@helper
def enter_box(ray, box, node, first, length):
    """Where a ray enters the box in columns ``first`` on; infinite if not between 0 and ``length``.

    Source: T. Kay, J. Kajiya, Ray tracing complex scenes (1986).
    """
    x, y, z = first + ray.low_x, first + ray.low_y, first + ray.low_z
    x_far, y_far, z_far = 2 * first + 3 - x, 2 * first + 5 - y, 2 * first + 7 - z
    near_x = np.float64(box[node, x]) * ray.inverse.x - ray.near.x
    near_y = np.float64(box[node, y]) * ray.inverse.y - ray.near.y
    near_z = np.float64(box[node, z]) * ray.inverse.z - ray.near.z
    far_x = np.float64(box[node, x_far]) * ray.inverse.x - ray.far.x
    far_y = np.float64(box[node, y_far]) * ray.inverse.y - ray.far.y
    far_z = np.float64(box[node, z_far]) * ray.inverse.z - ray.far.z
    near, far = max(max(near_x, 0.0), max(near_y, near_z)), min(min(far_x, length), min(far_y, far_z))
    return near if near <= far else math.inf


@helper
def nearest_in_leaf(meshes, line, first, size, s, hit):
    """Nearer hit among the triangles of a leaf; of equal ones that of the first triangle in the mesh."""
    for k in range(first, first + size):
        at, _ = line_triangle(line, meshes.corner, k)
        if 0.0 <= at <= s and (at < s or hit == NONE or meshes.leaf_face[k] < meshes.leaf_face[hit]):
            s, hit = at, np.int64(k)
    return s, hit


@routine
def ray_mesh(meshes, index, start, direction, length):
    """Nearest hit of the ray  start + s direction,  0 <= s <= length, from either side; shape axes.

    Returns
    -------
    s : float
        In lengths of the direction, which is not zero; infinite if nothing is hit.
    n : Vec3
        Unit normal of the triangle, outward.
    t : int
        The triangle; NONE if nothing is hit.
    """
    mesh = meshes.mesh[index]
    ray, line = box_ray(start, direction, mesh.reach), sheared_line(start, direction)
    s, hit = length, np.int64(NONE)
    top, node, size = 0, np.int64(mesh.node), np.int64(0)
    while True:
        if size > 0:
            s, hit = nearest_in_leaf(meshes, line, node, size, s, hit)
            near = math.inf
        else:
            a, b = enter_box(ray, meshes.box, node, 0, s), enter_box(ray, meshes.box, node, 6, s)
            near = min(a, b)
            top = put_aside(meshes, node, 1 if a <= b else 0, max(a, b), top)
            node, size = child(meshes, node, 0 if a <= b else 1)
        if near == math.inf:
            node, size, top = next_aside(meshes, s, top)
            if top < 0:
                break
    if hit == NONE:
        return math.inf, Vec3(0.0, 0.0, 0.0), hit
    t = np.int64(meshes.leaf_face[hit])
    return s, get3(meshes.outward, np.int64(mesh.face) + t), t


@kernel
def rays_mesh(meshes, index, start, direction, length, s_out, n_out, t_out):
    """Nearest hits of many rays: starts (k, 3) [m], directions (k, 3), lengths (k,)."""
    for i in range(start.shape[0]):
        s, n, t = ray_mesh(meshes, index, get3(start, i), get3(direction, i), length[i])
        s_out[i], t_out[i] = s, t
        put3(n_out, i, n)
