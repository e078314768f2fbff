"""DART."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.free_scene import GRAVITY, FreeScene


class DartFree:
    """One world of n skeletons, each a free joint with one body and no shape; semi-implicit Euler."""

    variants: ClassVar[tuple[str, ...]] = ("euler",)

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        dart = import_module("dartpy")
        world = self._world = dart.simulation.World()
        world.setGravity([0.0, 0.0, -GRAVITY])
        world.setTimeStep(dt)
        self._nodes = []
        for i in range(len(scene.mass)):
            skeleton = dart.dynamics.Skeleton(f"box{i}")
            joint, node = skeleton.createFreeJointAndBodyNodePair(None)
            inertia = dart.dynamics.Inertia()
            inertia.setMass(scene.mass[i])
            inertia.setMoment(np.diag(scene.inertia[i]))
            node.setInertia(inertia)
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = scene.R_WB[i], scene.p_WC[i]
            joint.setTransform(dart.math.Isometry3(pose))
            joint.setAngularVelocity(scene.w_WB[i])
            joint.setLinearVelocity(scene.v_WC[i])
            world.addSkeleton(skeleton)
            self._nodes.append(node)

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._world.step()

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        poses = [node.getWorldTransform() for node in self._nodes]
        return body_states(
            [pose.translation() for pose in poses],
            [pose.rotation() for pose in poses],
            [node.getCOMLinearVelocity() for node in self._nodes],
            [node.getAngularVelocity() for node in self._nodes],
        )


ENGINES = {"free": DartFree}
