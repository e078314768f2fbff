"""Spring and damper on a joint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.drive import Drive, put_number
from gelenk.joints.wiring import Wiring
from gelenk.rows.block import SPRING


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSpring(Drive):
    """Spring and damper on a coordinate, solved with the joints, so that no stiffness is too stiff (V-78, V-69).

        force = -stiffness (place - rest) - damping rate        within force_min .. force_max

    Parameters
    ----------
    name, on : see :class:`Drive`
    stiffness : [N/m] or [N m/rad]
    damping : [N s/m] or [N m s/rad]
    rest : place without force [m] or [rad]; the input "name.rest"
    force_min, force_max : bounds of the force; force_min = 0 makes it push only
    """

    kind: ClassVar[str] = "joint_spring"

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    force_min: float = -math.inf
    force_max: float = math.inf

    def __post_init__(self) -> None:
        Drive.__post_init__(self)
        put_number(self, "stiffness", "N/m or N m/rad", least=0)
        put_number(self, "damping", "N s/m or N m s/rad", least=0)
        put_number(self, "rest", "m or rad")
        put_number(self, "force_min", "N or N m", most=0, may_be_infinite=1)
        put_number(self, "force_max", "N or N m", least=0, may_be_infinite=1)

    def wire(self, wiring: Wiring) -> None:
        """One row with compliance (virtual-worlds 3.12)."""
        rest = wiring.input(f"{self.name}.rest", self.rest)
        law = {"stiffness": self.stiffness, "damping": self.damping}
        self.row(wiring, SPRING, target=rest, low=self.force_min, high=self.force_max, **law)
