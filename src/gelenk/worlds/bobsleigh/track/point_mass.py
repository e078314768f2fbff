"""A point mass along the track line: how long a run takes, without any sideways motion (bobsleigh 9.6a)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gelenk.worlds.bobsleigh.track.line import TrackLine

G = 9.81  # [m/s^2]
STEP = 0.1  # [m] of the integration along s; of order 4, its error is below 1e-6 s over a whole track


@dataclass(frozen=True)
class PointMass:
    """What slides. Mass and drag are those of sled S1 and of bobsleigh 5.1."""

    friction: float = 0.010  # effective, with all that a whole sled loses by its facets and its drift
    mass: float = 390.0  # [kg]
    drag_area: float = 0.2052  # c_d A [m^2]
    air_density: float = 1.12  # [kg/m^3]
    start_speed: float = 8.0  # [m/s] at s = 0


@dataclass(frozen=True)
class PointRun:
    """Time [s], speed [m/s] along the track and load [g] at arc lengths s [m]."""

    s: np.ndarray
    t: np.ndarray
    speed: np.ndarray
    load: np.ndarray

    def time_at(self, s: float | np.ndarray) -> np.ndarray:
        """When it passes arc lengths [s]."""
        return np.interp(s, self.s, self.t)


def slide(line: TrackLine, point: PointMass, finish: float) -> PointRun:
    """Motion from s = 0 to ``finish``, as e = v^2 / 2 over the true length l, by Runge's rule of order 4:

        de/dl = -g sin a - mu N/m - rho c_d A v^2 / (2 m),      N/m = sqrt((g cos a)^2 + (v^2 cos^2 a k)^2)

    a is the slope, k the curvature of the plan, which v cos a runs along.  dl = ds / cos a,  dt = dl / v.
    """
    count = int(np.ceil(finish / STEP))
    s = np.linspace(0.0, finish, 2 * count + 1)
    at = line.at(s)
    cos = 1.0 / np.sqrt(1.0 + at.slope**2)
    sin = at.slope * cos
    mu, drag = point.friction, point.air_density * point.drag_area / point.mass

    def rate(i: int, e: float) -> float:
        load = np.hypot(G * cos[i], 2.0 * e * cos[i] ** 2 * at.curvature[i])
        return float(-G * sin[i] - mu * load - drag * e) / cos[i]

    h = s[2] - s[0]
    e = np.empty(2 * count + 1)
    e[0] = 0.5 * point.start_speed**2
    for i in range(0, 2 * count, 2):
        a = rate(i, e[i])
        b = rate(i + 1, e[i] + 0.5 * h * a)
        c = rate(i + 1, e[i] + 0.5 * h * b)
        d = rate(i + 2, e[i] + h * c)
        e[i + 2] = e[i] + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        e[i + 1] = 0.5 * (e[i] + e[i + 2]) + h / 8.0 * (a - rate(i + 2, e[i + 2]))
        if not e[i + 2] > 0.0:
            stop = i + 1
            s, e, cos, at = s[:stop], e[:stop], cos[:stop], line.at(s[:stop])
            break
    speed = np.sqrt(2.0 * e)
    slow = 1.0 / (speed * cos)
    parts = (slow[0:-2:2] + 4.0 * slow[1:-1:2] + slow[2::2]) * (h / 6.0)
    t = np.concatenate(([0.0], np.cumsum(parts)))
    load = np.hypot(G * cos, (speed * cos) ** 2 * at.curvature) / G
    return PointRun(s[::2], t, speed[::2], load[::2])
