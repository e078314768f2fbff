"""Universal joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import R1, T3, Part
from gelenk.rows.coordinate import ANGLE_X, ANGLE_Y


@dataclass(frozen=True, slots=True, kw_only=True)
class Universal(Joint):
    """Cardan joint (V-64, I-053): a common point; the x axis of a stays at a right angle to the y axis of b.

    ``axis`` is the z axis at the start, along the shafts if they are in line; ``x_axis`` is the axis fixed in a; the
    axis fixed in b lies across both. Free: ``angle_x`` about the axis in a, ``angle_y`` about the axis in b [rad]. It
    has no answer where the axes become parallel, at a bend of 90 degrees (trap T-23).
    """

    kind: ClassVar[str] = "universal"
    parts: ClassVar[tuple[Part, ...]] = (
        T3,
        R1,
    )
    free: ClassVar[tuple[Free, ...]] = (
        ("angle_x", ANGLE_X, 0, "rad"),
        ("angle_y", ANGLE_Y, 1, "rad"),
    )
