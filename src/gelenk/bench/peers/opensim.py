"""OpenSim, which is Simbody inside."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.free_scene import GRAVITY, FreeScene


class OpensimFree:
    """One model of n free joints without geometry; Runge-Kutta-Merson with error control, no inner step above dt."""

    variants: ClassVar[tuple[str, ...]] = ("rk_merson",)

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        osim = self._osim = import_module("opensim")
        osim.Logger.setLevelString("error")
        model = self._model = osim.Model()
        model.setGravity(osim.Vec3(0, 0, -GRAVITY))
        # Body frames are along the world at the start, so that the joint angles begin at zero.
        self._R0 = scene.R_WB
        self._bodies, self._joints = [], []
        for i in range(len(scene.mass)):
            J = scene.R_WB[i] @ np.diag(scene.inertia[i]) @ scene.R_WB[i].T
            inertia = osim.Inertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
            body = osim.Body(f"box{i}", float(scene.mass[i]), osim.Vec3(0), inertia)
            zero = osim.Vec3(0)
            at = osim.Vec3(*scene.p_WC[i].tolist())
            joint = osim.FreeJoint(f"joint{i}", model.getGround(), at, zero, body, zero, zero)
            model.addBody(body)
            model.addJoint(joint)
            self._bodies.append(body)
            self._joints.append(joint)
        state = model.initSystem()
        for i, joint in enumerate(self._joints):
            for c, value in enumerate([*scene.w_WB[i], *scene.v_WC[i]]):
                joint.get_coordinates(c).setSpeedValue(state, float(value))
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
        """Where the bodies are now."""
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


ENGINES = {"free": OpensimFree}
