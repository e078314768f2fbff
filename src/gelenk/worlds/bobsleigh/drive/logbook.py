"""The logbook of a driver: a line for every run, beside its file and its set-up (B-61, B-69)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from gelenk.worlds.bobsleigh.setup import Setup

CHOSEN = (
    "pilot", "start_speed", "directness", "middle_springs", "front_springs", "friction_along", "straight_share",
    "friction_across_min", "friction_across_max", "bumper_restitution",
)  # fmt: skip


class Logbook:
    """Writes ``runs.csv`` in a folder.

    Parameters
    ----------
    folder : where it lies
    places : arc lengths of the measuring points [m]
    """

    def __init__(self, folder: Path, places: Sequence[float]) -> None:
        self.path, self.places = folder / "runs.csv", tuple(places)
        self.file: Path | None = None  # of the run at work
        self._setup = Setup()

    def begin(self, file: Path | None, setup: Setup) -> None:
        """A run begins; its set-up is saved beside its file."""
        self.file, self._setup = file, setup
        if file is not None:
            setup.save(file.with_suffix(".toml"))

    def end(self, passed: Sequence[tuple[float, float]], tipped: bool) -> None:
        """The run is over; ``passed`` are times [s] and speeds [m/s] at the measuring points that it came to."""
        file, self.file = self.file, None
        if file is None:
            return
        new = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        empty = [""] * (len(self.places) - len(passed))
        with self.path.open("a", newline="", encoding="utf-8") as opened:
            writer = csv.writer(opened)
            if new:
                names = [f"{what}_{place:g}" for what in ("time", "speed") for place in self.places]
                writer.writerow(["file", *CHOSEN, "tipped_over", *names])
            chosen = [getattr(self._setup, name) for name in CHOSEN]
            times = [f"{time:.4f}" for time, _ in passed] + empty
            speeds = [f"{speed:.3f}" for _, speed in passed] + empty
            writer.writerow([file.name, *chosen, "yes" if tipped else "no", *times, *speeds])
