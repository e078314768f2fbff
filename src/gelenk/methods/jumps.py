"""Driven joints between the steps: where they begin, and inputs that jump (B-09)."""

from __future__ import annotations

import numpy as np

from gelenk.errors import warn_user
from gelenk.joints.driven import Driven, JumpWarning
from gelenk.model.model import Model
from gelenk.model.start_check import check_guides
from gelenk.state import State

FAR = 0.1  # [m] or [rad]; beyond, nobody meant it: a restart at another time. A joint that is torn so far is closed


class JumpWatch:
    """Looks at the driven joints of one state."""

    def __init__(self, model: Model, state: State) -> None:
        self._model, self._state, self._begun = model, state, False
        self._count = model.wired.memory(state.memory).integral  # of a guide: steps in which its limits held it
        row = {label: r for r, label in enumerate(model.wired.labels)}
        drives = [joint for joint in model.joints if isinstance(joint, Driven)]
        self._watched = {row[drive.label]: drive for drive in drives if drive.unlimited}
        self.active = bool(drives)

    def begin(self, t: float) -> np.ndarray:
        """Refuse a start far from a function of time; counts as they stand."""
        if not self._begun:
            check_guides(self._model, self._state, t, FAR)
            self._begun = True
        return self._count.copy()

    def end(self, before: np.ndarray) -> None:
        """Warn once of each input that has jumped since."""
        for r in [r for r in self._watched if self._count[r] > before[r]]:
            drive = self._watched.pop(r)
            warn_user(
                f"{drive.label}: its input jumped further than it moves in a step at {drive.speed_limit:g} m/s or "
                "rad/s, at which it goes there. Give speed_max, and acceleration_max to be gentle, or smooth it.",
                JumpWarning,
            )
