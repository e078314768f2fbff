"""Closed meshes that are not convex, and whether two of them overlap, found the slow way."""

from __future__ import annotations

import numpy as np
from surface_samples import box_mesh, convex_mesh, mesh


def ball_mesh(count, radius=1.0):
    """Vertices on a ball along a spiral, with the triangles of their hull."""
    k = np.arange(count) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / count), np.pi * (1.0 + 5.0**0.5) * k
    points = np.stack((np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)), axis=1)
    return convex_mesh(radius * points)


def rock(rng, count, rough):
    """Ball whose radius waves by about ``rough``: hollows and humps."""
    ball = ball_mesh(count)
    radius = np.ones(len(ball.vertices))
    for _ in range(6):
        radius += rough * np.sin(ball.vertices @ (4.0 * rng.normal(size=3)) + rng.uniform(0.0, 6.0))
    return mesh(ball.vertices * np.maximum(radius, 0.2)[:, None], ball.faces)


def torus_mesh(R, r, around=16, across=8):
    """Torus about z."""
    i, j = (x.ravel() for x in np.meshgrid(np.arange(around), np.arange(across), indexing="ij"))
    u, v = 2.0 * np.pi * i / around, 2.0 * np.pi * j / across
    points = np.stack(((R + r * np.cos(v)) * np.cos(u), (R + r * np.cos(v)) * np.sin(u), r * np.sin(v)), axis=1)

    def at(i, j):
        return (i % around) * across + j % across

    a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
    return mesh(points, np.concatenate((np.column_stack((a, b, c)), np.column_stack((a, c, d)))))


def bent_mesh(size=1.0):
    """An L, extruded."""
    outline = np.array([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], float) - 1.0
    cap = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    points = np.concatenate([np.column_stack((outline, np.full(6, z))) for z in (-0.5, 0.5)])
    i = np.arange(6)
    j = (i + 1) % 6
    walls = np.concatenate((np.column_stack((i, j, j + 6)), np.column_stack((i, j + 6, i + 6))))
    return mesh(size * points, np.concatenate((cap[:, ::-1], cap + 6, walls)))


def two_boxes():
    """Two boxes apart, as one mesh."""
    a, b = box_mesh(np.array([0.4, 0.3, 0.5])), box_mesh(np.array([0.3, 0.6, 0.2]))
    points = np.concatenate((a.vertices - [0.8, 0, 0], b.vertices + np.array([0.7, 0.1, 0.2])))
    return mesh(points, np.concatenate((a.faces, b.faces + len(a.vertices))))


def some_meshes(rng, rocks=4, count=40):
    """A few of each kind; the corners of the first component of each are ``faces[0]``."""
    fixed = [torus_mesh(1.0, 0.3, 12, 6), bent_mesh(0.5), two_boxes(), box_mesh(np.array([0.8, 0.5, 0.3]), 2)]
    return fixed + [rock(rng, count, 0.12) for _ in range(rocks)]


def pierces(vertices, faces, other, other_faces):
    """Whether an edge of one mesh passes through a triangle of another."""
    edge = np.unique(np.sort(np.concatenate((faces[:, :2], faces[:, 1:], faces[:, ::2])), axis=1), axis=0)
    p, q = vertices[edge[:, 0]][:, None], vertices[edge[:, 1]][:, None]
    a, b, c = (other[other_faces[:, k]][None] for k in range(3))

    def volume(x, y, z, w):
        return np.einsum("ijk,ijk->ij", np.cross(y - x, z - x), w - x)

    through = volume(a, b, c, p) * volume(a, b, c, q) < 0.0
    s, t, u = (volume(p, q, x, y) for x, y in ((a, b), (b, c), (c, a)))
    return bool((through & (((s > 0) & (t > 0) & (u > 0)) | ((s < 0) & (t < 0) & (u < 0)))).any())


def winding(points, vertices, faces):
    """How often a mesh goes around points: their solid angle over 4 pi (van Oosterom, Strackee 1983)."""
    a, b, c = (vertices[faces[:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
    dot = lambda x, y: np.einsum("ijk,ijk->ij", x, y)  # noqa: E731
    angle = np.arctan2(dot(a, np.cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
    return angle.sum(axis=1) / (2.0 * np.pi)


def overlap(first, R, second, S, r):
    """Whether two closed meshes in general position overlap: an edge goes through a triangle, or a corner is inside."""
    p, q = first.vertices @ R.T, second.vertices @ S.T + r
    f, g = first.faces.astype(int), second.faces.astype(int)
    if pierces(p, f, q, g) or pierces(q, g, p, f):
        return True
    return bool((winding(p, q, g) > 0.5).any() or (winding(q, p, f) > 0.5).any())
