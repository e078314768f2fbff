"""Ball on a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import T1, Part
from gelenk.rows.coordinate import SHIFT


@dataclass(frozen=True, slots=True, kw_only=True)
class BallOnPlane(Joint):
    """A point of b stays in a plane of a across ``axis`` (I-044). Free: ``x``, ``y`` [m]; all rotations."""

    kind: ClassVar[str] = "ball_on_plane"
    parts: ClassVar[tuple[Part, ...]] = (T1,)
    free: ClassVar[tuple[Free, ...]] = (
        ("x", SHIFT, 0, "m"),
        ("y", SHIFT, 1, "m"),
    )
    particle_b: ClassVar[bool] = True
