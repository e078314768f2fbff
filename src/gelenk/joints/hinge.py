"""Hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R2, T3, Part
from gelenk.rows.coordinate import TWIST


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinge(Joint):
    """Rotation about one axis (V-63, I-046). Free: ``angle`` of b against a about ``axis`` [rad], over all turns."""

    kind: ClassVar[str] = "hinge"
    parts: ClassVar[tuple[Part, ...]] = (T3, R2)
    free: ClassVar[tuple[Free, ...]] = (("angle", TWIST, 2, "rad"),)
