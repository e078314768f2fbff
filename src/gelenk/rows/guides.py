"""Given motions of coordinates: positions or velocities from inputs, or functions of time (B-09, bobsleigh 3.2, 2.33).

A *guide* says where a coordinate is at the end of every step. By an input it moves at one rate within a step,

    position l:  c = (l - l_0) / h        velocity c:  l = l_0 + h c        both  c' = (c - c_0) / h

with l_0 and c_0 as they stand at the start of the step, so that nothing but the state is remembered. An input that
jumps, as that of a device, may be followed softly, as by a critically damped filter of order 2:

    e(t) = (e_0 + B t) exp(-w t),    B h = e_0 - (e_0 - h c_0) exp(-w h),    e = place - l,    w = 2 pi f

goes through the places at both ends of the last step, so it is exact while the input stays, for any step; a jump acts
from half a step before on. By a function of
time its place, rate and acceleration are those of the function at every instant.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gelenk.compile import helper

# what a guide follows
POSITION = 0  # an input
VELOCITY = 1  # an input
SINE = 2  # offset + amplitude sin(2 pi frequency t + phase)
TABLE = 3  # polynomials of degree 5, piece by piece; it rests before the first and after the last

# how a method asks for a guided rate
TO_END = 0  # the way to the place of the end of the step, over its length
RATE_OF_END = 1  # the rate of the end; places are asked for elsewhere
FROM_MIDDLE = 2  # the rate of the end and a share of what the middle of the step is off by

INSIDE = 1e-6  # of a step: so far from its ends accelerations of tables are taken, which may jump there

GUIDE = np.dtype(
    [
        ("row", "u4"),
        ("coordinate", "u4"),
        ("kind", "u4"),
        ("input", "u4"),  # read, or for functions of time written: the place at the end of the step
        ("first", "u4"),  # pieces of a table
        ("last", "u4"),
        ("corner", "f8"),  # w of the filter through which an input is followed [rad/s], 0 for none
        ("speed_max", "f8"),  # [m/s] or [rad/s]
        ("acceleration_max", "f8"),  # [m/s^2] or [rad/s^2]
        ("amplitude", "f8"),
        ("frequency", "f8"),  # [Hz]
        ("phase", "f8"),  # [rad]
        ("offset", "f8"),
    ]
)
GIVEN = np.dtype(  # a guide in this step: at its start, in its middle, at its end
    [
        ("place", "f8", (3,)),
        ("rate", "f8", (3,)),
        ("acceleration", "f8", (3,)),  # what is off at the start counted in, over the step
        ("pace", "f8"),  # rate that leads to the place of the end
        ("way", "i8"),  # how rates are asked for, see above
    ]
)


class Guides(NamedTuple):
    """All guides of a model; pieces of tables begin at ``time`` and hold coefficients of the powers of t - time."""

    guide: np.ndarray  # (G,) GUIDE
    time: np.ndarray  # (n,) [s]; the last of each table is where its last piece ends
    piece: np.ndarray  # (n, 6)


@helper
def motion_at_time(guides, g, t):
    """(place, rate, acceleration) of a function of time."""
    x = guides.guide[g]
    if x.kind == SINE:
        w = 2.0 * math.pi * x.frequency
        s, c = x.amplitude * math.sin(w * t + x.phase), x.amplitude * math.cos(w * t + x.phase)
        return x.offset + s, w * c, -w * w * s
    low, high = np.int64(x.first), np.int64(x.last) - 1
    if not t >= guides.time[low]:
        return guides.piece[low, 0], 0.0, 0.0
    if t >= guides.time[high]:
        return guides.piece[high, 0], 0.0, 0.0
    while high - low > 1:
        middle = (low + high) // 2
        if guides.time[middle] <= t:
            low = middle
        else:
            high = middle
    s, p = t - guides.time[low], guides.piece
    place = ((((p[low, 5] * s + p[low, 4]) * s + p[low, 3]) * s + p[low, 2]) * s + p[low, 1]) * s + p[low, 0]
    rate = (((5.0 * p[low, 5] * s + 4.0 * p[low, 4]) * s + 3.0 * p[low, 3]) * s + 2.0 * p[low, 2]) * s + p[low, 1]
    bend = ((20.0 * p[low, 5] * s + 12.0 * p[low, 4]) * s + 6.0 * p[low, 3]) * s + 2.0 * p[low, 2]
    return place, rate, bend


@helper
def within_limits(guide, way, rate, h):
    """(rate, 1 if less than asked for): the rate over a step h that covers ``way``, no faster than its limits allow.

    With a limit of acceleration a it is no faster than what can still be braked to rest at the end of the way,
    v h / 2 + v^2 / 2 a <= |way|  for steps of equal length, nor does it change by more than h a in a step. A guide with
    a corner asks for less than all of the way.
    """
    ask = way / h
    if guide.corner > 0.0:
        fade = math.exp(-guide.corner * h)
        ask = (way - (2.0 * way - (way + h * rate) * fade) * fade) / h
    most, a = guide.speed_max, guide.acceleration_max
    if a < math.inf and guide.kind != VELOCITY:
        half = 0.5 * h * a
        most = min(most, math.sqrt(half * half + 2.0 * a * abs(way)) - half)
    now = min(max(ask, -most), most)
    if a < math.inf:
        now = min(max(now, rate - h * a), rate + h * a)
    return now, 1 if abs(now - ask) > 1e-9 * abs(ask) else 0


@helper
def guide_step(guides, g, given, inputs, place, rate, t, h):
    """What a guide gives in the step from t to t + h, from the place and the rate that stand; 1 if limits held it."""
    x = guides.guide[g]
    end, end_rate, end_bend = 0.0, 0.0, 0.0
    if x.kind == POSITION or x.kind == VELOCITY:
        way = inputs[x.input] - place if x.kind == POSITION else h * inputs[x.input]
    else:
        end, end_rate, end_bend = motion_at_time(guides, g, t + h)
        inputs[x.input] = end
        way = end - place
    given.pace, limited = within_limits(x, way, rate, h)
    if limited == 0 and x.kind != POSITION and x.kind != VELOCITY:
        jump = (motion_at_time(guides, g, t)[1] - rate) / h
        for k in range(2):
            given.place[k], given.rate[k], bend = motion_at_time(guides, g, t + 0.5 * k * h)
            given.acceleration[k] = bend + jump
        given.place[2], given.rate[2], given.acceleration[2] = end, end_rate, end_bend + jump
        if x.kind == TABLE:
            given.acceleration[0] = motion_at_time(guides, g, t + INSIDE * h)[2] + jump
            given.acceleration[2] = motion_at_time(guides, g, t + h - INSIDE * h)[2] + jump
        return 0
    for k in range(3):
        given.place[k] = place + 0.5 * k * h * given.pace
        given.rate[k] = given.pace
        given.acceleration[k] = (given.pace - rate) / h
    if limited == 0 and x.kind == POSITION and x.corner == 0.0:
        given.place[2] = inputs[x.input]
    return limited


@helper
def guided_rate(given, c, h):
    """Rate that a row asks for where its coordinate is at c."""
    if given.way == TO_END:
        return (given.place[2] - c) / h
    if given.way == RATE_OF_END:
        return given.rate[2]
    return given.rate[2] + 0.5 / h * (given.place[1] - c)


def pack_guides(guides: list[dict[str, Any]], records: Any) -> Guides:
    """All guides as arrays: fields of GUIDE by name, and for tables ``times`` and ``pieces``."""
    made = records(GUIDE, len(guides))
    times: list[np.ndarray] = [np.zeros(0)]
    pieces: list[np.ndarray] = [np.zeros((0, 6))]
    count = 0
    for g, guide in enumerate(guides):
        for name in GUIDE.names or ():
            if name in guide:
                made[g][name] = guide[name]
        made[g].first = count
        if "times" in guide:
            times.append(np.asarray(guide["times"], dtype=np.float64))
            pieces.append(np.asarray(guide["pieces"], dtype=np.float64))
            count += len(times[-1])
        made[g].last = count
    return Guides(made, np.concatenate(times), np.concatenate(pieces))
