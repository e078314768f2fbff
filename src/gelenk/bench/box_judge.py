"""How well a run of boxes in contact went, from the poses and velocities an engine hands back alone."""

from __future__ import annotations

import numpy as np

from gelenk.bench.box_overlap import depth_below, overlaps
from gelenk.bench.box_scene import Boxes
from gelenk.bench.engine import BodyStates, Engine

LOST = 0.1  # [m] below the floor


class BoxJudge:
    """Looks at the boxes now and then.

    ``mean_overlap``     of all pairs of boxes that overlap at the end [m]
    ``largest_overlap``  of two boxes, or of a box and the floor, at the end [m]
    ``deepest_overlap``  largest of all samples of the run [m]
    ``lost``             boxes that are not numbers or far below the floor
    ``creep``            scenes that should stand: farthest way of a centre from where it began [m]
    ``speed``            scenes that should stand: root of the mean square at the end [m/s]
    """

    pieces = 10
    times: tuple[float, ...] = ()

    def __init__(self, scene: Boxes) -> None:
        self._scene = scene
        self._deepest = 0.0

    def look(self, engine: Engine, t: float) -> None:
        """See how deep boxes are inside each other."""
        self._deepest = max(self._deepest, self.depths(engine.state())[1])

    def depths(self, states: BodyStates) -> tuple[float, float]:
        """Mean and largest overlap [m], of the boxes that are where numbers can say."""
        sound = self.sound(states)
        if not sound.any():
            return float("nan"), float("nan")
        p, R, half = states.p_WC[sound], states.R_WB[sound], self._scene.half[sound]
        found = overlaps(p, R, half)
        below = depth_below(p, R, half)
        return (float(found.mean()), max(float(found.max()), below)) if len(found) else (0.0, below)

    def sound(self, states: BodyStates) -> np.ndarray:
        """(n,) whether a box is still in the scene."""
        finite = np.isfinite(states.p_WC).all(axis=1) & np.isfinite(states.R_WB).all(axis=(1, 2))
        return finite & (np.where(finite, states.p_WC[:, 2], -np.inf) > -LOST)

    def accuracy(self, states: BodyStates, t: float) -> dict[str, float]:
        """The errors by name; ``states`` are the last."""
        mean, largest = self.depths(states)
        if not self._scene.stands:
            lost = float(np.sum(~self.sound(states)))
            deepest = max(self._deepest, largest)
            return {"mean_overlap": mean, "largest_overlap": largest, "deepest_overlap": deepest, "lost": lost}
        way = np.linalg.norm(states.p_WC - self._scene.p_WC, axis=1)
        speed = np.sqrt(np.mean(np.sum(states.v_WC**2, axis=1)))
        return {"largest_overlap": largest, "creep": float(way.max()), "speed": float(speed)}
