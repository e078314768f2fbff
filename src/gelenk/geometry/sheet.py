"""A smooth sheet over a channel, and where segments cross it: no facets, no friction of their edges (bobsleigh 8.4).

Across, the sheet is a row of rational pieces of degree 2; along s every control point, times its weight, is a cubic
spline with two continuous derivatives. On piece j, with t = v - j,

    (w S, w) = (1-t)^2 Q_2j(s) + 2 t (1-t) Q_2j+1(s) + t^2 Q_2j+2(s)

Patches follow each other along s. A patch may be mirrored: its pieces then count from the other rim, and v shifts by
one where two kinds meet, so that the floors go on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, kernel, routine
from gelenk.geometry.sheet_parts import QUARTERS, parts_near
from gelenk.math.vec3 import Vec3, get3, put3

ROUNDS = 20  # of Newton's method; from a millimetre away it takes two
CLOSE = 1e-8  # [m] last step of Newton's method: what is left is the square of it over the radius
STRIDE = 0.5  # [m] longest step along s
FAR = 30.0  # lengths of a segment: a crossing beyond them belongs to another part of the sheet


class Sheet(NamedTuple):
    """Cells of a sheet along s, in order, with m = their number; here for 7 pieces across."""

    begin: np.ndarray  # (m + 1,) arc length where cells begin, and the end [m]
    cubic: np.ndarray  # (m, 15, 4, 4) of w x, w y, w z, w: coefficients of powers 0 to 3 of s - begin
    turn: np.ndarray  # (m,) int64, +1 or -1: which rim the pieces count from
    empty: np.ndarray  # (m, 7) uint8, 1 for pieces without length
    first: np.ndarray  # (k,) uint32, first cell that reaches into each metre from the start
    disc: np.ndarray  # (28 m, 8) around parts of pieces: centre, radius, normal, half thickness
    ball: np.ndarray  # (m, 4) around cells: centre, radius
    far: np.ndarray  # around groups of them
    farther: np.ndarray  # around groups of these
    found: np.ndarray  # (28 m,) uint32, scratch of one search


class Spot(NamedTuple):
    """Point of a sheet with its tangents along s and v."""

    p: Vec3
    along: Vec3
    across: Vec3


@helper
def sheet_cell(sheet, s):
    """Cell that contains s; the first or the last one beyond the ends."""
    at = min(max(int(s - sheet.begin[0]), 0), sheet.first.shape[0] - 1)
    i = np.int64(sheet.first[at])
    while i + 2 < sheet.begin.shape[0] and s >= sheet.begin[i + 1]:
        i += 1
    return i


@helper
def control(cubic, i, k, c, x):
    """Component c of control point k of cell i and its rate."""
    a, b, d, e = cubic[i, k, 0, c], cubic[i, k, 1, c], cubic[i, k, 2, c], cubic[i, k, 3, c]
    return a + x * (b + x * (d + x * e)), b + x * (2.0 * d + x * (3.0 * e))


@helper
def component(cubic, i, j, c, x, t):
    """Component c of the weighted point on piece j, and its rates along s and t."""
    p0, r0 = control(cubic, i, 2 * j, c, x)
    p1, r1 = control(cubic, i, 2 * j + 1, c, x)
    p2, r2 = control(cubic, i, 2 * j + 2, c, x)
    o = 1.0 - t
    b0, b1, b2 = o * o, 2.0 * t * o, t * t
    across = 2.0 * (o * (p1 - p0) + t * (p2 - p1))
    return b0 * p0 + b1 * p1 + b2 * p2, b0 * r0 + b1 * r1 + b2 * r2, across


@routine
def sheet_spot(sheet, i, j, s, t):
    """Point of piece j of cell i, by the rule of quotients:  S = H / w,  S' = (H' - S w') / w."""
    x = min(max(s, sheet.begin[i]), sheet.begin[i + 1]) - sheet.begin[i]
    hx, sx, vx = component(sheet.cubic, i, j, 0, x, t)
    hy, sy, vy = component(sheet.cubic, i, j, 1, x, t)
    hz, sz, vz = component(sheet.cubic, i, j, 2, x, t)
    w, sw, vw = component(sheet.cubic, i, j, 3, x, t)
    one = 1.0 / w
    p = Vec3(hx * one, hy * one, hz * one)
    return Spot(p, (Vec3(sx, sy, sz) - p * sw) * one, (Vec3(vx, vy, vz) - p * vw) * one)


@helper
def sound_piece(sheet, i, j):
    """Piece j of cell i, or the next one towards the floor if it has no length."""
    middle = sheet.empty.shape[1] // 2
    while sheet.empty[i, j] != 0 and j > middle:
        j -= 1
    while sheet.empty[i, j] != 0 and j < middle:
        j += 1
    return j


@routine
def newton_sheet(sheet, p, d, s, v):
    """Crossing of the line p + tau d with the sheet, from (s, v) on; tau is infinite if none is found.

    The tangent plane at (s, v) is crossed at  tau = (S - p) . n / (d . n),  n = S_v x S_s.  The way there in the plane,
    q = p + tau d - S = S_s ds + S_v dv,  gives  dv = (q x S_s) . n / n^2,  ds = (S_v x q) . n / n^2.  A step ends at
    the border of its piece, and the next goes on in the one beyond.
    """
    pieces = sheet.empty.shape[1]
    i = sheet_cell(sheet, s)
    j = sound_piece(sheet, i, np.int64(min(max(v, 0.0), pieces - 0.5)))
    v = min(max(v, 1.0 * j), j + 1.0)
    nothing = Vec3(0.0, 0.0, 0.0)
    held = 0
    for _ in range(ROUNDS):
        spot = sheet_spot(sheet, i, j, s, v - j)
        n = spot.across.cross(spot.along)
        size = n @ n
        slope = d @ n
        if not abs(slope) > 1e-9 * math.sqrt(size * (d @ d)):
            return math.inf, nothing, s, v
        tau = ((spot.p - p) @ n) / slope
        q = p + d * tau - spot.p
        ds, dv = (spot.across.cross(q) @ n) / size, (q.cross(spot.along) @ n) / size
        if ds * ds * (spot.along @ spot.along) + dv * dv * (spot.across @ spot.across) < CLOSE * CLOSE:
            return tau, n * (1.0 / math.sqrt(size)), s + ds, v + dv
        s += min(max(ds, -STRIDE), STRIDE)
        if s < sheet.begin[0] or s > sheet.begin[sheet.begin.shape[0] - 1]:
            return math.inf, nothing, s, v
        k = sheet_cell(sheet, s)
        v += dv
        beyond = 0
        if v < j:
            v, beyond = 1.0 * j, -1
        elif v > j + 1:
            v, beyond = j + 1.0, 1
        shift = np.int64(0.5 * (sheet.turn[i] - sheet.turn[k]))
        i, j, v = k, j + shift, v + shift
        held = held + 1 if beyond != 0 else 0
        to = j + beyond
        if to < 0 or to >= pieces or sheet.empty[i, to] != 0:  # a rim: the line may pass outside
            to = j
            if held > 3:
                return math.inf, nothing, s, v
        j = min(max(to, 0), pieces - 1)
        v = min(max(v, 1.0 * j), j + 1.0)
    return math.inf, nothing, s, v


@routine
def segment_sheet(sheet, p, d, s, v):
    """Where the segment p + tau d, 0 <= tau <= 1, comes out of the ice.

    Its first point lies behind the sheet and its last one on the driving side, or it does not count.

    Parameters
    ----------
    sheet : Sheet
    p, d : Vec3
        First point and way to the last [m].
    s, v : float
        Where the segment was found the last time; s is no number if that is not known.

    Returns
    -------
    tau : float
        Infinite if the segment does not come out of the ice.
    n : Vec3
        Unit normal towards the driving side.
    s, v : float
        To be remembered.
    """
    if s == s:
        tau, n, s_new, v_new = newton_sheet(sheet, p, d, s, v)
        if abs(tau) < FAR and d @ n > 0.0:
            return (tau if 0.0 <= tau <= 1.0 else math.inf), n, s_new, v_new
    count, _ = parts_near(sheet, p, d, 0.0, 0.0)
    tau, n, s, v = cross_parts(sheet, count, p, d, 0.0, 1.0, 1.0)
    return (tau if tau >= 0.0 else math.inf), n, s, v


@routine
def cross_parts(sheet, count, p, d, low, high, side):
    """The furthest place in low..high where p + tau d crosses a part that was found, out of the ice or into it.

    Parameters
    ----------
    count : int
        How many parts were found.
    side : float
        1 for out of the ice, -1 for into it.

    Returns
    -------
    tau : float
        Below all if there is none.
    n : Vec3
    s, v : float
        No numbers if there is none.
    """
    best, n_best, s_best, v_best = -math.inf, Vec3(0.0, 0.0, 0.0), math.nan, math.nan
    parts = QUARTERS * sheet.empty.shape[1]
    for j in range(count):
        k = np.int64(sheet.found[j])
        i = k // parts
        s, v = 0.5 * (sheet.begin[i] + sheet.begin[i + 1]), (k - parts * i + 0.5) / QUARTERS
        tau, n, s, v = newton_sheet(sheet, p, d, s, v)
        if low <= tau <= high and tau > best and (d @ n) * side > 0.0:
            best, n_best, s_best, v_best = tau, n, s, v
    return best, n_best, s_best, v_best


@kernel
def segments_sheet(sheet, start, way, memory, tau_out, n_out):
    """Crossings of many segments: starts and ways (k, 3) [m], memory (k, 2) of s and v in place."""
    for i in range(start.shape[0]):
        tau, n, s, v = segment_sheet(sheet, get3(start, i), get3(way, i), memory[i, 0], memory[i, 1])
        tau_out[i], memory[i, 0], memory[i, 1] = tau, s, v
        put3(n_out, i, n)


@kernel
def sheet_grid(sheet, s, v, p_out, n_out):
    """Points (k, l, 3) and unit normals of a sheet at s (k,) and v (l,); s counts for the cell that it begins."""
    for a in range(s.shape[0]):
        i = sheet_cell(sheet, s[a])
        for b in range(v.shape[0]):
            j = np.int64(min(v[b], sheet.empty.shape[1] - 0.5))
            good = sound_piece(sheet, i, j)
            spot = sheet_spot(sheet, i, good, s[a], min(max(v[b] - good, 0.0), 1.0))
            put3(p_out[a], b, spot.p)
            n = spot.across.cross(spot.along)
            put3(n_out[a], b, n * (1.0 / n.norm()))
