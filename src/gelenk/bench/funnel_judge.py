"""How well cubes went through the funnel, from the poses and velocities an engine hands back alone."""

from __future__ import annotations

import numpy as np

from gelenk.bench.box_judge import BoxJudge
from gelenk.bench.box_overlap import depths
from gelenk.bench.engine import BodyStates, rotations
from gelenk.bench.funnel_scene import FunnelScene

SAMPLES = 180  # every fourth step: an overlap that is gone by then was none


class FunnelJudge(BoxJudge):
    """Looks at the cubes all through a run, also at how deep they are in walls and panels.

    ``outside``          cubes that are not in the container at the end
    ``mean_overlap``     of all pairs of cubes that overlap at the end [m]
    ``deepest_overlap``  largest of all samples of the run, of two cubes or of a cube and what stands still [m]
    ``speed``            largest at the end [m/s]
    """

    pieces = SAMPLES

    def __init__(self, scene: FunnelScene) -> None:
        super().__init__(scene)
        self._funnel = scene
        turns = rotations(np.array([still.turn for still in scene.still]))
        self._still = [(np.array(s.centre), R, np.array(s.half)) for s, R in zip(scene.still, turns)]

    def depths(self, states: BodyStates) -> tuple[float, float]:
        """Mean of the overlaps of cubes, and the largest of all [m]."""
        mean, largest = super().depths(states)
        sound = self.sound(states)
        p, R, half = states.p_WC[sound], states.R_WB[sound], self._funnel.half[sound]
        for centre, turn, size in self._still:
            axes, halves = np.broadcast_to(turn, R.shape), np.broadcast_to(size, half.shape)
            largest = max(largest, float(depths(p - centre, axes, R, halves, half).max(initial=0.0)))
        return mean, largest

    def accuracy(self, states: BodyStates, t: float) -> dict[str, float]:
        """The errors by name; ``states`` are the last."""
        mean, largest = self.depths(states)
        p, scene, sound = states.p_WC, self._funnel, self.sound(states)
        with np.errstate(invalid="ignore"):
            within = sound & (np.abs(p[:, :2]).max(axis=1) < scene.inside) & (p[:, 2] < scene.rim)
        speed = np.linalg.norm(states.v_WC[sound], axis=1).max(initial=0.0)
        return {
            "outside": float(np.sum(~within)),
            "mean_overlap": mean,
            "deepest_overlap": max(self._deepest, largest),
            "speed": float(speed),
        }
