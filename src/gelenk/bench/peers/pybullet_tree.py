"""Bullet through PyBullet with joined links."""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states, rotations
from gelenk.bench.links import Frame, frame, pins
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links
from gelenk.bench.urdf import urdf

MOST_LINKS = 127  # of one tree, in the records that PyBullet hands back
MOST_SPEEDS = 128  # in the same records; what is beyond overwrites the poses of the first links, seven numbers each


class PybulletTree:
    """``multi_body``: one tree (Featherstone). ``point_to_point``: rigid bodies held at points.

    No damping, no motors, no collision. A hinge of rigid bodies is two points on its axis, since PyBullet has no other
    constraint between them. A tree of more than 40 ball joints moves as it should, but the poses of its first links
    are overwritten before they are handed back; here they are not numbers, and figures that need them are missing.
    """

    variants: ClassVar[tuple[str, ...]] = ("multi_body", "point_to_point")

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        pb = self._pb = import_module("pybullet")
        if pb.isConnected():
            pb.disconnect()  # one world at a time
        pb.connect(pb.DIRECT)
        pb.setGravity(0, 0, -GRAVITY)
        pb.setTimeStep(dt)
        self._R0 = scene.start.R_WB
        self._tree = _tree(pb, scene) if variant == "multi_body" else None
        self._bodies = [] if variant == "multi_body" else _rigid_bodies(pb, scene)
        speeds = 6 + sum(3 if link.joint == "ball" else 1 for link in scene.links)  # six of the fixed base
        self._lost = max(0, -(-(speeds - MOST_SPEEDS) // 7))

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._pb.stepSimulation()

    def state(self) -> BodyStates:
        """Where the links are now."""
        if self._tree is None:
            poses = [self._pb.getBasePositionAndOrientation(b) for b in self._bodies]
            twists = [self._pb.getBaseVelocity(b) for b in self._bodies]
            return body_states([p for p, _ in poses], _rotations([q for _, q in poses]), *zip(*twists))
        links = self._pb.getLinkStates(
            self._tree, list(range(len(self._R0))), computeLinkVelocity=1, computeForwardKinematics=1
        )
        p_WC = np.array([link[0] for link in links])
        R_WB = _rotations([link[5] for link in links]) @ self._R0  # link frames are along the world at the start
        p_WC[: self._lost], R_WB[: self._lost] = np.nan, np.nan
        return body_states(p_WC, R_WB, [link[6] for link in links], [link[7] for link in links])


def _tree(pb: Any, scene: Links) -> int:
    if len(scene.links) > MOST_LINKS:
        raise ValueError(f"a tree of PyBullet has at most {MOST_LINKS} links")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tree.urdf")
        file.write_text(urdf(scene), encoding="utf-8")
        flags = pb.URDF_USE_INERTIA_FROM_FILE | pb.URDF_MAINTAIN_LINK_ORDER
        tree: int = pb.loadURDF(str(file), useFixedBase=True, flags=flags)
    for j, link in enumerate(scene.links):
        pb.changeDynamics(tree, j, linearDamping=0, angularDamping=0, jointDamping=0)
        if link.joint == "ball":
            at = {"targetPosition": [0, 0, 0, 1], "force": [0, 0, 0]}
            pb.setJointMotorControlMultiDof(tree, j, pb.POSITION_CONTROL, **at)
        else:
            pb.setJointMotorControl2(tree, j, pb.VELOCITY_CONTROL, force=0)
    return tree


def _rigid_bodies(pb: Any, scene: Links) -> list[int]:
    def box(mass: float, half: np.ndarray, at: np.ndarray, q: np.ndarray) -> int:
        shape = pb.createCollisionShape(pb.GEOM_BOX, halfExtents=half.tolist())
        pose = at.tolist(), np.roll(q, -1).tolist()
        body: int = pb.createMultiBody(mass, shape, -1, *pose, useMaximalCoordinates=True)
        pb.changeDynamics(body, -1, linearDamping=0, angularDamping=0)
        pb.setCollisionFilterGroupMask(body, -1, 0, 0)
        return body

    world = box(0.0, np.full(3, 0.01), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    bodies: list[int] = []
    for link in scene.links:
        bodies.append(box(link.mass, 0.5 * link.edges, link.p_WC, link.q_WB))
        up, here = frame(scene.links, link.parent), Frame(link.p_WC, link.R_WB)
        above = world if link.parent < 0 else bodies[link.parent]
        for offset in pins(link):
            places = [f.point(link.p_WJ + offset).tolist() for f in (up, here)]
            pb.createConstraint(above, -1, bodies[-1], -1, pb.JOINT_POINT2POINT, [0, 0, 0], *places)
    return bodies


def _rotations(x_y_z_w: list[Any]) -> np.ndarray:
    return rotations(np.roll(np.array(x_y_z_w), 1, axis=1))


ENGINES = dict.fromkeys(TREE_SCENES, PybulletTree)
