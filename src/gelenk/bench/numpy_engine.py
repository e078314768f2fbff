"""The baseline without any engine: the same scheme written with NumPy over whole arrays."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states, rotations, turned
from gelenk.bench.free_scene import GRAVITY, FreeScene


class NumpyFree:
    """Semi-implicit Euler as in Gelenk, one array operation for all bodies at a time, one row per component.

    v' = v + h g                              p' = p + h v'
    w* = w - h I^-1 (w x I w)                 q' = q exp(h w*)
    w' = I^-1 exp(h w*)^T I w
    """

    variants: ClassVar[tuple[str, ...]] = ("semi_implicit_euler",)

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        self._h = dt
        self._p, self._v, self._w = (np.ascontiguousarray(a.T) for a in (scene.p_WC, scene.v_WC, scene.w_WB_B))
        self._q, self._inertia = np.ascontiguousarray(scene.q_WB.T), np.ascontiguousarray(scene.inertia.T)

    def advance(self, k: int) -> None:
        """Take k steps."""
        h, p, v, inertia = self._h, self._p, self._v, self._inertia
        for _ in range(k):
            v[2] -= h * GRAVITY
            p += h * v
            L = inertia * self._w
            s, u = _half_turn((self._w - 0.5 * h * _cross(self._w, L) / inertia) * (0.5 * h))
            across = 2.0 * _cross(L, u)
            self._w = (L + s * across + _cross(across, u)) / inertia  # exp(h w*)^T L, from the quaternion (s, u)
            self._q = _product(self._q, s, u)

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        R_WB = rotations(self._q.T)
        return body_states(self._p.T, R_WB, self._v.T, turned(R_WB, self._w.T))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _half_turn(half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scalar (n,) and vector (3, n) of the unit quaternion that turns by twice ``half`` [rad]."""
    angle = np.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
    return np.cos(angle), half * (np.sin(angle) / np.maximum(angle, 1e-300))


def _product(q: np.ndarray, s: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(4, n) q (s, u), brought back to unit length."""
    (w, x, y, z), (a, b, c) = q, u
    out = np.stack([
        w * s - x * a - y * b - z * c,
        w * a + x * s + y * c - z * b,
        w * b - x * c + y * s + z * a,
        w * c + x * b - y * a + z * s,
    ])  # fmt: skip
    return out / np.sqrt((out * out).sum(axis=0))


ENGINES = {"free": NumpyFree}
