"""Surfaces of triangles, and pairs with them called from Python."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from narrow_samples import matrix, solid

from gelenk.collision.batch import ManyPairs, collide_many
from gelenk.collision.manifold import MANY, new_memory, new_points
from gelenk.collision.pair_table import fill_rows
from gelenk.collision.solid import BOX, MESH, SPHERE
from gelenk.collision.tables import new_narrow_work, new_tables


def mesh(vertices, faces):
    return SimpleNamespace(vertices=np.asarray(vertices, float), faces=np.asarray(faces, np.uint32))


def tables_of(meshes, hulls=None, fields=()):
    """Tables of these shapes; ``hulls``: a table of its own."""
    from convex_samples import CUBE, hull_table

    hulls = hulls if hulls is not None else hull_table([CUBE])
    return new_tables((), meshes, fields)._replace(hulls=hulls, hull_of_mesh=np.full(len(meshes), -1))


def touch_surface(A, B, r, margin, tables, work=None):
    """Points of one pair."""
    return touch_many([(A, B, r)], margin, tables, work)[0]


def touch_many(pairs, margin, tables, work=None):
    """Points of many pairs, a list of arrays."""
    count = len(pairs)
    out = np.zeros((count, MANY), new_points(1).dtype).view(np.recarray)
    counts = np.zeros(count, np.int64)
    columns = ManyPairs(
        np.array([(A.kind, B.kind) for A, B, _ in pairs], np.int64),
        np.array([(A.table, B.table) for A, B, _ in pairs], np.int64),
        np.array([(matrix(A), matrix(B)) for A, B, _ in pairs]),
        np.array([(np.array(A.size), np.array(B.size)) for A, B, _ in pairs]),
        np.array([r for _, _, r in pairs], float),
    )
    fill_rows(tables.rows, {(A.kind, B.kind) for A, B, _ in pairs})
    collide_many(columns, float(margin), tables, new_memory(count), work or new_narrow_work(tables), out, counts)
    return [out[i, : counts[i]].copy() for i in range(count)]


def surface(R=None, table=0):
    return solid(MESH, np.eye(3) if R is None else R, (0.0, 0.0, 0.0), table)


def box(half, R=None):
    return solid(BOX, np.eye(3) if R is None else R, half)


def ball(radius):
    return solid(SPHERE, np.eye(3), (radius, 0.0, 0.0))


def sheet(x, y, height):
    """Open sheet over a raster of x and y, normals up."""
    X, Y = np.meshgrid(x, y, indexing="ij")
    points = np.stack((X, Y, height(X, Y) + 0.0 * X), axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(len(x) - 1), np.arange(len(y) - 1), indexing="ij")
    a = (i * len(y) + j).ravel()
    b, c, d = a + len(y), a + len(y) + 1, a + 1
    return mesh(points, np.concatenate((np.column_stack((a, b, c)), np.column_stack((a, c, d)))))


def random_sheet(rng, count, size):
    """Flat square about the origin in triangles between random points."""
    from scipy.spatial import Delaunay

    rim = np.linspace(-1, 1, 6)
    edge = [(u, v) for u in rim for v in (-1.0, 1.0)] + [(u, v) for u in (-1.0, 1.0) for v in rim[1:-1]]
    points = np.concatenate([rng.uniform(-0.97, 0.97, (count, 2)), edge]) * size
    faces = Delaunay(points).simplices
    p, q, s = (points[faces[:, k]] for k in range(3))
    turn = (q - p)[:, 0] * (s - p)[:, 1] - (q - p)[:, 1] * (s - p)[:, 0]
    faces = np.where(turn[:, None] < 0, faces[:, ::-1], faces)[np.abs(turn) > 1e-12 * size**2]
    return mesh(np.column_stack((points, np.zeros(len(points)))), faces)


def convex_mesh(cloud):
    """Convex hull of points as a mesh of triangles, outward."""
    from scipy.spatial import ConvexHull

    shape = ConvexHull(cloud)
    faces = shape.simplices.copy()
    p, q, s = (cloud[faces[:, k]] for k in range(3))
    back = np.einsum("ij,ij->i", np.cross(q - p, s - p), shape.equations[:, :3]) < 0
    faces[back] = faces[back][:, ::-1]
    used, faces = np.unique(faces, return_inverse=True)
    return mesh(cloud[used], faces.reshape(-1, 3))


def box_mesh(half, cells=1):
    """Box whose faces are rasters of cells x cells pairs of triangles."""
    vertices, faces = [], []
    t = np.linspace(-1, 1, cells + 1)
    for axis in range(3):
        for sign in (-1.0, 1.0):
            X, Y = np.meshgrid(t, sign * t, indexing="ij")
            points = np.zeros((X.size, 3))
            points[:, axis], points[:, (axis + 1) % 3], points[:, (axis + 2) % 3] = sign, X.ravel(), Y.ravel()
            i, j = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
            a = (i * (cells + 1) + j).ravel() + sum(len(v) for v in vertices)
            b, c, d = a + cells + 1, a + cells + 2, a + 1
            vertices.append(points)
            faces += [np.column_stack((a, b, c)), np.column_stack((a, c, d))]
    vertices, faces = np.concatenate(vertices), np.concatenate(faces)
    vertices, where = np.unique(np.round(vertices, 12) + 0.0, axis=0, return_inverse=True)
    return mesh(vertices * half, where.ravel()[faces])


def stairs(steps, run, rise, width):
    """Staircase along x: treads and risers, closed at neither end."""
    profile = [(0.0, 0.0)]
    for k in range(steps):
        profile += [(k * run + run, k * rise), (k * run + run, (k + 1) * rise)]
    profile.append((steps * run + run, steps * rise))
    y = np.linspace(-width, width, 5)
    points = np.array([(x, v, z) for x, z in profile for v in y])
    faces = []
    for i in range(len(profile) - 1):
        for j in range(len(y) - 1):
            a, b, c, d = i * 5 + j, i * 5 + 5 + j, i * 5 + 6 + j, i * 5 + 1 + j
            faces += [(a, b, c), (a, c, d)]
    return mesh(points, faces)
