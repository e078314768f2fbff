"""MuJoCo with Newton's cradle."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.cradle_scene import GRAVITY, CradleScene
from gelenk.bench.engine import BodyStates, body_states

STIFFNESS = 1e5  # per mass [1/s^2]


class MujocoCradle:
    """Hinges in minimal coordinates; MuJoCo has no restitution, so contacts are stiff springs without damping."""

    variants: ClassVar[tuple[str, ...]] = ("euler", "rk4")

    def __init__(self, scene: CradleScene, dt: float, variant: str) -> None:
        mj = self._mj = import_module("mujoco")
        spec = mj.MjSpec()
        spec.option.timestep = dt
        spec.option.gravity = [0.0, 0.0, -GRAVITY]
        integrators = mj.mjtIntegrator
        spec.option.integrator = integrators.mjINT_RK4 if variant == "rk4" else integrators.mjINT_EULER
        for i, x in enumerate(scene.hinge_x):
            body = spec.worldbody.add_body(name=f"ball{i}", pos=[x, 0.0, 0.0])
            body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0])
            ball = body.add_geom(type=mj.mjtGeom.mjGEOM_SPHERE, pos=[0.0, 0.0, -scene.length], mass=scene.mass)
            ball.size[0], ball.condim = scene.radius, 1
            ball.solref, ball.solimp = [-STIFFNESS, 0.0], [1.0, 1.0, 0.001, 0.5, 2.0]
        self._model = spec.compile()
        self._data = mj.MjData(self._model)
        self._data.qpos[:] = scene.angle
        mj.mj_forward(self._model, self._data)
        self._scene = scene

    def advance(self, k: int) -> None:
        """Take k steps."""
        self._mj.mj_step(self._model, self._data, nstep=k)

    def state(self) -> BodyStates:
        """Where the balls are now, from the angles of the hinges."""
        scene, a, rate = self._scene, np.array(self._data.qpos), np.array(self._data.qvel)
        zero, r = np.zeros_like(a), scene.length
        p_WC = np.stack([scene.hinge_x - r * np.sin(a), zero, -r * np.cos(a)], axis=1)
        v_WC = np.stack([-r * np.cos(a) * rate, zero, r * np.sin(a) * rate], axis=1)
        ones = np.ones_like(a)
        turn = [[np.cos(a), zero, np.sin(a)], [zero, ones, zero], [-np.sin(a), zero, np.cos(a)]]
        return body_states(p_WC, np.moveaxis(np.array(turn), -1, 0), v_WC, np.stack([zero, rate, zero], axis=1))


ENGINES = {"cradle": MujocoCradle}
