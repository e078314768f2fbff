"""Recorded poses as a page wants them: a table a sample, exact on samples and turned the short way between them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gelenk.run.run import Run
from gelenk.view.frame import ROW

SAME = 1e-9  # of the time between two samples: a time this near to a sample is that of the sample


class RecordedPoses:
    """Poses of all nodes of a run at any time; only the samples asked for are read."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.time = run.time
        self._bodies, self._particles = len(run.bodies), len(run.particles)
        self.at_sample = lru_cache(maxsize=8)(self._at_sample)

    @property
    def start(self) -> float:
        """Time of the first sample [s]."""
        return float(self.time[0])

    @property
    def end(self) -> float:
        """Time of the last one [s]."""
        return float(self.time[-1])

    def _at_sample(self, sample: int) -> np.ndarray:
        """(nodes, 7) positions and quaternions of the world, all bodies and all particles."""
        n = self._bodies + 1
        table = np.zeros((n + self._particles, ROW))
        table[:, 3] = 1.0
        if self._bodies:
            table[1:n, :3] = self.run.read_sample("position", sample)
            table[1:n, 3:] = self.run.read_sample("orientation", sample)
        if self._particles:
            table[n:, :3] = self.run.read_sample("particle_position", sample)
        table.flags.writeable = False
        return table

    def sample_at(self, t: float) -> int:
        """The last sample that is not later than ``t``."""
        k = int(np.searchsorted(self.time, t, side="right")) - 1
        if k + 1 < len(self.time) and self.time[k + 1] - t <= SAME * self._gap(k):
            k += 1
        return max(0, k)

    def _gap(self, k: int) -> float:
        return float(self.time[k + 1] - self.time[max(k, 0)]) if k >= 0 else 0.0

    def at(self, t: float, *, exact: bool = False) -> np.ndarray:
        """Poses at a time, those of the ends before and after; ``exact`` gives those of the sample before."""
        k = self.sample_at(t)
        first = self.at_sample(k)
        if exact or k + 1 >= len(self.time) or t <= self.time[k]:
            return first
        share = (t - self.time[k]) / (self.time[k + 1] - self.time[k])
        return between(first, self.at_sample(k + 1), float(share))


class KeptPoses:
    """The same of a table that was kept: times (n,) [s] and poses (n, nodes, 7)."""

    def __init__(self, time: np.ndarray, poses: np.ndarray) -> None:
        self.time, self.poses = time, poses

    def at(self, t: float) -> np.ndarray:
        """Poses at a time, those of the ends before and after."""
        k = int(np.clip(np.searchsorted(self.time, t, side="right") - 1, 0, len(self.time) - 1))
        first: np.ndarray = self.poses[k]
        if k + 1 >= len(self.time) or t <= self.time[k]:
            return first
        share = (t - self.time[k]) / (self.time[k + 1] - self.time[k])
        return between(first, self.poses[k + 1], float(share))


def between(a: np.ndarray, b: np.ndarray, share: float) -> np.ndarray:
    """Poses on the way from one table to another: positions straight, rotations about one axis, the short way.

    q(s) = (sin((1 - s) phi) q_a + sin(s phi) q_b) / sin(phi),   cos(phi) = q_a . q_b >= 0
    """
    made = (1.0 - share) * a + share * b
    qa, qb = a[:, 3:], b[:, 3:]
    cosine = np.einsum("ij,ij->i", qa, qb)
    qb = np.where(cosine[:, None] < 0.0, -qb, qb)
    phi = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))[:, None]
    sine = np.sin(phi)
    far = sine > 1e-6
    safe = np.where(far, sine, 1.0)
    wa = np.where(far, np.sin((1.0 - share) * phi) / safe, 1.0 - share)
    wb = np.where(far, np.sin(share * phi) / safe, share)
    q = wa * qa + wb * qb
    made[:, 3:] = q / np.linalg.norm(q, axis=1, keepdims=True)
    return made
