"""Hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.drive import put_number
from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R2, T2, T3, Part
from gelenk.joints.wiring import Wiring
from gelenk.rows.coordinate import TWIST


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinge(Joint):
    """Rotation about one axis (V-63, I-046). Free: ``angle`` of b against a about ``axis`` [rad], over all turns.

    ``arm`` > 0 holds a second point of the axis, that far from the first [m], instead of its direction (I-047): a door
    on two pins. Errors of direction then count in metres, arm times the angle.
    """

    kind: ClassVar[str] = "hinge"
    parts: ClassVar[tuple[Part, ...]] = (T3, R2)
    free: ClassVar[tuple[Free, ...]] = (("angle", TWIST, 2, "rad"),)

    arm: float = 0.0

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        put_number(self, "arm", "m", least=0)

    def wire(self, wiring: Wiring) -> None:
        """As every joint, or T3 and, a piece along the axis, T2."""
        if self.arm == 0.0:
            Joint.wire(self, wiring)
            return
        pair = self.pair(wiring)
        owner = wiring.joint(self.name, pair, self.break_force, self.break_torque)
        self.hold(wiring, owner, pair, T3)
        self.hold(wiring, owner, wiring.shifted_pair(pair, (0.0, 0.0, self.arm)), T2)
        self.name_free(wiring, owner, pair)
