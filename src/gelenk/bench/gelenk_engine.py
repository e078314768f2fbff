"""Gelenk itself in the bench."""

from __future__ import annotations

from typing import ClassVar

from gelenk.bench.engine import BodyStates, body_states, rotations, turned
from gelenk.bench.free_scene import GRAVITY, FreeScene
from gelenk.methods.free import INTEGRATORS, FreeMotion
from gelenk.model.builder import Builder


class GelenkFree:
    """One model of n bodies; k steps are one call of the compiled step."""

    variants: ClassVar[tuple[str, ...]] = ("semi_implicit_euler", "runge_kutta4")

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        b = Builder(gravity=(0.0, 0.0, -GRAVITY), name="free")
        for i in range(len(scene.mass)):
            b.body(
                f"box{i}",
                mass=scene.mass[i],
                inertia=scene.inertia[i],
                at=scene.p_WC[i],
                rotation=scene.q_WB[i],
                velocity=scene.v_WC[i],
                angular_velocity=scene.w_WB[i],
            )
        model = b.build()
        self._state, self._h, self._done = model.initial_state(), dt, 0
        self._stepper = FreeMotion(h=dt, integrator=INTEGRATORS[variant]()).begin(model, self._state)

    def advance(self, k: int) -> None:
        """Take k steps."""
        taken = self._stepper.advance(0.0, self._h, self._done, k)
        if taken < k:
            raise RuntimeError(f"step {self._done + taken} failed: {self._stepper.why()}")
        self._done += k

    def state(self) -> BodyStates:
        """Where the bodies are now; row 0 of the state is the world."""
        s = self._state
        R_WB = rotations(s.q_WB[1:])
        return body_states(s.p_WC[1:], R_WB, s.v_WC[1:], turned(R_WB, s.w_WB_B[1:]))


ENGINES = {"free": GelenkFree}
