"""Open Dynamics Engine through PyODE with joined links."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links


class OdeTree:
    """Free bodies with joint constraints: ``step`` solves them at once, ``quick_step`` by 20 sweeps, its default."""

    variants: ClassVar[tuple[str, ...]] = ("step", "quick_step")

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        ode = import_module("ode")
        world = self._world = ode.World()
        world.setGravity((0.0, 0.0, -GRAVITY))
        self._dt, self._step = dt, world.step if variant == "step" else world.quickStep
        self._bodies: list[Any] = []
        self._joints = []  # a joint that nobody holds is taken out of the world
        for link in scene.links:
            body, mass = ode.Body(world), ode.Mass()
            mass.setParameters(link.mass, 0, 0, 0, *link.inertia, 0, 0, 0)
            body.setMass(mass)
            body.setPosition(tuple(link.p_WC))
            body.setQuaternion(tuple(link.q_WB))
            joint = ode.BallJoint(world) if link.joint == "ball" else ode.HingeJoint(world)
            joint.attach(body, ode.environment if link.parent < 0 else self._bodies[link.parent])
            joint.setAnchor(tuple(link.p_WJ))
            if link.joint == "hinge":
                joint.setAxis(tuple(link.axis_W))
            self._bodies.append(body)
            self._joints.append(joint)

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._step(self._dt)

    def state(self) -> BodyStates:
        """Where the links are now."""

        def all_of(name: str) -> list[Any]:
            return [getattr(body, name)() for body in self._bodies]

        return body_states(
            all_of("getPosition"), all_of("getRotation"), all_of("getLinearVel"), all_of("getAngularVel")
        )


ENGINES = dict.fromkeys(TREE_SCENES, OdeTree)
