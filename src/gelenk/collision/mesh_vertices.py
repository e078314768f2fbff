"""What is known of the vertices and connected pieces of a mesh, worked out once (V-20)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gelenk.collision.mesh_sides import RIM

IndexArray = NDArray[np.uint32]
FloatArray = NDArray[np.float64]


def vertex_owners(count: int, faces: IndexArray, across: IndexArray) -> IndexArray:
    """The first triangle at each vertex (count,) at which a side bends outward, RIM where none does.

    ``across`` as of ``sides_and_tips``: a side bends outward where it names another triangle, or none.
    """
    number = np.arange(len(faces), dtype=np.uint32)
    bent = np.zeros(count, bool)
    for k in range(3):
        away = across[:, k] != number
        bent[faces[away, k]] = bent[faces[away, (k + 1) % 3]] = True
    owner = np.full(count, RIM, np.uint32)
    np.minimum.at(owner, faces.ravel(), np.repeat(number, 3))
    owner[~bent] = RIM
    return owner


def vertex_normals(vertices: FloatArray, faces: IndexArray, normals: FloatArray) -> FloatArray:
    """Unit normals (n, 3) at vertices: those of the triangles there, weighted with their angles.

    A point off the surface whose nearest point is a vertex lies outside if and only if it is on the outer side of this
    normal. Source: J. Baerentzen, H. Aanaes, Signed distance computation using the angle weighted pseudonormal (2005).
    """
    total = np.zeros((len(vertices), 3))
    for k in range(3):
        p, q, s = (vertices[faces[:, (k + i) % 3]] for i in range(3))
        u, v = q - p, s - p
        size = np.maximum(np.abs(u).max(axis=1), np.abs(v).max(axis=1))[:, None]
        u, v = u / np.where(size > 0.0, size, 1.0), v / np.where(size > 0.0, size, 1.0)
        across = np.cross(u, v)
        angle = np.arctan2(np.sqrt(np.einsum("ij,ij->i", across, across)), np.einsum("ij,ij->i", u, v))
        np.add.at(total, faces[:, k], angle[:, None] * normals)
    length = np.sqrt(np.einsum("ij,ij->i", total, total))
    flat = length < 1e-9  # triangles folded back on each other: any normal
    total[flat], length[flat] = (0.0, 0.0, 1.0), 1.0
    return total / length[:, None]


def shells(count: int, faces: IndexArray) -> IndexArray:
    """One triangle of each connected piece: those that share a vertex are of one piece.

    Every vertex takes the least number among those it shares a triangle with, and then that one's number, until
    nothing changes: twice as far each time.
    """
    label = np.arange(count)
    while True:
        least = label[faces].min(axis=1)
        new = label.copy()
        np.minimum.at(new, label[faces].ravel(), np.repeat(least, 3))
        np.minimum.at(new, faces.ravel(), np.repeat(least, 3))
        new = new[new]
        if (new == label).all():
            break
        label = new
    _, first = np.unique(label[faces[:, 0]], return_index=True)
    return first.astype(np.uint32)
