"""Exudyn with joined links."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, body_states
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links


class ExudynTree:
    """Free bodies with Euler parameters and joint constraints, implicit, sparse factorisation, modified Newton.

    ``trapezoidal`` keeps the joints at velocity level (index 2), ``generalized_alpha`` at position level (index 3) with
    a spectral radius of 0.9.
    """

    variants: ClassVar[tuple[str, ...]] = ("trapezoidal", "generalized_alpha")

    def __init__(self, scene: Links, dt: float, variant: str) -> None:
        exu = self._exu = import_module("exudyn")
        inertia_of = import_module("exudyn.utilities").RigidBodyInertia
        self._container = exu.SystemContainer()
        self._system, self._dt, self._done = self._container.AddSystem(), dt, 0
        ground = self._system.CreateGround()
        self._bodies: list[Any] = []
        for link in scene.links:
            body = self._system.CreateRigidBody(
                inertia=inertia_of(mass=link.mass, inertiaTensor=np.diag(link.inertia)),
                referencePosition=link.p_WC.tolist(),
                referenceRotationMatrix=link.R_WB,
                gravity=[0.0, 0.0, -GRAVITY],
                show=False,
            )
            pair = [ground if link.parent < 0 else self._bodies[link.parent], body]
            at = link.p_WJ.tolist()
            if link.joint == "ball":
                self._system.CreateSphericalJoint(bodyNumbers=pair, position=at, show=False)
            else:
                axis = link.axis_W.tolist()
                self._system.CreateRevoluteJoint(bodyNumbers=pair, position=at, axis=axis, show=False)
            self._bodies.append(body)
        self._system.Assemble()
        s = self._settings = exu.SimulationSettings()
        s.timeIntegration.verboseMode = 0
        s.displayComputationTime = False
        s.solutionSettings.writeSolutionToFile = False
        s.solutionSettings.sensorsWritePeriod = 1e9
        s.linearSolverType = exu.LinearSolverType.EigenSparse
        s.timeIntegration.newton.useModifiedNewton = True
        s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        solvers = exu.DynamicSolverType
        self._solver = solvers.TrapezoidalIndex2 if variant == "trapezoidal" else solvers.GeneralizedAlpha

    def advance(self, k: int) -> None:
        """Take k steps."""
        time = self._settings.timeIntegration
        time.startTime, time.endTime = self._done * self._dt, (self._done + k) * self._dt
        time.numberOfSteps = k
        self._system.SolveDynamic(self._settings, solverType=self._solver, updateInitialValues=True, storeSolver=False)
        self._done += k

    def state(self) -> BodyStates:
        """Where the links are now."""
        kinds = self._exu.OutputVariableType

        def all_of(kind: object) -> np.ndarray:
            return np.array([self._system.GetObjectOutputBody(b, kind, [0.0, 0.0, 0.0]) for b in self._bodies])

        return body_states(
            all_of(kinds.Position), all_of(kinds.RotationMatrix), all_of(kinds.Velocity), all_of(kinds.AngularVelocity)
        )


ENGINES = dict.fromkeys(TREE_SCENES, ExudynTree)
