"""The track line: the plan with its heights, and where points lie beside it (B-39, B-83)."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from gelenk.geometry.space_line import LineTable, project_points
from gelenk.worlds.bobsleigh.track.heights import HeightProfile
from gelenk.worlds.bobsleigh.track.line_table import line_table
from gelenk.worlds.bobsleigh.track.plan import PlanCurve

SAMPLE = 0.5  # [m] between discrete samples of the line (B-39)


class LinePoint(NamedTuple):
    """The track line at some arc lengths.

    position (n, 3) [m]; heading (n,) [rad] about z; forward, left (n, 3) unit and level; slope (n,) dh/ds;
    curvature (n,) of the plan [1/m], positive to the left; bend (n,) d2h/ds2 [1/m].
    """

    position: np.ndarray
    heading: np.ndarray
    forward: np.ndarray
    left: np.ndarray
    slope: np.ndarray
    curvature: np.ndarray
    bend: np.ndarray


class Place(NamedTuple):
    """Where points lie: arc length s, offset to the left b, height above the line h [m] (bobsleigh 3.15)."""

    s: np.ndarray
    left: np.ndarray
    height: np.ndarray


class TrackLine:
    """c(s) = plan at s, at the height of s. The arc length s is that of the plan (bobsleigh 8.11)."""

    def __init__(self, plan: PlanCurve, heights: HeightProfile) -> None:
        self.plan, self.heights = plan, heights
        self.start, self.end = plan.start, plan.end

    def at(self, s: ArrayLike) -> LinePoint:
        """The line at arc lengths."""
        plan, high = self.plan.at(s), self.heights.at(s)
        sin, cos, level = np.sin(plan.heading), np.cos(plan.heading), np.zeros(len(plan.heading))
        forward, left = np.stack((-sin, cos, level), axis=1), np.stack((-cos, -sin, level), axis=1)
        position = np.column_stack((plan.xy, high.height))
        return LinePoint(position, plan.heading, forward, left, high.slope, plan.curvature, high.bend)

    @cached_property
    def samples(self) -> np.ndarray:
        """Arc lengths every half metre, the end included [m]."""
        count = math.floor((self.end - self.start) / SAMPLE + 1e-9)
        s = self.start + SAMPLE * np.arange(count + 1)
        return s if s[-1] > self.end - 1e-9 else np.append(s, self.end)

    @cached_property
    def table(self) -> LineTable:
        """The line as polynomials, for kernels."""
        return line_table(self)

    @cached_property
    def _near(self) -> cKDTree:
        return cKDTree(self.at(self.samples).position)

    def length(self, begin: float, end: float) -> float:
        """True length between two arc lengths [m]:  integral of sqrt(1 + slope^2) ds."""
        joints = self.heights.s
        edges = np.unique(np.concatenate(([begin, end], joints[(joints > begin) & (joints < end)])))
        x, w = np.polynomial.legendre.leggauss(24)
        half, middle = 0.5 * np.diff(edges)[:, None], 0.5 * (edges[1:] + edges[:-1])[:, None]
        slope = self.heights.at((middle + half * x).ravel()).slope.reshape(half.shape[0], -1)
        return float((half * w * np.sqrt(1.0 + slope * slope)).sum())

    def project(self, points: ArrayLike, near: float | None = None) -> Place:
        """Place of (n, 3) points: the foot of each on the line, and its offset from there.

            (r - c(s)) . c'(s) = 0,    b = (r - c) . left,    h = (r - c) . up

        Without ``near`` every point has the nearest foot of all. With it the points are a history: the search starts at
        ``near`` and each foot follows from that of the point before, which is faster, and does not jump to a part of
        the track that passes close by.
        """
        r = np.ascontiguousarray(np.atleast_2d(np.asarray(points, dtype=np.float64)))
        guess = np.empty(len(r))
        if near is None:
            guess[:] = self.samples[self._near.query(r)[1]]
        else:
            guess[:1], guess[1:] = near, np.nan
        out = np.empty((len(r), 3))
        project_points(self.table, r, guess, out)
        return Place(out[:, 0], out[:, 1], out[:, 2])
