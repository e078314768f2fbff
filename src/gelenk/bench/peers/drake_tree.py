"""Drake with joined links."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.links import frame
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links

# Ball joints have roll, pitch and yaw, singular at a pitch of a right angle. Joint frames with x along the world's y
# make a turn about that axis, in which chains swing, a roll.
R_WJ = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


class DrakeTree:
    """One plant with one tree: ``discrete`` steps by dt, ``rk3`` is continuous at fixed step."""

    variants: ClassVar[tuple[str, ...]] = ("discrete", "rk3")

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        d = import_module("pydrake.all")
        builder = d.DiagramBuilder()
        plant = self._plant = builder.AddSystem(d.MultibodyPlant(dt if variant == "discrete" else 0.0))
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
        self._bodies: list = []
        for i, link in enumerate(scene.links):
            weight = d.SpatialInertia(link.mass, [0.0, 0.0, 0.0], d.UnitInertia(*(link.inertia / link.mass)))
            body = plant.AddRigidBody(link.name, weight)
            above = plant.world_body() if link.parent < 0 else self._bodies[link.parent]
            R_PJ = frame(scene.links, link.parent).R_W.T @ R_WJ
            ends = []
            for side, owner, R, at in (
                ("outer", above, R_PJ, scene.p_PJ_P[i]),
                ("inner", body, link.R_WB.T @ R_WJ, scene.p_CJ_B[i]),
            ):
                pose = d.RigidTransform(d.RotationMatrix(R), at)
                ends.append(plant.AddFrame(d.FixedOffsetFrame(f"{side} {link.name}", owner.body_frame(), pose)))
            if link.joint == "ball":
                plant.AddJoint(d.BallRpyJoint(f"joint of {link.name}", *ends))
            else:
                plant.AddJoint(d.RevoluteJoint(f"joint of {link.name}", *ends, R_WJ.T @ link.axis_W))
            self._bodies.append(body)
        plant.Finalize()
        self._simulator = d.Simulator(builder.Build())
        if variant == "rk3":
            d.ResetIntegratorFromFlags(self._simulator, "runge_kutta3", dt)
            self._simulator.get_mutable_integrator().set_fixed_step_mode(True)
        self._context = plant.GetMyMutableContextFromRoot(self._simulator.get_mutable_context())
        self._dt, self._done = dt, 0
        self._simulator.Initialize()

    def advance(self, k: int) -> None:
        """Take k steps."""
        self._done += k
        self._simulator.AdvanceTo(self._done * self._dt)

    def state(self) -> BodyStates:
        """Where the links are now."""
        poses = [self._plant.EvalBodyPoseInWorld(self._context, body) for body in self._bodies]
        twists = [self._plant.EvalBodySpatialVelocityInWorld(self._context, body) for body in self._bodies]
        return body_states(
            [pose.translation() for pose in poses],
            [pose.rotation().matrix() for pose in poses],
            [twist.translational() for twist in twists],
            [twist.rotational() for twist in twists],
        )


ENGINES = dict.fromkeys(TREE_SCENES, DrakeTree)
