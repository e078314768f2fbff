"""The programme of a track: the line and the steering that a pilot has learned, by place (B-90, bobsleigh 1.2)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_table
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.easy_line import EasyLine
from gelenk.worlds.bobsleigh.pilot.pilot import Guide
from gelenk.worlds.bobsleigh.track.table_file import read_table

if TYPE_CHECKING:
    from gelenk.worlds.bobsleigh.track.track import Track

FILE = "programme.csv"  # beside the track file
SPACING = 1.0  # [m] between the rows of a table: 0.05 s in the first curves, 0.025 s at the highest speeds


class Programme:
    """What a pilot knows of a track by heart; what he sees corrects it (:class:`~.pilot.Pilot`).

    Parameters
    ----------
    banking : sections of the track
    s : (n,) rising places [m]
    line : (n,) coordinate across there [m], see :class:`Banking`
    steering_deg : (n,) steering there [deg], positive to the left
    """

    def __init__(self, banking: Banking, s: ArrayLike, line: ArrayLike, steering_deg: ArrayLike) -> None:
        tables = (check_table("programme", what, x, 0, "m") for what, x in (("s", s), ("line", line)))
        self.banking, (self.s, self.line) = banking, tables
        self.steering_deg = check_table("programme", "steering", steering_deg, 0, "deg")
        if len({len(self.s), len(self.line), len(self.steering_deg)}) != 1 or not (np.diff(self.s) > 0.0).all():
            raise InputError("programme", f"{len(self.s)} places", "rising places, each with both", "Sort them.")

    def across(self, s: float, left: float, height: float) -> float:
        """Coordinate across of the ice nearest to a point [m]."""
        return self.banking.across(s, left, height)

    def target(self, s: float, speed: float) -> float:
        """Coordinate across of the line [m]."""
        return float(np.interp(s, self.s, self.line))

    def steering(self, s: float) -> float:
        """Steering by heart [rad]."""
        return math.radians(float(np.interp(s, self.s, self.steering_deg)))

    def at(self, s: np.ndarray) -> Programme:
        """The same at other places."""
        line, steering = (np.interp(s, self.s, x) for x in (self.line, self.steering_deg))
        return Programme(self.banking, s, line, steering)

    def save(self, file: Path, note: str = "") -> None:
        """Write it as a table, a row every metre or so."""
        few = slice(None, None, max(1, round(SPACING / float(np.median(np.diff(self.s))))))
        table = zip(self.s[few], self.line[few], self.steering_deg[few])
        rows = (f"{s:g},{line:.3f},{angle:.3f}" for s, line, angle in table)
        head = "".join(f"# {line}\n" for line in note.splitlines())
        file.write_text(head + "s,line,steering\n" + "\n".join(rows) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, file: Path, banking: Banking) -> Programme:
        """Read a table."""
        rows = read_table(file, "programme", ("s", "line", "steering"))
        table = np.array([[row[column] for column in ("s", "line", "steering")] for row in rows])
        return cls(banking, *table.T)


def guide_of(track: Track) -> Guide:
    """What a pilot goes by: the programme beside the file of a track, or the easy line where nobody has learned one."""
    banking = Banking(track)
    file = None if track.file is None else track.file.parent / FILE
    if file is not None and file.is_file():
        return Programme.load(file, banking)
    return EasyLine(track, banking)
