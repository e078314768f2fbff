"""The recorded motion of a named frame, from that of its body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.model.parts import WORLD, Frame

if TYPE_CHECKING:
    from gelenk.run.run import Run

FRAME_SERIES = ("position", "orientation", "velocity", "angular_velocity")


class FrameTrack:
    """Series of a frame that is fixed in a body or in the world."""

    def __init__(self, run: Run, frame: Frame) -> None:
        self._run, self.name, self._frame = run, frame.name, frame
        self._body = None if frame.body == WORLD else run[frame.body]

    def __repr__(self) -> str:
        return f"<FrameTrack of {self.name!r}: position, orientation, velocity, angular_velocity>"

    @property
    def position(self) -> np.ndarray:
        """(n, 3) its origin in the world [m]:  x + R r."""
        if self._body is None:
            return np.tile(self._frame.at, (len(self._run), 1))
        return np.asarray(self._body.position + self._arm())

    @property
    def orientation(self) -> np.ndarray:
        """(n, 4) unit quaternions w x y z, frame to world."""
        if self._body is None:
            return np.tile(self._frame.rotation, (len(self._run), 1))
        q = Quat(*self._frame.rotation)
        return np.array([Quat(*row) * q for row in self._body.orientation.tolist()]).reshape(-1, 4)

    @property
    def rotation(self) -> np.ndarray:
        """(n, 3, 3) rotation matrices, frame to world."""
        return rotation_matrix(self.orientation)

    @property
    def velocity(self) -> np.ndarray:
        """(n, 3) of its origin, world axes [m/s]:  v + w x R r."""
        if self._body is None:
            return np.zeros((len(self._run), 3))
        return np.asarray(self._body.velocity + np.cross(self._body.angular_velocity, self._arm()))

    @property
    def angular_velocity(self) -> np.ndarray:
        """(n, 3) world axes [rad/s]."""
        return np.zeros((len(self._run), 3)) if self._body is None else np.asarray(self._body.angular_velocity)

    def _arm(self) -> np.ndarray:
        """(n, 3) origin of the body frame to that of the frame, world axes."""
        assert self._body is not None
        return np.asarray(self._body.rotation @ np.array(self._frame.at))
