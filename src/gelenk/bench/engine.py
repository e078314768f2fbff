"""What the bench asks of an engine, and the small mathematics the adapters share."""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np


class BodyStates(NamedTuple):
    """What an engine hands back of n bodies, always float64 and always in the same terms."""

    p_WC: np.ndarray  # (n, 3) centre of mass in world [m]
    R_WB: np.ndarray  # (n, 3, 3) body to world; the body axes are the principal axes
    v_WC: np.ndarray  # (n, 3) [m/s]
    w_WB: np.ndarray  # (n, 3) world axes [rad/s]


class Engine(Protocol):
    """One scene in one engine. ``variants`` names the ways it is run, the natural one first."""

    variants: ClassVar[tuple[str, ...]]

    def __init__(self, scene: Any, dt: float, variant: str) -> None: ...

    def advance(self, k: int) -> None:
        """Take k steps; only this is timed."""
        ...

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        ...


def body_states(p_WC: Any, R_WB: Any, v_WC: Any, w_WB: Any) -> BodyStates:
    """Copies as contiguous float64, whatever the engine keeps them in."""
    p, v, w = (np.array(x, dtype=np.float64, order="C").reshape(-1, 3) for x in (p_WC, v_WC, w_WB))
    return BodyStates(p, np.array(R_WB, dtype=np.float64, order="C").reshape(-1, 3, 3), v, w)


def state_hash(states: BodyStates) -> str:
    """First 12 hexadecimal digits of the SHA-256 of the exact bytes of positions and orientations."""
    h = hashlib.sha256()
    for array in (states.p_WC, states.R_WB):
        h.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return h.hexdigest()[:12]


def rotations(q_WB: np.ndarray) -> np.ndarray:
    """(n, 3, 3) rotation matrices of (n, 4) quaternions w x y z, which are brought to unit length first."""
    q = np.asarray(q_WB, dtype=np.float64)
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.moveaxis(np.array(rows), -1, 0))


def turned(R: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(n, 3) R a, body by body."""
    return np.einsum("nij,nj->ni", R, a)


def turned_back(R: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(n, 3) R^T a, body by body."""
    return np.einsum("nji,nj->ni", R, a)
