"""Smooth surfaces through a grid of points: a bicubic spline over the grid.

A surface is data: its points and whether it closes in either direction. Its control net follows from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import Vector, check_count, check_number, check_vector
from gelenk.errors import InputError
from gelenk.geometry.curve import FARTHEST, check_flag, check_function
from gelenk.geometry.mass import FloatArray

# A cell with less than this share of the squared extent has no area but rounding.
NO_AREA = 1e-14
LEAST_OPEN, LEAST_CLOSED = 2, 4

# Cubic B-spline with uniform knots: row r holds the weight of control point r as powers of x in a cell.
BASIS = np.array([[1.0, -3.0, 3.0, -1.0], [4.0, 0.0, -6.0, 3.0], [1.0, 3.0, 3.0, -3.0], [0.0, 0.0, 0.0, 1.0]]) / 6.0


@dataclass(frozen=True)
class Surface:
    """Bicubic tensor-product spline with continuous second derivatives through a grid of points.

        S(u, v) = sum_ij B_i(u) B_j(v) P_ij       B uniform cubic B-splines, P the control net

    The parameters count grid lines: S(i, j) is point (i, j). Open edges are not-a-knot, of fourth order up to the
    edge; two points in a direction give straight lines, three give parabolas. Beyond an open edge the surface goes on
    by the polynomial of its last cell, which is smooth and near the edge alone sensible. In a closed direction of n
    points u and u + n are the same.

    The normal is  S_u x S_v / |S_u x S_v|.  At a pole, where a grid line shrinks to a point, there is none, and what
    moves across it comes onto the continuation: lay poles where nothing goes.

    Source: C. de Boor, A Practical Guide to Splines, IV and XVII.

    Parameters
    ----------
    points : (m, n, 3) [m]
        Rows along u, columns along v; at least 2 in an open direction, at least 4 in a closed one, which does not
        repeat its first line.
    closed_u, closed_v : bool
        Whether the last line in that direction is followed by the first.
    """

    kind: ClassVar[str] = "surface"
    points: tuple[tuple[Vector, ...], ...]
    closed_u: bool = False
    closed_v: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "closed_u", check_flag(self.kind, "closed_u", self.closed_u))
        object.__setattr__(self, "closed_v", check_flag(self.kind, "closed_v", self.closed_v))
        object.__setattr__(self, "points", _check_points(self.points, self.closed_u, self.closed_v))

    @classmethod
    def from_function(
        cls,
        function: Callable[[float, float], Sequence[float]],
        u_range: tuple[float, float],
        v_range: tuple[float, float],
        shape: tuple[int, int],
        *,
        closed_u: bool = False,
        closed_v: bool = False,
    ) -> Surface:
        """Surface through (m, n) = ``shape`` points  function(a, b) = (x, y, z) [m],  a and b evenly over their ranges.

        A closed direction leaves out the end of its range, where the function is back at its start. The parameters
        of the surface count grid lines; a runs from u_range[0] at u = 0.
        """
        check_function(cls.kind, function, "function(a, b) -> (x, y, z)")
        m, n = _check_pair("shape", shape)
        closed_u, closed_v = check_flag(cls.kind, "closed_u", closed_u), check_flag(cls.kind, "closed_v", closed_v)
        a_line, b_line = _line("u", u_range, m, closed_u), _line("v", v_range, n, closed_v)
        grid = tuple(
            tuple(check_vector(cls.kind, f"function({a}, {b})", function(a, b), "m") for b in b_line) for a in a_line
        )
        return cls(grid, closed_u, closed_v)

    @cached_property
    def control(self) -> FloatArray:
        """Control net P (cells_u + 3, cells_v + 3, 3) [m]; in closed directions it repeats its first three lines."""
        net = _control(np.array(self.points), self.closed_u)
        net = np.ascontiguousarray(_control(net.swapaxes(0, 1), self.closed_v).swapaxes(0, 1))
        net.flags.writeable = False
        return net

    @property
    def cells(self) -> tuple[int, int]:
        """Number of cells along u and v: the parameters run over 0 .. cells."""
        m, n, _ = self.control.shape
        return m - 3, n - 3

    def at(self, u: ArrayLike, v: ArrayLike) -> FloatArray:
        """Points (..., 3) [m] at parameters u, v (...) [grid lines]."""
        return self._mixed(u, v, 0, 0)

    def normal(self, u: ArrayLike, v: ArrayLike) -> FloatArray:
        """Unit normals (..., 3) at parameters u, v (...) [grid lines]; zero at a pole."""
        across = np.cross(self._mixed(u, v, 1, 0), self._mixed(u, v, 0, 1))
        size = np.linalg.norm(across, axis=-1, keepdims=True)
        return across / np.where(size > 0.0, size, 1.0)

    def _mixed(self, u: ArrayLike, v: ArrayLike, order_u: int, order_v: int) -> FloatArray:
        u, v = np.broadcast_arrays(np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64))
        i, a = _weights(u, self.cells[0], self.closed_u, order_u)
        j, b = _weights(v, self.cells[1], self.closed_v, order_v)
        near = self.control[i[..., :, None], j[..., None, :]]
        return np.einsum("...i,...j,...ijk->...k", a, b, near)


def _check_pair(what: str, value: Any) -> tuple[Any, Any]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise InputError("surface", f"{what} is {value!r}", "two numbers", f"Give {what} as a pair.") from None
    return first, second


def _line(name: str, bounds: Any, count: Any, closed: bool) -> list[float]:
    """Evenly spaced parameters of a function along one direction."""
    first, last = (check_number("surface", f"{name}_range", x, "1") for x in _check_pair(f"{name}_range", bounds))
    count = check_count("surface", f"shape along {name}", count, least=LEAST_OPEN, most=100_000)
    return [float(x) for x in np.linspace(first, last, count, endpoint=not closed)]


def _check_points(points: Any, closed_u: bool, closed_v: bool) -> tuple[tuple[Vector, ...], ...]:
    allowed = "finite numbers of shape (m, n, 3) [m]"
    try:
        given = np.array(points)
        grid = given.astype(np.float64) if given.dtype.kind in "iuf" else np.empty(0)
    except (TypeError, ValueError, OverflowError):
        grid = np.empty(0)
    if grid.ndim != 3 or grid.shape[2] != 3:
        remedy = "Give rows of points, all with the same number of points (x, y, z)."
        raise InputError("surface", "points are not a grid", allowed, remedy)
    if not np.isfinite(grid).all() or not np.abs(grid).max(initial=0.0) <= FARTHEST:
        i, j, _ = np.argwhere(~(np.abs(grid) <= FARTHEST))[0].tolist()
        found = f"point ({i}, {j}) is {tuple(grid[i, j].tolist())}"
        raise InputError("surface", found, f"{allowed} up to {FARTHEST:g}", "Mend that point.")
    for name, count, closed in (("u", grid.shape[0], closed_u), ("v", grid.shape[1], closed_v)):
        least = LEAST_CLOSED if closed else LEAST_OPEN
        if count < least:
            found = f"it has {count} grid lines along {name}"
            allowed = f"at least {least} in {'a closed' if closed else 'an open'} direction"
            raise InputError("surface", found, allowed, "Give more points.")
    through = np.concatenate((grid, grid[:1]), axis=0) if closed_u else grid
    through = np.concatenate((through, through[:, :1]), axis=1) if closed_v else through
    diagonals = through[1:, 1:] - through[:-1, :-1], through[1:, :-1] - through[:-1, 1:]
    area = 0.5 * np.linalg.norm(np.cross(*diagonals), axis=-1)
    flat = ~(area > NO_AREA * np.square(np.ptp(grid.reshape(-1, 3), axis=0).max()))
    if flat.any():
        i, j = np.argwhere(flat)[0].tolist()
        raise InputError(
            "surface",
            f"the cell after point ({i}, {j}) has no area",
            "grid lines that differ",
            "Leave out lines that repeat; a closed direction returns by itself.",
        )
    return tuple(tuple((x, y, z) for x, y, z in row) for row in grid.tolist())


def _control(points: FloatArray, closed: bool) -> FloatArray:
    """Control points (cells + 3, ...) along the first axis of the spline f through points (n, ...).

    P_i = f_i - f_i'' / 6,   and at an open end  P_-1 = 2 P_0 - P_1 + f_0''
    """
    from scipy.interpolate import CubicSpline

    through = np.concatenate((points, points[:1])) if closed else points
    knots = np.arange(len(through))
    second = CubicSpline(knots, through, bc_type="periodic" if closed else "not-a-knot")(knots, 2)[: len(points)]
    inner = points - second / 6.0
    if closed:
        return np.concatenate((inner[-1:], inner, inner[:2]))
    first = 2.0 * inner[0] - inner[1] + second[0]
    last = 2.0 * inner[-1] - inner[-2] + second[-1]
    return np.concatenate((first[None], inner, last[None]))


def _weights(u: FloatArray, cells: int, closed: bool, order: int) -> tuple[np.ndarray, FloatArray]:
    """Indices (..., 4) of the control lines that reach u, and their weights or derivatives of weights (..., 4)."""
    u = u - cells * np.floor(u / cells) if closed else u
    i = np.clip(np.floor(u), 0, cells - 1).astype(np.intp)
    powers = (u - i)[..., None] ** np.arange(4 - order)
    basis = BASIS
    for _ in range(order):
        basis = basis[:, 1:] * np.arange(1, basis.shape[1])
    return i[..., None] + np.arange(4), powers @ basis.T
