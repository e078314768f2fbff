"""A pilot who follows a line by feedback (B-90, bobsleigh 9.7)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_number, check_table
from gelenk.errors import InputError

Shift = Callable[[float], float]


class Guide(Protocol):
    """What a pilot knows of a track: a :class:`Programme`, an :class:`EasyLine`, or :class:`Banking` for balance."""

    def across(self, s: float, left: float, height: float) -> float:
        """Coordinate across of the ice nearest to a point [m]."""
        ...

    def target(self, s: float, speed: float) -> float:
        """Coordinate across of the line, at that speed [m]."""
        ...

    def steering(self, s: float) -> float:
        """Steering by heart [rad]."""
        ...


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """How a pilot steers:  beta = clip(b(s) - k_b e - k_d e', +-most),  e after a delay, and through a lag of order 1.

    e is the way from the line to the sled along the section, positive to the left, so positive steering, to the left,
    is the answer to a sled too far right. The line and what is known by heart, b(s), are those of a :class:`Guide`; a
    line of one's own is shifted from it.

    Parameters
    ----------
    name : for tables
    offset_gain : k_b [deg/m]
    damping : k_d [deg s/m]
    lag : of the hands [s]
    delay : of eyes and nerves [s]
    most_deg : largest steering angle that is used [deg]
    """

    name: str = "calm"
    offset_gain: float = 1.0
    damping: float = 1.0
    lag: float = 0.1
    delay: float = 0.0
    most_deg: float = 4.0

    def __post_init__(self) -> None:
        label = f"pilot {self.name!r}"[:60]
        bounds = (
            ("offset_gain", "deg/m", 100.0),
            ("damping", "deg s/m", 100.0),
            ("lag", "s", 5.0),
            ("delay", "s", 5.0),
            ("most_deg", "deg", 10.0),
        )
        for what, unit, most in bounds:
            object.__setattr__(self, what, check_number(label, what, getattr(self, what), unit, least=0.0, most=most))


CALM = Pilot(offset_gain=2.0)  # who goes by a programme, whose line the sled can follow


def shift_line(s: ArrayLike, shift: ArrayLike, *, local: bool = False) -> Shift:
    """A line beside that of balance: shifts to the left [m] at rising places [m], cubics between, 0 outside.

    Parameters
    ----------
    local : whether a shift changes the line no further than to the second place on both sides: slopes are those of
        parabolas through three places. If not, it is a spline with two derivatives, which all shifts change everywhere
    """
    from scipy.interpolate import CubicHermiteSpline, CubicSpline

    at, by = (check_table("line", what, x, 0, "m") for what, x in (("places", s), ("shifts", shift)))
    if len(at) != len(by) or len(at) < 2 or not (np.diff(at) > 0.0).all():
        found = f"{len(at)} places and {len(by)} shifts"
        raise InputError(
            "line", found, "two or more rising places, each with a shift", "Sort them, one shift for each."
        )
    spline = CubicHermiteSpline(at, by, np.gradient(by, at)) if local else CubicSpline(at, by, bc_type="natural")
    table_s = np.arange(at[0], at[-1] + 0.25, 0.5)
    table = spline(np.minimum(table_s, at[-1]))
    return lambda place: float(np.interp(place, table_s, table, left=0.0, right=0.0))


class Held(NamedTuple):
    """What hands remember: their angle [rad], the way from the line when they looked last, what they have seen."""

    angle: float
    before: float | None
    seen: tuple[float, ...]


class Hands:
    """A pilot at work: what was seen before, and where the hands are. Called at equal times.

    Parameters
    ----------
    pilot : how
    banking : where the line is
    dt : time between two calls [s]
    shift : of the line, to the left [m]
    """

    def __init__(self, pilot: Pilot, banking: Guide, dt: float, shift: Shift | None = None) -> None:
        self.pilot, self.banking, self.dt, self.shift = pilot, banking, dt, shift
        self.angle = 0.0  # [rad] the steering angle that the hands hold
        self.wanted = 0.0  # [rad] and that to which they are on their way
        self._before: float | None = None
        self._seen: deque[float] = deque(maxlen=1 + round(pilot.delay / dt))

    @property
    def held(self) -> Held:
        """What they remember, to go on from here."""
        return Held(self.angle, self._before, tuple(self._seen))

    def hold(self, held: Held) -> None:
        """Go on from there."""
        self.angle, self._before = held.angle, held.before
        self._seen.clear()
        self._seen.extend(held.seen)

    def target(self, s: float, speed: float) -> float:
        """Coordinate across of the line that is followed [m]."""
        own = 0.0 if self.shift is None else self.shift(s)
        return self.banking.target(s, speed) + own

    def steer(self, s: float, left: float, height: float, speed: float) -> float:
        """Steering angle [rad], from where the sled is beside the track line and how fast it is."""
        p = self.pilot
        e = self.banking.across(s, left, height) - self.target(s, speed)
        rate = 0.0 if self._before is None else (e - self._before) / self.dt
        self._before = e
        self._seen.append(-p.offset_gain * e - p.damping * rate)
        known = math.degrees(self.banking.steering(s))
        self.wanted = math.radians(min(max(known + self._seen[0], -p.most_deg), p.most_deg))
        self.angle += (self.wanted - self.angle) * (1.0 - math.exp(-self.dt / p.lag) if p.lag > 0.0 else 1.0)
        return self.angle


@dataclass(frozen=True, kw_only=True)
class Noise:
    """How pilots differ from run to run (bobsleigh 6.7, 9.7).

    Parameters
    ----------
    line : standard deviation of the shift of the line [m]
    spacing : of the places where it is drawn anew [m]
    start : standard deviation of the place across at the start [m]
    delay : largest delay [s]; each run has one between 0 and this
    ice : standard deviation of the friction along the runners, by its mean: ice and weather change from run to run
    """

    line: float = 0.20
    spacing: float = 25.0
    start: float = 0.03
    delay: float = 0.10
    ice: float = 0.08

    def __post_init__(self) -> None:
        for what, unit, least in (
            ("line", "m", 0.0),
            ("spacing", "m", 2.0),
            ("start", "m", 0.0),
            ("delay", "s", 0.0),
            ("ice", "1", 0.0),
        ):
            object.__setattr__(
                self, what, check_number("noise", what, getattr(self, what), unit, least=least, most=500)
            )

    def friction(self, seed: int) -> float:
        """Friction along the runners of one run, by its mean; between a half and one and a half."""
        drawn = 1.0 + self.ice * float(np.random.default_rng([seed, 2011]).standard_normal())
        return min(max(drawn, 0.5), 1.5)

    def draw(self, seed: int, pilot: Pilot, end: float) -> tuple[Pilot, Shift, float]:
        """Pilot, line and place at the start [m] of one run; equal for equal seeds."""
        random = np.random.default_rng([seed, 2010])
        s = np.arange(0.0, end + 2.0 * self.spacing, self.spacing)
        shift = shift_line(s, self.line * random.standard_normal(len(s)))
        start = float(np.clip(self.start * random.standard_normal(), -0.15, 0.15))
        delay = pilot.delay + self.delay * float(random.random())
        values = {f: getattr(pilot, f) for f in ("offset_gain", "damping", "lag", "most_deg")}
        return Pilot(name=f"{pilot.name} {seed}", delay=delay, **values), shift, start
