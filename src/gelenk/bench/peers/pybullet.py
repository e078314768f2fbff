"""Bullet through PyBullet."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states, rotations
from gelenk.bench.free_scene import GRAVITY, FreeScene


class PybulletFree:
    """n bodies, no damping, as ``multi_body`` (Featherstone, no shape) or ``rigid_body`` inside Bullet.

    A rigid body without a shape does not move there, so it has its box, which collides with nothing.
    """

    variants: ClassVar[tuple[str, ...]] = ("multi_body", "rigid_body")

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        pb = self._pb = import_module("pybullet")
        if pb.isConnected():
            pb.disconnect()  # one world at a time
        pb.connect(pb.DIRECT)
        pb.setGravity(0, 0, -GRAVITY)
        pb.setTimeStep(dt)
        rigid = variant == "rigid_body"
        self._ids = []
        for i in range(len(scene.mass)):
            shape = pb.createCollisionShape(pb.GEOM_BOX, halfExtents=scene.half[i].tolist()) if rigid else -1
            pose = scene.p_WC[i].tolist(), np.roll(scene.q_WB[i], -1).tolist()
            body = pb.createMultiBody(float(scene.mass[i]), shape, -1, *pose, useMaximalCoordinates=rigid)
            pb.changeDynamics(body, -1, linearDamping=0, angularDamping=0)
            if rigid:
                pb.setCollisionFilterGroupMask(body, -1, 0, 0)
            else:
                pb.changeDynamics(body, -1, localInertiaDiagonal=scene.inertia[i].tolist())
            pb.resetBaseVelocity(body, scene.v_WC[i].tolist(), scene.w_WB[i].tolist())
            self._ids.append(body)

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._pb.stepSimulation()

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        poses = [self._pb.getBasePositionAndOrientation(b) for b in self._ids]
        velocities = [self._pb.getBaseVelocity(b) for b in self._ids]
        q_WB = np.roll(np.array([q for _, q in poses]), 1, axis=1)
        return body_states(
            [p for p, _ in poses], rotations(q_WB), [v for v, _ in velocities], [w for _, w in velocities]
        )


ENGINES = {"free": PybulletFree}
