"""Wheel suspensions: a damped hinge, and one that also steers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.errors import InputError
from gelenk.joints.drive import put_number
from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R1, R2, Part
from gelenk.joints.wiring import Row, Wiring
from gelenk.rows.block import SPRING
from gelenk.rows.coordinate import ANGLE_X, ANGLE_Y, SHIFT, TWIST

ACROSS: Part = ((SHIFT, 1, 0.0), (SHIFT, 2, 0.0))  # no shift across the x axis


@dataclass(frozen=True, slots=True, kw_only=True)
class DampedHinge(Joint):
    """An unsteered wheel on its spring and damper (V-67): turns about ``axis``, moves along ``x_axis``.

    Parameters
    ----------
    a, b : chassis and wheel
    axis : of the wheel, fixed in both
    x_axis : along which it springs, from the wheel to the chassis
    stiffness, damping : of the spring [N/m], [N s/m]
    load : force that the spring carries in the modelled pose [N]

    Free: ``spin`` [rad] and ``travel`` of the wheel along ``x_axis`` [m].
    """

    kind: ClassVar[str] = "damped_hinge"
    parts: ClassVar[tuple[Part, ...]] = (ACROSS, R2)
    free: ClassVar[tuple[Free, ...]] = (("spin", TWIST, 2, "rad"), ("travel", SHIFT, 0, "m"))

    stiffness: float
    damping: float = 0.0
    load: float = 0.0

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        put_number(self, "stiffness", "N/m", above=0)
        put_number(self, "damping", "N s/m", least=0)
        put_number(self, "load", "N")
        if self.axis is not None and self.x_axis is None:
            raise InputError(self.label, "no x_axis", "the direction of the spring", "Pass x_axis across axis.")

    def wire(self, wiring: Wiring) -> None:
        """The parts, and the spring as a row (virtual-worlds 3.12)."""
        Joint.wire(self, wiring)
        travel = wiring.free[self.name]["travel"]
        law = {"stiffness": self.stiffness, "damping": self.damping, "rest": -self.load / self.stiffness}
        row = wiring.row(Row(self.label, SPRING, [(wiring.index(travel), 1.0)], travel.owner, True, **law))  # type: ignore[arg-type]
        wiring.sensor(f"{self.name}.spring", row, 1.0, "N")


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeredSuspension(DampedHinge):
    """A steered wheel as one joint (V-68): springs along ``x_axis``, steers about it, spins about ``axis``.

    Parameters as for :class:`DampedHinge`; ``x_axis`` is fixed in the chassis, ``axis`` in the wheel. Put a
    :class:`Servo` on "name.steer" and a motor or brake on "name.spin".

    Free: ``steer`` [rad], ``spin`` [rad], ``travel`` [m].
    """

    kind: ClassVar[str] = "steered_suspension"
    parts: ClassVar[tuple[Part, ...]] = (ACROSS, R1)
    free: ClassVar[tuple[Free, ...]] = (
        ("steer", ANGLE_X, 0, "rad"),
        ("spin", ANGLE_Y, 1, "rad"),
        ("travel", SHIFT, 0, "m"),
    )
    axis_is_y: ClassVar[bool] = True
