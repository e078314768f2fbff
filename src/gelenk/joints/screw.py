"""Screw joint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R2, T2, Part
from gelenk.joints.wiring import Wiring
from gelenk.rows.coordinate import SHIFT, TWIST


@dataclass(frozen=True, slots=True, kw_only=True)
class Screw(Joint):
    """Rotation about an axis that advances along it (V-66):  position = lead * angle / 2 pi,  counted over all turns.

    Parameters
    ----------
    lead : advance of b along ``axis`` in one turn [m]; negative for a left-handed thread

    The other parameters are those of :class:`Joint`. Free: ``angle`` [rad], and ``position`` [m] tied to it.
    """

    kind: ClassVar[str] = "screw"
    parts: ClassVar[tuple[Part, ...]] = (T2, R2)
    free: ClassVar[tuple[Free, ...]] = (("angle", TWIST, 2, "rad"), ("position", SHIFT, 2, "m"))

    lead: float

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        object.__setattr__(self, "lead", check_number(self.label, "lead", self.lead, "m"))
        if self.lead == 0.0:
            raise InputError(self.label, "lead is 0", "an advance in one turn [m]", "Use a hinge if it does not move.")

    def wire(self, wiring: Wiring) -> None:
        """The thread is one row over both coordinates, divided by 2 pi / lead (virtual-worlds 3.10)."""
        Joint.wire(self, wiring)
        angle, position = (wiring.free[self.name][name] for name in ("angle", "position"))
        terms = [(wiring.index(position), 1.0), (wiring.index(angle), -self.lead / (2.0 * math.pi))]
        self.hold_row(wiring, angle.owner, SHIFT, terms)
