"""MuJoCo."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

from gelenk.bench.engine import BodyStates, body_states, rotations, turned
from gelenk.bench.free_scene import GRAVITY, FreeScene


class MujocoFree:
    """One model with n free joints and no geoms; k steps are one call. Variants are its integrators."""

    variants: ClassVar[tuple[str, ...]] = ("euler", "rk4")

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        mj = self._mj = import_module("mujoco")
        spec = mj.MjSpec()
        spec.option.timestep = dt
        spec.option.gravity = [0.0, 0.0, -GRAVITY]
        spec.option.integrator = {"euler": mj.mjtIntegrator.mjINT_EULER, "rk4": mj.mjtIntegrator.mjINT_RK4}[variant]
        spec.option.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONTACT)
        for p, q, mass, inertia in zip(scene.p_WC, scene.q_WB, scene.mass, scene.inertia):
            body = spec.worldbody.add_body(pos=p, quat=q)
            body.mass, body.inertia, body.explicitinertial = mass, inertia, True
            body.ipos, body.iquat = [0, 0, 0], [1, 0, 0, 0]  # unset, they copy pos and quat
            body.add_freejoint()
        self._model = spec.compile()
        self._data = mj.MjData(self._model)
        velocity = self._data.qvel.reshape(-1, 6)  # linear part in world axes, angular part in body axes
        velocity[:, :3], velocity[:, 3:] = scene.v_WC, scene.w_WB_B

    def advance(self, k: int) -> None:
        """Take k steps."""
        self._mj.mj_step(self._model, self._data, nstep=k)

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        pose, velocity = self._data.qpos.reshape(-1, 7), self._data.qvel.reshape(-1, 6)
        R_WB = rotations(pose[:, 3:])
        return body_states(pose[:, :3], R_WB, velocity[:, :3], turned(R_WB, velocity[:, 3:]))


ENGINES = {"free": MujocoFree}
