"""Rocking of a slender block on rigid ground: pendulum swings about one lower edge and the other, and Housner's impact.

World z is up, the motion lies in the x-z plane. The block is 2b wide and 2h high, a = atan(b / h) and R^2 = b^2 + h^2;
the angle t follows the right-hand rule about +y, so t > 0 turns it about its lower edge at +x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad, solve_ivp


@dataclass(frozen=True)
class RockingBlock:
    half_width: float  # b [m]
    half_height: float  # h [m]
    gravity: float = 9.81  # [m/s^2]

    @property
    def slenderness(self) -> float:
        """a [rad]; a block at rest beyond it falls over."""
        return float(np.arctan2(self.half_width, self.half_height))

    @property
    def radius(self) -> float:
        """R, from an edge to the centre [m]."""
        return float(np.hypot(self.half_width, self.half_height))

    @property
    def frequency(self) -> float:
        """p = sqrt(3 g / 4 R) [1/s]."""
        return float(np.sqrt(0.75 * self.gravity / self.radius))

    @property
    def ratio(self) -> float:
        """r = w+ / w- = 1 - 3/2 sin^2 a,  from the angular momentum about the edge that comes down.

        Source: G. W. Housner, The behavior of inverted pendulum structures during earthquakes, BSSA 53 (1963).
        """
        return 1.0 - 1.5 * np.sin(self.slenderness) ** 2

    def lift(self, angle: ArrayLike) -> NDArray[np.float64]:
        """Height of the centre over that at rest, in units of R, for |t| < a:  cos(a - |t|) - cos a."""
        a = self.slenderness
        return np.cos(a - np.abs(angle)) - np.cos(a)


def amplitudes(block: RockingBlock, angle0: float, count: int) -> NDArray[np.float64]:
    """Largest |t| of the swings after a start at rest; energy falls by r^2 at each impact."""
    a = block.slenderness
    energy = block.lift(angle0) * block.ratio ** (2.0 * np.arange(count))
    return a - np.arccos(np.cos(a) + energy)


def quarter(block: RockingBlock, angle0: float) -> float:
    """Time from rest at an angle to the impact [s]:  integral of dt / (p sqrt(2 (lift_0 - lift))),  t = t0 - s^2."""

    def rate(s: float) -> float:
        fall = float(block.lift(angle0) - block.lift(angle0 - s * s))
        return 2.0 * s / np.sqrt(2.0 * fall) if s > 0.0 else 2.0 / np.sqrt(2.0 * np.sin(block.slenderness - angle0))

    return float(quad(rate, 0.0, np.sqrt(angle0))[0]) / block.frequency


class Rocking(NamedTuple):
    angle: NDArray[np.float64]  # (n,) [rad]
    impacts: NDArray[np.float64]  # (m,) [s]


def rocking(
    t: ArrayLike, block: RockingBlock, angle0: float, push: Callable[[float], float] = lambda t: 0.0
) -> Rocking:
    """Motion at the increasing times t (n,) from rest, under a level force at the centre, ``push`` times its weight.

    t'' = p^2 (-sin(s a - t) + push cos(s a - t)),   s = sign of t;    at t = 0  w becomes r w
    """
    t, a, p2 = np.asarray(t, dtype=float), block.slenderness, block.frequency**2
    side, now, y = float(np.sign(angle0)), 0.0, np.array([angle0, 0.0])
    angles, impacts = np.empty(0), []

    def rate(time: float, y: NDArray[np.float64]) -> list[float]:
        c = side * a - y[0]
        return [y[1], p2 * (-np.sin(c) + push(time) * np.cos(c))]

    def lands(_: float, y: NDArray[np.float64]) -> float:
        return float(y[0])

    lands.terminal = True  # type: ignore[attr-defined]
    while len(angles) < len(t):
        left = t[len(angles) :]
        lands.direction = -side  # type: ignore[attr-defined]
        run = solve_ivp(
            rate, (now, left[-1]), y, method="DOP853", rtol=1e-10, atol=1e-12, t_eval=left, events=lands, max_step=0.05
        )
        if len(run.t):
            angles = np.append(angles, run.y[0])
        if len(run.t_events[0]):
            now, (_, w) = float(run.t_events[0][0]), run.y_events[0][0]
            y, side = np.array([0.0, block.ratio * w]), float(np.sign(w))
            impacts.append(now)
    return Rocking(angles, np.array(impacts))
