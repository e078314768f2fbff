"""The height profile: straight gradients joined by arcs of circles (B-38)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """From one gradient to the next (bobsleigh 5.5).

    Parameters
    ----------
    middle : arc length where the two straight gradients would meet [m]
    slope_in, slope_out : dh/ds before and after; negative downhill
    radius : of the arc [m], positive where the slope grows, negative where it falls
    line : of the file that it was read from
    """

    middle: float
    slope_in: float
    slope_out: float
    radius: float
    line: int | None = None

    @property
    def tangent(self) -> float:
        """Length of the tangents |r| tan(|theta|/2), theta being the change of angle [m]."""
        return abs(self.radius) * math.tan(0.5 * abs(math.atan(self.slope_out) - math.atan(self.slope_in)))

    @property
    def begin(self) -> float:
        """Arc length where the arc begins [m]."""
        return self.middle - self.tangent * math.cos(math.atan(self.slope_in))

    @property
    def end(self) -> float:
        """Arc length where the arc ends [m]."""
        return self.middle + self.tangent * math.cos(math.atan(self.slope_out))


class HeightPoint(NamedTuple):
    """Heights [m], slopes dh/ds and bends d2h/ds2 [1/m] at some arc lengths, (n,) each."""

    height: np.ndarray
    slope: np.ndarray
    bend: np.ndarray


class HeightProfile:
    """Pieces of h(s), each a straight or an arc whose centre is (s_0, h_0):

        h = h_0 + m (s - s_0)                              m the slope
        h = h_0 - sgn(r) sqrt(r^2 - (s - s_0)^2)           r the signed radius

    Slope and height go through without a jump. Source: bobsleigh 3.11, eqs 3.8 and 3.9, with |theta| (8.2).
    """

    def __init__(self, start: float, height: float, transitions: Sequence[Transition]) -> None:
        self.transitions = tuple(transitions)
        s, h = float(start), float(height)
        rows = []  # begin, s_0, h_0, slope, radius
        for t in transitions:
            rows.append((s, s, h, t.slope_in, 0.0))
            meeting = h + t.slope_in * (t.middle - s)
            angle_in = math.atan(t.slope_in)
            begin_h = meeting - t.tangent * math.sin(angle_in)
            if t.tangent > 0.0:
                centre = (t.begin - t.radius * math.sin(angle_in), begin_h + t.radius * math.cos(angle_in))
                rows.append((t.begin, *centre, 0.0, t.radius))
            s, h = t.end, meeting + t.tangent * math.sin(math.atan(t.slope_out))
        last = transitions[-1].slope_out if transitions else 0.0
        rows.append((s, s, h, last, 0.0))
        self.s, self.s0, self.h0, self.slope, self.radius = np.array(rows).T

    def at(self, s: ArrayLike) -> HeightPoint:
        """Height, slope and bend at arc lengths; the last gradient goes on."""
        s = np.atleast_1d(np.asarray(s, dtype=np.float64))
        i = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 1)
        d, r, m = s - self.s0[i], self.radius[i], self.slope[i]
        curved = r != 0.0
        root = np.sign(r) * np.sqrt(np.where(curved, r * r - d * d, 1.0))
        safe = np.where(curved, root, 1.0)
        height = self.h0[i] + np.where(curved, -root, m * d)
        return HeightPoint(height, np.where(curved, d / safe, m), np.where(curved, r * r / safe**3, 0.0))
