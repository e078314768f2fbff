"""Servo motor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.drive import Drive, put_number
from gelenk.joints.wiring import Wiring
from gelenk.rows.block import SERVO


@dataclass(frozen=True, slots=True, kw_only=True)
class Servo(Drive):
    """Moves a coordinate to a place: a controller gives the speed, a velocity row makes it (V-74, I-049, I-058).

        speed = kp e + ki (integral of e) + kd e',      e = target - place

    Parameters
    ----------
    name, on : see :class:`Drive`
    target : place [rad] or [m]; the input "name.target"
    kp : [1/s]; the error fades as exp(-kp t)
    ki, kd : [1/s^2], [1]
    force_max : greatest force or torque, in both directions [N] or [N m]

    The law is that of the end of the step, solved for the speed, so that no gain is too high for a step: a servo with
    kp h far above 1 is at its place after one step.
    The integral rests while the force is at its bound. "name.strength" and "name.force" as for a velocity motor.
    """

    kind: ClassVar[str] = "servo"

    target: float = 0.0
    kp: float = 10.0
    ki: float = 0.0
    kd: float = 0.0
    force_max: float = math.inf

    def __post_init__(self) -> None:
        Drive.__post_init__(self)
        put_number(self, "target", "rad or m")
        for what, unit in (("kp", "1/s"), ("ki", "1/s^2"), ("kd", "1")):
            put_number(self, what, unit, least=0)
        put_number(self, "force_max", "N or N m", least=0, may_be_infinite=1)

    def wire(self, wiring: Wiring) -> None:
        """One row with bounds whose target follows the controller."""
        target = wiring.input(f"{self.name}.target", self.target)
        strength = wiring.input(f"{self.name}.strength", 1.0)
        gains = {"kp": self.kp, "ki": self.ki, "kd": self.kd}
        bounds = {"low": -self.force_max, "high": self.force_max}
        self.row(wiring, SERVO, target=target, strength=strength, **gains, **bounds)
