"""Articulated steering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.errors import InputError
from gelenk.joints.drive import put_number
from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R1, T3, Part
from gelenk.joints.wiring import Row, Wiring
from gelenk.rows.block import LOCK
from gelenk.rows.coordinate import ANGLE_X, ANGLE_Y


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticulatedSteering(Joint):
    """The middle joint of a loader (V-70): steers about ``axis``, twists about ``x_axis``, locks when slow.

    Parameters
    ----------
    a, b : front and rear
    axis : the upright steering axis, fixed in b
    x_axis : along the vehicle, fixed in a
    limits : by coordinate, such as {"twist": (-0.26, 0.26)}
    lock_below : the twist is locked while the input "name.speed" is nearer to zero than this [m/s]; 0 never locks
    speed : of driving, as commanded [m/s]; the input "name.speed"

    Free: ``twist`` and ``steer`` [rad]; put a motor on "name.steer".
    """

    kind: ClassVar[str] = "articulated_steering"
    parts: ClassVar[tuple[Part, ...]] = (T3, R1)
    free: ClassVar[tuple[Free, ...]] = (("twist", ANGLE_X, 0, "rad"), ("steer", ANGLE_Y, 1, "rad"))
    axis_is_y: ClassVar[bool] = True

    lock_below: float = 0.0
    speed: float = 0.0

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        put_number(self, "lock_below", "m/s", least=0)
        put_number(self, "speed", "m/s")
        if self.axis is not None and self.x_axis is None:
            raise InputError(self.label, "no x_axis", "the direction along the vehicle", "Pass x_axis across axis.")

    def wire(self, wiring: Wiring) -> None:
        """The parts, and the lock of the twist."""
        Joint.wire(self, wiring)
        twist = wiring.free[self.name]["twist"]
        speed = wiring.input(f"{self.name}.speed", self.speed)
        if self.lock_below > 0.0:
            terms = [(wiring.index(twist), 1.0)]
            wiring.row(
                Row(self.label, LOCK, terms, twist.owner, True, target=speed, kp=self.lock_below, gain=self.gain)
            )
