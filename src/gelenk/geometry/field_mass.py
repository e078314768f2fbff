"""Mass properties of the solid below a raster of heights, by exact integrals over its triangles in plan."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelenk.geometry.mass import FloatArray, MassProperties

AT_ONCE = 8192  # cells: their terms stay in the cache of a core

Corners = tuple[NDArray, NDArray, NDArray]


def field_mass_properties(
    x: FloatArray, y: FloatArray, heights: FloatArray, base: float, density: float
) -> MassProperties:
    """Mass, centre of mass and inertia of the columns from the base b up to triangles t(x, y).

    Over a triangle in plan, with the sums S over its corners, linear functions f, g, h have

        mean of f g     ( Sf Sg + S(fg) ) / 12
        mean of f g h   ( Sf Sg Sh + Sf S(gh) + Sg S(hf) + Sh S(fg) + 2 S(fgh) ) / 60

    and a column adds  t - b,  (t^2 - b^2) / 2,  (t^3 - b^3) / 3  to the integrals of 1, z, z^2. Second moments are
    taken from the centre of mass, so that no large part has to cancel.

    Source: integrals of barycentric coordinates, 2 A i! j! k! / (i + j + k + 2)!.

    Parameters
    ----------
    x, y : (nx,), (ny,) [m]
        Places of the samples, equidistant.
    heights : (nx, ny) [m]
    base : float
        [m]
    density : float
        [kg/m^3]
    """
    middle = 0.5 * (float(heights.max()) + base)
    area = 0.5 * (x[-1] - x[0]) / (len(x) - 1) * (y[-1] - y[0]) / (len(y) - 1)
    triangles, b = _prisms(x, y, heights - middle), base - middle
    volume = _sum(_mean(t) - b for _, _, t in triangles)
    com = np.array(
        [
            _sum(_mean(x, t) - b * _mean(x) for x, _, t in triangles) / volume,
            _sum(_mean(y, t) - b * _mean(y) for _, y, t in triangles) / volume,
            _sum(_mean(t, t) - b * b for _, _, t in triangles) / (2.0 * volume),
        ]
    )
    # now about the centre of mass
    triangles, b = _prisms(x - com[0], y - com[1], heights - middle - com[2]), b - com[2]
    xx = _sum(_mean(x, x, t) - b * _mean(x, x) for x, _, t in triangles)
    yy = _sum(_mean(y, y, t) - b * _mean(y, y) for _, y, t in triangles)
    zz = _sum(_mean(t, t, t) - b**3 for _, _, t in triangles) / 3.0
    xy = _sum(_mean(x, y, t) - b * _mean(x, y) for x, y, t in triangles)
    xz = _sum(_mean(x, t, t) - b * b * _mean(x) for x, _, t in triangles) / 2.0
    yz = _sum(_mean(y, t, t) - b * b * _mean(y) for _, y, t in triangles) / 2.0
    inertia = density * area * np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])
    com[2] += middle
    return MassProperties(density * area * volume, com, inertia)


def _prisms(x: FloatArray, y: FloatArray, z: FloatArray) -> list[tuple[Corners, Corners, Corners]]:
    """Corners x, y, z of the first and of the second triangles of all cells, some rows of cells at a time."""
    rows = 1 + AT_ONCE // len(y)
    pieces = []
    for i in range(0, len(x) - 1, rows):
        low, high = slice(i, min(i + rows, len(x) - 1)), slice(i + 1, min(i + rows, len(x) - 1) + 1)
        x0, x1, y0, y1 = x[low, None], x[high, None], y[None, :-1], y[None, 1:]
        p, q, r, s = z[low, :-1], z[high, :-1], z[high, 1:], z[low, 1:]
        pieces += [((x0, x1, x1), (y0, y0, y1), (p, q, r)), ((x0, x1, x0), (y0, y1, y1), (p, r, s))]
    return pieces


def _mean(f: Corners, g: Corners | None = None, h: Corners | None = None) -> FloatArray:
    """Mean over each triangle of a product of functions that are linear on it, given at its corners."""
    F = f[0] + f[1] + f[2]
    if g is None:
        return F / 3.0
    G, fg = g[0] + g[1] + g[2], _dot(f, g)
    if h is None:
        return (F * G + fg) / 12.0
    H = h[0] + h[1] + h[2]
    fgh = f[0] * g[0] * h[0] + f[1] * g[1] * h[1] + f[2] * g[2] * h[2]
    return (F * G * H + F * _dot(g, h) + G * _dot(h, f) + H * fg + 2.0 * fgh) / 60.0


def _dot(f: Corners, g: Corners) -> FloatArray:
    return f[0] * g[0] + f[1] * g[1] + f[2] * g[2]


def _sum(parts: Any) -> float:
    """Over both triangles of all cells."""
    return math.fsum(float(np.sum(part)) for part in parts)
