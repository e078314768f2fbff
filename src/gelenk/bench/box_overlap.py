"""How deep boxes are inside each other and the floor, from their poses alone."""

from __future__ import annotations

import numpy as np

PARALLEL = 1e-4  # edges whose cross product is shorter give no axis of their own
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


def overlaps(p_WC: np.ndarray, R_WB: np.ndarray, half: np.ndarray) -> np.ndarray:
    """(m,) depth of every pair of boxes that overlap, least over the 15 axes that can part two boxes [m]."""
    from scipy.spatial import cKDTree

    reach = 2.0 * np.linalg.norm(half, axis=1).max()
    i, j = cKDTree(p_WC).query_pairs(reach, output_type="ndarray").T
    depth = depths(p_WC[j] - p_WC[i], R_WB[i], R_WB[j], half[i], half[j])
    return depth[depth > 0.0]


def depths(way: np.ndarray, A: np.ndarray, B: np.ndarray, half_a: np.ndarray, half_b: np.ndarray) -> np.ndarray:
    """(m,) how deep boxes are in each other, pair by pair; negative if they are apart, then at most so far [m].

    way: (m, 3) centre of the first to that of the second; A, B: (m, 3, 3) axes; half: (m, 3).
    """
    faces = [*np.moveaxis(A, 2, 0), *np.moveaxis(B, 2, 0)]
    edges = [np.cross(A[:, :, k], B[:, :, m]) for k in range(3) for m in range(3)]
    depth = np.full(len(way), np.inf)
    for axis in faces + edges:
        size = np.linalg.norm(axis, axis=1)
        n = axis / np.maximum(size, 1e-12)[:, None]
        inner = _extent(A, half_a, n) + _extent(B, half_b, n) - np.abs(np.sum(n * way, axis=1))
        depth = np.where(size > PARALLEL, np.minimum(depth, inner), depth)
    return depth


def _extent(R: np.ndarray, half: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Half the length of boxes along directions n."""
    return np.sum(half * np.abs(np.einsum("nij,ni->nj", R, n)), axis=1)


def depth_below(p_WC: np.ndarray, R_WB: np.ndarray, half: np.ndarray, z: float = 0.0) -> float:
    """Largest depth of a corner below a height [m]; 0 if all are above."""
    low = p_WC[:, 2] + np.einsum("nj,nkj->nk", R_WB[:, 2, :], CORNERS[None] * half[:, None, :]).min(axis=1)
    return float(max(0.0, z - low.min()))
