"""Changed copies of a model in motion: a body more, a body less, other values; everything else goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from gelenk.errors import InputError
from gelenk.geometry.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Shape, Sphere, Torus
from gelenk.methods.choose import default_method
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.simulate import Simulation
from gelenk.view.from_page import Add

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
OWN_WORDS = {("wrench", "frame"), ("direct_control", "mode")}  # fields whose texts are no names of bodies


def changed(sim: Simulation, change: Callable[[Builder], Any]) -> Simulation:
    """A simulation of a changed model at the same time, with everything that is in both where and as it is.

    A method that was chosen for the model is chosen anew, with the same step.
    """
    builder = Builder.from_model(sim.model)
    change(builder)
    model = builder.build()
    method = sim.method
    usual = default_method(sim.model)
    if type(method) is type(usual) and method == replace(usual, h=method.h):  # type: ignore[type-var]
        method = replace(default_method(model), h=method.h)  # type: ignore[type-var]
    state = model.state_from(sim.model, sim.state)
    made = Simulation(model, method, seed=sim.seed, state=state, time=sim.time, merging=sim._merging)
    made.step(0)  # its kernels are made ready; what fails, fails while nothing has changed
    made.follow(sim)
    return made


def add_body(builder: Builder, model: Model, wanted: Add) -> str:
    """Put a body of a simple shape in; returns its name."""
    if len(model.bodies) >= MOST_BODIES:
        raise InputError("add", f"{len(model.bodies)} bodies", f"at most {MOST_BODIES}", "Delete some.")
    words, shape = SIZES[wanted.shape]
    if len(wanted.sizes) != len(words):
        found = f"{len(wanted.sizes)} sizes for a {wanted.shape}"
        raise InputError("add", found, f"{len(words)}: {', '.join(words)} [m]", "Give these.")
    name = wanted.name or _new_name(wanted.shape, model)
    made = shape(*wanted.sizes)
    return builder.body(name, shape=made, density=wanted.density, at=wanted.at, velocity=wanted.velocity)


def _new_name(shape: str, model: Model) -> str:
    taken = {*model.nodes.names, *(frame.name for frame in model.frames), *(joint.name for joint in model.joints)}
    return next(name for k in range(1, len(taken) + 2) if (name := f"{shape} {k}") not in taken)


def remove_body(builder: Builder, model: Model, body: str) -> list[str]:
    """Take a body out, with all that holds on to it; returns the names of what went with it."""
    if body not in model.nodes.names[1:]:
        raise InputError("delete", f"{body!r}", "a body or particle of the model", "Name one of these.")
    gone = {body}
    frames = [frame.name for frame in model.frames if frame.body == body]
    gone.update(frames)
    builder.remove(body, kind="particle" if model.nodes.is_particle(model.index(body)) else "body")
    for frame in frames:
        builder.remove(frame, kind="frame")
    taken = frames
    joints = list(model.joints)
    while found := [joint for joint in joints if _refers(joint, gone)]:  # drives on joints, connections to drives
        for joint in found:
            joints.remove(joint)
            gone.add(joint.name)
            builder.remove(joint.name, kind="joint")
            taken.append(joint.name)
    for force in model.forces:
        if _refers(force, gone):
            builder.remove(force.name, kind="force")
            taken.append(force.name)
    return taken


def _refers(element: Any, gone: set[str]) -> bool:
    """Whether an element names something that is gone, or a value of it such as "elbow.angle"."""
    for f in fields(element):
        value = getattr(element, f.name)
        if f.name == "name" or (element.kind, f.name) in OWN_WORDS:
            continue
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and (text in gone or any(text.startswith(f"{name}.") for name in gone)):
                return True
    return False
