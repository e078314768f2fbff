"""PositionBasedDynamics through pyPBD."""

from __future__ import annotations

import itertools
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.free_scene import DENSITY, FreeScene

# Gravity is 9.81 along -y and not to be set from Python: the scene is turned, z to y.
TURN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
FACES = "124 143 578 586 156 162 348 387 137 175 268 284"  # of a cube, vertices counted from 1


class PypbdFree:
    """n rigid bodies, each a scaled cube since a mesh is asked for; one substep a step, no collision."""

    variants: ClassVar[tuple[str, ...]] = ("one_substep",)

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        pbd = import_module("pypbd")
        self._simulation = pbd.Simulation.getCurrent()
        self._simulation.initDefault()
        self._model, self._count = self._simulation.getModel(), len(scene.mass)
        pbd.TimeManager.getCurrent().setTimeStepSize(dt)
        self._step = self._simulation.getTimeStep()
        self._step.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, 1)
        self._step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, 1)
        vertices, mesh = _cube(pbd)
        for i in range(self._count):
            at, R = (TURN @ scene.p_WC[i]).tolist(), TURN @ scene.R_WB[i]
            size = (2.0 * scene.half[i]).tolist()
            self._model.addRigidBody(DENSITY, vertices, mesh, at, R, size, False, None)
        bodies = self._model.getRigidBodies()
        for i in range(self._count):
            bodies[i].setVelocity((TURN @ scene.v_WC[i]).tolist())
            bodies[i].setAngularVelocity((TURN @ scene.w_WB[i]).tolist())
        # mass and moments come from the mesh, along axes in an order of its own
        self._fix = np.array([_array(b.getRotationMatrix(), 3, 3).T for b in bodies]) @ TURN @ scene.R_WB

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._step.step(self._model)

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        bodies = self._model.getRigidBodies()
        R = TURN.T @ np.array([_array(b.getRotationMatrix(), 3, 3) for b in bodies]) @ self._fix
        p, v, w = (
            np.array([_array(getattr(b, name)(), 3) for b in bodies]) @ TURN
            for name in ("getPosition", "getVelocity", "getAngularVelocity")
        )
        return body_states(p, R, v, w)


def _cube(pbd: Any) -> tuple[Any, Any]:
    corners = "".join(f"v {x} {y} {z}\n" for x, y, z in itertools.product((-0.5, 0.5), repeat=3))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "cube.obj")
        file.write_text(corners + "".join(f"f {' '.join(face)}\n" for face in FACES.split()))
        vertices, mesh = pbd.OBJLoader.loadObjToMesh(str(file), [1.0, 1.0, 1.0])
    return vertices, mesh


def _array(value: Any, *shape: int) -> np.ndarray:
    return np.array(value, dtype=np.float64).reshape(shape)


ENGINES = {"free": PypbdFree}
