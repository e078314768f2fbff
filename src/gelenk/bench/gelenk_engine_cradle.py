"""Gelenk itself in Newton's cradle."""

from __future__ import annotations

from math import cos, sin
from typing import ClassVar

from gelenk.bench.cradle_scene import GRAVITY, CradleScene
from gelenk.bench.engine import BodyStates, body_states, rotations, turned
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


class GelenkCradle:
    """One model; k steps are one call of the compiled step. Everything is left at its default."""

    variants: ClassVar[tuple[str, ...]] = ("rows",)

    def __init__(self, scene: CradleScene, dt: float, variant: str) -> None:
        model = cradle_model(scene)
        self._state, self._h, self._done = model.initial_state(), dt, 0
        self._stepper = RowStepping(h=dt).begin(model, self._state)

    def advance(self, k: int) -> None:
        """Take k steps."""
        taken = self._stepper.advance(0.0, self._h, self._done, k)
        if taken < k:
            raise RuntimeError(f"step {self._done + taken} failed: {self._stepper.why()}")
        self._done += k

    def state(self) -> BodyStates:
        """Where the balls are now; row 0 of the state is the world."""
        s = self._state
        R_WB = rotations(s.q_WB[1:])
        return body_states(s.p_WC[1:], R_WB, s.v_WC[1:], turned(R_WB, s.w_WB_B[1:]))


ENGINES = {"cradle": GelenkCradle}
