"""Lines in space over their plan as polynomials, for kernels to follow; feet of points on them (B-83).

A line is  c(s),  s the arc length of its plan: it neither stands upright nor has corners in the plan.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, kernel, routine
from gelenk.math.vec3 import Vec3, get3

ROUNDS = 50  # of Newton's method; from a step before it takes two
STRIDE = 5.0  # [m] longest step of Newton's method


class LineTable(NamedTuple):
    """Cells of a line with a polynomial of degree five in each."""

    s: np.ndarray  # (m + 1,) where cells begin [m]
    cell: np.ndarray  # (m, 18) coefficients of x, y, z, lowest first, of t = 0..1 along the cell
    first: np.ndarray  # (k,) uint32, first cell that reaches into each metre from the start


@helper
def cell_of(table, s):
    """Cell that contains s; the first or the last one beyond the ends."""
    at = min(max(int(s - table.s[0]), 0), table.first.shape[0] - 1)
    i = np.int64(table.first[at])
    while i + 2 < table.s.shape[0] and s >= table.s[i + 1]:
        i += 1
    return i


@helper
def quintic(c, k, t):
    """Value and two derivatives of the polynomial at c[k:k+6]."""
    a, b, d, e, f, g = c[k], c[k + 1], c[k + 2], c[k + 3], c[k + 4], c[k + 5]
    value = a + t * (b + t * (d + t * (e + t * (f + t * g))))
    rate = b + t * (2.0 * d + t * (3.0 * e + t * (4.0 * f + t * 5.0 * g)))
    return value, rate, 2.0 * d + t * (6.0 * e + t * (12.0 * f + t * 20.0 * g))


@routine
def line_at(table, s):
    """c(s) [m], c'(s) and c''(s) [1/m]; straight on beyond the ends."""
    i = cell_of(table, s)
    begin, end = table.s[i], table.s[i + 1]
    inside = min(max(s, begin), end)
    one = 1.0 / (end - begin)
    t = (inside - begin) * one
    c = table.cell[i]
    x, dx, ddx = quintic(c, 0, t)
    y, dy, ddy = quintic(c, 6, t)
    z, dz, ddz = quintic(c, 12, t)
    rate = Vec3(dx * one, dy * one, dz * one)
    bend = Vec3(ddx * one * one, ddy * one * one, ddz * one * one)
    return Vec3(x, y, z) + rate * (s - inside), rate, bend


@routine
def foot_on_line(table, r, s):
    """Arc length of the foot of point r, searched from s; then its offset to the left and its height [m].

    Newton's method on  f = (r - c) . c',  f' = (r - c) . c'' - c' . c';  steps are bounded, and where r lies beyond the
    centre of curvature, so that f' has the wrong sign, the first part of f' is left out.
    """
    for _ in range(ROUNDS):
        c, rate, bend = line_at(table, s)
        away = r - c
        f, steep = away @ rate, rate @ rate
        step = f / max(steep - away @ bend, 0.1 * steep)
        step = min(max(step, -STRIDE), STRIDE)
        s += step
        if abs(step) <= 1e-12 * (1.0 + abs(s)):
            break
    c, rate, _ = line_at(table, s)
    away = r - c
    level = 1.0 / math.sqrt(rate.x * rate.x + rate.y * rate.y)
    return s, (away.y * rate.x - away.x * rate.y) * level, away.z


@kernel
def project_points(table, r, guess, out):
    """Place (s, left, height) of (n, 3) points into (n, 3); where a guess is no number, that of the point before."""
    s = 0.0
    for i in range(r.shape[0]):
        if guess[i] == guess[i]:
            s = guess[i]
        s, left, height = foot_on_line(table, get3(r, i), s)
        out[i, 0], out[i, 1], out[i, 2] = s, left, height
