"""MuJoCo's equations of motion, at the state of ours."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from gelenk.bench.links import frame, quaternion
from gelenk.bench.peers.mujoco_tree import mujoco_spec, nested_bodies


class MujocoDynamics:
    """Calls from Python; velocities are ours in another order, those of balls in axes of the body:  v = T u."""

    def __init__(self, own: Any) -> None:
        mj = self._mj = import_module("mujoco")
        scene, spec = own.scene, mujoco_spec(1e-3)
        nested_bodies(spec, scene)
        model = self._model = spec.compile()
        data = self._data = mj.MjData(model)
        self._T = np.zeros((model.nv, own.tree.nu))
        for i, link in enumerate(scene.links):
            joint, (u, R_BJ) = model.joint(link.name), own.velocities(i)
            at, q = int(joint.dofadr[0]), int(joint.qposadr[0])
            up = frame(scene.links, link.parent).R_W.T  # of the parent at the start, and now
            now = own.rotation(link.parent).T if link.parent >= 0 else np.eye(3)
            R = (up @ link.R_WB).T @ now @ own.rotation(i)  # turned since the start, in axes of the body
            if link.joint == "hinge":
                self._T[at, u] = 1.0
                axial = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
                data.qpos[q] = np.arctan2(link.R_WB.T @ link.axis_W @ axial, 0.5 * (np.trace(R) - 1.0))
            elif link.joint == "ball":
                self._T[at : at + 3, u] = R_BJ
                data.qpos[q : q + 4] = quaternion(R)
            else:
                self._T[at : at + 6, u] = np.eye(6)
                data.qpos[q : q + 3] = own.state.p_WC[i + 1]
                data.qpos[q + 3 : q + 7] = quaternion(own.rotation(i))
        data.qvel[:], self._tau, self._a = self._T @ own.u, self._T @ own.tau, self._T @ own.du
        self._body = model.body(scene.links[-1].name).id
        self._point, self._J = own._arm, np.zeros((6, model.nv))
        self._M = np.zeros((model.nv, model.nv)) if model.nv <= 600 else None

    def calls(self) -> dict[str, Callable[[], Any]]:
        """By quantity."""
        mj, model, data = self._mj, self._model, self._data

        def forward() -> None:
            data.qfrc_applied[:] = self._tau
            mj.mj_forward(model, data)

        def inverse() -> None:
            data.qacc[:] = self._a
            mj.mj_inverse(model, data)

        def matrix() -> None:
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_crb(model, data)
            self._full()

        def jacobian() -> None:
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_jac(model, data, self._J[:3], self._J[3:], self._point, self._body)

        made: dict[str, Callable[[], Any]] = {"forward": forward, "inverse": inverse, "jacobian": jacobian}
        return made if self._M is None else {**made, "matrix": matrix}

    def _full(self) -> None:
        try:
            self._mj.mj_fullM(self._model, self._data, self._M)
        except TypeError:  # before MuJoCo 4
            self._mj.mj_fullM(self._model, self._M, self._data.qM)

    def value(self, what: str) -> np.ndarray:
        """In the order and axes of ours."""
        self.calls()[what]()
        if what == "forward":
            return self._T.T @ np.array(self._data.qacc)
        if what == "inverse":
            return self._T.T @ np.array(self._data.qfrc_inverse)
        return self._T.T @ self._M @ self._T if what == "matrix" else self._J @ self._T
