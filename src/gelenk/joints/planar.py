"""Planar joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R2, T1, Part
from gelenk.rows.coordinate import SHIFT, TWIST


@dataclass(frozen=True, slots=True, kw_only=True)
class Planar(Joint):
    """Motion in a plane across ``axis`` (V-82). Free: ``x``, ``y`` along the axes of a [m], ``angle`` [rad]."""

    kind: ClassVar[str] = "planar"
    parts: ClassVar[tuple[Part, ...]] = (
        T1,
        R2,
    )
    free: ClassVar[tuple[Free, ...]] = (
        ("x", SHIFT, 0, "m"),
        ("y", SHIFT, 1, "m"),
        ("angle", TWIST, 2, "rad"),
    )
