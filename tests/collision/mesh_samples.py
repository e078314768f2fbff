"""Meshes with known answers, and slow references that look at every triangle."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

EPS = float(np.finfo(np.float64).eps)
SCALES = (1e-3, 1.0, 1e4)  # [m]


def raw(vertices, faces):
    """Vertices and faces as they are, without the checks of a TriangleMesh."""
    return SimpleNamespace(vertices=np.asarray(vertices, dtype=float), faces=np.asarray(faces, dtype=np.uint32))


def ball_mesh(rings, sectors, scale=1.0, bumps=0.0):
    """Ball of 2 sectors (rings - 1) triangles about the origin, closed and outward; waves as high as ``bumps``."""
    polar, around = np.pi * np.arange(1, rings) / rings, 2.0 * np.pi * np.arange(sectors) / sectors
    u, v = np.meshgrid(polar, around, indexing="ij")
    points = np.stack((np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)), axis=-1).reshape(-1, 3)
    points = np.concatenate((points, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    north, south = len(points) - 2, len(points) - 1
    k, next_ = np.arange(sectors), (np.arange(sectors) + 1) % sectors
    last = (rings - 2) * sectors
    faces = [np.column_stack((k, next_, np.full(sectors, north)))]
    for r in range(rings - 2):
        a, b = r * sectors, (r + 1) * sectors
        faces += [np.column_stack((a + k, b + k, b + next_)), np.column_stack((a + k, b + next_, a + next_))]
    faces.append(np.column_stack((last + next_, last + k, np.full(sectors, south))))
    x, y, z = points.T
    waves = 1.0 + bumps * np.sin(7.0 * x) * np.cos(5.0 * y) * np.sin(6.0 * z + 1.0)
    return raw(points * (scale * waves)[:, None], np.concatenate(faces))


def sheet(cells_x, cells_y, height, size=1.0):
    """Open sheet z = height(x, y) over a square about the origin, normals up."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, cells_x + 1), np.linspace(-0.5, 0.5, cells_y + 1), indexing="ij")
    x, y = size * x, size * y
    points = np.stack((x, y, height(x, y) + 0.0 * x), axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(cells_x), np.arange(cells_y), indexing="ij")
    a = (i * (cells_y + 1) + j).ravel()
    b, c, d = a + cells_y + 1, a + cells_y + 2, a + 1
    return raw(points, np.concatenate((np.column_stack((a, b, c)), np.column_stack((a, c, d)))))


def soup(rng, count, scale=1.0):
    """Triangles in no order: compact ones, needles and slivers."""
    place = rng.uniform(-1.0, 1.0, (count, 1, 3))
    shape = rng.normal(size=(count, 3, 3)) * 10.0 ** rng.uniform(-2.0, -0.5, (count, 1, 1))
    thin = rng.random(count) < 0.3
    shape[thin, 2] = shape[thin, 1] + 1e-6 * shape[thin, 2]
    return raw(scale * (place + shape).reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def cube(half=1.0):
    """Cube of twelve triangles, outward."""
    v = half * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return raw(v, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def corners_of(mesh):
    return mesh.vertices[mesh.faces]


def every_crossing(mesh, start, direction):
    """Places s of all triangles (k, m) where lines pass them, infinite if not, and how clearly they do.

    By the volumes of tetrahedra, in extended precision. Clear are lines whose smallest share of the three areas is off
    zero by more than round-off can change.
    """
    wide = np.longdouble
    p, q, r = (corners_of(mesh)[None, :, k].astype(wide) for k in range(3))
    o, d = start[:, None].astype(wide), direction[:, None].astype(wide)

    def volume(a, b):
        return (np.cross(a - o, b - o) * d).sum(axis=-1)

    u, v, w = volume(q, r), volume(r, p), volume(p, q)
    inside = ((u >= 0) & (v >= 0) & (w >= 0)) | ((u <= 0) & (v <= 0) & (w <= 0))
    n = np.cross(q - p, r - p)
    rise = (n * d).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = ((p - o) * n).sum(axis=-1) / rise
        share = np.abs(np.stack((u, v, w))).min(axis=0) / np.abs(u + v + w)
    s = np.where(inside & (rise != 0), s, np.inf)
    return s.astype(float), np.nan_to_num(share.astype(float)), rise.astype(float)


def every_nearest(mesh, p):
    """Distance of points (k, 3) from all triangles (k, m): the least over the face, its sides and corners."""
    corners = corners_of(mesh)
    a, b, c = (corners[None, :, k] for k in range(3))
    x = p[:, None]
    best = np.full((len(p), corners.shape[0]), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        way = end - start
        t = np.clip(((x - start) * way).sum(-1) / (way * way).sum(-1), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(start + t[..., None] * way - x, axis=-1))
    # foot on the plane, by its two coordinates along an orthonormal basis
    u = (b - a) / np.linalg.norm(b - a, axis=-1, keepdims=True)
    n = np.cross(u, c - a)
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    foot = x - n * ((x - a) * n).sum(-1)[..., None]
    inside = np.ones(best.shape, dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(end - start, foot - start) * n).sum(-1) >= 0.0
    return np.where(inside, np.minimum(best, np.abs(((x - a) * n).sum(-1))), best)
