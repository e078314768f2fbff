"""Pinocchio's equations of motion, at the state of ours."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from gelenk.bench.peers.pinocchio_tree import pinocchio_model


class PinocchioDynamics:
    """Calls from Python; its frames are along the world at the start, ours along the bodies and joints.

    v = T u  with an orthonormal T,  so  a = T u' + T' u,  tau = T tau,  M = T M T^T,  J = J T
    """

    def __init__(self, own: Any) -> None:
        pin = self._pin = import_module("pinocchio")
        links, own_state = own.scene.links, own.state
        model, joints = pinocchio_model(links)
        self._model, self._data, self._last = model, model.createData(), joints[-1]
        T, rest, q = np.zeros((model.nv, own.tree.nu)), np.zeros(model.nv), pin.neutral(model)
        turned = [own.rotation(i) @ link.R_WB.T for i, link in enumerate(links)]  # its frames in the world
        for i, (link, j) in enumerate(zip(links, joints)):
            at, (u, R_BJ) = model.joints[j], own.velocities(i)
            rows, q_rows = slice(at.idx_v, at.idx_v + at.nv), slice(at.idx_q, at.idx_q + at.nq)
            R = turned[i] if link.parent < 0 else turned[link.parent].T @ turned[i]
            if link.joint == "hinge":
                T[rows, u] = 1.0
                q[q_rows] = link.axis_W @ pin.log3(R)
            elif link.joint == "ball":
                T[rows, u] = link.R_WB @ R_BJ
                q[q_rows] = pin.Quaternion(R).coeffs()
            else:  # velocity in world axes, angular velocity in those of the body, here both in its own
                T[rows, u][:3, :3], T[rows, u][3:, 3:] = R.T, link.R_WB
                v, w = R.T @ own.u[u][:3], link.R_WB @ own.u[u][3:]
                rest[rows][:3] = -np.cross(w, v)
                q[q_rows] = [*(own_state.p_WC[i + 1] - link.p_WC), *pin.Quaternion(R).coeffs()]
                q[q_rows][:3] += link.p_WC - model.jointPlacements[j].translation
        self._T, self._rest, self._q = T, rest, q
        self._v, self._a, self._tau = T @ own.u, T @ own.du + rest, T @ own.tau

    def calls(self) -> dict[str, Callable[[], Any]]:
        """By quantity."""
        pin, given = self._pin, (self._model, self._data, self._q)
        return {
            "forward": lambda: pin.aba(*given, self._v, self._tau),
            "inverse": lambda: pin.rnea(*given, self._v, self._a),
            "matrix": lambda: pin.crba(*given),
            "jacobian": lambda: pin.computeJointJacobians(*given),
        }

    def value(self, what: str) -> np.ndarray:
        """In the order and axes of ours."""
        found = np.array(self.calls()[what]())
        if what == "forward":
            return self._T.T @ (found - self._rest)
        if what == "inverse":
            return self._T.T @ found
        if what == "matrix":
            return self._T.T @ (np.triu(found) + np.triu(found, 1).T) @ self._T
        world = self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return np.array(self._pin.getJointJacobian(self._model, self._data, self._last, world)) @ self._T
