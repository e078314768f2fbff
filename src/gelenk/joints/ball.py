"""Ball joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.joints.joint import Free, Joint
from gelenk.joints.parts import T3, Part
from gelenk.rows.coordinate import SWING, TWIST


@dataclass(frozen=True, slots=True, kw_only=True)
class Ball(Joint):
    """A common point, all rotations free (V-62, I-041).

    Its free coordinates are the ``swing``, the angle between the z axes of both sides (a cone limit), and the ``twist``
    about z that is left when the swing is taken off.
    """

    kind: ClassVar[str] = "ball"
    parts: ClassVar[tuple[Part, ...]] = (T3,)
    free: ClassVar[tuple[Free, ...]] = (("swing", SWING, 0, "rad"), ("twist", TWIST, 2, "rad"))
    watched: ClassVar[bool] = False
    needs_axis: ClassVar[bool] = False
    particle_b: ClassVar[bool] = True
