"""Exudyn."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.free_scene import GRAVITY, FreeScene


class ExudynFree:
    """One system of n rigid bodies: explicit on the rotation group, or implicit with Euler parameters.

    ``euler`` and ``rk44`` are explicit with rotation vectors and the mass matrix inverted body by body;
    ``trapezoidal`` is its index-2 trapezoidal rule with sparse factorisation.
    """

    variants: ClassVar[tuple[str, ...]] = ("euler", "rk44", "trapezoidal")

    def __init__(self, scene: FreeScene, dt: float, variant: str) -> None:
        exu = self._exu = import_module("exudyn")
        inertia_of = import_module("exudyn.utilities").RigidBodyInertia
        self._container = exu.SystemContainer()
        self._system, self._dt, self._done = self._container.AddSystem(), dt, 0
        kind = exu.NodeType.RotationEulerParameters if variant == "trapezoidal" else exu.NodeType.RotationRotationVector
        self._bodies = [
            self._system.CreateRigidBody(
                inertia=inertia_of(mass=scene.mass[i], inertiaTensor=np.diag(scene.inertia[i])),
                referencePosition=scene.p_WC[i].tolist(),
                referenceRotationMatrix=scene.R_WB[i],
                initialVelocity=scene.v_WC[i].tolist(),
                initialAngularVelocity=scene.w_WB[i].tolist(),
                gravity=[0.0, 0.0, -GRAVITY],
                nodeType=kind,
                show=False,
            )
            for i in range(len(scene.mass))
        ]
        self._system.Assemble()
        s = self._settings = exu.SimulationSettings()
        s.timeIntegration.verboseMode = 0
        s.displayComputationTime = False
        s.solutionSettings.writeSolutionToFile = False
        s.solutionSettings.sensorsWritePeriod = 1e9
        s.linearSolverType = exu.LinearSolverType.EigenSparse
        solvers = exu.DynamicSolverType
        if variant == "trapezoidal":
            self._solver = solvers.TrapezoidalIndex2
            s.timeIntegration.newton.useModifiedNewton = True
        else:
            self._solver = solvers.ExplicitEuler if variant == "euler" else solvers.RK44
            s.timeIntegration.explicitIntegration.computeMassMatrixInversePerBody = True

    def advance(self, k: int) -> None:
        """Take k steps."""
        time = self._settings.timeIntegration
        time.startTime, time.endTime = self._done * self._dt, (self._done + k) * self._dt
        time.numberOfSteps = k
        self._system.SolveDynamic(self._settings, solverType=self._solver, updateInitialValues=True, storeSolver=False)
        self._done += k

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        kinds = self._exu.OutputVariableType

        def all_of(kind: object) -> np.ndarray:
            return np.array([self._system.GetObjectOutputBody(b, kind, [0.0, 0.0, 0.0]) for b in self._bodies])

        return body_states(
            all_of(kinds.Position), all_of(kinds.RotationMatrix), all_of(kinds.Velocity), all_of(kinds.AngularVelocity)
        )


ENGINES = {"free": ExudynFree}
