"""Bullet through PyBullet with boxes in contact."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.box_scene import BOX_SCENES, GRAVITY, Boxes
from gelenk.bench.engine import BodyStates, body_states, rotations


class PybulletBoxes:
    """``rigid_body``: plain rigid bodies inside Bullet. ``multi_body``: what PyBullet makes by default. No damping."""

    variants: ClassVar[tuple[str, ...]] = ("rigid_body", "multi_body")

    def __init__(self, scene: Boxes, dt: float, variant: str) -> None:
        pb = self._pb = import_module("pybullet")
        if pb.isConnected():
            pb.disconnect()  # one world at a time
        pb.connect(pb.DIRECT)
        pb.setGravity(0, 0, -GRAVITY)
        pb.setTimeStep(dt)
        shapes: dict[tuple[float, ...], int] = {}

        def body(mass: float, half: Any, p: Any, q: Any) -> int:
            size = tuple(float(x) for x in half)
            if size not in shapes:
                shapes[size] = pb.createCollisionShape(pb.GEOM_BOX, halfExtents=list(size))
            pose = [float(x) for x in p], [float(x) for x in np.roll(q, -1)]
            made = pb.createMultiBody(mass, shapes[size], -1, *pose, useMaximalCoordinates=variant == "rigid_body")
            pb.changeDynamics(made, -1, lateralFriction=scene.friction, linearDamping=0, angularDamping=0)
            return int(made)

        for still in scene.still:
            body(0.0, still.half, still.centre, still.turn)
        self._ids = [
            body(float(m), half, p, q) for m, half, p, q in zip(scene.mass, scene.half, scene.p_WC, scene.q_WB)
        ]

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._pb.stepSimulation()

    def state(self) -> BodyStates:
        """Where the boxes are now."""
        poses = [self._pb.getBasePositionAndOrientation(b) for b in self._ids]
        velocities = [self._pb.getBaseVelocity(b) for b in self._ids]
        R_WB = rotations(np.roll(np.array([q for _, q in poses]), 1, axis=1))
        return body_states([p for p, _ in poses], R_WB, [v for v, _ in velocities], [w for _, w in velocities])


ENGINES = dict.fromkeys(BOX_SCENES, PybulletBoxes)
