"""OpenSim, which is Simbody inside, with joined links."""

from __future__ import annotations

from importlib import import_module
from math import pi
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links


class OpensimTree:
    """One tree, linear in its links; Runge-Kutta-Merson with error control, no inner step above dt."""

    variants: ClassVar[tuple[str, ...]] = ("rk_merson",)

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        osim = import_module("opensim")
        osim.Logger.setLevelString("error")
        model = self._model = osim.Model()
        model.setGravity(osim.Vec3(0, 0, -GRAVITY))
        # Body frames are along the world at the start, so that joints are given by offsets alone.
        self._R0 = scene.start.R_WB
        self._bodies: list[Any] = []
        self._joints = []
        for link in scene.links:
            J = link.inertia_W
            inertia = osim.Inertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
            body = osim.Body(link.name, link.mass, osim.Vec3(0), inertia)
            model.addBody(body)
            above = model.getGround() if link.parent < 0 else self._bodies[link.parent]
            p_WP = np.zeros(3) if link.parent < 0 else scene.links[link.parent].p_WC
            outer, inner = (osim.Vec3(*a.tolist()) for a in (link.p_WJ - p_WP, link.p_WJ - link.p_WC))
            kind = osim.BallJoint if link.joint == "ball" else osim.PinJoint
            turn = osim.Vec3(0) if link.joint == "ball" else osim.Vec3(-pi / 2, 0, 0)  # a pin turns about its z: to y
            joint = kind(f"joint_{link.name}", above, outer, turn, body, inner, turn)
            model.addJoint(joint)
            self._bodies.append(body)
            self._joints.append(joint)
        state = model.initSystem()
        manager = self._manager = osim.Manager(model)
        manager.setIntegratorMethod(osim.Manager.IntegratorMethod_RungeKuttaMerson)
        manager.setIntegratorAccuracy(1e-5)
        manager.setIntegratorMaximumStepSize(dt)
        manager.setPerformAnalyses(False)
        manager.setWriteToStorage(False)
        manager.initialize(state)
        self._state, self._dt, self._done = state, dt, 0

    def advance(self, k: int) -> None:
        """Take k steps."""
        self._done += k
        self._state = self._manager.integrate(self._done * self._dt)

    def state(self) -> BodyStates:
        """Where the links are now."""
        self._model.realizeVelocity(self._state)
        p, R, v, w = [], [], [], []
        for body, R0 in zip(self._bodies, self._R0):
            pose = body.getTransformInGround(self._state)
            matrix = pose.R().asMat33()
            p.append(_three(pose.p()))
            R.append(np.array([[matrix.get(i, j) for j in range(3)] for i in range(3)]) @ R0)
            v.append(_three(body.getLinearVelocityInGround(self._state)))
            w.append(_three(body.getAngularVelocityInGround(self._state)))
        return body_states(p, R, v, w)


def _three(a: Any) -> list[float]:
    return [a.get(0), a.get(1), a.get(2)]


ENGINES = dict.fromkeys(TREE_SCENES, OpensimTree)
