"""Where a line can be shifted: some places in each curve of a track (B-91)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.analysis.curves import Bend, bends
from gelenk.worlds.bobsleigh.track import Track

APART = 22.0  # [m] about as far places are from each other; a swing across takes some 40 m
BESIDE = 15.0  # [m] beyond the first and last place the line is that of balance again, after two steps of this


@dataclass(frozen=True, eq=False)
class Places:
    """Places of a track, the first two and the last two always without a shift.

    Parameters
    ----------
    bends : curves before the finish
    s : (n,) all places [m]
    of : the numbers of the places of each curve, in a row
    finish : [m]
    """

    bends: tuple[Bend, ...]
    s: np.ndarray
    of: tuple[slice, ...]
    finish: float

    @classmethod
    def on(cls, track: Track, apart: float = APART) -> Places:
        """Evenly in each curve, the first half a step behind its entry."""
        at = np.arange(0.0, track.finish, 0.25)
        curves = tuple(bends(at, track.line.at(at).curvature))
        if not curves:
            raise InputError("best line", f"{track.name!r} without curves", "a track with a curve", "Add one.")
        s: list[float] = []
        of: list[slice] = []
        for bend in curves:
            count = max(2, round((bend.exit - bend.entry) / apart))
            of.append(slice(len(s) + 2, len(s) + 2 + count))
            s += list(bend.entry + (bend.exit - bend.entry) * (np.arange(count) + 0.5) / count)
        ends = BESIDE * np.array([1.0, 2.0])
        every = np.concatenate((s[0] - ends[::-1], s, s[-1] + ends))
        return cls(curves, every, tuple(of), track.finish)

    def begin(self, k: int) -> float:
        """Where the shifts of curve k (from 0 on) begin to change the line."""
        return float(self.s[self.of[k].start - 2])

    def next_exit(self, k: int) -> float:
        """Exit of the curve after, or the finish."""
        return self.bends[k + 1].exit if k + 1 < len(self.bends) else self.finish
