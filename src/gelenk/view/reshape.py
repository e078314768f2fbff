"""What hands change of a model: a body more or less, a joint, a drive, a force; everything else goes on."""

from __future__ import annotations

from collections.abc import Callable

from gelenk.errors import InputError
from gelenk.geometry.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Shape, Sphere, Torus
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.view.from_page import Add
from gelenk.view.properties import FARTHEST, FASTEST, check_size

SIZES: dict[str, tuple[tuple[str, ...], Callable[..., Shape]]] = {
    "sphere": (("radius",), Sphere),
    "box": (("length in x", "in y", "in z"), lambda *size: Box(size)),
    "capsule": (("radius", "length"), Capsule),
    "cylinder": (("radius", "length"), Cylinder),
    "cone": (("radius", "height"), Cone),
    "ellipsoid": (("radius in x", "in y", "in z"), lambda *radii: Ellipsoid(radii)),
    "torus": (("radius", "tube radius"), Torus),
}
MOST_BODIES = 20_000


def add_body(builder: Builder, model: Model, wanted: Add) -> str:
    """Put a body of a simple shape in; returns its name."""
    if len(model.bodies) >= MOST_BODIES:
        raise InputError("add", f"{len(model.bodies)} bodies", f"at most {MOST_BODIES}", "Delete some.")
    words, shape = SIZES[wanted.shape]
    if len(wanted.sizes) != len(words):
        found = f"{len(wanted.sizes)} sizes for a {wanted.shape}"
        raise InputError("add", found, f"{len(words)}: {', '.join(words)} [m]", "Give these.")
    check_size("add", "at", wanted.at, FARTHEST, "m")
    check_size("add", "velocity", wanted.velocity, FASTEST, "m/s")
    name = wanted.name or builder.new_name(wanted.shape)
    made = shape(*wanted.sizes)
    return builder.body(name, shape=made, density=wanted.density, at=wanted.at, velocity=wanted.velocity)


def remove_body(builder: Builder, model: Model, body: str) -> list[str]:
    """Take a body out, with all that holds on to it; returns the names of what went with it."""
    if body not in model.nodes.names[1:]:
        raise InputError("delete", f"{body!r}", "a body or particle of the model", "Name one of these.")
    kind = "particle" if model.nodes.is_particle(model.index(body)) else "body"
    return builder.remove(body, kind=kind, dependents=True)
