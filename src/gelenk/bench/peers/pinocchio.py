"""Pinocchio."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states, rotations, turned, turned_back
from gelenk.bench.free_scene import GRAVITY, FreeScene

GROUP = 40  # bodies in one model: about 1 GB; half as many cost 10 % more time, twice as many 7 GB


class PinocchioFree:
    """Free-flyers, articulated-body algorithm; Pinocchio has no stepper, so semi-implicit Euler is written here.

    One model of all bodies is out of reach: its working memory grows with the cube of their number. So there are
    models of a few bodies that share one working memory, and each takes its k steps before the next.
    """

    variants: ClassVar[tuple[str, ...]] = ("euler",)

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        pin = self._pin = import_module("pinocchio")
        self._dt = dt
        n = len(scene.mass)
        # free-flyer: pose as position and x y z w, velocity as twist in body axes, linear part first
        q = np.concatenate([scene.p_WC, np.roll(scene.q_WB, -1, axis=1)], axis=1)
        v = np.concatenate([turned_back(scene.R_WB, scene.v_WC), scene.w_WB_B], axis=1)
        self._groups: list[list[Any]] = []
        datas: dict[int, Any] = {}
        for first in range(0, n, GROUP):
            rows = range(first, min(first + GROUP, n))
            model = pin.Model()
            model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
            for i in rows:
                joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), f"box{i}")
                body = pin.Inertia(scene.mass[i], np.zeros(3), np.diag(scene.inertia[i]))
                model.appendBodyToJoint(joint, body, pin.SE3.Identity())
            if len(rows) not in datas:
                datas[len(rows)] = model.createData()
            part = slice(rows.start, rows.stop)
            self._groups.append([model, datas[len(rows)], q[part].ravel(), v[part].ravel(), np.zeros(model.nv)])

    def advance(self, k: int) -> None:
        """Take k steps."""
        aba, integrate, h = self._pin.aba, self._pin.integrate, self._dt
        for group in self._groups:
            model, data, q, v, no_torque = group
            for _ in range(k):
                v = v + h * aba(model, data, q, v, no_torque)
                q = integrate(model, q, h * v)
            group[2:4] = q, v

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        q = np.concatenate([group[2] for group in self._groups]).reshape(-1, 7)
        v = np.concatenate([group[3] for group in self._groups]).reshape(-1, 6)
        R_WB = rotations(np.roll(q[:, 3:], 1, axis=1))
        return body_states(q[:, :3], R_WB, turned(R_WB, v[:, :3]), turned(R_WB, v[:, 3:]))


ENGINES = {"free": PinocchioFree}
