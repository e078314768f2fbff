"""Newton on the CPU, in single precision. Its solvers are written for GPUs: the time here says nothing of theirs."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states, rotations
from gelenk.bench.free_scene import GRAVITY, FreeScene


class NewtonFree:
    """One model of n free bodies without shapes, no damping. Variants are its solvers."""

    variants: ClassVar[tuple[str, ...]] = ("semi_implicit", "xpbd")

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        newton, wp = import_module("newton"), import_module("warp")
        wp.config.quiet = True
        wp.set_device("cpu")
        builder = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=(0.0, 0.0, -GRAVITY))
        for i in range(len(scene.mass)):
            x_y_z_w = np.roll(scene.q_WB[i], -1).tolist()
            builder.add_body(
                xform=wp.transform(wp.vec3(*scene.p_WC[i].tolist()), wp.quat(*x_y_z_w)),
                mass=float(scene.mass[i]),
                inertia=wp.mat33(*np.diag(scene.inertia[i]).ravel().tolist()),
            )
        model = builder.finalize(device="cpu")
        solver = newton.solvers.SolverXPBD if variant == "xpbd" else newton.solvers.SolverSemiImplicit
        self._solver = solver(model, angular_damping=0.0)
        self._now, self._next, self._control, self._dt = model.state(), model.state(), model.control(), dt
        self._now.body_qd.assign(np.concatenate([scene.v_WC, scene.w_WB], axis=1).astype(np.float32))

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._now.clear_forces()
            self._solver.step(self._now, self._next, self._control, None, self._dt)
            self._now, self._next = self._next, self._now

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        pose, twist = (a.numpy().astype(np.float64) for a in (self._now.body_q, self._now.body_qd))
        R_WB = rotations(np.roll(pose[:, 3:], 1, axis=1))
        return body_states(pose[:, :3], R_WB, twist[:, :3], twist[:, 3:])


ENGINES = {"free": NewtonFree}
