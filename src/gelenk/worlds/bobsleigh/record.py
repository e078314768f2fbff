"""What is kept of a descent: set-up, track, times and speeds at the measuring points, states, traces (B-69, B-70)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.setup import Setup


@dataclass(frozen=True)
class Record:
    """A descent as plain numbers, to be written as text and read again.

    Parameters
    ----------
    setup : what the pilot chose
    track : its name
    places : (k,) arc length of the measuring points in plan [m]
    times : (k,) since the clock started [s]; nan where the sled did not arrive
    speeds : (k,) there [m/s]
    rate : samples a second
    columns : names of the columns of ``states``: t, coordinates q, inputs k, velocities u, rates of inputs m and their
        derivatives, forces of contacts i on inputs and j on free joints, as means over the time between samples
    states : (n, m) a row for each sample, SI units
    traces : of each point of a runner the polylines it drew on the ice, each (l, 3) [m]
    """

    setup: Setup
    track: str
    places: np.ndarray
    times: np.ndarray
    speeds: np.ndarray
    rate: float
    columns: tuple[str, ...]
    states: np.ndarray
    traces: Mapping[str, tuple[np.ndarray, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        points = {np.shape(x) for x in (self.places, self.times, self.speeds)}
        if len(points) != 1 or np.ndim(self.places) != 1:
            raise InputError("record", f"shapes {sorted(points)}", "a time and a speed for each place", "Check them.")
        if np.ndim(self.states) != 2 or np.shape(self.states)[1] != len(self.columns):
            found = f"states of shape {np.shape(self.states)} for {len(self.columns)} columns"
            raise InputError("record", found, "a column of numbers for each name", "Check both.")
        if len(set(self.columns)) != len(self.columns) or any(not c or c.split() != [c] for c in self.columns):
            raise InputError("record", f"columns {self.columns}"[:120], "names without spaces, each once", "Rename.")

    def __getitem__(self, column: str) -> np.ndarray:
        """(n,) one column of the states."""
        if column not in self.columns:
            raise InputError("record", f"no column {column!r}", ", ".join(self.columns), "Ask for one of these.")
        made: np.ndarray = self.states[:, self.columns.index(column)]
        return made
