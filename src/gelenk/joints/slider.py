"""Slider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R3, T2, Part
from gelenk.rows.coordinate import SHIFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider(Joint):
    """Translation along one axis (V-65, I-050). Free: ``position`` of b against a along ``axis`` [m]."""

    kind: ClassVar[str] = "slider"
    parts: ClassVar[tuple[Part, ...]] = (
        T2,
        R3,
    )
    free: ClassVar[tuple[Free, ...]] = (("position", SHIFT, 2, "m"),)
