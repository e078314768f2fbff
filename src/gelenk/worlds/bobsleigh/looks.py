"""What the bodies of a sled are drawn as. It touches by its points alone, and weighs what its data say."""

from __future__ import annotations

import math
from functools import cache

from gelenk.checks import Quaternion, Vector
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Shape
from gelenk.model.builder import Builder
from gelenk.model.parts import ORIGIN, UPRIGHT, Part
from gelenk.worlds.bobsleigh.cowling import front_cowling, front_stripe, rear_tub

PAINTS: dict[str, Vector] = {
    "hull": (0.74, 0.09, 0.12),
    "stripe": (0.93, 0.93, 0.90),
    "steel": (0.62, 0.66, 0.70),
    "suit": (0.10, 0.17, 0.34),
    "helmet": (0.95, 0.95, 0.93),
    "visor": (0.08, 0.09, 0.12),
}
HALF = math.sqrt(0.5)
ALONG_X: Quaternion = (HALF, 0.0, HALF, 0.0)  # takes the axis z of a capsule to x


def add_paints(builder: Builder) -> None:
    """Materials that only show colours."""
    for name, color in PAINTS.items():
        builder.material(name, color=color)


@cache
def shells() -> tuple[TriangleMesh, TriangleMesh, TriangleMesh]:
    """Nose, its stripe and tub, made once."""
    return front_cowling(), front_stripe(), rear_tub()


def looks_of(body: str) -> list[Part]:
    """Shapes of a body, in its axes: x left, y up, z forward."""
    nose, stripe, tub = shells()
    if body == "rear hull":
        bumpers = [drawn(Ellipsoid((0.12, 0.055, 0.30)), (x, 0.22, -0.28), "hull") for x in (-0.33, 0.33)]
        handles = [drawn(Capsule(radius=0.016, length=0.22), (x, 0.60, -0.34), "steel") for x in (-0.28, 0.28)]
        axle = drawn(Capsule(radius=0.025, length=0.62), (0.0, 0.14, 0.0), "steel", ALONG_X)
        return [drawn(tub, ORIGIN, "hull"), *bumpers, *handles, axle]
    if body == "crew":
        return [*rider(0.14, 0.08, 0.36, 0.32), *rider(-0.46, 0.04, 0.24, -0.20)]
    if body == "front hull":
        bumpers = [drawn(Ellipsoid((0.13, 0.06, 0.46)), (x, -0.03, 0.52), "hull") for x in (-0.32, 0.32)]
        return [drawn(nose, ORIGIN, "hull"), drawn(stripe, ORIGIN, "stripe"), *bumpers]
    if body == "steering head":
        return [drawn(Cylinder(radius=0.04, length=0.10), ORIGIN, "steel")]
    if body == "front axle":
        return [drawn(Capsule(radius=0.025, length=0.62), ORIGIN, "steel", ALONG_X)]
    return [drawn(Box((0.016, 0.07, 0.80)), (0.0, -0.085, 0.0), "steel")]


def rider(z: float, back: float, head: float, head_z: float) -> list[Part]:
    """One of the crew: back, shoulders, helmet with its visor, all from the hips up."""
    return [
        drawn(Ellipsoid((0.19, 0.17, 0.27)), (0.0, back, z), "suit"),
        drawn(Capsule(radius=0.09, length=0.26), (0.0, back + 0.08, z + 0.12), "suit", ALONG_X),
        drawn(Ellipsoid((0.115, 0.135, 0.145)), (0.0, head, head_z), "helmet"),
        drawn(Ellipsoid((0.095, 0.060, 0.080)), (0.0, head + 0.005, head_z + 0.075), "visor"),
    ]


def drawn(shape: Shape, at: Vector, paint: str, rotation: Quaternion = UPRIGHT) -> Part:
    """A part that is seen alone."""
    return Part(shape, at=at, rotation=rotation, material=paint, collide=False, weighs=False)
