"""Rays against a triangle mesh (V-20)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_tree import next_aside
from gelenk.collision.mesh_wide import CHILDREN
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
    low_x: int  # first column of the planes where it enters: the low ones of positive components
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
        0 if i.x > 0.0 else 3 * CHILDREN,
        CHILDREN if i.y > 0.0 else 4 * CHILDREN,
        2 * CHILDREN if i.z > 0.0 else 5 * CHILDREN,
    )


@helper
def enter_box(ray, row, k, length):
    """Where a ray enters box k of a row of four; infinite if not between 0 and ``length``.

    Source: T. Kay, J. Kajiya, Ray tracing complex scenes (1986).
    """
    near_x = np.float64(row[ray.low_x + k]) * ray.inverse.x - ray.near.x
    near_y = np.float64(row[ray.low_y + k]) * ray.inverse.y - ray.near.y
    near_z = np.float64(row[ray.low_z + k]) * ray.inverse.z - ray.near.z
    far_x = np.float64(row[3 * CHILDREN - ray.low_x + k]) * ray.inverse.x - ray.far.x
    far_y = np.float64(row[5 * CHILDREN - ray.low_y + k]) * ray.inverse.y - ray.far.y
    far_z = np.float64(row[7 * CHILDREN - ray.low_z + k]) * ray.inverse.z - ray.far.z
    near, far = max(max(near_x, 0.0), max(near_y, near_z)), min(min(far_x, length), min(far_y, far_z))
    return near if near <= far else math.inf


@helper
def put_aside_unless(meshes, node, k, best, entry, top):
    """Put child k of a wide node on the stack unless it is the best or not met. No branch to be foreseen."""
    link = meshes.wide_link
    meshes.stack[top, 0], meshes.stack[top, 1] = link[node, 6 * CHILDREN + k], link[node, 7 * CHILDREN + k]
    meshes.entry[top] = entry
    return top + 1 if (entry < math.inf) & (k != best) else top


@helper
def nearest_in_leaf(meshes, line, first, size, s, hit):
    """Nearer hit among the triangles of a leaf; of equal ones that of the first triangle in the mesh."""
    for k in range(first, first + size):
        at, _ = line_triangle(line, meshes.corner, k)
        if 0.0 <= at <= s and (at < s or hit == NONE or meshes.leaf_face[k] < meshes.leaf_face[hit]):
            s, hit = at, np.int64(k)
    return s, hit


@helper
def normal_of(corner, k):
    """Unit normal of triangle k of (m, 9) corners, which are at hand: the table of normals is out of the cache."""
    u = Vec3(corner[k, 3] - corner[k, 0], corner[k, 4] - corner[k, 1], corner[k, 5] - corner[k, 2])
    v = Vec3(corner[k, 6] - corner[k, 0], corner[k, 7] - corner[k, 1], corner[k, 8] - corner[k, 2])
    n = u.cross(v)
    return n * (1.0 / n.norm())


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
    top, node, size = 0, np.int64(mesh.wide), np.int64(0)
    while True:
        near = math.inf
        if size > 0:
            s, hit = nearest_in_leaf(meshes, line, node, size, s, hit)
        else:
            row = meshes.wide[node]
            a, b = enter_box(ray, row, 0, s), enter_box(ray, row, 1, s)
            c, d = enter_box(ray, row, 2, s), enter_box(ray, row, 3, s)
            near = min(min(a, b), min(c, d))
            best = 0 if a == near else 1 if b == near else 2 if c == near else 3
            top = put_aside_unless(meshes, node, 0, best, a, top)
            top = put_aside_unless(meshes, node, 1, best, b, top)
            top = put_aside_unless(meshes, node, 2, best, c, top)
            top = put_aside_unless(meshes, node, 3, best, d, top)
            link = meshes.wide_link[node]
            node, size = np.int64(link[6 * CHILDREN + best]), np.int64(link[7 * CHILDREN + best])
        if near == math.inf:
            node, size, top = next_aside(meshes, s, top)
            if top < 0:
                break
    if hit == NONE:
        return math.inf, Vec3(0.0, 0.0, 0.0), hit
    return s, normal_of(meshes.corner, hit), np.int64(meshes.leaf_face[hit])


@kernel
def rays_mesh(meshes, index, start, direction, length, s_out, n_out, t_out):
    """Nearest hits of many rays: starts (k, 3) [m], directions (k, 3), lengths (k,)."""
    for i in range(start.shape[0]):
        s, n, t = ray_mesh(meshes, index, get3(start, i), get3(direction, i), length[i])
        s_out[i], t_out[i] = s, t
        put3(n_out, i, n)
