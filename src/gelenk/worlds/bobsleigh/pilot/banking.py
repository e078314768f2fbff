"""Where on the banking of a track a sled runs by itself at its speed: the line that needs no force across."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gelenk.worlds.bobsleigh.track.section import PIECES, curve_points

if TYPE_CHECKING:
    from gelenk.worlds.bobsleigh.track.track import Track

FINE = 8  # points of a piece of a section
G = 9.81  # [m/s^2]
STEEPEST = math.radians(80.0)  # lines higher than where the ice is as steep as this are not sought
LEAN = 1e-3  # [rad/m] makes the slope rise everywhere across, so that a level floor has its line in its middle


class Banking:
    """Sections of a track as graphs over the way across, one every half metre.

    The coordinate across, w, is the length along the section from the point under the track line, positive to the left
    as b_S is. On it a sled feels gravity, and outward v^2 k; the force along the ice vanishes where its slope is

        tan phi = v^2 k / (g cos a + v^2 h'')          (bobsleigh 9.7; a slope and h'' bend of the track line)
    """

    def __init__(self, track: Track) -> None:
        v = np.arange(PIECES * FINE + 1) / FINE
        graphs = [curve_points(patch.xy, patch.weights, v) for patch in track.patches]
        s = np.concatenate([patch.s for patch in track.patches])
        xy = np.concatenate(graphs)
        once = np.append(np.diff(s) > 1e-9, True)  # of two sections at one place the second
        self.s, self.x, self.y = s[once], -xy[once, :, 0], xy[once, :, 1]  # x to the left, from large to small
        dx, dy = np.diff(self.x, axis=1), np.diff(self.y, axis=1)
        self._dx, self._dy, self._square = dx, dy, np.maximum(dx * dx + dy * dy, 1e-30)
        length = np.concatenate((np.zeros((len(self.s), 1)), np.cumsum(np.hypot(dx, dy), axis=1)), axis=1)
        self.w = np.array([np.interp(0.0, -x, way) - way for x, way in zip(self.x, length)])
        line = track.line.at(self.s)
        self.curvature, self.bend = line.curvature, line.bend
        self.down = G / np.sqrt(1.0 + line.slope**2)
        self.slope = np.array([_slopes(*row) for row in zip(self.x, self.y, self.w)])  # rising to the right

    def across(self, s: float, left: float, height: float) -> float:
        """Coordinate w of the ice nearest to a point of a section plane, given by its offset and height [m]."""
        i = self._row(s)
        w, dx, dy = self.w[i], self._dx[i], self._dy[i]
        a, b = left - self.x[i, :-1], height - self.y[i, :-1]
        t = np.minimum(np.maximum((a * dx + b * dy) / self._square[i], 0.0), 1.0)
        a, b = a - t * dx, b - t * dy
        k = int((a * a + b * b).argmin())
        return float(w[k] + t[k] * (w[k + 1] - w[k]))

    def balance(self, s: float, speed: float) -> float:
        """Coordinate w where no force acts along the ice at that speed [m], or where it is as steep as 80 degrees."""
        i = min(max(int(np.searchsorted(self.s, s, side="right")) - 1, 0), len(self.s) - 2)
        part = min(max((s - self.s[i]) / (self.s[i + 1] - self.s[i]), 0.0), 1.0)
        here, there = self._balance_of(i, speed), self._balance_of(i + 1, speed)
        return here + part * (there - here)

    def _balance_of(self, i: int, speed: float) -> float:
        """The line in one section."""
        square = speed * speed
        phi = math.atan2(square * self.curvature[i], max(self.down[i] + square * self.bend[i], 0.1 * G))
        phi = min(max(phi, -STEEPEST), STEEPEST)
        return float(np.interp(phi, self.slope[i], self.w[i]))

    def _row(self, s: float) -> int:
        """The nearest section."""
        i = min(max(int(np.searchsorted(self.s, s)), 1), len(self.s) - 1)
        return i if self.s[i] - s < s - self.s[i - 1] else i - 1

    def target(self, s: float, speed: float) -> float:
        """What a pilot who follows the line of balance steers for [m]."""
        return self.balance(s, speed)

    def steering(self, s: float) -> float:
        """Nothing is known by heart."""
        return 0.0

    def lines(self, s: ArrayLike, speed: ArrayLike) -> np.ndarray:
        """(n,) balance at places with speeds."""
        return np.array([self.balance(a, v) for a, v in zip(np.atleast_1d(s), np.atleast_1d(speed))])


def _slopes(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Slope angle of a section at its points, from left to right; made to rise strictly."""
    dx, dy = -np.diff(x), np.diff(y)
    piece = np.arctan2(dy, np.maximum(dx, 1e-9))
    long = np.hypot(dx, dy) > 1e-9
    piece = np.interp(np.arange(len(piece)), np.flatnonzero(long), piece[long])
    slope = np.empty(len(x))
    slope[1:-1], slope[0], slope[-1] = 0.5 * (piece[1:] + piece[:-1]), piece[0], piece[-1]
    return np.maximum.accumulate(slope) - LEAN * w
