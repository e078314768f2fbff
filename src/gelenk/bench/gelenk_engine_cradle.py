"""Gelenk itself in Newton's cradle."""

from __future__ import annotations

from math import cos, sin
from typing import ClassVar

from gelenk.bench.cradle_scene import GRAVITY, CradleScene
from gelenk.bench.gelenk_runner import GelenkRunner
from gelenk.geometry.shapes import Sphere
from gelenk.joints.hinge import Hinge
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.model.parts import WORLD


def cradle_model(scene: CradleScene) -> Model:
    """The cradle as a model."""
    b = Builder(gravity=(0.0, 0.0, -GRAVITY), name=scene.name)
    b.material("steel", friction=0.0, restitution=1.0)
    for i, x in enumerate(scene.hinge_x):
        turn = 0.5 * float(scene.angle[i])
        at, rotation = scene.p_WC[i], (cos(turn), 0.0, sin(turn), 0.0)
        b.body(f"ball{i}", shape=Sphere(scene.radius), material="steel", mass=scene.mass, at=at, rotation=rotation)
        b.add(Hinge(name=f"hinge{i}", a=WORLD, b=f"ball{i}", at=(float(x), 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return b.build()


class GelenkCradle(GelenkRunner):
    """One model; k steps are one call of the compiled step. Everything is left at its default."""

    variants: ClassVar[tuple[str, ...]] = ("rows",)

    def __init__(self, scene: CradleScene, dt: float, variant: str) -> None:
        super().__init__(cradle_model(scene), RowStepping(h=dt))


ENGINES = {"cradle": GelenkCradle}
