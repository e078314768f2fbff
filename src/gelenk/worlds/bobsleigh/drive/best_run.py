"""The best run of a track, kept on the disk: its times and where the sled was, for the ghost (B-72)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

EVERY = 0.02  # [s] between the poses that are kept; between them they are interpolated


@dataclass(frozen=True)
class BestRun:
    """A run as it is kept.

    Parameters
    ----------
    times : at the measuring points, the finish last [s]
    clock : (n,) time since the start of the clock [s]
    poses : (n, nodes, 7) of the model
    """

    times: np.ndarray
    clock: np.ndarray
    poses: np.ndarray

    def save(self, file: Path) -> None:
        """Write it beside, then in place of the one before, so that there is always a whole one."""
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(".new")
        with beside.open("wb") as opened:
            np.savez_compressed(opened, times=self.times, clock=self.clock, poses=self.poses.astype("<f4"))
        beside.replace(file)

    @classmethod
    def load(cls, file: Path, places: int) -> BestRun | None:
        """The run of a file with so many times; None where there is none, or what is there is no run."""
        try:
            with file.open("rb") as opened, np.load(opened, allow_pickle=False) as held:
                made = cls(held["times"], held["clock"], held["poses"].astype(np.float64))
        except (OSError, EOFError, ValueError, KeyError, BadZipFile):
            return None
        whole = made.times.shape == (places,) and made.clock.ndim == 1 and made.poses.ndim == 3
        return made if whole and len(made.clock) == len(made.poses) > 1 else None


class PoseKeeper:
    """Keeps where everything was, every so often, from the start of the clock to the finish."""

    def __init__(self) -> None:
        self.clock: list[float] = []
        self.poses: list[np.ndarray] = []

    def clear(self) -> None:
        """Before a start."""
        self.__init__()  # type: ignore[misc]

    def look(self, clock: float, poses: np.ndarray) -> None:
        """Where everything is at a time since the start of the clock."""
        if not self.clock or clock >= self.clock[-1] + EVERY * (1.0 - 1e-6):
            self.clock.append(clock)
            self.poses.append(np.array(poses, dtype=np.float32))

    def run(self, times: list[float]) -> BestRun:
        """What was kept, with its times."""
        return BestRun(np.array(times), np.array(self.clock), np.array(self.poses))
