"""Driving lines: runs compared over the arc length, and what a sled did in each curve (B-84, B-85, bobsleigh 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.analysis.curves import Bend

ARC = 0.15  # [m] a rise of the line counts as an arc of its own if it falls by this much on both sides
MIDDLE = (0.4, 0.6)  # share of the turn within which a highest place is neither early nor late
CENTRE = 0.05  # [m] an entry nearer to the track line than this is in its middle


@dataclass(frozen=True)
class Line:
    """A run over the arc length: bobsleigh 3.15, all arrays (n,).

    Parameters
    ----------
    s : rising arc length in plan [m]
    t : since the clock started [s]
    speed : |v| of the centre of the rear hull [m/s]
    height : h_S above the track line [m]
    offset : b_S from the track line, positive to the left [m]
    """

    s: np.ndarray
    t: np.ndarray
    speed: np.ndarray
    height: np.ndarray
    offset: np.ndarray

    @classmethod
    def of(cls, s: ArrayLike, t: ArrayLike, speed: ArrayLike, height: ArrayLike, offset: ArrayLike) -> Line:
        """From samples of a run, those kept that went on along the track further than all before."""
        table = np.stack([np.asarray(x, dtype=np.float64) for x in (s, t, speed, height, offset)])
        furthest = np.maximum.accumulate(np.concatenate([[-np.inf], table[0, :-1]]))
        return cls(*table[:, table[0] > furthest])

    def at(self, s: ArrayLike) -> Line:
        """The same run at given places."""
        x = np.asarray(s, dtype=np.float64)
        if x.size and (x.min() < self.s[0] - 1e-9 or x.max() > self.s[-1] + 1e-9):
            found = f"s from {x.min():g} to {x.max():g} m"
            raise InputError("line", found, f"{self.s[0]:g} to {self.s[-1]:g} m, where the run was", "Ask there.")
        others = (np.interp(x, self.s, getattr(self, field.name)) for field in fields(self)[1:])
        return Line(x, *others)


@dataclass(frozen=True)
class Difference:
    """A run beside another, over the arc length: what is positive is later or faster than the reference."""

    s: np.ndarray
    speed: np.ndarray  # dv_S [m/s]
    t: np.ndarray  # dt [s], negative is ahead


def compare(run: Line, reference: Line, begin: float, end: float, spacing: float = 0.5) -> Difference:
    """dv_S(s) = v_S - v_S,ref and dt(s) = t - t_ref between two places."""
    step = check_number("compare()", "spacing", spacing, "m", above=0.0)
    count = max(2, round((check_number("compare()", "end", end, "m", above=begin) - begin) / step) + 1)
    s = np.linspace(begin, end, count)
    here, there = run.at(s), reference.at(s)
    return Difference(s, here.speed - there.speed, here.t - there.t)


@dataclass(frozen=True)
class DrivenBend:
    """How one curve was driven.

    Parameters
    ----------
    bend : the curve
    arcs : places [m] of the tops of its arcs
    highest : h_S at the highest place [m]
    entry_side : "outside", "middle" or "inside", the side of the track line where it was at the entry
    entry_offset : b_S there, positive to the left [m]
    when : "early", "middle" or "late", where in the turn the highest place was
    entry_speed, exit_speed : [m/s]
    time : from entry to exit [s]
    loss : by which that is longer than of the reference [s]; nan without one
    """

    bend: Bend
    arcs: tuple[float, ...]
    highest: float
    entry_side: str
    entry_offset: float
    when: str
    entry_speed: float
    exit_speed: float
    time: float
    loss: float

    @property
    def kind(self) -> str:
        """One arc, two arcs, and so on."""
        count = len(self.arcs)
        return {0: "flat", 1: "one arc", 2: "two arcs"}.get(count, f"{count} arcs")


def tops(height: np.ndarray, least: float = ARC) -> np.ndarray:
    """Indices of the tops from which a line falls by ``least`` on both sides; of equal places the first.

    The line is thought to lie below everything beyond its ends, so that a top at an end does not count.
    """
    found, low, top = [], float(height[0]) if len(height) else 0.0, -1
    for k, h in enumerate(height):
        if top < 0:  # rising from the lowest place so far
            low = min(low, h)
            if h - low >= least:
                top = k
        elif h > height[top]:
            top = k
        elif height[top] - h >= least:
            found.append(top)
            low, top = h, -1
    return np.array(found, dtype=np.intp)


def classify(run: Line, bend: Bend, reference: Line | None = None, least: float = ARC) -> DrivenBend:
    """What kind of line a run took through a curve."""
    inside = (run.s > bend.entry) & (run.s < bend.exit)
    line = run.at(np.concatenate([[bend.entry], run.s[inside], [bend.exit]]))
    arcs = tops(line.height, least)
    highest = int(np.argmax(line.height))
    share = _share_of_turn(bend, float(line.s[highest]))
    outwards = -bend.side * float(line.offset[0])  # of a left curve the outside is on the right
    time = float(line.t[-1] - line.t[0])
    loss = float("nan")
    if reference is not None:
        ends = reference.at([bend.entry, bend.exit])
        loss = time - float(ends.t[1] - ends.t[0])
    return DrivenBend(
        bend=bend,
        arcs=tuple(line.s[arcs].tolist()),
        highest=float(line.height[highest]),
        entry_side="middle" if abs(outwards) < CENTRE else "outside" if outwards > 0.0 else "inside",
        entry_offset=float(line.offset[0]),
        when="early" if share < MIDDLE[0] else "late" if share > MIDDLE[1] else "middle",
        entry_speed=float(line.speed[0]),
        exit_speed=float(line.speed[-1]),
        time=time,
        loss=loss,
    )


def _share_of_turn(bend: Bend, s: float) -> float:
    """0 at the entry, a half in the middle of the turn, 1 at the exit."""
    return float(np.interp(s, (bend.entry, bend.middle, bend.exit), (0.0, 0.5, 1.0)))


def lines_table(driven: Sequence[DrivenBend]) -> list[tuple[str, ...]]:
    """Rows of a table of curves; the first row is its heading."""
    rows: list[tuple[str, ...]] = [("curve", "line", "entry", "top", "highest", "in", "out", "time", "loss")]
    for d in driven:
        way = "left" if d.bend.side > 0 else "right"
        speeds = (f"{d.entry_speed:.2f} m/s", f"{d.exit_speed:.2f} m/s")
        loss = "" if np.isnan(d.loss) else f"{d.loss:+.3f} s"
        row = (f"{d.bend.number} {way}", d.kind, d.entry_side, d.when, f"{d.highest:.2f} m", *speeds)
        rows.append((*row, f"{d.time:.3f} s", loss))
    return rows
