"""What bodies do now in all copies of a batch, and the inputs of its drives."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

import numpy as np

from gelenk.checks import unknown
from gelenk.errors import InputError
from gelenk.model.model import Model
from gelenk.model.wired import Wired


class CopiesNow:
    """What one body or particle does in all copies, at the time that they have reached."""

    def __init__(self, tables: Sequence[np.ndarray], models: Sequence[Model], index: int) -> None:
        self._p_WC, self._q_WB, self._v_WC, self._w_WB_B = tables  # of all copies
        self._index = index
        arms = {id(model): model.nodes.arm(index, (0.0, 0.0, 0.0)) for model in models}
        self._com = np.array([arms[id(model)] for model in models])  # centre of mass to origin, body axes

    @property
    def orientation(self) -> np.ndarray:
        """(n, 4) unit quaternions w x y z, body to world; the identity for a particle."""
        q_WB = self._q_WB
        return q_WB[:, self._index].copy() if self._index < q_WB.shape[1] else np.tile(np.eye(4)[0], (len(q_WB), 1))

    @property
    def rotation(self) -> np.ndarray:
        """(n, 3, 3) R_WB."""
        w, x, y, z = self.orientation.T
        rows = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
        return np.moveaxis(np.array(rows), 2, 0)

    @property
    def com(self) -> np.ndarray:
        """(n, 3) centre of mass in the world [m]."""
        return self._p_WC[:, self._index].copy()

    @property
    def position(self) -> np.ndarray:
        """(n, 3) origin of the body frame in the world [m]."""
        return self.com + turned(self.rotation, self._com)

    @property
    def angular_velocity(self) -> np.ndarray:
        """(n, 3) world axes [rad/s]; zero for a particle."""
        w_B = self._w_WB_B
        inside = self._index < w_B.shape[1]
        return turned(self.rotation, w_B[:, self._index]) if inside else np.zeros((len(w_B), 3))

    @property
    def velocity(self) -> np.ndarray:
        """(n, 3) velocity of the origin of the body frame, world axes [m/s]."""
        arm = turned(self.rotation, self._com)
        return self._v_WC[:, self._index] + np.cross(self.angular_velocity, arm)


def turned(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R v for each copy."""
    return np.einsum("nij,nj->ni", R, v)


class BatchInputs(MutableMapping[str, np.ndarray]):
    """Set-points of all copies: ``batch.inputs["drive.speed"] = speeds`` holds from the next step on."""

    def __init__(self, wired: Wired, memory: np.ndarray) -> None:
        place = wired.memory(np.arange(memory.shape[1], dtype=np.float64)).inputs
        self._places = {name: int(place[k]) for name, k in wired.inputs.items()}
        self._memory, self._followers = memory, wired.followers

    def __getitem__(self, name: str) -> np.ndarray:
        return self._memory[:, self._place(name)].copy()

    def __setitem__(self, name: str, values: Any) -> None:
        place = self._place(name)
        if name in self._followers:
            found = f"{name!r} to be set, which {self._followers[name]} sets in every step"
            raise InputError("inputs", found, "inputs without a connection", "Leave the connection out, or this.")
        try:
            numbers = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.array(np.nan)
        count = len(self._memory)
        if numbers.shape not in ((), (count,)) or not np.isfinite(numbers).all():
            where = f", not finite for copy {int(np.isfinite(numbers).argmin())}" if numbers.shape == (count,) else ""
            allowed = f"a finite number, or {count} of them"
            raise InputError("inputs", f"{name} is {values!r}"[:80] + where, allowed, "Give one for each copy.")
        self._memory[:, place] = numbers

    def __delitem__(self, name: str) -> None:
        raise InputError("inputs", f"{name!r} to be removed", "values to be set", "Set it to 0 instead.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _place(self, name: str) -> int:
        if name not in self._places:
            raise unknown("inputs", "name", name, self._places)
        return self._places[name]
