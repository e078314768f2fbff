"""Rigid connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.errors import InputError
from gelenk.joints.drive import put_number
from gelenk.joints.joint import Joint
from gelenk.joints.parts import R3, T2, T3, Part
from gelenk.joints.wiring import Wiring
from gelenk.rows.coordinate import SHIFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Rigid(Joint):
    """Nothing free (V-61, I-054): a six-axis force sensor (V-115), a weld that may break.

    Bodies that it holds for good are better one body (I-055): ``Builder.build(merge=True)`` makes one of them.

    ``arm`` > 0 holds three points at right angles, that far apart [m], instead of a point and the directions.
    ``merge`` = False keeps both bodies apart also then, so that the joint has forces to read (forbidUnification).
    """

    kind: ClassVar[str] = "rigid"
    parts: ClassVar[tuple[Part, ...]] = (T3, R3)
    needs_axis: ClassVar[bool] = False

    arm: float = 0.0
    merge: bool = True

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        put_number(self, "arm", "m", least=0)
        if not isinstance(self.merge, bool):
            raise InputError(self.label, f"merge is {self.merge!r}", "true or false", "Pass a bool.")

    def wire(self, wiring: Wiring) -> None:
        """As every joint, or T3, T2 a piece along z, and T1 a piece along x with its normal along y."""
        if self.arm == 0.0:
            Joint.wire(self, wiring)
            return
        pair = self.pair(wiring)
        owner = wiring.joint(self.name, pair, self.break_force, self.break_torque)
        self.hold(wiring, owner, pair, T3)
        self.hold(wiring, owner, wiring.shifted_pair(pair, (0.0, 0.0, self.arm)), T2)
        self.hold(wiring, owner, wiring.shifted_pair(pair, (self.arm, 0.0, 0.0)), ((SHIFT, 1, 0.0),))
        self.name_free(wiring, owner, pair)
