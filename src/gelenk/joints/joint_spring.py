"""Spring and damper on a joint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from gelenk.errors import InputError
from gelenk.joints.drive import Drive, put_number
from gelenk.joints.wiring import Wiring
from gelenk.rows.block import SPRING


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSpring(Drive):
    """Spring and damper on a coordinate, solved with the joints, so that no stiffness is too stiff (V-78, V-69).

        force = -stiffness (place - rest) - damping rate        within force_min .. force_max

    A spring with a ``kink`` bends there, to both sides of its rest, and has another stiffness beyond (B-53), as a lever
    between two springs with preload does (B-54).

    Parameters
    ----------
    name, on : see :class:`Drive`
    stiffness : [N/m] or [N m/rad]
    damping : [N s/m] or [N m s/rad]
    rest : place without force [m] or [rad]; the input "name.rest"
    force_min, force_max : bounds of the force; force_min = 0 makes it push only
    kink : way from the rest at which the spring bends [m] or [rad]; none if left out
    stiffness_beyond : from there on [N/m] or [N m/rad]; needs a kink
    """

    kind: ClassVar[str] = "joint_spring"

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    force_min: float = -math.inf
    force_max: float = math.inf
    kink: float = math.inf
    stiffness_beyond: float = 0.0

    def __post_init__(self) -> None:
        Drive.__post_init__(self)
        put_number(self, "stiffness", "N/m or N m/rad", least=0)
        put_number(self, "damping", "N s/m or N m s/rad", least=0)
        put_number(self, "rest", "m or rad")
        put_number(self, "force_min", "N or N m", most=0, may_be_infinite=1)
        put_number(self, "force_max", "N or N m", least=0, may_be_infinite=1)
        put_number(self, "kink", "m or rad", least=0, may_be_infinite=1)
        put_number(self, "stiffness_beyond", "N/m or N m/rad", least=0)
        self._check_kink()

    def _check_kink(self) -> None:
        """A bend without bounds, or none."""
        bounded = self.force_min > -math.inf or self.force_max < math.inf
        if self.kink == math.inf and self.stiffness_beyond > 0.0:
            found = f"stiffness_beyond is {self.stiffness_beyond:g} without a kink"
            raise InputError(self.label, found, "both or neither", "Give the kink where it begins.")
        if self.kink < math.inf and self.stiffness_beyond == 0.0:
            found = f"a kink at {self.kink:g} and no stiffness beyond it"
            remedy = "Give stiffness_beyond, or force_min and force_max instead of the kink for a force that stays."
            raise InputError(self.label, found, "stiffness_beyond above 0", remedy)
        if self.kink < math.inf and bounded:
            found = f"a kink at {self.kink:g} and bounds of the force"
            raise InputError(self.label, found, "one of them", "Put a second spring with the bounds on the joint.")

    def wire(self, wiring: Wiring) -> None:
        """One row with compliance (virtual-worlds 3.12)."""
        rest = wiring.input(f"{self.name}.rest", self.rest)
        law = {"stiffness": self.stiffness, "damping": self.damping, "kink": self.kink, "beyond": self.stiffness_beyond}
        self.row(wiring, SPRING, target=rest, low=self.force_min, high=self.force_max, **law)
