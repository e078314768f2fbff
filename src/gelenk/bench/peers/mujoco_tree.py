"""MuJoCo with joined links."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.links import frame, pins, quaternion
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links


class MujocoTree:
    """``tree`` and ``tree_rk4``: nested bodies, so joints are exact. ``connect``: free bodies held at points.

    A hinge of free bodies is two points on its axis. Their constraint has a time constant of two steps, the stiffest
    that MuJoCo takes; its own 20 ms would let the links hang as on rubber.
    """

    variants: ClassVar[tuple[str, ...]] = ("tree", "tree_rk4", "connect")

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        mj = self._mj = import_module("mujoco")
        spec = mujoco_spec(dt)
        if variant == "tree_rk4":
            spec.option.integrator = mj.mjtIntegrator.mjINT_RK4
        if variant == "connect":
            _free_bodies(mj, spec, scene, dt)
        else:
            nested_bodies(spec, scene)
        self._model = spec.compile()
        self._data = mj.MjData(self._model)
        self._ids = np.array([self._model.body(link.name).id for link in scene.links])  # compiled depth first

    def advance(self, k: int) -> None:
        """Take k steps."""
        self._mj.mj_step(self._model, self._data, nstep=k)

    def state(self) -> BodyStates:
        """Where the links are now; velocities come about the centre of mass of the whole tree."""
        model, data = self._model, self._data
        for bring_up_to_date in (self._mj.mj_kinematics, self._mj.mj_comPos, self._mj.mj_comVel):
            bring_up_to_date(model, data)
        p_WC, w = data.xipos[self._ids], data.cvel[self._ids, :3]
        about = data.subtree_com[model.body_rootid[self._ids]]
        return body_states(p_WC, data.ximat[self._ids], data.cvel[self._ids, 3:] + np.cross(w, p_WC - about), w)


def mujoco_spec(dt: float) -> Any:
    """An empty model with gravity, without contact, stepped by Euler's scheme."""
    mj = import_module("mujoco")
    spec = mj.MjSpec()
    spec.option.timestep = dt
    spec.option.gravity = [0.0, 0.0, -GRAVITY]
    spec.option.integrator = mj.mjtIntegrator.mjINT_EULER
    for off in (mj.mjtDisableBit.mjDSBL_CONTACT, mj.mjtDisableBit.mjDSBL_AUTORESET):
        spec.option.disableflags |= int(off)  # autoreset would begin anew where the motion diverges
    return spec


def nested_bodies(spec: Any, scene: Links) -> None:
    """Put the links into a model as bodies within bodies, their frames in their centres of mass."""
    mj = import_module("mujoco")
    bodies: list[Any] = []
    for i, link in enumerate(scene.links):
        up = frame(scene.links, link.parent)
        above = spec.worldbody if link.parent < 0 else bodies[link.parent]
        body = above.add_body(name=link.name, pos=up.point(link.p_WC), quat=quaternion(up.R_W.T @ link.R_WB))
        _weigh(body, link.mass, link.inertia)
        if link.joint == "free":
            body.add_freejoint(name=link.name)
        else:
            kind = mj.mjtJoint.mjJNT_BALL if link.joint == "ball" else mj.mjtJoint.mjJNT_HINGE
            body.add_joint(name=link.name, type=kind, pos=scene.p_CJ_B[i], axis=link.R_WB.T @ link.axis_W)
        bodies.append(body)


def _free_bodies(mj: Any, spec: Any, scene: Links, dt: float) -> None:
    for i, link in enumerate(scene.links):
        body = spec.worldbody.add_body(name=link.name, pos=link.p_WC, quat=link.q_WB)
        _weigh(body, link.mass, link.inertia)
        body.add_freejoint()
        for offset in pins(link):
            row = spec.add_equality()
            row.type, row.objtype = mj.mjtEq.mjEQ_CONNECT, mj.mjtObj.mjOBJ_BODY
            row.name1, row.name2 = link.name, "world" if link.parent < 0 else scene.links[link.parent].name
            row.data[:3] = scene.p_CJ_B[i] + link.R_WB.T @ offset
            row.solref = [2.0 * dt, 1.0]


def _weigh(body: Any, mass: float, inertia: np.ndarray) -> None:
    body.mass, body.inertia, body.explicitinertial = mass, inertia, True
    body.ipos, body.iquat = [0, 0, 0], [1, 0, 0, 0]  # unset, they copy pos and quat


ENGINES = dict.fromkeys(TREE_SCENES, MujocoTree)
