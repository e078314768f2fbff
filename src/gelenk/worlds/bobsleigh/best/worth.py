"""What energy is worth: how much later a sled would finish with less of it (B-91)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gelenk.worlds.bobsleigh.track.line import TrackLine
from gelenk.worlds.bobsleigh.track.point_mass import PointMass


def seconds_per_energy(line: TrackLine, s: ArrayLike, speed: ArrayLike, point: PointMass) -> np.ndarray:
    """Time until the last place that a little more energy e = v^2/2 at each place saves [s per J/kg].

    A difference in energy fades by drag and by the friction that the load of curves causes, and saves time on its way:

        d(de)/dl = -c de,    c = rho c_d A / m + mu d(N/m)/de,    dT = -integral of de / v^3 dl

        so  w = integral of  exp(-integral of c) / v^3  dl     from each place to the last

    Parameters
    ----------
    s, speed : (n,) places in rising order and speeds of a run there [m], [m/s]
    """
    at, v = np.asarray(s, dtype=np.float64), np.asarray(speed, dtype=np.float64)
    here = line.at(at)
    cos = 1.0 / np.sqrt(1.0 + here.slope**2)
    across, down = v * v * cos**2 * here.curvature, 9.81 * cos
    load = np.hypot(across, down)  # N / m
    c = point.air_density * point.drag_area / point.mass
    c = c + point.friction * across * 2.0 * cos**2 * here.curvature / load  # d(v^2 cos^2 k)/de = 2 cos^2 k
    l_steps = np.diff(at) * 0.5 * (1.0 / cos[1:] + 1.0 / cos[:-1])
    faded = np.concatenate(([0.0], np.cumsum(0.5 * (c[1:] + c[:-1]) * l_steps)))
    rate = np.exp(-faded) / v**3
    rest = np.concatenate(([0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * l_steps)))
    worth: np.ndarray = (rest[-1] - rest) * np.exp(faded)
    return worth
