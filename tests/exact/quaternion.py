"""Quaternions (w, x, y, z) with the Hamilton product, as few as the closed forms need.

    q_WB takes body to world,   q_AC = q_AB o q_BC,   q_WB' = 1/2 q_WB o (0, w_WB_B)

Written again here so that the references share no code with the package they check.
Source: Kuipers, Quaternions and Rotation Sequences, chapter 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def quat_mul(q_AB: ArrayLike, q_BC: ArrayLike) -> NDArray[np.float64]:
    """Hamilton product q_AC = q_AB o q_BC, (..., 4)."""
    a, b = np.broadcast_arrays(np.asarray(q_AB, dtype=float), np.asarray(q_BC, dtype=float))
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    xyz = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, xyz], axis=-1)


def quat_conj(q_AB: ArrayLike) -> NDArray[np.float64]:
    """Inverse rotation q_BA of a unit quaternion, (..., 4)."""
    return np.asarray(q_AB, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0])


def quat_about(axis: ArrayLike, angle: ArrayLike) -> NDArray[np.float64]:
    """Rotation by `angle` (...,) [rad] about the unit vector `axis` (3,); smooth in the angle over many turns."""
    half = 0.5 * np.asarray(angle, dtype=float)[..., None]
    return np.concatenate([np.cos(half), np.sin(half) * np.asarray(axis, dtype=float)], axis=-1)


def quat_exp(w: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
    """Rotation after time t (...,) [s] with the constant rate w (3,) [rad/s]."""
    w = np.asarray(w, dtype=float)
    rate = float(np.linalg.norm(w))
    axis = w / rate if rate > 0.0 else np.zeros(3)
    return quat_about(axis, rate * np.asarray(t, dtype=float))


def quat_unit(q_AB: ArrayLike, owner: str) -> NDArray[np.float64]:
    """Check that (4,) has unit length, then remove its rounding."""
    q = np.asarray(q_AB, dtype=float)
    length = float(np.linalg.norm(q))
    if q.shape != (4,) or not abs(length - 1.0) < 1e-9:
        raise ValueError(f"{owner}: quaternion has shape {q.shape} and length {length:.12g}, expected (4,) and 1.")
    return q / length


def rotation(q_AB: ArrayLike) -> NDArray[np.float64]:
    """Rotation matrix R_AB (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(q_AB, dtype=float), -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
