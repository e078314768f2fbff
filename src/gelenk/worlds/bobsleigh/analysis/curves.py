"""Where the curves of a track begin and end, found from its curvature in plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gelenk.errors import InputError

STRAIGHT = 1e-4  # [1/m] a curvature below this, a radius above 10 km, is a straight
SHORT = 2.0  # [m] a stretch of less curvature that is shorter does not end a curve


@dataclass(frozen=True)
class Bend:
    """A stretch that turns one way: clothoid, arc, clothoid.

    Parameters
    ----------
    number : from 1 on along the track
    side : +1 left, -1 right
    entry, exit : arc length in plan where it begins and ends [m]
    middle : where the half of its turn is done [m]
    radius : the smallest [m]
    """

    number: int
    side: int
    entry: float
    exit: float
    middle: float
    radius: float


def bends(s: ArrayLike, curvature: ArrayLike) -> list[Bend]:
    """The curves of a track, from samples of its signed curvature in plan.

    Entry and exit are where the straight lines through the samples cross the threshold of 1e-4 /m. Two curves the same
    way are apart if the track is straight for two metres between them; a change of side always ends a curve.

    Parameters
    ----------
    s : (n,) rising arc length [m]
    curvature : (n,) positive to the left [1/m]
    """
    at, kappa = np.asarray(s, dtype=np.float64), np.asarray(curvature, dtype=np.float64)
    if at.shape != kappa.shape or at.ndim != 1 or len(at) < 2:
        raise InputError("bends", f"{at.shape} places, {kappa.shape} curvatures", "one for each", "Check both.")
    stretches: list[list[float]] = []  # [begin, end, side]
    for side in (1, -1):
        turns = side * kappa > STRAIGHT
        edges = np.flatnonzero(np.diff(turns.astype(np.int8))) + 1
        for part in np.split(np.arange(len(at)), edges):
            if turns[part[0]]:
                stretches.append([_edge(at, side * kappa, part[0], -1), _edge(at, side * kappa, part[-1], 1), side])
    stretches.sort()
    joined: list[list[float]] = []
    for stretch in stretches:
        if joined and joined[-1][2] == stretch[2] and stretch[0] - joined[-1][1] < SHORT:
            joined[-1][1] = stretch[1]
        else:
            joined.append(stretch)
    return [_bend(k + 1, at, kappa, *stretch) for k, stretch in enumerate(joined)]


def _edge(s: np.ndarray, kappa: np.ndarray, inner: int, way: int) -> float:
    """Where the curvature crosses the threshold between a sample in the curve and its neighbour outside."""
    outer = inner + way
    if not 0 <= outer < len(s):
        return float(s[inner])
    share = (kappa[inner] - STRAIGHT) / (kappa[inner] - kappa[outer])
    return float(s[inner] + share * (s[outer] - s[inner]))


def _bend(number: int, s: np.ndarray, kappa: np.ndarray, entry: float, exit: float, side: float) -> Bend:
    """A curve with the place of half its turn, from the integral of the curvature by trapezoids."""
    fine = np.linspace(entry, exit, 400)
    turn = np.interp(fine, s, np.abs(kappa))
    done = np.concatenate([[0.0], np.cumsum(0.5 * (turn[1:] + turn[:-1]) * np.diff(fine))])
    middle = float(np.interp(0.5 * done[-1], done, fine))
    return Bend(number, int(side), entry, exit, middle, 1.0 / float(turn.max()))
