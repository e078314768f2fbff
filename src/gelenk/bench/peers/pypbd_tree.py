"""PositionBasedDynamics through pyPBD with joined links."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.peers.pypbd import TURN, _array, _cube
from gelenk.bench.tree_scene import TREE_SCENES, Links


class PypbdTree:
    """Rigid bodies with joint constraints, each body a scaled cube since a mesh is asked for; no collision.

    Five substeps of one sweep, as its authors advise, or one substep of five sweeps. The world is a body without mass.
    """

    variants: ClassVar[tuple[str, ...]] = ("five_substeps", "five_sweeps")

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        pbd = import_module("pypbd")
        simulation = self._simulation = pbd.Simulation.getCurrent()
        simulation.initDefault()
        model = self._model = simulation.getModel()
        pbd.TimeManager.getCurrent().setTimeStepSize(dt)
        self._step = simulation.getTimeStep()
        substeps, sweeps = (5, 1) if variant == "five_substeps" else (1, 5)
        self._step.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, substeps)
        self._step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, sweeps)
        vertices, mesh = _cube(pbd)
        model.addRigidBody(1.0, vertices, mesh, [0.0] * 3, np.eye(3), [0.01] * 3, False, None)
        for link in scene.links:
            density = link.mass / float(np.prod(link.edges))
            pose = (TURN @ link.p_WC).tolist(), TURN @ link.R_WB
            model.addRigidBody(density, vertices, mesh, *pose, link.edges.tolist(), False, None)
        model.getRigidBodies()[0].setMass(0.0)
        for i, link in enumerate(scene.links):
            at = (TURN @ link.p_WJ).tolist()
            if link.joint == "ball":
                model.addBallJoint(link.parent + 1, i + 1, at)
            else:
                model.addHingeJoint(link.parent + 1, i + 1, at, (TURN @ link.axis_W).tolist())
        # moments come from the mesh, along axes in an order of its own
        R0 = np.array([_array(b.getRotationMatrix(), 3, 3) for b in model.getRigidBodies()][1:])
        self._fix = np.swapaxes(R0, 1, 2) @ TURN @ scene.start.R_WB

    def advance(self, k: int) -> None:
        """Take k steps."""
        for _ in range(k):
            self._step.step(self._model)

    def state(self) -> BodyStates:
        """Where the links are now."""
        bodies = list(self._model.getRigidBodies())[1:]
        R = TURN.T @ np.array([_array(b.getRotationMatrix(), 3, 3) for b in bodies]) @ self._fix
        p, v, w = (
            np.array([_array(getattr(b, name)(), 3) for b in bodies]) @ TURN
            for name in ("getPosition", "getVelocity", "getAngularVelocity")
        )
        return body_states(p, R, v, w)


ENGINES = dict.fromkeys(TREE_SCENES, PypbdTree)
