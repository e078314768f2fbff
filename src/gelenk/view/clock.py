"""Real time in whole steps (V-01): how many are due, and how well the simulation keeps up.

What wall time has passed, times the speed, is owed in simulated time; whole steps of it are taken and the remainder is
kept. What cannot be made up within a moment is let go, so that a slow simulation runs slowly instead of ever further
behind, and is said to be behind.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

MOST_LAG = 0.25  # wall time that may be made up for [s]
WINDOW = 1.0  # over which the real-time factor is measured [s]
SLACK = 1e-9  # of a step: round-off in the sum of wall times


class Clock:
    """Tells how many steps are due.

    Parameters
    ----------
    h : step [s]
    speed : simulated seconds a second
    wall : what tells wall time [s]

    Attributes
    ----------
    most_lag : wall time that is made up for at most [s]
    lost : wall time that was let go since the clock was made [s]
    """

    def __init__(self, h: float, *, speed: float = 1.0, wall: Callable[[], float] = time.perf_counter) -> None:
        self.h, self._wall = h, wall
        self.most_lag, self.lost = MOST_LAG, 0.0
        self._speed = speed
        self.playing = False
        self._owed = 0.0  # simulated time that is owed while it plays [s]
        self._asked = 0  # single steps that are asked for while it pauses
        self._last = wall()
        self._lost_at = -math.inf
        self._taken: deque[tuple[float, int]] = deque()  # when, how many steps

    @property
    def speed(self) -> float:
        """Simulated seconds a second; what was owed until it changes counts at the old one."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._catch_up()
        self._speed = speed
        self._lost_at = -math.inf

    def play(self) -> None:
        """From now on steps are due by wall time."""
        if not self.playing:
            self.playing, self._asked, self._owed = True, 0, 0.0
            self._last = self._wall()
            self._taken.clear()
            self._taken.append((self._last, 0))

    def pause(self) -> None:
        """Nothing is due any more."""
        self.playing, self._asked, self._owed = False, 0, 0.0
        self._lost_at = -math.inf

    def ask(self, steps: int) -> None:
        """Exactly so many steps are due; what plays is paused before."""
        if self.playing:
            self.pause()
        self._asked += steps

    @property
    def asked(self) -> int:
        """Single steps that are still to be taken."""
        return self._asked

    def due(self) -> int:
        """Whole steps that are due now."""
        if not self.playing:
            return self._asked
        self._catch_up()
        return int(self._owed / self.h + SLACK)

    def _catch_up(self) -> None:
        now = self._wall()
        if self.playing:
            self._owed += (now - self._last) * self._speed
            most = self.most_lag * self._speed + self.h
            if self._owed > most:
                self.lost += (self._owed - most) / self._speed
                self._owed, self._lost_at = most, now
        self._last = now

    def took(self, steps: int) -> None:
        """So many steps were taken."""
        if self.playing:
            self._owed -= steps * self.h
            self._taken.append((self._wall(), steps))
        else:
            self._asked = max(0, self._asked - steps)

    def wait(self) -> float:
        """Wall time until the next step is due [s]; infinite while it pauses."""
        if not self.playing:
            return 0.0 if self._asked else math.inf
        self._catch_up()
        return max(0.0, (self.h - self._owed) / self._speed)

    @property
    def factor(self) -> float:
        """Simulated seconds a second over the last moment; 0 while it pauses."""
        if not self.playing:
            return 0.0
        now = self._wall()
        while len(self._taken) > 1 and self._taken[1][0] < now - WINDOW:
            self._taken.popleft()
        span = now - self._taken[0][0]
        return sum(steps for _, steps in list(self._taken)[1:]) * self.h / span if span > 0.0 else 0.0

    @property
    def behind(self) -> bool:
        """Whether time was let go within the last moment."""
        return self.playing and self._wall() - self._lost_at < WINDOW
