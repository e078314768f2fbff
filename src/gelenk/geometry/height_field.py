"""A raster of heights as a shape: terrain and the surface of bulk material (V-21)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.geometry.field_mass import field_mass_properties
from gelenk.geometry.mass import FloatArray, MassProperties
from gelenk.geometry.mesh_check import IndexArray

MOST_SAMPLES = 2**30  # so that triangles are counted by 32 bits


@friendly
@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class HeightField:
    """Solid from a raster of heights down to a flat base; checked when made, read-only afterwards.

    The origin lies above or below the middle of the raster, z = 0 is that of the heights:

        sample (i, j) is at   x = (i - (nx - 1) / 2) dx,   y = (j - (ny - 1) / 2) dy,   z = heights[i, j]

    Each cell is two triangles, split along the diagonal from its low corner (i, j) to (i + 1, j + 1), so the surface is
    linear on each. The base and the sides serve mass and drawing. Two fields are equal if all their numbers are.

    Parameters
    ----------
    heights : (nx, ny) [m]
        The first index counts along x, the second along y; two or more each.
    spacing : float or (dx, dy) [m]
        Distance of neighbouring samples.
    base : float, optional [m]
        Height of the base, at or below all samples. Without it, it lies one (larger) spacing below the lowest one.
    element : str
        Kind and name for messages.
    """

    kind: ClassVar[str] = "height_field"
    heights: FloatArray
    spacing: tuple[float, float]
    base: float

    def __init__(
        self,
        heights: ArrayLike,
        spacing: float | tuple[float, float],
        *,
        base: float | None = None,
        element: str = "height field",
    ) -> None:
        z = check_heights(element, heights)
        dx, dy = _check_spacing(element, spacing)
        low = float(z.min())
        bottom = low - max(dx, dy) if base is None else check_number(element, "base", base, "m")
        check_above(element, z, bottom)
        if float(z.max()) == bottom:
            raise InputError(
                element,
                f"all {z.size} heights equal the base {bottom:g} m",
                "a base below the highest sample, so that there is a volume",
                "Lower the base.",
            )
        self._store(z, (dx, dy), bottom)

    def height_at(self, x: ArrayLike, y: ArrayLike) -> Any:
        """Height of the surface at x, y of the shape frame [m], numbers or arrays; nan beyond the rim."""
        nx, ny = self.heights.shape
        mid_x, mid_y = 0.5 * (nx - 1), 0.5 * (ny - 1)
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        inside = (np.abs(x) <= mid_x * self.spacing[0]) & (np.abs(y) <= mid_y * self.spacing[1])
        u = np.clip(np.where(inside, x, 0.0) / self.spacing[0] + mid_x, 0.0, nx - 1.0)
        v = np.clip(np.where(inside, y, 0.0) / self.spacing[1] + mid_y, 0.0, ny - 1.0)
        i, j = np.minimum(u.astype(np.int64), nx - 2), np.minimum(v.astype(np.int64), ny - 2)
        a, b, z = u - i, v - j, self.heights
        near, far = z[i, j], z[i + 1, j + 1]
        third = np.where(a >= b, z[i + 1, j], z[i, j + 1])
        most, least = np.maximum(a, b), np.minimum(a, b)
        height = near + most * (third - near) + least * (far - third)
        return np.where(inside, height, np.nan)[()]

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties of the solid filled with constant ``density`` [kg/m^3], exact for its flat triangles."""
        rho = check_number("height field", "density", density, "kg/m^3", above=0)
        return field_mass_properties(*self.axes(), self.heights, self.base, rho)

    def axes(self) -> tuple[FloatArray, FloatArray]:
        """Places of the samples along x and along y, shape frame [m]."""
        (nx, ny), (dx, dy) = self.heights.shape, self.spacing
        return (np.arange(nx) - 0.5 * (nx - 1)) * dx, (np.arange(ny) - 0.5 * (ny - 1)) * dy

    def triangles(self, resolution: int = 0) -> tuple[FloatArray, IndexArray]:
        """Closed surface: top, sides, and a base split from its middle; ``resolution`` has no meaning for a field.

        The top comes first, triangles 2 c and 2 c + 1 of cell c = i (ny - 1) + j, as contact counts them.
        """
        nx, ny = self.heights.shape
        x, y = self.axes()
        sample = np.arange(nx * ny).reshape(nx, ny)
        p, q, r, s = sample[:-1, :-1], sample[1:, :-1], sample[1:, 1:], sample[:-1, 1:]
        top = np.stack((p, q, r, p, r, s), axis=-1).reshape(-1, 3)

        # round the rim, counter-clockwise from above; samples at the base are corners of the base too
        rim = np.concatenate((sample[:-1, 0], sample[-1, :-1], sample[:0:-1, -1], sample[0, :0:-1]))
        below = np.where(self.heights.ravel()[rim] > self.base, nx * ny + 1 + np.arange(len(rim)), rim)
        a, b, b_below, a_below = rim, np.roll(rim, -1), np.roll(below, -1), below
        sides = np.stack((a, b_below, b, a, a_below, b_below), axis=-1).reshape(-1, 3)
        flat = (sides[:, 0] == sides[:, 1]) | (sides[:, 1] == sides[:, 2])
        base = np.stack((np.full(len(rim), nx * ny), b_below, a_below), axis=-1)

        surface = np.stack((*np.meshgrid(x, y, indexing="ij"), self.heights), axis=-1).reshape(-1, 3)
        points = np.concatenate((surface, [(0.0, 0.0, self.base)], surface[rim]))
        points[nx * ny + 1 :, 2] = self.base
        faces = np.concatenate((top, sides[~flat], base))
        used = np.ones(len(points), dtype=bool)
        used[nx * ny + 1 :] = below != rim
        number = np.cumsum(used) - 1
        return points[used], number[faces].astype(np.uint32)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HeightField):
            return NotImplemented
        return self._bits() == other._bits()

    def __hash__(self) -> int:
        return hash(self._bits())

    def __repr__(self) -> str:
        (nx, ny), (dx, dy) = self.heights.shape, self.spacing
        low, high = float(self.heights.min()), float(self.heights.max())
        return f"HeightField({nx} x {ny} samples, spacing ({dx:g}, {dy:g}) m, heights {low:g} to {high:g} m)"

    def __reduce__(self) -> tuple[Any, ...]:
        # not through the constructor: a copy in another process need not be checked again
        return HeightField._from_checked, (np.array(self.heights), self.spacing, self.base)

    @classmethod
    def _from_checked(cls, heights: FloatArray, spacing: tuple[float, float], base: float) -> HeightField:
        field = object.__new__(cls)
        field._store(heights, spacing, base)
        return field

    def _store(self, heights: FloatArray, spacing: tuple[float, float], base: float) -> None:
        heights.setflags(write=False)
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "spacing", spacing)
        object.__setattr__(self, "base", base)

    def _bits(self) -> tuple[Any, ...]:
        return self.heights.shape, self.heights.tobytes(), self.spacing, self.base


def check_heights(element: str, heights: ArrayLike, least: int = 2) -> FloatArray:
    """A fresh raster (nx, ny) of finite heights, with ``least`` or more samples along each side."""
    allowed = f"{least} x {least} or more finite heights [m], rows of equal length"
    try:
        given = np.asarray(heights)
    except (TypeError, ValueError):
        raise InputError(element, _ragged(heights), allowed, "Give every row as many samples as the first.") from None
    if given.dtype.kind not in "iuf":
        found = f"heights are of type {given.dtype}"
        raise InputError(element, found, allowed, "Give numbers in m; fill samples that are missing.")
    if given.ndim != 2 or min(given.shape) < least or given.size > MOST_SAMPLES:
        found = f"heights have shape {given.shape}"
        remedy = "Give a table heights[i, j] with i along x and j along y"
        remedy += f", {MOST_SAMPLES} samples at most." if given.size > MOST_SAMPLES else "."
        raise InputError(element, found, allowed, remedy)
    z = np.array(given, dtype=np.float64, order="C")
    bad = np.argwhere(~np.isfinite(z))
    if len(bad):
        i, j = bad[0].tolist()
        found = f"heights[{i}, {j}] is {z[i, j]}" + (f", and so are {len(bad)} samples in all" if len(bad) > 1 else "")
        raise InputError(element, found, allowed, "Fill these samples from their neighbours, or cut them off.")
    return z


def check_above(element: str, heights: FloatArray, base: float) -> None:
    """Refuse samples below the base."""
    i, j = np.unravel_index(int(heights.argmin()), heights.shape)
    if heights[i, j] < base:
        found = f"heights[{i}, {j}] is {heights[i, j]:.9g} m, below the base at {base:.9g} m"
        raise InputError(element, found, "a base at or below all heights", "Lower the base, or raise these samples.")


def _ragged(rows: Any) -> str:
    """Which row differs from the first."""
    try:
        sizes = [len(row) for row in rows]
        row = next(k for k, size in enumerate(sizes) if size != sizes[0])
    except (TypeError, StopIteration):
        return "heights are no table of numbers"
    return f"row {row} of heights has {sizes[row]} samples and row 0 has {sizes[0]}"


def _check_spacing(element: str, spacing: Any) -> tuple[float, float]:
    pair = isinstance(spacing, tuple | list | np.ndarray) and np.ndim(spacing) == 1
    if not pair:
        d = check_number(element, "spacing", spacing, "m", above=0)
        return d, d
    if len(spacing) != 2:
        raise InputError(element, f"spacing has {len(spacing)} numbers", "one number or (dx, dy) [m]", "Give two.")
    dx, dy = (check_number(element, f"spacing along {axis}", d, "m", above=0) for axis, d in zip("xy", spacing))
    return dx, dy
