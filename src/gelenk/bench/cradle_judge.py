"""How true a run of Newton's cradle was, from the poses and velocities an engine hands back alone."""

from __future__ import annotations

import numpy as np

from gelenk.bench.cradle_scene import GRAVITY, CradleScene
from gelenk.bench.engine import BodyStates, Engine

SAMPLES = 500  # of a run; those of half a swing after the first impact are some seventy
AFTER, BEFORE = 0.32, 0.68  # of a period: between the first impact, at 0.25, and the way back, at 0.75


class CradleJudge:
    """Looks at the balls all through a run.

    ``transfer_error``  of the first impact: the last ball should rise to the angle of the first, the others rest
    ``energy_error``    change of energy over the run as a share of what there was; larger than 0 in both directions
    ``overlap``         largest of two neighbours [m]
    """

    pieces = SAMPLES
    times: tuple[float, ...] = ()

    def __init__(self, scene: CradleScene) -> None:
        self._scene = scene
        self._others, self._last, self._overlap = 0.0, 0.0, 0.0

    def look(self, engine: Engine, t: float) -> None:
        """See where the balls are at time t [s]."""
        self.see(engine.state(), t)

    def see(self, states: BodyStates, t: float) -> None:
        """Keep the largest of what counts."""
        scene, p = self._scene, states.p_WC
        angle = np.arctan2(p[:, 0] - scene.hinge_x, -p[:, 2])
        if AFTER * scene.period < t < BEFORE * scene.period:
            self._others = max(self._others, float(np.abs(angle[:-1]).max(initial=0.0)))
            self._last = max(self._last, float(angle[-1]))
        near = 2.0 * scene.radius - np.linalg.norm(np.diff(p, axis=0), axis=1)
        self._overlap = max(self._overlap, float(near.max(initial=0.0)))

    def accuracy(self, states: BodyStates, t: float) -> dict[str, float]:
        """The errors by name; ``states`` are the last, at time t."""
        self.see(states, t)
        scene = self._scene
        transfer = max(abs(self._last - scene.raised), self._others) / scene.raised
        begun = self.energy(scene.p_WC, np.zeros_like(scene.p_WC))
        energy = self.energy(states.p_WC, states.v_WC) / begun - 1.0
        return {"transfer_error": transfer, "energy_error": abs(energy), "overlap": self._overlap}

    def energy(self, p_WC: np.ndarray, v_WC: np.ndarray) -> float:
        """Of all balls above their lowest places, which turn as they swing [J]."""
        scene = self._scene
        swinging = scene.mass + scene.inertia / scene.length**2
        raised = np.sum(p_WC[:, 2] + scene.length)
        return float(0.5 * swinging * np.sum(v_WC**2) + scene.mass * GRAVITY * raised)
