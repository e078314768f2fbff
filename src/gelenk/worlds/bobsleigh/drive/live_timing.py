"""The clock of a run while it is driven: it starts at arc length 0, stops at the finish, and takes splits (B-73)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.track.track import CLOCK_START


class Passed(NamedTuple):
    """A measuring point that was passed: its arc length [m], the time since the start [s], the speed there [m/s]."""

    place: float
    time: float
    speed: float


class LiveTiming:
    """Follows the arc length of a sled from step to step.

    The time of a crossing is interpolated linearly within the step (bobsleigh 4.15), which is exact to  a h^2 / (8 v):
    1e-8 s for a step of a sixtieth of a second would be 0.1 ms, for one of 0.2 ms far below what is shown.

    Parameters
    ----------
    places : arc lengths of the measuring points, the finish last [m]
    best : times of a run to compare with [s], or None
    """

    def __init__(self, places: Sequence[float], best: Sequence[float] | None = None) -> None:
        self.places = tuple(float(p) for p in places)
        if not self.places or any(b <= a for a, b in zip((CLOCK_START, *self.places), self.places)):
            found = f"places {self.places}"[:100]
            raise InputError("timing", found, "rising arc lengths after the start of the clock", "Sort them.")
        self.compare(best)
        self.restart()

    def compare(self, best: Sequence[float] | None) -> None:
        """Times of another run, as many as there are places."""
        if best is not None and len(best) != len(self.places):
            found = f"{len(best)} times for {len(self.places)} places"
            raise InputError("timing", found, "a time for each place", "Pass those of a whole run.")
        self.best = None if best is None else tuple(float(t) for t in best)

    def restart(self) -> None:
        """Before the start again."""
        self.started: float | None = None
        self.passed: list[Passed] = []
        self._last: tuple[float, float] | None = None  # time, arc length

    @property
    def finished(self) -> bool:
        """Whether the clock has stopped."""
        return len(self.passed) == len(self.places)

    def step(self, t: float, s: float) -> list[Passed]:
        """Where the sled is now; gives what it passed since the last call."""
        before, self._last = self._last, (t, s)
        if before is None or self.finished or s <= before[1]:
            return []
        t0, s0 = before
        speed = (s - s0) / (t - t0)
        if self.started is None:
            if not s0 <= CLOCK_START < s:
                return []
            self.started = t0 + (CLOCK_START - s0) / speed
        new = []
        for place in self.places[len(self.passed) :]:
            if s < place:
                break
            new.append(Passed(place, t0 + (place - s0) / speed - self.started, speed))
        self.passed += new
        return new

    def clock(self, t: float) -> float | None:
        """What the clock shows at a time [s]; None before the start."""
        if self.started is None:
            return None
        return self.passed[-1].time if self.finished else t - self.started

    def behind(self, k: int) -> float | None:
        """How far behind the best the point of number k was passed [s]; negative if ahead."""
        return None if self.best is None else self.passed[k].time - self.best[k]

    def rows(self) -> list[tuple[str, float, float | None]]:
        """Names, times and differences of what was passed, as the overlay shows them."""
        last = len(self.places) - 1
        names = [f"{place:g} m" if k < last else "finish" for k, place in enumerate(self.places)]
        return [(names[k], passed.time, self.behind(k)) for k, passed in enumerate(self.passed)]
