"""Any number of surfaces as arrays, and what runs on them compiled: point with derivatives, normal, nearest point.

The parameters u, v count grid lines. In a closed direction they run on over any number of turns; beyond an open edge
the surface goes on by the polynomial of its last cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelenk.checks import check_vector
from gelenk.compile import helper, routine
from gelenk.geometry.curve_eval import FOOT_FLAT, FOOT_SLACK, FOOT_STEP, FOOT_STEPS, MOST_TURNS
from gelenk.geometry.surface import Surface
from gelenk.math.vec3 import get3, vec3

DAMPING = 1e-9  # share of the metric added to it for the poles, where it is singular

SEARCH_WIDTH = 1e-2  # [cells]: then Newton finds the rest
SEARCH_MOST = 4096  # boxes kept, of places that are equally near
EDGE_WIDTH = 1e-8  # [cells]; distances tell no more apart
CORNERS = np.array([(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)])
AROUND = np.stack(np.meshgrid(np.arange(-2.0, 3.0), np.arange(-2.0, 3.0), indexing="ij"), axis=-1).reshape(-1, 2)


class Surfaces(NamedTuple):
    """Surfaces one after the other; the net of surface k lies row by row from first[k] on."""

    first: np.ndarray  # (k,) uint32
    cells_u: np.ndarray  # (k,) uint32
    cells_v: np.ndarray  # (k,) uint32; a row of the net has three points more
    closed_u: np.ndarray  # (k,) bool
    closed_v: np.ndarray  # (k,) bool
    control: np.ndarray  # (n, 3) [m]


def pack_surfaces(surfaces: Sequence[Surface]) -> Surfaces:
    """All surfaces as arrays; there may be none."""
    nets = [surface.control.reshape(-1, 3) for surface in surfaces]
    return Surfaces(
        np.cumsum([0, *map(len, nets)])[:-1].astype(np.uint32),
        np.array([surface.cells[0] for surface in surfaces], dtype=np.uint32),
        np.array([surface.cells[1] for surface in surfaces], dtype=np.uint32),
        np.array([surface.closed_u for surface in surfaces], dtype=np.bool_),
        np.array([surface.closed_v for surface in surfaces], dtype=np.bool_),
        np.concatenate([np.empty((0, 3)), *nets]),
    )


@helper
def _cell(u, cells, closed):
    """Cell i and place x = u - i in it, within 0 .. 1 unless u lies beyond an open edge.

    Not-a-number stays so and finds a cell that exists.
    """
    if closed and abs(u) < MOST_TURNS:
        u -= cells * math.floor(u / cells)
    i = 0
    if 0.0 < u < cells:
        i = int(u)
    elif u >= cells:
        i = cells - 1
    return i, u - i


@helper
def _basis(x):
    """Weights of four neighbours in a uniform cubic B-spline, and their first and second derivatives."""
    y = 1.0 - x
    sixth = 1.0 / 6.0
    value = (
        y * y * y * sixth,
        (4.0 + x * x * (3.0 * x - 6.0)) * sixth,
        (4.0 + y * y * (3.0 * y - 6.0)) * sixth,
        x * x * x * sixth,
    )
    slope = (-0.5 * y * y, x * (1.5 * x - 2.0), y * (2.0 - 1.5 * y), 0.5 * x * x)
    return value, slope, (y, 3.0 * x - 2.0, 3.0 * y - 2.0, x)


@helper
def _mix(w, a, b, c, d):
    return a * w[0] + b * w[1] + c * w[2] + d * w[3]


@helper
def _strip(P, j, value, slope, second):
    """Four neighbours of a row of the net, mixed by three sets of weights."""
    a, b, c, d = get3(P, j), get3(P, j + 1), get3(P, j + 2), get3(P, j + 3)
    return _mix(value, a, b, c, d), _mix(slope, a, b, c, d), _mix(second, a, b, c, d)


@helper
def surface_point(surfaces, k, u, v):
    """Point and derivatives  S, S_u, S_v, S_uu, S_uv, S_vv  of surface k.

    S = sum_ij B_i(u) B_j(v) P_ij     over the 4 x 4 control points that reach u, v
    """
    cells_v = np.int64(surfaces.cells_v[k])
    i, x = _cell(u, np.int64(surfaces.cells_u[k]), surfaces.closed_u[k])
    j, y = _cell(v, cells_v, surfaces.closed_v[k])
    row = cells_v + 3
    at = np.int64(surfaces.first[k]) + i * row + j
    P = surfaces.control
    b, b1, b2 = _basis(y)
    p, p1, p2 = _strip(P, at, b, b1, b2)
    q, q1, q2 = _strip(P, at + row, b, b1, b2)
    r, r1, r2 = _strip(P, at + 2 * row, b, b1, b2)
    s, s1, s2 = _strip(P, at + 3 * row, b, b1, b2)
    a, a1, a2 = _basis(x)
    return (
        _mix(a, p, q, r, s),
        _mix(a1, p, q, r, s),
        _mix(a, p1, q1, r1, s1),
        _mix(a2, p, q, r, s),
        _mix(a1, p1, q1, r1, s1),
        _mix(a, p2, q2, r2, s2),
    )


@helper
def surface_normal(surfaces, k, u, v):
    """Unit normal  S_u x S_v / |S_u x S_v|  of surface k; zero at a pole."""
    _, Su, Sv, _, _, _ = surface_point(surfaces, k, u, v)
    n = Su.cross(Sv)
    size = n.norm()
    return n * (1.0 / size if size > 0.0 else 0.0)


@routine
def _downhill(E, F, G, a, b, c, slope_u, slope_v):
    """Step  |H|^-1 (slope_u, slope_v)  with H = (a b, b c), its eigenvalues taken against the metric (E F, F G).

    With  metric = L L^T  and  A = L^-1 H L^-T  the step is  L^-T f(A) L^-1 slope,  f(x) = 1 / max(|x|, FOOT_FLAT),
    where a function of a 2 x 2 matrix with eigenvalues  mean +- r  needs no eigenvectors:
    f(A) = (f1 + f2)/2 + (f1 - f2)/(2r) (A - mean).
    """
    damping = DAMPING * (E + G)
    if not damping > 0.0:
        return 0.0, 0.0
    L11 = math.sqrt(E + damping)
    L21 = F / L11
    L22 = math.sqrt(G + damping - L21 * L21)
    lean = L21 / L11
    A11, A12 = a / (L11 * L11), (b - a * lean) / (L11 * L22)
    A22 = (c - 2.0 * b * lean + a * lean * lean) / (L22 * L22)
    mean, half = 0.5 * (A11 + A22), 0.5 * (A11 - A22)
    r = math.sqrt(half * half + A12 * A12)
    f1, f2 = 1.0 / max(abs(mean + r), FOOT_FLAT), 1.0 / max(abs(mean - r), FOOT_FLAT)
    both, apart = 0.5 * (f1 + f2), (0.5 * (f1 - f2) / r if r > 0.0 else 0.0)
    x = slope_u / L11
    y = (slope_v - L21 * x) / L22
    dv = (both * y + apart * (A12 * x - half * y)) / L22
    return (both * x + apart * (half * x + A12 * y) - L21 * dv) / L11, dv


@routine
def surface_foot(surfaces, k, p, u_guess, v_guess):
    """Parameters (u, v) of the point of surface k nearest to p, searched from a guess; near it, also over turns.

        min 1/2 |p - S|^2:     H (du, dv) = (d . S_u, d . S_v),     d = p - S
        H = | S_u.S_u - d.S_uu   S_u.S_v - d.S_uv |
            | S_u.S_v - d.S_uv   S_v.S_v - d.S_vv |

    Newton's step. Where H is not positive definite, p lies beyond a centre of curvature, and its eigenvalues are
    taken without their signs, so that every step leads downhill. No step bends more than it is long or passes a
    quarter of a closed direction, and one that leads away is halved. Exact to round-off, unless p is a centre of
    curvature or the foot a pole.

    Source: J. Nocedal, S. Wright, Numerical Optimization, 3.4 (Newton's method with a modified Hessian).
    """
    cells_u, cells_v = np.int64(surfaces.cells_u[k]), np.int64(surfaces.cells_v[k])
    u, v, du, dv = u_guess, v_guess, 0.0, 0.0
    nearest2 = math.inf
    for _ in range(FOOT_STEPS):
        S, Su, Sv, Suu, Suv, Svv = surface_point(surfaces, k, u + du, v + dv)
        d = p - S
        distance2 = d @ d
        if distance2 > nearest2 * (1.0 + FOOT_SLACK):
            du *= 0.5
            dv *= 0.5
            continue
        u += du
        v += dv
        nearest2 = distance2
        E, F, G = Su @ Su, Su @ Sv, Sv @ Sv
        a, b, c = E - d @ Suu, F - d @ Suv, G - d @ Svv
        det = a * c - b * b
        if not (a > 0.0 and det > FOOT_FLAT * (E * G - F * F)):
            du, dv = _downhill(E, F, G, a, b, c, d @ Su, d @ Sv)
        else:
            du, dv = (c * (d @ Su) - b * (d @ Sv)) / det, (a * (d @ Sv) - b * (d @ Su)) / det
        if not max(abs(du), abs(dv)) > FOOT_STEP:
            return u + du, v + dv
        straight = Su * du + Sv * dv
        bent = Suu * (du * du) + Suv * (2.0 * du * dv) + Svv * (dv * dv)
        share = 1.0
        if bent @ bent > straight @ straight:
            share = math.sqrt((straight @ straight) / (bent @ bent))
        if surfaces.closed_u[k]:
            share = min(share, 0.25 * cells_u / max(abs(du), 1e-300))
        if surfaces.closed_v[k]:
            share = min(share, 0.25 * cells_v / max(abs(dv), 1e-300))
        du *= share
        dv *= share
    return u, v


def nearest_on_surface(surface: Surface, p: Sequence[float]) -> tuple[float, float]:
    """Parameters (u, v) of the point of the whole surface, edges included, nearest to p; one of them if several are.

    Boxes of parameters are split in four, and dropped when none of their points can be nearer than the nearest found:
    |p - S| changes at most by the longest leg of the control net a grid line. Then :func:`surface_foot` from the best
    one, or, where the nearest point lies on an open edge, a search that narrows to 1e-8 of a cell.
    """
    target = np.array(check_vector("nearest_on_surface", "p", p, "m"))
    size = np.array(surface.cells, dtype=np.float64)
    # S_u and S_v are splines of the legs of the net, and lie within their convex hull
    legs = [np.linalg.norm(np.diff(surface.control, axis=axis), axis=-1).max() for axis in (0, 1)]

    def distance(uv: np.ndarray) -> np.ndarray:
        return np.linalg.norm(surface.at(uv[:, 0], uv[:, 1]) - target, axis=1)

    half = 0.5
    uv = np.stack(np.meshgrid(*(np.arange(n) + half for n in surface.cells), indexing="ij"), axis=-1).reshape(-1, 2)
    while True:
        found = distance(uv)
        kept = np.flatnonzero(found - half * sum(legs) <= found.min())
        kept = kept[np.argsort(found[kept], kind="stable")[:SEARCH_MOST]]
        if half <= SEARCH_WIDTH:
            break
        half *= 0.5
        uv = (uv[kept][:, None] + half * CORNERS).reshape(-1, 2)
    best = uv[kept[0]]

    u, v = surface_foot(pack_surfaces([surface]), 0, vec3(target), float(best[0]), float(best[1]))
    foot = np.array([u, v])
    turns = np.array([surface.closed_u, surface.closed_v])
    foot = np.where(turns, foot % size, foot)
    inside = ((foot >= 0.0) & (foot <= size)).all()
    if inside and distance(foot[None])[0] <= found.min():
        return float(foot[0]), float(foot[1])
    while half > EDGE_WIDTH:
        uv = np.clip(best + half * AROUND, 0.0, size)
        best = uv[np.argmin(distance(uv))]
        half *= 0.5
    return float(best[0]), float(best[1])
