"""Driven joint: a coordinate whose motion is given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gelenk.checks import check_choice, check_number, check_table
from gelenk.errors import InputError
from gelenk.joints.drive import Drive, put_number
from gelenk.joints.wiring import Wiring
from gelenk.rows.block import LED
from gelenk.rows.guides import POSITION, SINE, TABLE, VELOCITY

BETWEEN = ("spline", "rest")
FASTEST = 100.0  # [m/s] or [rad/s] a hand or a device moves nothing faster
HOW = "position, velocity, times with places, or amplitude with frequency"


class JumpWarning(UserWarning):
    """An input of a driven joint that jumps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven(Drive):
    """Moves a coordinate exactly as given, with whatever force that takes (B-09). One of three kinds of motion:

    - ``position``: the input "name.position" is where it is at the end of each step; its velocity and acceleration are
      backward differences, which have order 1
    - ``velocity``: the input "name.velocity" is its velocity during each step, and its position adds up
    - a function of time, twice differentiable: ``amplitude`` with ``frequency``, or ``times`` with ``places``; the
      input "name.position" then shows where it is

    Parameters
    ----------
    name, on : see :class:`Drive`; any coordinate, so also each of those of a cylindrical or planar joint
    position : at the start [rad] or [m]. A joint placed by at and axis begins at 0
    velocity : at the start [rad/s] or [m/s]
    amplitude, frequency, phase, offset : place = offset + amplitude sin(2 pi frequency t + phase)
        [rad] or [m], [Hz], [rad], [rad] or [m]
    times, places : (n,) rising times [s] and the places then [rad] or [m]; it rests before the first and after the last
    between : "spline" is the cubic spline through the places that begins and ends at rest; "rest" halts at every place,
        with smooth ramps of degree 5 in between
    speed_max : no faster than this [rad/s] or [m/s]. If None, 100 for a position and no limit for all else
    acceleration_max : no harder than this [rad/s^2] or [m/s^2]; a position is then reached without overshoot
    smooth_hz : corner of a critically damped filter through which a position is followed [Hz], for inputs that come
        in jumps, as those of hands and devices do; as given if left out

    A position that jumps, as that of a device may, would be a blow: the joint goes there as fast as its limits allow,
    with a :class:`JumpWarning` if none were given. A velocity that jumps is a blow, unless limited so.

    ``MoreauTree`` eliminates the coordinate; it is exact there. Other methods hold it as tight as a joint. The sensor
    "name.force" reads the force or torque that the motion takes, its power is that times the rate; the reaction of the
    joint does not contain it.
    """

    kind: ClassVar[str] = "driven"
    remedy: ClassVar[str] = "Take one of them away."

    position: float | None = None
    velocity: float | None = None
    times: tuple[float, ...] = ()
    places: tuple[float, ...] = ()
    between: str = BETWEEN[0]
    amplitude: float | None = None
    frequency: float | None = None
    phase: float = 0.0
    offset: float = 0.0
    speed_max: float | None = None
    acceleration_max: float = math.inf
    smooth_hz: float | None = None

    def __post_init__(self) -> None:
        Drive.__post_init__(self)
        put, label = object.__setattr__, self.label
        if len(self.motion) != 1:
            found = " and ".join(self.motion) + " together" if self.motion else "no input and no function of time"
            raise InputError(label, found, f"one of {HOW}", "Say by what it is driven.")
        put_number(self, "phase", "rad")
        put_number(self, "offset", "rad or m")
        for what, unit in (("position", "rad or m"), ("velocity", "rad/s or m/s"), ("amplitude", "rad or m")):
            if getattr(self, what) is not None:
                put_number(self, what, unit)
        if self.amplitude is not None or self.frequency is not None:
            if self.amplitude is None or self.frequency is None:
                missing = "amplitude" if self.amplitude is None else "frequency"
                raise InputError(label, f"no {missing}", "amplitude and frequency", f"Pass {missing}.")
            put_number(self, "frequency", "Hz", above=0)
        elif self.phase or self.offset:
            raise InputError(label, "phase or offset alone", "amplitude and frequency with them", "Leave them out.")
        check_choice(label, "between", self.between, BETWEEN)
        if self.speed_max is not None:
            put(self, "speed_max", check_number(label, "speed_max", self.speed_max, "m/s", above=0, or_infinite=True))
        put_number(self, "acceleration_max", "rad/s^2 or m/s^2", above=0, may_be_infinite=1)
        if self.smooth_hz is not None:
            put(self, "smooth_hz", check_number(label, "smooth_hz", self.smooth_hz, "Hz", above=0))
            if self.position is None:
                found = f"smooth_hz with {self.motion[0]}"
                raise InputError(label, found, "smooth_hz with position alone", "Leave it out.")
        for what, unit in (("times", "s"), ("places", "rad or m")):
            if "times" not in self.motion:
                put(self, what, ())
                continue
            put(self, what, tuple(check_table(label, what, getattr(self, what), 0, unit).tolist()))
        if "times" in self.motion:
            self._check_table()

    @property
    def motion(self) -> list[str]:
        """What says how it moves."""
        given = [what for what in ("position", "velocity") if getattr(self, what) is not None]
        given += ["times"] if not (is_empty(self.times) and is_empty(self.places)) else []
        return given + (["amplitude"] if self.amplitude is not None or self.frequency is not None else [])

    def _check_table(self) -> None:
        if len(self.times) != len(self.places):
            found = f"{len(self.times)} times and {len(self.places)} places"
            raise InputError(self.label, found, "a place for each time", "Add or remove some.")
        if len(self.times) < 2 or not (np.diff(self.times) > 0).all():
            found = f"times are {self.times!r}"[:160]
            raise InputError(self.label, found, "two or more rising times", "Sort them, and remove repeated ones.")
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            finite = np.isfinite(self._pieces()).all()
        if not finite:
            found = "places that jump between times next to each other"
            raise InputError(self.label, found, "a motion of finite acceleration", "Take the times further apart.")

    def _pieces(self) -> np.ndarray:
        """Coefficients of the powers of t - times[i], and after the last time a place alone (n, 6)."""
        times, places = np.array(self.times), np.array(self.places)
        made = np.zeros((len(times), 6))
        made[:, 0] = places
        T, D = np.diff(times), np.diff(places)
        if self.between == "rest":
            made[:-1, 3:] = np.stack([10.0 * D / T**3, -15.0 * D / T**4, 6.0 * D / T**5], axis=1)
        else:
            from scipy.interpolate import CubicSpline

            spline = CubicSpline(times, places, bc_type=((1, 0.0), (1, 0.0)))
            made[:-1, :4] = spline.c[::-1].T
        return made

    def wire(self, wiring: Wiring) -> None:
        """One row that nothing bounds, and the guide that it follows."""
        free = wiring.find(self.label, "on", self.on)
        rivals = [r for r in wiring.rows if r.mode == LED and r.terms == [(wiring.index(free), 1.0)]]
        if rivals:
            found = f"on is {self.on!r}, which {rivals[0].label} drives"
            raise InputError(self.label, found, "one motion for each coordinate", "Leave one of them out.")
        guide: dict[str, Any] = {"speed_max": self.speed_limit, "acceleration_max": self.acceleration_max}
        [motion] = self.motion
        if motion == "velocity":
            guide |= {"kind": VELOCITY, "input": wiring.input(f"{self.name}.velocity", self.velocity or 0.0)}
        elif motion == "position":
            guide |= {"corner": 2.0 * math.pi * (self.smooth_hz or 0.0)}
            guide |= {"kind": POSITION, "input": wiring.input(f"{self.name}.position", self.position or 0.0)}
        else:
            begin = self.offset + (self.amplitude or 0.0) * math.sin(self.phase)
            if motion == "times":
                guide |= {"kind": TABLE, "times": self.times, "pieces": self._pieces()}
                begin = self.places[0]
            else:
                guide |= {"kind": SINE, "phase": self.phase, "offset": self.offset}
                guide |= {"amplitude": self.amplitude, "frequency": self.frequency}
            guide["input"] = wiring.input(f"{self.name}.position", begin)
            wiring.written[f"{self.name}.position"] = self.label
        wiring.guides.append(guide)
        self.row(wiring, LED, guide=len(wiring.guides) - 1)

    @property
    def unlimited(self) -> bool:
        """Whether a position may jump, and nobody said how fast it is to get there."""
        free = self.speed_max is None and self.acceleration_max == math.inf and self.smooth_hz is None
        return self.position is not None and free

    @property
    def speed_limit(self) -> float:
        """No faster than this."""
        if self.speed_max is None:
            return FASTEST if self.position is not None else math.inf
        return self.speed_max


def is_empty(values: Any) -> bool:
    """Whether nothing is given for a table."""
    return isinstance(values, (tuple, list, np.ndarray)) and len(values) == 0
