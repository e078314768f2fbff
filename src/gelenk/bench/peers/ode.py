"""Open Dynamics Engine through PyODE."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.free_scene import GRAVITY, FreeScene


class OdeFree:
    """One world of n bodies without geometry. Variants are its two steppers, which differ only where bodies touch."""

    variants: ClassVar[tuple[str, ...]] = ("quick_step", "step")

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        ode = import_module("ode")
        world = self._world = ode.World()
        world.setGravity((0.0, 0.0, -GRAVITY))
        self._dt, self._step = dt, world.quickStep if variant == "quick_step" else world.step
        self._bodies = []
        for i in range(len(scene.mass)):
            body, mass = ode.Body(world), ode.Mass()
            mass.setParameters(scene.mass[i], 0, 0, 0, *scene.inertia[i], 0, 0, 0)
            body.setMass(mass)
            body.setPosition(tuple(scene.p_WC[i]))
            body.setQuaternion(tuple(scene.q_WB[i]))
            body.setLinearVel(tuple(scene.v_WC[i]))
            body.setAngularVel(tuple(scene.w_WB[i]))
            self._bodies.append(body)

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._step(self._dt)

    def state(self) -> BodyStates:
        """Where the bodies are now."""

        def all_of(name: str) -> list[Any]:
            return [getattr(body, name)() for body in self._bodies]

        return body_states(
            all_of("getPosition"), all_of("getRotation"), all_of("getLinearVel"), all_of("getAngularVel")
        )


ENGINES = {"free": OdeFree}
