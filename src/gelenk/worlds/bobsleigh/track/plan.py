"""The plan of a track: straights, clothoids and arcs in closed form (B-35 to B-37)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fresnel


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One curve: straight, entry clothoid, arc, exit clothoid, straight (bobsleigh 5.4).

    Parameters
    ----------
    turn : +1 left, -1 right
    begin, bend, end : arc length where it begins, where its entry clothoid begins, where it ends [m]
    entry_length, exit_length : of the clothoids [m]; may be 0
    entry_a2, exit_a2 : A^2 = length x radius at the arc's side [m^2]; that radius may differ from the arc's
    arc_length, radius : of the arc [m]
    line : of the file that it was read from
    """

    turn: int
    begin: float
    bend: float
    entry_length: float
    entry_a2: float
    arc_length: float
    radius: float
    exit_length: float
    exit_a2: float
    end: float
    line: int | None = None

    @property
    def bend_end(self) -> float:
        """Arc length where the exit clothoid ends [m]."""
        return self.bend + self.entry_length + self.arc_length + self.exit_length


class PlanPoint(NamedTuple):
    """Plan at some arc lengths: (n, 2) points [m], (n,) headings [rad], curvatures [1/m] and their rates [1/m^2]."""

    xy: np.ndarray
    heading: np.ndarray
    curvature: np.ndarray
    sharpness: np.ndarray


class PlanCurve:
    """A chain of pieces whose curvature is linear in the arc length s,

        k(s) = k_0 + k' (s - s_0),    heading(s) = heading_0 + k_0 (s - s_0) + k' (s - s_0)^2 / 2

    Each piece starts where the last one ended. Position follows from  dp/ds = (-sin heading, cos heading).
    Source: bobsleigh 3.10, eqs 3.1 to 3.7, with the axes of this package.
    """

    def __init__(self, curves: Sequence[Curve], start: float) -> None:
        self.curves = tuple(curves)
        rows = [(start, 0.0, 0.0)]  # where a piece starts, its curvature there, and the rate of it
        for curve in curves:
            s, c = curve.bend, curve.turn
            rows.append((curve.begin, 0.0, 0.0))
            if curve.entry_length > 0.0:
                rows.append((s, 0.0, c / curve.entry_a2))
            s += curve.entry_length
            if curve.arc_length > 0.0:
                rows.append((s, c / curve.radius, 0.0))
            s += curve.arc_length
            if curve.exit_length > 0.0:
                rows.append((s, c * curve.exit_length / curve.exit_a2, -c / curve.exit_a2))
            rows.append((s + curve.exit_length, 0.0, 0.0))
        self.start, self.end = float(start), float(curves[-1].end)
        table = np.array(rows)
        keep = np.append(np.diff(table[:, 0]) > 0.0, True)  # of pieces without length only the last one counts
        self.s, self.k0, self.sharpness = table[keep].T
        self.xy0, self.heading0 = np.zeros((len(self.s), 2)), np.zeros(len(self.s))
        self.xy0[0] = (0.0, start)  # so that s = 0 lies at the origin if the track is straight up to there
        for i in range(len(self.s) - 1):
            here = np.full(1, i)
            self.xy0[i + 1] = self._place(here, self.s[i + 1 : i + 2])[0]
            length = self.s[i + 1] - self.s[i]
            self.heading0[i + 1] = self.heading0[i] + (self.k0[i] + 0.5 * self.sharpness[i] * length) * length

    def at(self, s: ArrayLike) -> PlanPoint:
        """Plan at arc lengths; the first and the last straight go on beyond the ends."""
        s = np.atleast_1d(np.asarray(s, dtype=np.float64))
        i = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 1)
        d = s - self.s[i]
        heading = self.heading0[i] + (self.k0[i] + 0.5 * self.sharpness[i] * d) * d
        return PlanPoint(self._place(i, s), heading, self.k0[i] + self.sharpness[i] * d, self.sharpness[i])

    def _place(self, i: np.ndarray, s: np.ndarray) -> np.ndarray:
        """(n, 2) points of pieces i [m]."""
        d, k0, rate = s - self.s[i], self.k0[i], self.sharpness[i]
        heading = self.heading0[i]
        along, left = arc(d, k0)
        bent = rate != 0.0
        if bent.any():
            # seen from the point of the clothoid without curvature, which lies k0 / k' before the start of the piece
            back = k0[bent] / rate[bent]
            heading = heading.copy()
            heading[bent] -= 0.5 * k0[bent] * back
            x1, y1 = clothoid(d[bent] + back, rate[bent])
            x0, y0 = clothoid(back, rate[bent])
            along[bent], left[bent] = x1 - x0, y1 - y0
        sin, cos = np.sin(heading), np.cos(heading)
        return self.xy0[i] + np.stack((-sin * along - cos * left, cos * along - sin * left), axis=1)

    def curve_at(self, s: ArrayLike) -> np.ndarray:
        """Index of the curve that contains each arc length."""
        ends = np.array([curve.end for curve in self.curves[:-1]])
        return np.searchsorted(ends, np.atleast_1d(s), side="right")


def arc(d: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Way along and to the left after length d on an arc of curvature k, or on a straight:

    along = sin(k d) / k,    left = (1 - cos(k d)) / k = d sinc(k d / 2) sin(k d / 2)
    """
    half = 0.5 * k * d
    half_sinc = np.sinc(half / np.pi)
    return d * half_sinc * np.cos(half), d * half_sinc * np.sin(half)


def clothoid(w: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Way along and to the left at distance w from the point without curvature, at which it heads along:

    a (C(w/a), sgn(k') S(w/a)),    a = sqrt(pi / |k'|)        C, S the Fresnel integrals
    """
    a = np.sqrt(np.pi / np.abs(rate))
    s, c = fresnel(w / a)
    return a * c, np.sign(rate) * a * s
