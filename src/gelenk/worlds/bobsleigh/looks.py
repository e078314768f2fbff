"""What the bodies of a sled are drawn as. It touches by its points alone, and weighs what its data say."""

from __future__ import annotations

import math

from gelenk.checks import Quaternion, Vector
from gelenk.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Shape
from gelenk.model.builder import Builder
from gelenk.model.parts import ORIGIN, UPRIGHT, Part

PAINTS: dict[str, Vector] = {"hull": (0.72, 0.12, 0.15), "steel": (0.62, 0.66, 0.70), "suit": (0.10, 0.20, 0.36)}
HALF = math.sqrt(0.5)
ALONG_X: Quaternion = (HALF, 0.0, HALF, 0.0)  # takes the axis z of a capsule to x


def add_paints(builder: Builder) -> None:
    """Materials that only show colours."""
    for name, color in PAINTS.items():
        builder.material(name, color=color)


def looks_of(body: str) -> list[Part]:
    """Shapes of a body, in its axes: x left, y up, z forward."""
    if body == "rear hull":
        sides = [drawn(Box((0.03, 0.30, 1.45)), (x, 0.40, 0.30), "hull") for x in (-0.31, 0.31)]
        floor = drawn(Box((0.62, 0.10, 1.70)), (0.0, 0.22, 0.25), "hull")
        axle = drawn(Capsule(radius=0.025, length=0.62), (0.0, 0.14, 0.0), "steel", ALONG_X)
        return [*sides, floor, axle]
    if body == "crew":
        backs = [drawn(Ellipsoid((0.20, 0.24, 0.26)), (0.0, 0.10, z), "suit") for z in (-0.40, 0.20)]
        helmets = [drawn(Ellipsoid((0.12, 0.14, 0.14)), (0.0, 0.32, z), "steel") for z in (-0.26, 0.36)]
        return backs + helmets
    if body == "front hull":
        return [drawn(Ellipsoid((0.31, 0.24, 1.00)), (0.0, 0.06, 0.15), "hull")]
    if body == "steering head":
        return [drawn(Cylinder(radius=0.04, length=0.10), ORIGIN, "steel")]
    if body == "front axle":
        return [drawn(Capsule(radius=0.025, length=0.62), ORIGIN, "steel", ALONG_X)]
    return [drawn(Box((0.016, 0.07, 0.80)), (0.0, -0.085, 0.0), "steel")]


def drawn(shape: Shape, at: Vector, paint: str, rotation: Quaternion = UPRIGHT) -> Part:
    """A part that is seen alone."""
    return Part(shape, at=at, rotation=rotation, material=paint, collide=False, weighs=False)
