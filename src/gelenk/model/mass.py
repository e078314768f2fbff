"""The mass of a body from numbers, from shapes with density, or from shapes with a total mass (V-105, H-55)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gelenk.checks import Vector, check_number, check_vector
from gelenk.errors import InputError
from gelenk.geometry.mass import MassProperties, check_inertia, combine
from gelenk.math.rotation import rotation_matrix
from gelenk.model.parts import BARE_DENSITY, ORIGIN, Material, Part

HOW = "Give mass and inertia, or a shape with a density or a mass; for a point mass use a particle."


def body_mass(
    element: str,
    parts: Sequence[Part],
    materials: Mapping[str, Material],
    *,
    mass: float | None,
    density: float | None,
    com: Any,
    inertia: Any,
) -> MassProperties:
    """Mass, centre of mass and inertia about it, both in the body frame.

    Numbers given by hand win over what the shapes say (H-55): a mass alone rescales the density of the shapes, a
    centre of mass alone moves it, an inertia (with a mass) replaces it.
    """
    if mass is not None:
        mass = check_number(element, "mass", mass, "kg", above=0)
    if density is not None:
        density = check_number(element, "density", density, "kg/m^3", above=0)
    weighing = [p for p in parts if p.weighs]
    if inertia is not None:
        if mass is None:
            raise InputError(element, "an inertia without a mass", "both or neither", HOW)
        tensor = inertia_tensor(element, inertia)
        return MassProperties(mass, check_vector(element, "com", ORIGIN if com is None else com, "m"), tensor)
    if not weighing:
        what = "a mass without an inertia" if mass is not None else "neither mass nor shape"
        raise InputError(element, what, "mass and inertia, or shapes", HOW)
    if mass is not None and density is not None:
        raise InputError(element, f"mass {mass:g} and density {density:g} both given", "one of them", "Leave one out.")
    try:
        whole = combine([part_mass(element, p, materials, density, mass is not None) for p in weighing])
        if mass is not None:
            whole = MassProperties(mass, whole.com, whole.inertia * (mass / whole.mass))
    except InputError as error:  # name the body, not the sum that left the range of numbers
        raise InputError(element, error.found, error.allowed, error.remedy) from None
    if com is not None:
        whole = MassProperties(whole.mass, check_vector(element, "com", com, "m"), whole.inertia)
    check_inertia(element, whole.inertia)
    return whole


def check_given(element: str, *, mass: Any, density: Any, com: Any, inertia: Any) -> None:
    """Refuse bad numbers also where they are not used, as for static bodies."""
    if mass is not None:
        check_number(element, "mass", mass, "kg", above=0)
    if density is not None:
        check_number(element, "density", density, "kg/m^3", above=0)
    if com is not None:
        check_vector(element, "com", com, "m")
    if inertia is not None:
        inertia_tensor(element, inertia)


def part_mass(
    element: str, part: Part, materials: Mapping[str, Material], density: float | None, any_density: bool
) -> MassProperties:
    """Mass properties of a part in the body frame; its own density, else the material's, else the body's, else 1000

    if it has a material.
    """
    material = materials[part.material] if part.material else None
    rho = part.density or (material and material.density) or density or (BARE_DENSITY if material else 0.0)
    if not rho:
        if not any_density:
            raise InputError(element, f"{part.shape.kind} has no density", "a density above 0 [kg/m^3]", HOW)
        rho = 1.0  # only ratios count: the total mass is given
    return part.shape.mass_properties(rho).moved(part.at, rotation_matrix(part.rotation))


def check_inverse(element: str, what: str, value: float, unit: str) -> None:
    """Refuse what is so small that dividing by it overflows."""
    if math.isinf(1.0 / value):
        raise InputError(
            element, f"{what} is {value!r}, and 1 / {value!r} is infinite", f"above 1e-300 [{unit}]", "Check the units."
        )


def inertia_tensor(element: str, inertia: Any) -> np.ndarray:
    """(3, 3) tensor from three principal moments or a full matrix, checked."""
    try:
        given = np.array(inertia)
    except ValueError:  # rows of different lengths
        given = np.empty(0)
    if given.shape not in ((3,), (3, 3)) or given.dtype.kind not in "iuf":
        raise InputError(
            element,
            f"inertia is {inertia!r}"[:160],
            "three principal moments, or three rows of three numbers [kg m^2]",
            "Give inertia about the centre of mass, in the axes of the body.",
        )
    if np.abs(given).max() > 1e300:  # sums overflow
        raise InputError(element, f"inertia is {inertia!r}"[:160], "at most 1e300 [kg m^2]", "Check the units.")
    return check_inertia(element, np.diag(given) if given.shape == (3,) else given)


def as_vector(a: np.ndarray) -> Vector:
    """Tuple of three floats."""
    x, y, z = np.asarray(a, dtype=np.float64).tolist()
    return x, y, z
