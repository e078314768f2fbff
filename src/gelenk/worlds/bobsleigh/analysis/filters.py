"""Filters of the steering moment: what a motor is given, and what is seen of it (B-77, B-86, bobsleigh 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_number
from gelenk.errors import InputError


def window_mean(values: ArrayLike, h: float, window: float = 0.01) -> np.ndarray:
    """(n, ...) mean over the last ``window`` seconds up to and with each sample; over what there is at the start.

    Its gain at the frequency f is |sin(pi f T) / (pi f T)| for a window T of many samples.

    Parameters
    ----------
    values : (n, ...) samples, h apart
    h : [s]
    window : [s]
    """
    x = np.asarray(values, dtype=np.float64)
    check_number("window mean", "h", h, "s", above=0.0)
    count = max(1, round(check_number("window mean", "window", window, "s", above=0.0) / h))
    total = np.concatenate([np.zeros_like(x[:1]), np.cumsum(x, axis=0)])
    last = np.arange(1, len(x) + 1)
    first = np.maximum(last - count, 0)
    width = (last - first).reshape(-1, *([1] * (x.ndim - 1)))
    mean: np.ndarray = (total[last] - total[first]) / width
    return mean


def low_pass(values: ArrayLike, h: float, corner: float = 2.0) -> np.ndarray:
    """(n, ...) what is slower than the corner frequency [Hz], without delay.

    Butterworth's filter of order 2, run forwards and backwards: gain 1 / (1 + (f / corner)^4), one half at the corner.

    Parameters
    ----------
    values : (n, ...) samples, h apart
    h : [s]
    corner : [Hz]
    """
    from scipy.signal import butter, sosfiltfilt

    x = np.asarray(values, dtype=np.float64)
    check_number("low pass", "h", h, "s", above=0.0)
    half_rate = 0.5 / h
    f = check_number("low pass", "corner", corner, "Hz", above=0.0)
    if f >= half_rate:
        found = f"a corner of {f:g} Hz with samples {h:g} s apart"
        raise InputError("low pass", found, f"below {half_rate:g} Hz", "Record more often.")
    sections = butter(2, f / half_rate, output="sos")  # its gain at the corner is 1/sqrt(2), twice that is 1/2
    pad = min(len(x) - 1, max(12, round(1.5 / (f * h))))
    smooth: np.ndarray = sosfiltfilt(sections, x, axis=0, padlen=pad)
    return smooth


def excursions(values: ArrayLike, least: float) -> np.ndarray:
    """(k,) indices of the extrema of alternating sign that reach ``least``: one for each stretch of one sign."""
    x = np.asarray(values, dtype=np.float64)
    large = np.flatnonzero(np.abs(x) >= least)
    if not len(large):
        return large
    breaks = np.flatnonzero(np.diff(np.sign(x[large]))) + 1
    return np.array([part[np.argmax(np.abs(x[part]))] for part in np.split(large, breaks)])
