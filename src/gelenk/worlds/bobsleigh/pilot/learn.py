"""Learning the programme of a track: run after run, what was missed is steered earlier in the next one (B-90)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gelenk.worlds.bobsleigh.pilot.across import Across
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.easy_line import EasyLine, least_line
from gelenk.worlds.bobsleigh.pilot.pilot import Pilot
from gelenk.worlds.bobsleigh.pilot.programme import Programme

if TYPE_CHECKING:
    from gelenk.model.model import Model
    from gelenk.worlds.bobsleigh.descent import Descent
    from gelenk.worlds.bobsleigh.track.track import Track

AHEAD = 0.35  # [s] between steering and what comes of it
GAIN, RATE_GAIN = 1.2, 0.6  # [deg/m], [deg s/m] of what was missed
MOST = 2.0  # [deg] of steering by heart: more slips, and brakes
KEPT = 0.9  # of the steering by heart from run to run, so that what does not help is forgotten
REPLAN = 2  # runs between two plans of the line
FULL = 1.0  # [deg] of steering with which runners push with all their grip
SMOOTH = 6.0  # half metres


class Lesson(NamedTuple):
    """A run and what it was driven by."""

    programme: Programme
    run: Descent
    touched: np.ndarray  # arc lengths where something other than runners touched, each hundredth of a second [m]


def learn(
    track: Track,
    model: Model,
    pilot: Pilot,
    *,
    runs: int = 12,
    begin: Programme | None = None,
    told: Callable[[int, Lesson], None] | None = None,
) -> Lesson:
    """Drive a track again and again, and keep the run with the fewest touches; a clean one ends it, and so does Ctrl-C.

    After every run the steering by heart is changed by what was missed AHEAD seconds later. After every second one the
    line is planned anew: :class:`EasyLine` for the speed of the run and an equation of motion across that is corrected
    by what the run did and the equation does not tell, such as yaw and roll of the sled.
    """
    from gelenk.worlds.bobsleigh.descent import descend

    banking = Banking(track)
    across = Across(banking, np.flatnonzero((banking.s >= 0.0) & (banking.s <= track.finish + 60.0)))
    known = _first(across.s, EasyLine(track, banking)) if begin is None else begin.at(across.s)
    best: Lesson | None = None
    for count in range(1, runs + 1):
        touched: list[float] = []
        try:
            run = descend(track, pilot=pilot, model=model, banking=known, touched=touched)
        except KeyboardInterrupt:
            if best is None:
                raise
            break
        lesson = Lesson(known, run, np.array(touched))
        if told is not None:
            told(count, lesson)
        if best is None or (run.finished, -len(touched)) > (best.run.finished, -len(best.touched)):
            best = lesson
        if run.finished and not touched:
            break
        line = _planned(across, run) if count % REPLAN == 0 else known.line
        known = Programme(banking, known.s, line, _steered(known, run))
    assert best is not None
    return best


def _first(s: np.ndarray, easy: EasyLine) -> Programme:
    """The easy line, and no steering by heart."""
    line = np.array([easy.target(a, v) for a, v in zip(s, np.interp(s, easy.s, easy.speed))])
    return Programme(easy.banking, s, line, np.zeros(len(s)))


def _steered(known: Programme, run: Descent) -> np.ndarray:
    """Steering by heart, less what was too far to the left a little later, and what went there."""
    from scipy.ndimage import gaussian_filter1d

    w = np.array([known.across(*row) for row in zip(run.s, run.left, run.height)])
    missed = w - np.interp(run.s, known.s, known.line)
    rate = np.gradient(gaussian_filter1d(missed, 5), run.t)
    later = run.t + AHEAD
    change = -GAIN * np.interp(later, run.t, missed) - RATE_GAIN * np.interp(later, run.t, rate)
    furthest = np.maximum.accumulate(run.s)
    made = KEPT * known.steering_deg + np.interp(known.s, furthest, gaussian_filter1d(change, 5), right=0.0)
    return np.clip(made, -MOST, MOST)


def _planned(across: Across, run: Descent) -> np.ndarray:
    """The line of least grip near that of a run, with the equation corrected by the run; walls tell nothing of it."""
    from scipy.ndimage import binary_dilation, gaussian_filter1d

    s, (at, first) = across.s, np.unique(np.maximum.accumulate(run.s), return_index=True)
    v = gaussian_filter1d(np.interp(s, at, run.speed[first]), SMOOTH)
    places = [across.banking.across(*row) for row in zip(run.s[first], run.left[first], run.height[first])]
    w = gaussian_filter1d(np.interp(s, at, places), SMOOTH)
    motion = across.at_speed(v)
    slope = np.gradient(w, s)
    rate, bend = v * slope, v * v * np.gradient(slope, s) + v * np.gradient(v, s) * slope
    u = motion.push(w, rate, bend)[0]
    steering = gaussian_filter1d(np.interp(s, at, np.degrees(run.steering[first])), SMOOTH)
    unknown = u - motion.grip * np.clip(steering / FULL, -1.0, 1.0)
    free = ~binary_dilation(np.abs(across.beyond(w, slope)).max(axis=0) > 0.01, iterations=12)
    unknown = gaussian_filter1d(np.interp(s, s[free], unknown[free]), SMOOTH)
    return least_line(replace(motion, rest=motion.rest - unknown[:, None]), w)
