"""Force motor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.drive import Drive, put_number
from gelenk.joints.wiring import Wiring
from gelenk.rows.block import PUSH


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceMotor(Drive):
    """Pushes a coordinate with a given force, and the other body back (V-73, I-048, I-052).

    Parameters
    ----------
    name, on : see :class:`Drive`
    force : [N] along a position or [N m] about an angle; the input "name.force"
    """

    kind: ClassVar[str] = "force_motor"

    force: float

    def __post_init__(self) -> None:
        Drive.__post_init__(self)
        put_number(self, "force", "N or N m")

    def wire(self, wiring: Wiring) -> None:
        """A load along one row."""
        self.row(wiring, PUSH, target=wiring.input(f"{self.name}.force", self.force))
