"""Drake."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.free_scene import GRAVITY, FreeScene

GROUP = 50  # bodies in one discrete plant: from 10 to 100 the time changes by a tenth


class DrakeFree:
    """Floating bodies without geometry: ``discrete`` steps by dt, ``rk3`` is continuous at fixed step.

    The discrete step of one plant of 1000 bodies takes 0.2 s, so there the bodies are shared out to plants of a few,
    all in one diagram; the continuous plant holds all of them.
    """

    variants: ClassVar[tuple[str, ...]] = ("discrete", "rk3")

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        d = import_module("pydrake.all")
        builder = d.DiagramBuilder()
        group = GROUP if variant == "discrete" else len(scene.mass)
        self._bodies = []
        for i, (mass, inertia) in enumerate(zip(scene.mass, scene.inertia)):
            if i % group == 0:
                plant = builder.AddSystem(d.MultibodyPlant(dt if variant == "discrete" else 0.0))
                plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
            weight = d.SpatialInertia(mass, [0.0, 0.0, 0.0], d.UnitInertia(*(inertia / mass)))
            self._bodies.append((plant, plant.AddRigidBody(f"box{i}", weight)))
        for plant, _ in self._bodies[::group]:
            plant.Finalize()
        self._simulator = d.Simulator(builder.Build())
        if variant == "rk3":
            d.ResetIntegratorFromFlags(self._simulator, "runge_kutta3", dt)
            self._simulator.get_mutable_integrator().set_fixed_step_mode(True)
        self._root, self._dt, self._done = self._simulator.get_mutable_context(), dt, 0
        for i, (plant, body) in enumerate(self._bodies):
            context = plant.GetMyMutableContextFromRoot(self._root)
            pose = d.RigidTransform(d.RotationMatrix(scene.R_WB[i]), scene.p_WC[i])
            twist = d.SpatialVelocity(scene.w_WB[i], scene.v_WC[i])
            plant.SetFreeBodyPose(context, body, pose)
            plant.SetFreeBodySpatialVelocity(context=context, body=body, V_JpJc=twist)
        self._simulator.Initialize()

    def advance(self, k: int) -> None:
        """Take k steps."""
        self._done += k
        self._simulator.AdvanceTo(self._done * self._dt)

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        poses, twists = [], []
        for plant, body in self._bodies:
            context = plant.GetMyMutableContextFromRoot(self._root)
            poses.append(plant.EvalBodyPoseInWorld(context, body))
            twists.append(plant.EvalBodySpatialVelocityInWorld(context, body))
        return body_states(
            [pose.translation() for pose in poses],
            [pose.rotation().matrix() for pose in poses],
            [twist.translational() for twist in twists],
            [twist.rotational() for twist in twists],
        )


ENGINES = {"free": DrakeFree}
