"""What a point mass loses on facets and not on a smooth sheet: it slides through a valley, without gravity (8.4)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gelenk.geometry.sheet import Sheet, segments_sheet
from gelenk.worlds.bobsleigh.track.heights import HeightProfile, Transition
from gelenk.worlds.bobsleigh.track.line import TrackLine
from gelenk.worlds.bobsleigh.track.patch import RuleSections, patches
from gelenk.worlds.bobsleigh.track.plan import Curve, PlanCurve
from gelenk.worlds.bobsleigh.track.smooth import sheet_of

FLAT = {"hW": (0.5, 0.0), "r0": (0.1, 0.0), "lB": (0.6, 0.0), "dC": (0.0, 0.0), "b": (0.7, 0.0), "a": (0.0, 0.0)}
FLAT |= {"bT_short": (0.1, 0.0), "r1": (0.1, 0.0), "eps": (88.0, 0.0), "hZ": (0.45, 0.0), "r2": (1.5, 0.0)}
FLAT |= {"h2": (0.0, 0.0)}
REACH = 0.05  # [m] of the segment to both sides of the point


class Slide(NamedTuple):
    """Angle that was turned [rad] and share of the speed that is left after every step."""

    turned: np.ndarray
    left: np.ndarray

    @property
    def friction(self) -> float:
        """Coefficient of friction that would lose as much:  v = v_0 exp(-mu angle)."""
        return float(-math.log(self.left[-1]) / self.turned[-1])


def valley(radius: float, spacing: float, ruled: bool) -> Sheet:
    """A straight channel through an arc in the vertical plane, from slope -0.8 to 0.8."""
    bend = Transition(middle=radius, slope_in=-0.8, slope_out=0.8, radius=radius)
    pieces: dict[str, Any] = dict.fromkeys(("entry_length", "entry_a2", "arc_length", "exit_length", "exit_a2"), 0.0)
    curve = Curve(turn=1, begin=0.0, bend=1.0, radius=radius, end=2.0 * radius, **pieces)
    line = TrackLine(PlanCurve([curve], 0.0), HeightProfile(0.0, 0.0, [bend]))
    return sheet_of(patches(line, RuleSections(FLAT), spacing), ruled)


def slide_through(sheet: Sheet, radius: float, speed: float, h: float) -> Slide:
    """Moreau's midpoint rule for a point that touches without friction:  u' = u - (u . n) n  where u . n < 0.

    Each step the normal turns by  v h / R  at least, and u loses that share squared of its energy: an effect of the
    step, equal to a coefficient  v h / (2 R)  and of order h.
    """
    tangent = np.array([0.0, 1.0, -0.8]) / math.hypot(1.0, 0.8)
    begin = radius - radius * math.sin(math.atan(0.8))  # where the arc begins
    p = np.array([0.0, begin, -0.8 * begin]) + 0.01 * tangent
    u, n = speed * tangent, np.array([0.0, 0.8, 1.0]) / math.hypot(1.0, 0.8)
    memory, tau, normal = np.array([[p[1], 3.5]]), np.empty(1), np.empty((1, 3))
    turned, left = [0.0], [1.0]
    angle = math.atan2(tangent[2], tangent[1])
    while math.atan2(u[2], u[1]) < 0.9 * math.atan(0.8):
        p = p + 0.5 * h * u
        segments_sheet(sheet, (p - REACH * n)[None], (2.0 * REACH * n)[None], memory, tau, normal)
        if tau[0] >= 0.5 and math.isfinite(tau[0]):  # the surface lies above the point
            n = normal[0].copy()
            u = u - min(u @ n, 0.0) * n
        p = p + 0.5 * h * u
        turned.append(math.atan2(u[2], u[1]) - angle)
        left.append(float(np.linalg.norm(u)) / speed)
    return Slide(np.array(turned), np.array(left))
