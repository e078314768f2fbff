"""Meshes with known answers, for the tests of this folder."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

EPS = float(np.finfo(np.float64).eps)


def icosphere(frequency: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit sphere: every edge of an icosahedron cut into `frequency` equal parts, then pushed out to radius 1."""
    g = (1.0 + 5.0**0.5) / 2.0
    corners = np.array([(s, t * g, 0.0) for s in (-1, 1) for t in (-1, 1)])
    corners = np.concatenate([np.roll(corners, shift, axis=1) for shift in range(3)])
    # the faces are the triples of corners at distance 2, turned outward
    distance = np.sqrt(((corners[:, None] - corners[None]) ** 2).sum(axis=2))
    near = np.abs(distance - 2.0) < 1e-9
    triples = [
        (i, j, k)
        for i in range(12)
        for j in range(i + 1, 12)
        for k in range(j + 1, 12)
        if near[i, j] & near[j, k] & near[i, k]
    ]
    faces = [t if np.linalg.det(corners[list(t)]) > 0 else t[::-1] for t in triples]

    numbers: dict[tuple, int] = {}
    points: list[np.ndarray] = []

    def vertex(weights: dict[int, int]) -> int:
        key = tuple(sorted((corner, weight) for corner, weight in weights.items() if weight))
        if key not in numbers:
            numbers[key] = len(points)
            point = sum(weight * corners[corner] for corner, weight in key)
            points.append(point / np.linalg.norm(point))
        return numbers[key]

    f = frequency
    triangles = []
    for a, b, c in faces:

        def at(i: int, j: int, a: int = a, b: int = b, c: int = c) -> int:
            return vertex({a: f - i - j, b: i, c: j})

        for i in range(f):
            for j in range(f - i):
                triangles.append((at(i, j), at(i + 1, j), at(i, j + 1)))
                if i + j < f - 1:
                    triangles.append((at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)))
    return np.array(points), np.array(triangles, dtype=np.uint32)


def box_grid(size: tuple[float, float, float], cells: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Box about the origin whose faces are grids, 4 (ab + bc + ca) triangles for (a, b, c) cells."""
    numbers: dict[tuple[int, ...], int] = {}
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, cells[axis]):
            for i in range(cells[u]):
                for j in range(cells[v]):
                    quad = []
                    for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        key = [0, 0, 0]
                        key[axis], key[u], key[v] = side, i + di, j + dj
                        quad.append(numbers.setdefault(tuple(key), len(numbers)))
                    a, b, c, d = quad if side else quad[::-1]
                    triangles += [(a, b, c), (a, c, d)]
    vertices = (np.array(list(numbers)) / np.array(cells) - 0.5) * np.array(size)
    return vertices, np.array(triangles, dtype=np.uint32)


def join(*meshes: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Several meshes as shells of one."""
    offsets = np.cumsum([0] + [len(vertices) for vertices, _ in meshes[:-1]])
    return (
        np.concatenate([vertices for vertices, _ in meshes]),
        np.concatenate([faces + np.uint32(offset) for (_, faces), offset in zip(meshes, offsets)]),
    )


def inward(mesh: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return mesh[0], mesh[1][:, ::-1]


def rotation_from(quaternion) -> np.ndarray:
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def numbers(low: float, high: float):
    return st.floats(low, high, allow_nan=False, width=32)


rotations = st.tuples(*[numbers(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1).map(rotation_from)
translations = st.tuples(*[numbers(-100, 100)] * 3).map(np.array)

_BALL = icosphere(2)

# bumpy balls: every vertex of an 80-triangle sphere at its own distance; closed and outward whatever the distances
bumpy_balls = st.lists(numbers(0.5, 2.0), min_size=len(_BALL[0]), max_size=len(_BALL[0])).map(
    lambda radii: (_BALL[0] * np.array(radii)[:, None], _BALL[1])
)
