"""Cylindrical joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R2, T2, Part
from gelenk.rows.coordinate import SHIFT, TWIST


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylindrical(Joint):
    """Translation along one axis and rotation about it (V-65). Free: ``position`` [m] and ``angle`` [rad]."""

    kind: ClassVar[str] = "cylindrical"
    parts: ClassVar[tuple[Part, ...]] = (
        T2,
        R2,
    )
    free: ClassVar[tuple[Free, ...]] = (
        ("position", SHIFT, 2, "m"),
        ("angle", TWIST, 2, "rad"),
    )
