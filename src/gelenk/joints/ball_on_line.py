"""Ball on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import T2, Part
from gelenk.rows.coordinate import SHIFT


@dataclass(frozen=True, slots=True, kw_only=True)
class BallOnLine(Joint):
    """A point of b stays on a straight line of a along ``axis`` (I-042). Free: ``position`` [m]; all rotations."""

    kind: ClassVar[str] = "ball_on_line"
    parts: ClassVar[tuple[Part, ...]] = (T2,)
    free: ClassVar[tuple[Free, ...]] = (("position", SHIFT, 2, "m"),)
    particle_b: ClassVar[bool] = True
