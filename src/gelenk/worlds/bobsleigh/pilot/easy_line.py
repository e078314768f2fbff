"""The line down a track that needs the least grip across: what a calm pilot follows (B-90)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gelenk.worlds.bobsleigh.pilot.across import ENDS, Across, Motion
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.track.point_mass import PointMass, slide

if TYPE_CHECKING:
    from gelenk.worlds.bobsleigh.track.track import Track

MIDDLE = 4.0  # [1/m] what a metre from the middle of a straight counts, beside the share of the grip, both squared
SIDEWAYS = 0.3  # [s/m] what speed across counts: without it, swings that cost no grip would be as good as none
WALL = 60.0  # [1/m] what a metre too near to a wall counts
SPEEDS = (0.85, 1.0, 1.15)  # of the speed of a point mass: lines are known for these
EFFECTIVE = 0.010  # friction of that point mass (bobsleigh 8.4)
KNOTS = 5.0  # [m] between knots of the spline
ROUNDS = 100  # of Gauss and Newton at most


class EasyLine:
    """Coordinates across w(s) of a sled that runs along with speed v(s) and uses as little grip across as can be.

    What runners must push across is  u = w'' M + ... , see :class:`gelenk.worlds.bobsleigh.pilot.across.Across`. Of all
    lines the one is taken with the least

        integral of  (u / grip)^2 + (0.3 s/m w')^2 + (4/m w)^2 on straights + (60/m)^2 (into walls)^2   dt

    The line of balance jumps where a clothoid begins, which no sled can follow; this one is a motion. It is found by
    Gauss's and Newton's method for a spline. The line of another speed lies between those of three speeds.
    """

    def __init__(self, track: Track, banking: Banking | None = None) -> None:
        bank = self.banking = Banking(track) if banking is None else banking
        end = min(track.line.end, track.finish + 120.0)
        rows = np.flatnonzero((bank.s >= 0.0) & (bank.s <= end))
        self.s = bank.s[rows]
        mass = slide(track.line, PointMass(friction=EFFECTIVE), float(self.s[-1]))
        self.speed = np.interp(self.s, mass.s, mass.speed)
        across = Across(bank, rows)
        begun = [_smoothed(bank.lines(self.s, share * self.speed), self.s, share * self.speed) for share in SPEEDS]
        self.w = np.array([least_line(across.at_speed(share * self.speed), w) for share, w in zip(SPEEDS, begun)])

    def across(self, s: float, left: float, height: float) -> float:
        """Coordinate w of the ice nearest to a point of a section plane, given by its offset and height [m]."""
        return self.banking.across(s, left, height)

    def steering(self, s: float) -> float:
        """Nothing is known by heart."""
        return 0.0

    def target(self, s: float, speed: float) -> float:
        """Coordinate w of the line at a place, for that speed there [m]."""
        n = min(max(int(np.searchsorted(self.s, s)) - 1, 0), len(self.s) - 2)
        part = min(max((s - self.s[n]) / (self.s[n + 1] - self.s[n]), 0.0), 1.0)
        usual = self.speed[n] + part * (self.speed[n + 1] - self.speed[n])
        here, there = (float(np.interp(speed / usual, SPEEDS, self.w[:, k])) for k in (n, n + 1))
        return here + part * (there - here)


def _smoothed(w: np.ndarray, s: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Means over a quarter of a second before and after: where to begin."""
    t = np.concatenate(([0.0], np.cumsum(np.diff(s) / (0.5 * (v[1:] + v[:-1])))))
    total = np.concatenate(([0.0], np.cumsum(0.5 * (w[1:] + w[:-1]) * np.diff(t))))
    a, b = np.maximum(t - 0.25, t[0]), np.minimum(t + 0.25, t[-1])
    made: np.ndarray = (np.interp(b, t, total) - np.interp(a, t, total)) / (b - a)
    return made


def least_line(motion: Motion, start: np.ndarray) -> np.ndarray:
    """The line, from the one it begins with, as a cubic spline: rounds of a damped least-squares method."""
    from scipy.interpolate import BSpline, make_lsq_spline
    from scipy.sparse import diags_array, vstack
    from scipy.sparse.linalg import spsolve

    across, v = motion.across, motion.v
    s = across.s
    inner = np.arange(s[0] + KNOTS, s[-1] - 0.5 * KNOTS, KNOTS)
    knots = np.concatenate((np.full(4, s[0]), inner, np.full(4, s[-1])))
    size = len(knots) - 4
    value = BSpline.design_matrix(s, knots, 3).tocsr()
    ends = [BSpline(knots, np.eye(size), 3).derivative(k)(s) for k in (1, 2)]
    first, second = (value.__class__(np.where(np.abs(table) > 1e-12, table, 0.0)) for table in ends)
    rate = diags_array(v) @ first
    bend = diags_array(v * v) @ second + diags_array(v * np.gradient(v, s)) @ first
    time = np.sqrt(np.gradient(s) / v)
    middle = np.where(np.abs(across.curvature) < 1e-6, MIDDLE, 0.0) * time
    weight = time / motion.grip

    def parts(c: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """What is squared, and the rates of u by w, w' and w''."""
        w = value @ c
        u, *rates = motion.push(w, rate @ c, bend @ c)
        walls = WALL * time * across.beyond(w, first @ c)
        return np.concatenate((weight * u, middle * w, SIDEWAYS * time * (rate @ c), *walls)), rates

    c = make_lsq_spline(s, np.concatenate(([0.0], start[1:])), knots, 3).c
    c[0] = 0.0  # it starts in the middle
    damping, (left, rates) = 1.0, parts(c)
    for _ in range(ROUNDS):
        by_w, by_rate, by_bend = (diags_array(weight * x) for x in rates)
        over = np.where(across.beyond(value @ c, first @ c) != 0.0, WALL, 0.0) * time
        rows = [by_w @ value + by_rate @ rate + by_bend @ bend, diags_array(middle) @ value]
        rows += [diags_array(SIDEWAYS * time) @ rate]
        rows += [diags_array(wall) @ (value + end * first) for wall, end in zip(over, ENDS)]
        J = vstack(rows, format="csc")[:, 1:]
        square, slope = (J.T @ J).tocsc(), J.T @ left
        while True:
            step = spsolve(square + diags_array(np.full(size - 1, damping)), slope)
            new = c - np.concatenate(([0.0], step))
            found, new_rates = parts(new)
            if found @ found <= left @ left or damping > 1e9:
                break
            damping *= 4.0
        if not found @ found <= left @ left:
            break
        done = left @ left - found @ found < 1e-5 * (left @ left)
        c, left, rates, damping = new, found, new_rates, damping / 6.0
        if done:
            break
    made: np.ndarray = value @ c
    return made
