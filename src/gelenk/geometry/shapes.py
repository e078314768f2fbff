"""Primitive shapes: what they weigh and how they are drawn.

Every shape is a small value: it compares by its numbers, cannot be changed, and is described in a frame of its own
that is stated in its docstring. Curved shapes have their axis along z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.geometry.mass import FloatArray, MassProperties

Triangles = tuple[FloatArray, NDArray[np.uint32]]

# 32 sides: the flat sides of a drawn circle stay within half a percent of its radius, 1 - cos(pi / 32) = 0.0048.
DRAWN_RESOLUTION = 32

# A plane has no end; this much of it is drawn [m].
PLANE_DRAWN_HALF_WIDTH = 50.0


@runtime_checkable
class Shape(Protocol):
    """What every shape offers, built in or written by a user."""

    kind: ClassVar[str]

    def mass_properties(self, density: float) -> MassProperties:
        """Mass, centre of mass and inertia of the shape filled with constant ``density`` [kg/m^3], shape axes."""
        ...

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Closed outward surface for drawing: vertices (n, 3) float64 [m] and triangles (m, 3) uint32.

        ``resolution`` is the number of sides of a full circle. All vertices lie on the exact surface, so volume and
        inertia of the drawn body approach the exact ones from below, with an error of order 1 / resolution^2.
        """
        ...


@friendly
@dataclass(frozen=True, slots=True)
class Sphere:
    """Ball about the origin.

        m = rho 4/3 pi r^3      I = 2/5 m r^2

    Parameters
    ----------
    radius : float
        [m]
    """

    kind: ClassVar[str] = "sphere"
    radius: float

    def __post_init__(self) -> None:
        _store_lengths(self, "radius")

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m^3]."""
        r = self.radius
        mass = _density(self, density) * (4.0 / 3.0) * math.pi * r * r * r
        moment = 0.4 * mass * r * r
        return _centred(mass, moment, moment, moment)

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Surface of meridians and parallels."""
        count = _resolution(self, resolution)
        return _revolve(self.radius * _arc(-0.5 * math.pi, 0.5 * math.pi, max(2, count // 2)), count)


@friendly
@dataclass(frozen=True, slots=True)
class Box:
    """Box about the origin, edges along the axes.

        m = rho x y z      I_xx = m/12 (y^2 + z^2), and so on round the axes

    Parameters
    ----------
    size : (x, y, z) [m]
        Full edge lengths.
    """

    kind: ClassVar[str] = "box"
    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        _store_triple(self, "size", "full edge lengths (x, y, z)")

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m^3]."""
        x, y, z = self.size
        mass = _density(self, density) * x * y * z
        twelfth = mass / 12.0
        return _centred(mass, twelfth * (y * y + z * z), twelfth * (x * x + z * z), twelfth * (x * x + y * y))

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Eight vertices and twelve triangles, whatever the resolution."""
        _resolution(self, resolution)
        corner = np.array([(i & 1, i >> 1 & 1, i >> 2 & 1) for i in range(8)], dtype=np.float64)
        quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
        faces = [triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]
        return (corner - 0.5) * np.array(self.size), np.array(faces, dtype=np.uint32)


@friendly
@dataclass(frozen=True, slots=True)
class Capsule:
    """Cylinder along z with hemispherical caps, about the origin.

        m_c = rho pi r^2 l      m_s = rho 4/3 pi r^3  (both caps)
        I_zz = m_c r^2/2 + 2/5 m_s r^2
        I_xx = I_yy = m_c (l^2/12 + r^2/4) + m_s (2/5 r^2 + l^2/4 + 3/8 l r)

    Source: the caps are halves of a ball whose centre of mass lies 3/8 r from the flat side, moved by Steiner's
    theorem.

    Parameters
    ----------
    radius : float
        [m]
    length : float
        Of the cylinder alone [m]; the whole is ``length + 2 radius`` long.
    """

    kind: ClassVar[str] = "capsule"
    radius: float
    length: float

    def __post_init__(self) -> None:
        _store_lengths(self, "radius", "length")

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m^3]."""
        r, length, rho = self.radius, self.length, _density(self, density)
        cylinder = rho * math.pi * r * r * length
        caps = rho * (4.0 / 3.0) * math.pi * r * r * r
        across = cylinder * (length * length / 12.0 + 0.25 * r * r) + caps * (
            0.4 * r * r + 0.25 * length * length + 0.375 * length * r
        )
        return _centred(cylinder + caps, across, across, 0.5 * cylinder * r * r + 0.4 * caps * r * r)

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Surface of meridians and parallels."""
        count = _resolution(self, resolution)
        quarter = max(1, count // 4)
        half = np.array([0.0, 0.5 * self.length])
        bottom = self.radius * _arc(-0.5 * math.pi, 0.0, quarter) - half
        top = self.radius * _arc(0.0, 0.5 * math.pi, quarter) + half
        return _revolve(np.concatenate((bottom, top)), count)


@friendly
@dataclass(frozen=True, slots=True)
class Cylinder:
    """Cylinder along z about the origin.

        m = rho pi r^2 l      I_zz = m r^2/2      I_xx = I_yy = m/12 (3 r^2 + l^2)

    Parameters
    ----------
    radius : float
        [m]
    length : float
        [m]
    """

    kind: ClassVar[str] = "cylinder"
    radius: float
    length: float

    def __post_init__(self) -> None:
        _store_lengths(self, "radius", "length")

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m^3]."""
        r, length = self.radius, self.length
        mass = _density(self, density) * math.pi * r * r * length
        across = mass / 12.0 * (3.0 * r * r + length * length)
        return _centred(mass, across, across, 0.5 * mass * r * r)

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Prism whose edges lie on the cylinder."""
        r, half = self.radius, 0.5 * self.length
        profile = np.array([(0.0, -half), (r, -half), (r, half), (0.0, half)])
        return _revolve(profile, _resolution(self, resolution))


@friendly
@dataclass(frozen=True, slots=True)
class Cone:
    """Cone standing on the plane z = 0, centre of the base at the origin, apex at z = height.

        m = rho/3 pi r^2 h      centre of mass (0, 0, h/4)
        I_zz = 3/10 m r^2      I_xx = I_yy = 3/80 m (4 r^2 + h^2)   about the centre of mass

    Parameters
    ----------
    radius : float
        Of the base [m].
    height : float
        [m]
    """

    kind: ClassVar[str] = "cone"
    radius: float
    height: float

    def __post_init__(self) -> None:
        _store_lengths(self, "radius", "height")

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m^3]; the centre of mass is not the origin."""
        r, h = self.radius, self.height
        mass = _density(self, density) / 3.0 * math.pi * r * r * h
        across = 0.0375 * mass * (4.0 * r * r + h * h)
        return MassProperties(mass, np.array([0.0, 0.0, 0.25 * h]), np.diag([across, across, 0.3 * mass * r * r]))

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Pyramid whose edges lie on the cone."""
        profile = np.array([(0.0, 0.0), (self.radius, 0.0), (0.0, self.height)])
        return _revolve(profile, _resolution(self, resolution))


@friendly
@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """Ellipsoid about the origin, half axes along x, y, z.

        m = rho 4/3 pi a b c      I_xx = m/5 (b^2 + c^2), and so on round the axes

    Parameters
    ----------
    radii : (a, b, c) [m]
        Half axes.
    """

    kind: ClassVar[str] = "ellipsoid"
    radii: tuple[float, float, float]

    def __post_init__(self) -> None:
        _store_triple(self, "radii", "half axes (a, b, c)")

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m^3]."""
        a, b, c = self.radii
        mass = _density(self, density) * (4.0 / 3.0) * math.pi * a * b * c
        fifth = mass / 5.0
        return _centred(mass, fifth * (b * b + c * c), fifth * (a * a + c * c), fifth * (a * a + b * b))

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Stretched ball of meridians and parallels."""
        count = _resolution(self, resolution)
        vertices, faces = _revolve(_arc(-0.5 * math.pi, 0.5 * math.pi, max(2, count // 2)), count)
        return vertices * np.array(self.radii), faces


@friendly
@dataclass(frozen=True, slots=True)
class Torus:
    """Ring about the z axis, centred at the origin.

        m = rho 2 pi^2 R r^2      I_zz = m (R^2 + 3/4 r^2)      I_xx = I_yy = m/8 (4 R^2 + 5 r^2)

    Source: Pappus' theorem for the volume; moments by integration over the tube.

    Parameters
    ----------
    radius : float
        R, from the z axis to the middle of the tube [m].
    tube_radius : float
        r, of the tube [m], less than ``radius``.
    """

    kind: ClassVar[str] = "torus"
    radius: float
    tube_radius: float

    def __post_init__(self) -> None:
        _store_lengths(self, "radius", "tube_radius")
        if self.tube_radius >= self.radius:
            raise InputError(
                self.kind,
                f"tube_radius is {self.tube_radius!r} and radius is {self.radius!r}",
                "a tube_radius less than radius [m]",
                "Measure radius to the middle of the tube; a ring without a hole is no torus.",
            )

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m^3]."""
        R2, r2 = self.radius * self.radius, self.tube_radius * self.tube_radius
        mass = _density(self, density) * 2.0 * math.pi * math.pi * self.radius * r2
        across = mass / 8.0 * (4.0 * R2 + 5.0 * r2)
        return _centred(mass, across, across, mass * (R2 + 0.75 * r2))

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Grid of ``resolution`` times ``resolution`` four-sided cells, each split along one diagonal."""
        n = _resolution(self, resolution)
        angle = 2.0 * math.pi * np.arange(n) / n
        u, v = (grid.ravel() for grid in np.meshgrid(angle, angle, indexing="ij"))
        distance = self.radius + self.tube_radius * np.cos(v)
        vertices = np.column_stack((distance * np.cos(u), distance * np.sin(u), self.tube_radius * np.sin(v)))
        i, j = (grid.ravel() for grid in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
        next_i, next_j = (i + 1) % n, (j + 1) % n
        return vertices, _split_cells(i * n + j, next_i * n + j, next_i * n + next_j, i * n + next_j)


@friendly
@dataclass(frozen=True, slots=True)
class Plane:
    """The plane z = 0, without end; solid below, free above. It has no mass and belongs to a fixed body."""

    kind: ClassVar[str] = "plane"

    def mass_properties(self, density: float) -> MassProperties:
        """Always refused: an infinite body has no mass properties."""
        raise InputError(
            self.kind,
            f"mass properties were asked for with density {density!r}",
            "a plane without density, on the world or another fixed body",
            "Attach the plane to the world, or use a flat box for a plate that moves.",
        )

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """A square of the plane, facing up: two triangles, the only open surface among the shapes."""
        _resolution(self, resolution)
        w = PLANE_DRAWN_HALF_WIDTH
        vertices = np.array([(-w, -w, 0.0), (w, -w, 0.0), (w, w, 0.0), (-w, w, 0.0)])
        return vertices, np.array([(0, 1, 2), (0, 2, 3)], dtype=np.uint32)


# Name in a scene file -> class. Meshes come from files and have their own entry there.
SHAPES: dict[str, type[Shape]] = {
    shape.kind: shape for shape in (Sphere, Box, Capsule, Cylinder, Cone, Ellipsoid, Torus, Plane)
}


def _store_lengths(shape: Shape, *names: str) -> None:
    for name in names:
        object.__setattr__(shape, name, check_number(shape.kind, name, getattr(shape, name), "m", above=0))


def _store_triple(shape: Shape, name: str, meaning: str) -> None:
    value = getattr(shape, name)
    try:
        entries = tuple(value)
    except TypeError:
        entries = ()
    if isinstance(value, str) or len(entries) != 3:
        raise InputError(
            shape.kind, f"{name} is {value!r}", f"three {meaning} [m]", f"Give {name} as three numbers in m."
        )
    checked = tuple(check_number(shape.kind, f"{name}[{i}]", entry, "m", above=0) for i, entry in enumerate(entries))
    object.__setattr__(shape, name, checked)


def _density(shape: Shape, density: float) -> float:
    return check_number(shape.kind, "density", density, "kg/m^3", above=0)


def _resolution(shape: Shape, resolution: int) -> int:
    if isinstance(resolution, (int, np.integer)) and not isinstance(resolution, bool) and resolution >= 3:
        return int(resolution)
    raise InputError(
        shape.kind,
        f"resolution is {resolution!r}",
        "a whole number, 3 or more: the sides of a full circle",
        f"Leave resolution out for {DRAWN_RESOLUTION} sides.",
    )


def _centred(mass: float, i_xx: float, i_yy: float, i_zz: float) -> MassProperties:
    return MassProperties(mass, np.zeros(3), np.diag([i_xx, i_yy, i_zz]))


def _arc(start: float, end: float, count: int) -> FloatArray:
    """Points (distance from the axis, height) on the unit circle, from latitude ``start`` to ``end``."""
    latitude = np.linspace(start, end, count + 1)
    return np.column_stack((np.cos(latitude), np.sin(latitude)))


def _revolve(profile: FloatArray, count: int) -> Triangles:
    """Closed surface from a profile turned about z.

    ``profile`` (k, 2) holds distance from the axis and height, from the lowest point to the highest; its first and last
    points lie on the axis and become single vertices, the others become rings of ``count`` vertices.
    """
    rings = len(profile) - 2
    angle = 2.0 * math.pi * np.arange(count) / count
    radius, height = profile[1:-1, 0], profile[1:-1, 1]
    vertices = np.empty((2 + rings * count, 3))
    vertices[0], vertices[-1] = (0.0, 0.0, profile[0, 1]), (0.0, 0.0, profile[-1, 1])
    vertices[1:-1, 0] = np.outer(radius, np.cos(angle)).ravel()
    vertices[1:-1, 1] = np.outer(radius, np.sin(angle)).ravel()
    vertices[1:-1, 2] = np.repeat(height, count)

    around = np.arange(count)
    onward = (around + 1) % count
    low = 1 + count * np.arange(rings - 1)[:, None]
    sides = _split_cells(
        (low + around).ravel(),
        (low + onward).ravel(),
        (low + count + onward).ravel(),
        (low + count + around).ravel(),
    )
    last = 1 + count * (rings - 1)
    bottom = np.column_stack((np.zeros_like(around), 1 + onward, 1 + around))
    top = np.column_stack((np.full_like(around, len(vertices) - 1), last + around, last + onward))
    return vertices, np.concatenate((bottom, sides, top)).astype(np.uint32)


def _split_cells(a: NDArray, b: NDArray, c: NDArray, d: NDArray) -> NDArray[np.uint32]:
    """Two triangles for each four-sided cell a b c d, split along a c."""
    return np.stack((a, b, c, a, c, d), axis=-1).reshape(-1, 3).astype(np.uint32)
