"""DART with joined links."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.links import frame
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links


class DartTree:
    """One skeleton, articulated-body algorithm; semi-implicit Euler."""

    variants: ClassVar[tuple[str, ...]] = ("euler",)

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        dart = import_module("dartpy")
        world = self._world = dart.simulation.World()
        world.setGravity([0.0, 0.0, -GRAVITY])
        world.setTimeStep(dt)
        skeleton = dart.dynamics.Skeleton("tree")
        self._nodes: list[Any] = []
        for i, link in enumerate(scene.links):
            above = None if link.parent < 0 else self._nodes[link.parent]
            if link.joint == "ball":
                joint, node = skeleton.createBallJointAndBodyNodePair(above)
            else:
                hinge = dart.dynamics.RevoluteJointProperties()
                hinge.mAxis = link.axis_W
                joint, node = skeleton.createRevoluteJointAndBodyNodePair(above, hinge)
            # both joint frames are along the world at the start
            R_PJ = frame(scene.links, link.parent).R_W.T
            joint.setTransformFromParentBodyNode(dart.math.Isometry3(_pose(R_PJ, scene.p_PJ_P[i])))
            joint.setTransformFromChildBodyNode(dart.math.Isometry3(_pose(link.R_WB.T, scene.p_CJ_B[i])))
            inertia = dart.dynamics.Inertia()
            inertia.setMass(link.mass)
            inertia.setMoment(np.diag(link.inertia))
            node.setInertia(inertia)
            self._nodes.append(node)
        world.addSkeleton(skeleton)

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._world.step()

    def state(self) -> BodyStates:
        """Where the links are now."""
        poses = [node.getWorldTransform() for node in self._nodes]
        return body_states(
            [pose.translation() for pose in poses],
            [pose.rotation() for pose in poses],
            [node.getCOMLinearVelocity() for node in self._nodes],
            [node.getAngularVelocity() for node in self._nodes],
        )


def _pose(R: np.ndarray, at: np.ndarray) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R, at
    return pose


ENGINES = dict.fromkeys(TREE_SCENES, DartTree)
