"""Pinocchio with joined links."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.links import Link
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links

MOST_BYTES = 8e9  # of working memory; it grows with the cube of the speeds
BYTES = 64  # for each speed to the third


class PinocchioTree:
    """One tree, articulated-body algorithm. Pinocchio has no stepper: ``euler`` and ``rk4`` are written here.

    euler:  v' = v + h a(q, v),   q' = q (+) h v'
    rk4:    the classical scheme, each stage as q (+) a multiple of a speed; of order 4 for hinges and planar motion,
            less for ball joints, where it adds up speeds of stages whose axes have turned
    """

    variants: ClassVar[tuple[str, ...]] = ("euler", "rk4")

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        pin = self._pin = import_module("pinocchio")
        model, self._joints = pinocchio_model(scene.links)
        self._model, self._links = model, scene.links
        self._data = model.createData()
        self._q, self._v, self._no_torque = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        self._dt, self._steps = dt, self._euler if variant == "euler" else self._rk4

    def advance(self, k: int) -> None:
        """Take k steps."""
        self._steps(k)

    def _euler(self, k: int) -> None:
        aba, integrate, model, data = self._pin.aba, self._pin.integrate, self._model, self._data
        q, v, h, no_torque = self._q, self._v, self._dt, self._no_torque
        for _ in range(k):
            v = v + h * aba(model, data, q, v, no_torque)
            q = integrate(model, q, h * v)
        self._q, self._v = q, v

    def _rk4(self, k: int) -> None:
        integrate, model, h = self._pin.integrate, self._model, self._dt
        q, v = self._q, self._v
        for _ in range(k):
            a1 = self._acceleration(q, v)
            v2 = v + 0.5 * h * a1
            a2 = self._acceleration(integrate(model, q, 0.5 * h * v), v2)
            v3 = v + 0.5 * h * a2
            a3 = self._acceleration(integrate(model, q, 0.5 * h * v2), v3)
            v4 = v + h * a3
            a4 = self._acceleration(integrate(model, q, h * v3), v4)
            q = integrate(model, q, h / 6.0 * (v + 2.0 * (v2 + v3) + v4))
            v = v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)
        self._q, self._v = q, v

    def _acceleration(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """A copy: the next call writes over what this one hands back."""
        return np.array(self._pin.aba(self._model, self._data, q, v, self._no_torque))

    def state(self) -> BodyStates:
        """Where the links are now; a joint's velocity is in its own axes, at the joint."""
        self._pin.forwardKinematics(self._model, self._data, self._q, self._v)
        p, R, v, w = [], [], [], []
        for link, joint in zip(self._links, self._joints):
            pose, twist = self._data.oMi[joint], self._data.v[joint]
            arm = link.p_WC - link.p_WJ
            p.append(pose.act(arm))
            R.append(pose.rotation @ link.R_WB)
            v.append(pose.rotation @ (twist.linear + np.cross(twist.angular, arm)))
            w.append(pose.rotation @ twist.angular)
        return body_states(p, R, v, w)


def pinocchio_model(links: Sequence[Link]) -> tuple[Any, list[int]]:
    """The links as Pinocchio's model, and the joint of each; joint frames are along the world at the start.

    Joints are added branch by branch: its mass matrix takes the velocities beyond a joint to be one block.
    """
    pin = import_module("pinocchio")
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    joints = [0] * len(links)
    for i in depth_first(links):
        link = links[i]
        if link.joint == "hinge":
            kind = pin.JointModelRevoluteUnaligned(link.axis_W)
        else:
            kind = pin.JointModelSpherical() if link.joint == "ball" else pin.JointModelFreeFlyer()
        above = 0 if link.parent < 0 else joints[link.parent]
        at = link.p_WJ if link.parent < 0 else link.p_WJ - links[link.parent].p_WJ
        joint = model.addJoint(above, kind, pin.SE3(np.eye(3), at), link.name)
        weight = pin.Inertia(link.mass, link.p_WC - link.p_WJ, link.inertia_W)
        model.appendBodyToJoint(joint, weight, pin.SE3.Identity())
        joints[i] = joint
    if BYTES * model.nv**3 > MOST_BYTES:
        raise MemoryError(f"{model.nv} speeds would take about {BYTES * model.nv**3 / 1e9:.0f} GB")
    return model, joints


def depth_first(links: Sequence[Link]) -> list[int]:
    """Indices of the links, each followed by all that hang on it."""
    hung: list[list[int]] = [[] for _ in range(len(links) + 1)]  # the last: on the world
    for i in reversed(range(len(links))):
        hung[links[i].parent].append(i)
    order, waiting = [], hung[-1]
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting += hung[i]
    return order


ENGINES = dict.fromkeys(TREE_SCENES, PinocchioTree)
