"""What acts on a free coordinate of a joint: one row on it, its set-points as inputs, its force as a sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from gelenk.checks import check_name, check_number
from gelenk.errors import InputError, warn_user
from gelenk.forces.element import Labelled
from gelenk.joints.wiring import Row, Wiring
from gelenk.rows.block import DRIVE, LED, LIMIT, LOCK, SERVO


class DriveWarning(UserWarning):
    """A drive that may ask for what cannot be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive(Labelled):
    """Base of motors, servos and springs on a joint (V-75).

    Parameters
    ----------
    name : unique name
    on : ``"joint"`` or ``"joint.coordinate"``
    """

    kind: ClassVar[str] = "drive"
    remedy: ClassVar[str] = "Give force_max."  # where an unbounded drive works against something without end

    name: str
    on: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.kind, self.name))
        if not isinstance(self.on, str):
            raise InputError(
                self.label, f"on is {self.on!r}"[:80], 'the name of a joint, or "joint.coordinate"', "Change on."
            )

    def row(self, wiring: Wiring, mode: int, **numbers: Any) -> Row:
        """Put down the row and its sensor ``"name.force"``."""
        free = wiring.find(self.label, "on", self.on)
        bounds = numbers.get("low", -math.inf), numbers.get("high", math.inf)
        if mode in (DRIVE, SERVO, LED) and bounds == (-math.inf, math.inf):
            self._warn_of_rivals([r for r in wiring.rows if [c for c, _ in r.terms] == [wiring.index(free)]])
        row = wiring.row(Row(self.label, mode, [(wiring.index(free), 1.0)], free.owner, **numbers))
        wiring.sensor(self.name, row, 1.0, "N m" if free.unit == "rad" else "N")
        return row

    def _warn_of_rivals(self, rows: list[Row]) -> None:
        """Say what an unbounded drive works against without end: stops, locks and other such drives."""
        whys = {}
        for row in rows:
            if row.mode == LIMIT:
                whys[LIMIT] = f"{self.on!r} has limits, and nothing bounds the force that presses against them"
            elif row.mode == LOCK:
                whys[LOCK] = f"{row.label} can be locked, and nothing bounds the force that works against the lock"
            elif row.mode in (DRIVE, SERVO, LED) and row.low == -math.inf and row.high == math.inf:
                whys[DRIVE] = f"{row.label} drives {self.on!r} too, and nothing bounds the force of either"
        for why in whys.values():
            warn_user(f"{self.label}: {why}. {self.remedy}", DriveWarning)


def put_number(element: Any, what: str, unit: str, **bounds: float) -> None:
    """Check a number field of a frozen element and store it as a float."""
    infinite = bool(bounds.pop("may_be_infinite", 0.0))
    number = check_number(element.label, what, getattr(element, what), unit, or_infinite=infinite, **bounds)
    object.__setattr__(element, what, number)
