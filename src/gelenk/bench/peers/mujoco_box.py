"""MuJoCo with boxes in contact."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.box_scene import BOX_SCENES, DENSITY, GRAVITY, Boxes
from gelenk.bench.engine import BodyStates, body_states, rotations, turned

ROOM = 2**31  # [bytes] for the contacts of a thousand boxes


class MujocoBoxes:
    """Free bodies with MuJoCo's own soft contact: solved by conjugate gradients, or by Newton's method, its default."""

    variants: ClassVar[tuple[str, ...]] = ("cg", "newton")

    def __init__(self, scene: Boxes, dt: float, variant: str) -> None:
        mj = self._mj = import_module("mujoco")
        spec = mj.MjSpec()
        spec.option.timestep = dt
        spec.option.gravity = [0.0, 0.0, -GRAVITY]
        solvers = mj.mjtSolver
        spec.option.solver = solvers.mjSOL_CG if variant == "cg" else solvers.mjSOL_NEWTON
        spec.memory = ROOM
        friction = [scene.friction, 0.005, 0.0001]  # sliding; turning and rolling as it has them by itself
        box = {"type": mj.mjtGeom.mjGEOM_BOX, "friction": friction}
        for still in scene.still:
            spec.worldbody.add_geom(pos=still.centre, quat=still.turn, size=still.half, **box)
        for p_WC, half, q_WB in zip(scene.p_WC, scene.half, scene.q_WB):
            body = spec.worldbody.add_body(pos=p_WC, quat=q_WB)
            body.add_freejoint()
            body.add_geom(size=half, density=DENSITY, **box)
        self._model = spec.compile()
        self._data = mj.MjData(self._model)

    def advance(self, k: int) -> None:
        """Take k steps."""
        self._mj.mj_step(self._model, self._data, nstep=k)

    def state(self) -> BodyStates:
        """Where the boxes are now; angular velocities come in body axes."""
        place, speed = self._data.qpos.reshape(-1, 7), self._data.qvel.reshape(-1, 6)
        R_WB = rotations(np.array(place[:, 3:]))
        return body_states(place[:, :3], R_WB, speed[:, :3], turned(R_WB, np.array(speed[:, 3:])))


ENGINES = dict.fromkeys(BOX_SCENES, MujocoBoxes)
