"""Newton on the CPU with joined links, in single precision. Its solvers are written for GPUs: see newton.py."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states, rotations
from gelenk.bench.links import frame, quaternion
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links

MOST_FEATHERSTONE = 30  # joints; 100 take half a second a step and diverge


class NewtonTree:
    """``xpbd``: free bodies with joint constraints, 10 sweeps. ``featherstone``: one tree. No damping."""

    variants: ClassVar[tuple[str, ...]] = ("xpbd", "featherstone")

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        if variant == "featherstone" and len(scene.links) > MOST_FEATHERSTONE:
            raise ValueError(f"not run above {MOST_FEATHERSTONE} joints: half a second a step at 100, and it diverges")
        newton, wp = import_module("newton"), import_module("warp")
        wp.config.quiet = True
        wp.set_device("cpu")
        builder = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=(0.0, 0.0, -GRAVITY))
        bodies: list[Any] = []
        joints = []
        for i, link in enumerate(scene.links):
            body = builder.add_link(
                xform=_pose(wp, link.R_WB, link.p_WC),
                mass=link.mass,
                inertia=wp.mat33(*np.diag(link.inertia).ravel().tolist()),
            )
            above = -1 if link.parent < 0 else bodies[link.parent]
            ends = {  # both joint frames are along the world at the start
                "parent_xform": _pose(wp, frame(scene.links, link.parent).R_W.T, scene.p_PJ_P[i]),
                "child_xform": _pose(wp, link.R_WB.T, scene.p_CJ_B[i]),
            }
            if link.joint == "ball":
                joints.append(builder.add_joint_ball(above, body, **ends))
            else:
                joints.append(builder.add_joint_revolute(above, body, axis=wp.vec3(*link.axis_W.tolist()), **ends))
            bodies.append(body)
        builder.add_articulation(joints)
        model = builder.finalize(device="cpu")
        if variant == "xpbd":
            self._solver = newton.solvers.SolverXPBD(model, iterations=10, angular_damping=0.0)
        else:
            self._solver = newton.solvers.SolverFeatherstone(model, angular_damping=0.0)
        self._now, self._next, self._control, self._dt = model.state(), model.state(), model.control(), dt
        newton.eval_fk(model, model.joint_q, model.joint_qd, self._now)

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._now.clear_forces()
            self._solver.step(self._now, self._next, self._control, None, self._dt)
            self._now, self._next = self._next, self._now

    def state(self) -> BodyStates:
        """Where the links are now."""
        pose, twist = (a.numpy().astype(np.float64) for a in (self._now.body_q, self._now.body_qd))
        R_WB = rotations(np.roll(pose[:, 3:], 1, axis=1))
        return body_states(pose[:, :3], R_WB, twist[:, :3], twist[:, 3:])


def _pose(wp: Any, R: np.ndarray, at: np.ndarray) -> Any:
    return wp.transform(wp.vec3(*at.tolist()), wp.quat(*np.roll(quaternion(R), -1).tolist()))


ENGINES = dict.fromkeys(TREE_SCENES, NewtonTree)
