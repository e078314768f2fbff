"""Rasters, and references that know nothing of their order: all triangles, one by one."""

from __future__ import annotations

import numpy as np

from gelenk.collision.field_nearest import nearest_on_field
from gelenk.collision.field_ray import ray_field
from gelenk.collision.field_table import field_facet, field_height, field_in_box
from gelenk.compile import kernel
from gelenk.geometry.height_field import HeightField
from gelenk.math.vec3 import get3

SHAPES = [(2, 2), (2, 9), (3, 4), (9, 9), (10, 17), (66, 20)]


def hills(shape, spacing=(0.5, 0.8), scale=1.0, rough=0.1, seed=0):
    """A field of waves and roughness, some of its samples equal."""
    rng = np.random.default_rng(seed)
    i, j = np.indices(shape)
    z = np.sin(0.7 * i) + np.cos(0.5 * j) + rough * np.round(rng.normal(size=shape), 1) + 0.3 * i
    return HeightField(scale * z, (scale * spacing[0], scale * spacing[1]))


def top_of(field):
    """Triangles (m, 3, 3) of the surface, in their order."""
    vertices, faces = field.triangles()
    nx, ny = field.heights.shape
    return vertices[faces[: 2 * (nx - 1) * (ny - 1)]]


def ray_by_all(triangles, start, direction, length):
    """First hit with any triangle, by its plane and its three sides in the plane across the ray."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    n = np.cross(b - a, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = ((a - start) * n).sum(axis=1) / (n @ direction)
    volumes = [np.cross(q - start, p - start) @ direction for p, q in ((a, b), (b, c), (c, a))]
    tight = 1e-13 * np.abs(triangles).max() ** 2
    inside = np.all([v >= -tight for v in volumes], axis=0) | np.all([v <= tight for v in volumes], axis=0)
    s = np.where(inside & (s >= 0) & (s <= length), s, np.inf)
    return s.min()


def nearest_by_all(triangles, p):
    """Distance to the nearest triangle: its plane where the foot is inside, else its sides."""
    best = np.inf
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=1)[:, None]
    height = ((p - a) * n).sum(axis=1)
    inside = np.all([(np.cross(y - x, p - x) * n).sum(axis=1) >= 0 for x, y in ((a, b), (b, c), (c, a))], axis=0)
    if inside.any():
        best = np.abs(height[inside]).min()
    for x, y in ((a, b), (b, c), (c, a)):
        way = y - x
        u = np.clip(((p - x) * way).sum(axis=1) / (way * way).sum(axis=1), 0, 1)
        best = min(best, np.linalg.norm(x + u[:, None] * way - p, axis=1).min())
    return best


@kernel
def rays(fields, index, start, direction, length, s_out, n_out, t_out):
    for k in range(start.shape[0]):
        s, n, t = ray_field(fields, index[0], get3(start, k), get3(direction, k), length[k])
        s_out[k], t_out[k] = s, t
        n_out[k, 0], n_out[k, 1], n_out[k, 2] = n.x, n.y, n.z


@kernel
def feet(fields, index, points, limit, d_out, foot_out, t_out):
    for k in range(points.shape[0]):
        d, foot, t = nearest_on_field(fields, index[0], get3(points, k), limit[k])
        d_out[k], t_out[k] = d, t
        foot_out[k, 0], foot_out[k, 1], foot_out[k, 2] = foot.x, foot.y, foot.z


@kernel
def heights(fields, index, places, z_out, t_out):
    for k in range(places.shape[0]):
        z_out[k], t_out[k] = field_height(fields, index[0], places[k, 0], places[k, 1])


@kernel
def in_box(fields, index, box, found_out, count_out):
    count_out[0] = field_in_box(fields, index[0], box, found_out)


@kernel
def facets(fields, index, t, out, tips_out):
    for k in range(t.shape[0]):
        facet = field_facet(fields, index[0], t[k])
        for m in range(7):
            v = facet.p
            if m == 1:
                v = facet.q
            elif m == 2:
                v = facet.s
            elif m == 3:
                v = facet.n
            elif m == 4:
                v = facet.n_pq
            elif m == 5:
                v = facet.n_qs
            elif m == 6:
                v = facet.n_sp
            out[k, m, 0], out[k, m, 1], out[k, m, 2] = v.x, v.y, v.z
        tips_out[k] = facet.tips


def cast(fields, start, direction, length=np.inf, index=0):
    """Hits of many rays: s, n, t."""
    n = len(start)
    out = np.zeros(n), np.zeros((n, 3)), np.zeros(n, dtype=np.int64)
    length = np.array(np.broadcast_to(np.asarray(length, dtype=float), n))
    rays(fields, np.array([index]), np.ascontiguousarray(start), np.ascontiguousarray(direction), length, *out)
    return out


def nearest(fields, points, limit=np.inf, index=0):
    """Nearest points of many: d, foot, t."""
    n = len(points)
    out = np.zeros(n), np.zeros((n, 3)), np.zeros(n, dtype=np.int64)
    limit = np.array(np.broadcast_to(np.asarray(limit, dtype=float), n))
    feet(fields, np.array([index]), np.ascontiguousarray(points), limit, *out)
    return out


def all_facets(fields, count, index=0):
    """Corners and normals (count, 7, 3), and tips."""
    out, tips = np.zeros((count, 7, 3)), np.zeros(count, dtype=np.int64)
    facets(fields, np.array([index]), np.arange(count, dtype=np.uint32), out, tips)
    return out, tips


def find(fields, box, space=100_000, index=0):
    """Triangles in a box, and their number."""
    found, count = np.zeros(space, dtype=np.uint32), np.zeros(1, dtype=np.int64)
    in_box(fields, np.array([index]), box, found, count)
    return found[: min(int(count[0]), space)], int(count[0])
