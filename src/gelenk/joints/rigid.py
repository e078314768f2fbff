"""Rigid connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Joint
from gelenk.joints.parts import R3, T3, Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Rigid(Joint):
    """Nothing free (V-61, I-054): a six-axis force sensor (V-115), a weld that may break; else use one body (I-055)."""

    kind: ClassVar[str] = "rigid"
    parts: ClassVar[tuple[Part, ...]] = (T3, R3)
    needs_axis: ClassVar[bool] = False
