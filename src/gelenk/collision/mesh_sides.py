"""What lies beyond the sides of the triangles of a mesh, worked out once for all of them (V-20)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RIM = 0xFFFFFFFF  # beyond a side where the surface ends

# Sine of the bend of a side that counts as flat: above what the rounding of vertices to float32 leaves in triangles
# of a tenth of the size of their mesh, a thousandth of the bend in a ball of 100 000 triangles.
FLAT_BEND = 1e-6

IndexArray = NDArray[np.uint32]
FloatArray = NDArray[np.float64]


def face_normals(vertices: FloatArray, faces: IndexArray) -> FloatArray:
    """Unit normals (m, 3), outward; z where three corners lie on one line."""
    p, q, s = (vertices[faces[:, k]] for k in range(3))
    u, v = q - p, s - p
    size = np.maximum(np.abs(u).max(axis=1), np.abs(v).max(axis=1))[:, None]
    size[size == 0.0] = 1.0
    n = np.cross(u / size, v / size)
    length = np.sqrt(np.einsum("ij,ij->i", n, n))
    n[length == 0.0], length[length == 0.0] = (0.0, 0.0, 1.0), 1.0
    return n / length[:, None]


def pair_sides(vertex_count: int, faces: IndexArray) -> NDArray[np.int64]:
    """The side on the other side of each side (m, 3), sides counted as 3 triangle + k; -1 where there is none.

    Two triangles are neighbours if they run along a side in opposite directions and no third one shares it.
    """
    start = faces.ravel().astype(np.int64)
    end = faces[:, (1, 2, 0)].ravel().astype(np.int64)
    key = np.minimum(start, end) * vertex_count + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    key, forward = key[order], (start < end)[order]
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    twice = first[np.diff(np.append(first, len(key))) == 2]
    twice = twice[forward[twice] != forward[twice + 1]]
    other = np.full(len(key), -1, dtype=np.int64)
    other[order[twice]], other[order[twice + 1]] = order[twice + 1], order[twice]
    return other.reshape(-1, 3)


def sides_and_tips(
    vertices: FloatArray, faces: IndexArray, normals: FloatArray
) -> tuple[IndexArray, NDArray[np.int64]]:
    """Whose normal is the farthest over each side, and which corners can touch as tips; see ``Facet``.

    The sine and cosine of the bend of the side e from a triangle with normal n to its neighbour with normal m are

        sin = (n x m) . e / |e|,    cos = n . m

    Positive sines bend away. Two triangles folded back on each other count as bent away.

    Returns
    -------
    across : (m, 3) uint32
        For the sides p q, q s, s p: the neighbour if the surface bends away, the triangle itself if it is flat or bends
        inward, RIM if it ends.
    tips : (m,) int64
        Bit k: around corner k no side bends inward and not all are flat.
    """
    other = pair_sides(len(vertices), faces)
    own = np.arange(len(faces))[:, None]
    neighbour = np.where(other < 0, own, other // 3)
    e = vertices[faces[:, (1, 2, 0)]] - vertices[faces]
    length = np.sqrt(np.einsum("ijk,ijk->ij", e, e))
    n, m = normals[:, None, :], normals[neighbour]
    sine = np.einsum("ijk,ijk->ij", np.cross(n, m), e) / np.where(length > 0.0, length, 1.0)
    folded = np.einsum("ijk,ijk->ij", np.broadcast_to(n, m.shape), m) < 0.0
    inward = sine < -FLAT_BEND
    away = (sine > FLAT_BEND) | (folded & ~inward)
    rim = other < 0
    across = np.where(rim, RIM, np.where(away, neighbour, own)).astype(np.uint32)

    corner = faces.astype(np.int64)
    bent, hollow = np.zeros(len(vertices), dtype=bool), np.zeros(len(vertices), dtype=bool)
    for ends in (corner, corner[:, (1, 2, 0)]):
        bent[ends[away | rim]] = True
        hollow[ends[inward]] = True
    tip = (bent & ~hollow)[corner]
    return across, tip @ np.array([1, 2, 4])
