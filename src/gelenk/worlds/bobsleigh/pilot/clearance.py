"""How far the bumpers of a sled are from the ice, all along a run: what a clean line is measured by (B-90)."""

from __future__ import annotations

import numpy as np

from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.sled import sled_data
from gelenk.worlds.bobsleigh.track.line import TrackLine

BUMPERS = ("front bumper", "rear bumper")


class Clearance:
    """Distances of the bumpers' points from the sections of a track, negative inside the ice [m].

    A point is put into the plane of the section at its own foot on the track line; the distance is that from the two
    sections beside it, each a polyline, in proportion.
    """

    def __init__(self, line: TrackLine, banking: Banking) -> None:
        self.line, self.banking = line, banking
        bodies, touch = sled_data()["body"], sled_data()["touch"]
        self.bodies = tuple(touch[kind]["bodies"][0] for kind in BUMPERS)
        self.arms = [np.array(touch[k]["points"]) - bodies[b]["com"] for k, b in zip(BUMPERS, self.bodies)]

    def of(self, centres: np.ndarray, turns: np.ndarray, near: float) -> np.ndarray:
        """(n, points) distances, the front bumpers first.

        Parameters
        ----------
        centres : (n, 2, 3) centres of mass of the two hulls of :attr:`bodies`, in the world [m]
        turns : (n, 2, 4) their quaternions
        near : arc length where they begin [m]
        """
        from scipy.spatial.transform import Rotation

        found = []
        for k, arms in enumerate(self.arms):
            R = Rotation.from_quat(turns[:, k, (1, 2, 3, 0)]).as_matrix()
            for arm in arms:
                place = self.line.project(centres[:, k] + R @ arm, near=near)
                found.append(self._apart(place.s, place.left, place.height))
        return np.stack(found, axis=1)

    def _apart(self, s: np.ndarray, left: np.ndarray, height: np.ndarray) -> np.ndarray:
        """(n,) distance of points from the sections."""
        bank = self.banking
        i = np.clip(np.searchsorted(bank.s, s, side="right") - 1, 0, len(bank.s) - 2)
        part = np.clip((s - bank.s[i]) / (bank.s[i + 1] - bank.s[i]), 0.0, 1.0)
        made: np.ndarray = (1.0 - part) * self._from(i, left, height) + part * self._from(i + 1, left, height)
        return made

    def _from(self, i: np.ndarray, left: np.ndarray, height: np.ndarray) -> np.ndarray:
        """(n,) signed distance from one section each: x falls along it, so what is above has it on its left."""
        x, y = self.banking.x[i], self.banking.y[i]
        dx, dy = np.diff(x, axis=1), np.diff(y, axis=1)
        a, b = left[:, None] - x[:, :-1], height[:, None] - y[:, :-1]
        square = np.maximum(dx * dx + dy * dy, 1e-30)
        t = np.clip((a * dx + b * dy) / square, 0.0, 1.0)
        away = np.hypot(a - t * dx, b - t * dy)
        row, k = np.arange(len(i)), away.argmin(axis=1)
        inside = dy[row, k] * a[row, k] - dx[row, k] * b[row, k]
        return np.where(inside >= 0.0, 1.0, -1.0) * away[row, k]
