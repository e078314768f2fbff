"""Bullet through PyBullet with Newton's cradle."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.cradle_scene import GRAVITY, CradleScene
from gelenk.bench.engine import BodyStates, body_states, rotations


class PybulletCradle:
    """Balls held at points, since PyBullet has no hinge between them and the world; 200 sweeps, no damping."""

    variants: ClassVar[tuple[str, ...]] = ("point_to_point",)

    def __init__(self, scene: CradleScene, dt: float, variant: str) -> None:
        pb = self._pb = import_module("pybullet")
        if pb.isConnected():
            pb.disconnect()  # one world at a time
        pb.connect(pb.DIRECT)
        pb.setGravity(0, 0, -GRAVITY)
        pb.setTimeStep(dt)
        pb.setPhysicsEngineParameter(restitutionVelocityThreshold=0.0, numSolverIterations=200, erp=0.8)
        shape = pb.createCollisionShape(pb.GEOM_SPHERE, radius=scene.radius)
        self._ids = []
        for i, x in enumerate(scene.hinge_x):
            turn = 0.5 * float(scene.angle[i])
            pose = scene.p_WC[i].tolist(), [0.0, np.sin(turn), 0.0, np.cos(turn)]
            body = pb.createMultiBody(scene.mass, shape, -1, *pose)
            pb.changeDynamics(body, -1, restitution=1.0, lateralFriction=0, linearDamping=0, angularDamping=0)
            hung = [0.0, 0.0, scene.length], [float(x), 0.0, 0.0]
            pb.createConstraint(body, -1, -1, -1, pb.JOINT_POINT2POINT, [0, 0, 0], *hung)
            self._ids.append(body)

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._pb.stepSimulation()

    def state(self) -> BodyStates:
        """Where the balls are now."""
        poses = [self._pb.getBasePositionAndOrientation(b) for b in self._ids]
        velocities = [self._pb.getBaseVelocity(b) for b in self._ids]
        R_WB = rotations(np.roll(np.array([q for _, q in poses]), 1, axis=1))
        return body_states([p for p, _ in poses], R_WB, [v for v, _ in velocities], [w for _, w in velocities])


ENGINES = {"cradle": PybulletCradle}
