"""What a line is worth: whole descents from the start, apart from the search that found it (B-91)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelenk.model.model import Model
from gelenk.worlds.bobsleigh.best.line_file import BestLine
from gelenk.worlds.bobsleigh.descent import Descent, descend, descent_model
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.side_by_side import Team
from gelenk.worlds.bobsleigh.track import Track


class Case(NamedTuple):
    """A descent that is asked for: with which line, with which step."""

    line: BestLine
    h: float


def _equip(plan: tuple[Track, Setup]) -> tuple[Track, Model, Banking]:
    return plan[0], descent_model(*plan), Banking(plan[0])


def _descend(tools: tuple[Track, Model, Banking], case: Case) -> Descent:
    track, model, banking = tools
    return descend(track, pilot=case.line.pilot, model=model, banking=banking, shift=case.line.shift, h=case.h)


def descents(
    track: Track, setup: Setup, lines: Sequence[BestLine], steps: Sequence[float], workers: int | None = None
) -> list[list[Descent]]:
    """For every step a list of the descents with every line, side by side in processes."""
    cases = [Case(line, h) for h in steps for line in lines]
    with Team(_equip, (track, setup), _descend, workers) as team:
        made = team.all(cases)
    return [made[k : k + len(lines)] for k in range(0, len(made), len(lines))]


def without_shifts(line: BestLine) -> BestLine:
    """The same pilot on the line of balance."""
    return BestLine(track=line.track, pilot=line.pilot, places=line.places, shifts=(0.0,) * len(line.places))


def gains_table(steps: Sequence[float], made: Sequence[Sequence[Descent]], track: Track) -> list[tuple[str, ...]]:
    """Times at the measuring points without and with the line, for each step; the first row is its heading."""
    rows: list[tuple[str, ...]] = [("step", "at", "balance", "line", "gained", "faster by")]
    for h, (before, after) in zip(steps, made):
        for k, place in enumerate(track.timing):
            if not np.isfinite([before.times[k], after.times[k]]).all():
                rows.append((f"{1e3 * h:g} ms", f"{place:g} m", "not reached", "", "", ""))
                continue
            gained, faster = before.times[k] - after.times[k], after.speeds[k] - before.speeds[k]
            times = (f"{before.times[k]:.4f} s", f"{after.times[k]:.4f} s")
            rows.append((f"{1e3 * h:g} ms", f"{place:g} m", *times, f"{gained:+.4f} s", f"{3.6 * faster:+.2f} km/h"))
    return rows
