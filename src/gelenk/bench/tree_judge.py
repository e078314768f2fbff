"""How far a run of joined links is off, from the poses and velocities an engine hands back alone."""

from __future__ import annotations

import numpy as np

from gelenk.bench.engine import BodyStates, Engine, turned, turned_back
from gelenk.bench.planar_pendulum import last_centre
from gelenk.bench.tree_scene import GRAVITY, Links

EARLY = 0.2  # [s]; errors of a step have not grown by chaos yet
MOST = 200  # joints; the reference solves a full system of that size and would take longer than the engines


class TreeJudge:
    """Looks at the links all through a run and keeps the largest of what it saw.

    ``joint_drift``     widest gap between the two places a joint has, on its link and on the parent [m]
    ``energy_error``    largest change of energy over the largest kinetic energy
    ``position_error``  planar scenes: distance of the last link's centre from the true one at 0.2 s [m];
                        no figure above 200 joints

    Later the motion of more than a few links is chaotic: neighbouring motions part, and the distance from the true
    one would say little about the method. A tilted hinge axis is no drift; it shows in the position.
    """

    pieces = 20  # shorter ones would time the call more than the steps
    times: tuple[float, ...] = (EARLY,)

    def __init__(self, scene: Links) -> None:
        self._scene = scene
        self._drift = self._change = self._kinetic = 0.0
        self._off = float("nan")
        self._waiting = scene.planar and len(scene.links) <= MOST

    def look(self, engine: Engine, t: float) -> None:
        """See where the links are at time t [s]."""
        self.see(engine.state(), t)

    def see(self, states: BodyStates, t: float) -> None:
        """Keep what is larger than before. What is not a number stays so to the end."""
        with np.errstate(over="ignore", invalid="ignore"):  # an engine may diverge
            kinetic, change = self._energy(states)
            self._drift = float(np.maximum(self._drift, self.gaps(states).max()))
            self._change = float(np.maximum(self._change, abs(change)))
            self._kinetic = float(np.maximum(self._kinetic, kinetic))
            if self._waiting and t > EARLY - 1e-9:  # the first step that ends at 0.2 s or after
                self._waiting = False
                self._off = float(np.linalg.norm(states.p_WC[-1] - last_centre(self._scene, t)))

    def accuracy(self, states: BodyStates, t: float) -> dict[str, float]:
        """The errors by name; ``states`` are the last, at time t."""
        self.see(states, t)
        share = self._change / self._kinetic if self._kinetic else float("nan")
        found = {"joint_drift": self._drift, "energy_error": share}
        return {**found, "position_error": self._off} if self._scene.planar else found

    def gaps(self, states: BodyStates) -> np.ndarray:
        """(n,) distance of each joint's place on its link from that on the parent [m]."""
        scene, p, R = self._scene, states.p_WC, states.R_WB
        hung = scene.parent >= 0
        up = scene.parent[hung]
        on_parent = scene.p_PJ_P.copy()
        on_parent[hung] = p[up] + turned(R[up], scene.p_PJ_P[hung])
        return np.linalg.norm(p + turned(R, scene.p_CJ_B) - on_parent, axis=1)

    def _energy(self, states: BodyStates) -> tuple[float, float]:
        """Kinetic energy, and the change of the whole since the start, where all is at rest [J]."""
        scene = self._scene
        w_B = turned_back(states.R_WB, states.w_WB)
        kinetic = 0.5 * float(scene.mass @ np.sum(states.v_WC**2, axis=1) + np.sum(scene.inertia * w_B**2))
        raised = float(scene.mass @ (states.p_WC - scene.start.p_WC)[:, 2])
        return kinetic, kinetic + GRAVITY * raised
