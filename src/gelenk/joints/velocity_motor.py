"""Velocity motor and brake."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.drive import Drive, put_number
from gelenk.joints.wiring import Wiring
from gelenk.rows.block import DRIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class VelocityMotor(Drive):
    """Drives a coordinate at a speed with no more than its force (V-72). At speed 0 it is a brake.

    Parameters
    ----------
    name, on : see :class:`Drive`
    speed : [rad/s] or [m/s]; the input "name.speed"
    force_max : greatest force or torque that drives it forward [N] or [N m]
    braking : share of ``force_max`` that it may use backward; 1 for a servo drive, 0.01 for an engine, 0 one-sided

    The input "name.strength" scales its force, 1 at the start. The sensor "name.force" reads what it gives (V-113).
    """

    kind: ClassVar[str] = "velocity_motor"

    speed: float
    force_max: float = math.inf
    braking: float = 1.0

    def __post_init__(self) -> None:
        Drive.__post_init__(self)
        put_number(self, "speed", "rad/s or m/s")
        put_number(self, "force_max", "N or N m", least=0, may_be_infinite=1)
        put_number(self, "braking", "1", least=0)

    def wire(self, wiring: Wiring) -> None:
        """One row with bounds (virtual-worlds 3.8)."""
        back = 0.0 if self.braking == 0.0 else self.braking * self.force_max
        target = wiring.input(f"{self.name}.speed", self.speed)
        strength = wiring.input(f"{self.name}.strength", 1.0)
        self.row(wiring, DRIVE, low=-back, high=self.force_max, target=target, strength=strength)
