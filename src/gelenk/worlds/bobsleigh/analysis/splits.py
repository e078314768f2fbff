"""Split times: when a sled passes the measuring points (B-73, bobsleigh 4.15)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gelenk.errors import InputError


def crossing_times(t: ArrayLike, s: ArrayLike, places: ArrayLike, rate: ArrayLike | None = None) -> np.ndarray:
    """(k,) times at which s first passes each place [s]; nan where it never does.

    Between two samples s is a straight line, or with its rate a cubic that has both places and both rates:

        without rate   error of the place at most  h^2 max|s''| / 8:    of the time by 1 / s' of that
        with it                                    h^4 max|s''''| / 384

    Parameters
    ----------
    t : (n,) rising times [s]
    s : (n,) arc length of the sled [m]
    places : (k,) measuring points [m]
    rate : (n,) ds/dt [m/s]
    """
    time, at = np.asarray(t, dtype=np.float64), np.asarray(s, dtype=np.float64)
    speeds = None if rate is None else np.asarray(rate, dtype=np.float64)
    if time.ndim != 1 or time.shape != at.shape or (speeds is not None and speeds.shape != at.shape):
        raise InputError("split times", f"{time.shape} times and {at.shape} places", "one for each", "Check both.")
    return np.array([_crossing(time, at, speeds, place) for place in np.atleast_1d(np.asarray(places, dtype=float))])


def _crossing(t: np.ndarray, s: np.ndarray, rate: np.ndarray | None, place: float) -> float:
    """The time at which one place is passed."""
    after = int(np.argmax(s >= place))
    if not len(s) or s[after] < place:
        return float("nan")
    if s[after] == place:
        return float(t[after])
    if after == 0:  # it began behind the place
        return float("nan")
    before, h = after - 1, t[after] - t[after - 1]
    share = (place - s[before]) / (s[after] - s[before])
    if rate is not None:
        share = _share_of_cubic(share, place - s[before], s[after] - s[before], h * rate[before], h * rate[after])
    return float(t[before] + share * h)


def _share_of_cubic(share: float, rise: float, whole: float, at_start: float, at_end: float) -> float:
    """Where in 0 .. 1 the cubic with values 0 and ``whole`` and these slopes is at ``rise``, by Newton's method."""
    cubic = at_start + at_end - 2.0 * whole
    square = 3.0 * whole - 2.0 * at_start - at_end
    for _ in range(20):
        slope = at_start + share * (2.0 * square + share * 3.0 * cubic)
        step = (share * (at_start + share * (square + share * cubic)) - rise) / slope if slope > 0.0 else 0.0
        share = min(max(share - step, 0.0), 1.0)
        if abs(step) < 1e-15:
            break
    return share


def split_times(t: ArrayLike, s: ArrayLike, places: ArrayLike, rate: ArrayLike | None = None) -> np.ndarray:
    """(k,) times at the measuring points since the sled passed s = 0, where the clock starts [s].

    A run that begins at s = 0, or behind it by less than a millimetre, has its clock started with the run.
    """
    time = np.asarray(t, dtype=np.float64)
    [start] = crossing_times(time, s, 0.0, rate)
    begun = np.asarray(s, dtype=np.float64)[0]
    if np.isnan(start) and 0.0 <= begun < 1e-3:
        start = time[0]
    return crossing_times(time, s, places, rate) - start
