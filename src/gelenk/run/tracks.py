"""Motion of one body or particle of a run, and what was recorded of one joint or drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gelenk.errors import InputError
from gelenk.math.rotation import rotation_matrix
from gelenk.run.columns import BODY_SERIES, PARTICLE_SERIES

if TYPE_CHECKING:
    from gelenk.run.run import Run


class Track:
    """The recorded motion of one body or particle."""

    def __init__(self, run: Run, name: str) -> None:
        self._run, self.name = run, name
        self.is_body = name in run.bodies
        self._row = (run.bodies if self.is_body else run.particles).index(name)

    def __repr__(self) -> str:
        series = BODY_SERIES if self.is_body else PARTICLE_SERIES
        return f"<Track of {'body' if self.is_body else 'particle'} {self.name!r}: {', '.join(series)}>"

    def _series(self, name: str) -> np.ndarray:
        path = name if self.is_body else f"particle_{name}"
        return self._run.read(path, self._row)

    @property
    def position(self) -> np.ndarray:
        """(n, 3) origin of the body frame, or the particle, in the world [m]."""
        return self._series("position")

    @property
    def velocity(self) -> np.ndarray:
        """(n, 3) velocity of that point, world axes [m/s]."""
        return self._series("velocity")

    @property
    def orientation(self) -> np.ndarray:
        """(n, 4) unit quaternions w x y z, body to world."""
        return self._body_only("orientation")

    @property
    def rotation(self) -> np.ndarray:
        """(n, 3, 3) rotation matrices R_WB."""
        return rotation_matrix(self.orientation)

    @property
    def angular_velocity(self) -> np.ndarray:
        """(n, 3) world axes [rad/s]."""
        return self._body_only("angular_velocity")

    @property
    def angular_velocity_body(self) -> np.ndarray:
        """(n, 3) body axes [rad/s]."""
        return np.einsum("kji,kj->ki", self.rotation, self.angular_velocity)

    @property
    def com(self) -> np.ndarray:
        """(n, 3) centre of mass in the world [m]."""
        if not self.is_body:
            return self.position
        return self.position + self.rotation @ np.array(self._run.parts.body(self.name).com)

    def _body_only(self, name: str) -> np.ndarray:
        if not self.is_body:
            raise InputError(f"particle {self.name!r}", f"{name} asked for", "position and velocity", "Use a body.")
        return self._series(name)


class SignalTrack:
    """What was recorded of one joint or drive, as attributes: ``run["elbow"].angle``, ``run["drive"].force``."""

    def __init__(self, run: Run, name: str) -> None:
        self._run, self.name = run, name

    def __repr__(self) -> str:
        kind = "joint" if self.name in self._run.signals.joints else "drive"
        return f"<SignalTrack of {kind} {self.name!r}: {', '.join(self._run.signals.table[self.name])}>"

    def __getattr__(self, what: str) -> np.ndarray:
        if what.startswith("_"):
            raise AttributeError(what)
        signal = self._run.signals.table[self.name].get(what)
        if signal is None:
            raise self._run.signals.missing(self.name, what)
        return self._run.read(signal.path, signal.row)

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._run.signals.table[self.name]]
