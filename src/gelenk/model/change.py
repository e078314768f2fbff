"""Parts of a model with other values, checked as the builder checks those of new ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gelenk.checks import check_number, check_quaternion, check_vector, unknown
from gelenk.errors import InputError
from gelenk.model.mass import as_vector, check_inverse
from gelenk.model.parts import Body, Frame, Material, Particle

Check = Callable[[str, Any], Any]
PLACES: dict[str, Check] = {
    "at": lambda label, value: check_vector(label, "at", value, "m"),
    "rotation": lambda label, value: check_quaternion(label, "rotation", value),
    "velocity": lambda label, value: check_vector(label, "velocity", value, "m/s"),
    "angular_velocity": lambda label, value: check_vector(label, "angular_velocity", value, "rad/s"),
}
OF: dict[type, tuple[str, ...]] = {
    Body: ("mass", "at", "rotation", "velocity", "angular_velocity"),
    Particle: ("mass", "at", "velocity"),
    Frame: ("at", "rotation"),
}
MOVING = {"mass", "velocity", "angular_velocity"}


def changed_part(part: Any, values: Mapping[str, Any]) -> Any:
    """A body, particle, frame or material with other values.

    A body of another mass has its inertia in proportion, as if its density were another; its centre of mass stays. The
    place of a frame is that in the frame it hangs on, if it does.
    """
    label = f"{type(part).__name__.lower()} {part.name!r}"
    if isinstance(part, Material):
        return replace(part, **values)
    for field in values:
        if field not in OF[type(part)]:
            raise unknown(label, "value to change", field, OF[type(part)])
        if getattr(part, "static", False) and field in MOVING:
            raise InputError(label, f"another {field}", "none: it is static", "Change what moves, or its place.")
    made = {field: PLACES[field](label, value) for field, value in values.items() if field != "mass"}
    if "mass" in values:
        made |= _weighed(part, label, values["mass"])
    if isinstance(part, Frame) and part.within is not None:  # its place in the body follows
        parent, at, rotation = part.within
        return replace(part, within=(parent, made.get("at", at), made.get("rotation", rotation)))
    return replace(part, **made)


def _weighed(part: Body | Particle, label: str, mass: Any) -> dict[str, Any]:
    mass = check_number(label, "mass", mass, "kg", above=0)
    check_inverse(label, "mass", mass, "kg")
    if isinstance(part, Particle):
        return {"mass": mass}
    inertia = np.array(part.inertia) * (mass / part.mass)
    least = float(np.linalg.eigvalsh(inertia)[0]) if np.isfinite(inertia).all() else 0.0
    if least <= 0.0:
        found = f"mass is {mass:g}, and the inertia that goes with it is no number, or zero"
        raise InputError(label, found, "a mass nearer to that which it has", "Give the body anew, with its inertia.")
    check_inverse(label, "inertia", least, "kg m^2")
    return {"mass": mass, "inertia": tuple(as_vector(row) for row in inertia)}
