"""Gear and differential between two coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from gelenk.checks import check_name
from gelenk.errors import InputError
from gelenk.forces.element import Labelled
from gelenk.joints.drive import put_number
from gelenk.joints.wiring import GAIN, Coordinate, Row, Wiring
from gelenk.rows.block import DRIVE, HOLD


def both(gear: Gear | Differential, wiring: Wiring) -> tuple[Coordinate, Coordinate]:
    """The two coordinates, which must differ."""
    first, second = wiring.find(gear.label, "first", gear.first), wiring.find(gear.label, "second", gear.second)
    if first.key == second.key:
        found = f"first is {gear.first!r} and second {gear.second!r}, the same coordinate"
        raise InputError(gear.label, found, "two different coordinates", "Change one.")
    return first, second


@dataclass(frozen=True, slots=True, kw_only=True)
class Gear(Labelled):
    """Ties two coordinates, of three bodies or four (V-76, V-77):   first = ratio second + offset,  or the rates alone

    Parameters
    ----------
    name : unique name
    first, second : ``"joint"`` or ``"joint.coordinate"``; angles and positions in any mix
    ratio : first per second; negative if they run against each other
    positions : whether places are tied too, as teeth and telescopes do, and not rates alone, as an axle does
    offset : first where second is zero [rad or m], if places are tied
    """

    kind: ClassVar[str] = "gear"

    name: str
    first: str
    second: str
    ratio: float = 1.0
    positions: bool = True
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.kind, self.name))
        put_number(self, "ratio", "1")
        put_number(self, "offset", "rad or m")
        if self.ratio == 0.0:
            raise InputError(self.label, "ratio is 0", "a ratio other than 0", "Use a brake to hold a joint.")
        if not isinstance(self.positions, bool):
            raise InputError(self.label, f"positions is {self.positions!r}", "true or false", "Pass a bool.")

    def wire(self, wiring: Wiring) -> None:
        """One row over both rate rows (virtual-worlds 3.11)."""
        first, second = both(self, wiring)
        terms = [(wiring.index(first), 1.0), (wiring.index(second), -self.ratio)]
        gain = GAIN if self.positions else 0.0
        ties = (first.owner, second.owner)
        row = wiring.row(Row(self.label, HOLD, terms, rest=self.offset, gain=gain, with_a=ties[0], with_b=ties[1]))
        wiring.sensor(self.name, row, 1.0, "N m" if first.unit == "rad" else "N")


@dataclass(frozen=True, slots=True, kw_only=True)
class Differential(Labelled):
    """A driven axle differential: the mean of two rates is the speed of the ring gear (V-76).

        first' + second' = 2 speed        both get the same torque, the ring gear twice that (trap T-5)

    Parameters
    ----------
    name : unique name
    first, second : ``"joint"`` or ``"joint.coordinate"`` of the two wheels, counted in the same sense
    speed : of the ring gear [rad/s]; the input "name.speed"
    force_max : greatest torque on each wheel [N m]
    braking : share of ``force_max`` that it may use backward

    The sensor "name.force" reads the torque on each wheel.
    """

    kind: ClassVar[str] = "differential"

    name: str
    first: str
    second: str
    speed: float = 0.0
    force_max: float = math.inf
    braking: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.kind, self.name))
        put_number(self, "speed", "rad/s")
        put_number(self, "force_max", "N m", least=0, may_be_infinite=1)
        put_number(self, "braking", "1", least=0)

    def wire(self, wiring: Wiring) -> None:
        """One motor row over both rate rows."""
        first, second = both(self, wiring)
        terms = [(wiring.index(first), 1.0), (wiring.index(second), 1.0)]
        target = wiring.input(f"{self.name}.speed", self.speed)
        strength = wiring.input(f"{self.name}.strength", 1.0)
        back = 0.0 if self.braking == 0.0 else self.braking * self.force_max
        numbers = {"target": target, "target_factor": 2.0, "strength": strength}
        numbers |= {"with_a": first.owner, "with_b": second.owner}
        row = wiring.row(Row(self.label, DRIVE, terms, low=-back, high=self.force_max, **numbers))  # type: ignore[arg-type]
        wiring.sensor(self.name, row, 1.0, "N m" if first.unit == "rad" else "N")
