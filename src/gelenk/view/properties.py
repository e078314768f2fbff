"""Properties that an explorer shows and edits while it runs (V-108).

Mass, place and velocities of bodies, the numbers of joints, drives, forces and materials.

What is part of a state is changed in place; what is part of the model, which is immutable, gives a changed model that
goes on. Every value is checked where the model checks it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from gelenk.checks import check_number, check_vector, unknown
from gelenk.errors import InputError
from gelenk.model.dependents import refers
from gelenk.model.model import Model
from gelenk.simulate import Simulation
from gelenk.view.from_page import Edit
from gelenk.view.to_page import Owner, Property

# where a joint was put at the start; looks; what bodies have weighed since they were built
PLACES = {"at", "axis", "x_axis", "grain", "color", "density"}
UNITS = {
    "density": "kg/m³", "rest_length": "m", "at_a": "m", "at_b": "m", "break_force": "N", "break_torque": "N m",
    "rolling_friction": "m", "torsional_friction": "m", "area": "m²", "hold_stiffness": "N/m", "hold_damping": "N s/m",
    "turn_stiffness": "N m/rad", "turn_damping": "N m s/rad", "force_max": "N or N m",
}  # fmt: skip
FASTEST, FARTHEST = 1e6, 1e9  # that a hand may give [m/s, rad/s], [m]
LIGHTEST, HEAVIEST = 1e-9, 1e12  # [kg]
LIMITS = "limits of "


def owners_named(sim: Simulation, name: str) -> Iterator[Owner]:
    """What has this name, with its properties."""
    model = sim.model
    if name in model.nodes.names[1:]:
        yield Owner("body", name, tuple(_of_node(sim, name)))
    for what, there in (("joint", model.joints), ("force", model.forces), ("material", model.materials)):
        for element in there:
            if element.name == name:
                yield Owner(what, name, tuple(_of_element(sim, element)))  # type: ignore[arg-type]


def _of_node(sim: Simulation, name: str) -> Iterator[Property]:
    now, index = sim[name], sim.model.index(name)
    moves = float(sim.model.system.masses.inv_mass[index]) > 0.0
    if moves:
        yield Property("mass", (_mass(sim.model, name),), "kg")
    yield Property("position", _told(now.position), "m")
    if moves:
        yield Property("velocity", _told(now.velocity), "m/s")
        if not sim.model.nodes.is_particle(index):
            yield Property("angular_velocity", _told(now.angular_velocity), "rad/s")


def _mass(model: Model, name: str) -> float:
    nodes: tuple[Any, ...] = (*model.bodies, *model.particles)
    return float(next(node.mass for node in nodes if node.name == name))


def _of_element(sim: Simulation, element: Any) -> Iterator[Property]:
    for f in fields(element):
        value = getattr(element, f.name)
        if f.name in PLACES:
            continue
        if f.name == "limits":
            for coordinate, low, high in value:
                yield Property(LIMITS + coordinate, (_finite(low), _finite(high)), "rad or m")
        elif f"{element.name}.{f.name}" in sim.model.wired.inputs:
            yield Property(f.name, (_finite(float(sim.inputs[f"{element.name}.{f.name}"])),))
        elif _is_number(value) or (value is None and "float" in str(f.type)):
            yield Property(f.name, (None if value is None else _finite(value),), UNITS.get(f.name, ""))
        elif isinstance(value, tuple) and len(value) == 3 and all(map(_is_number, value)):
            yield Property(f.name, _told(value), UNITS.get(f.name, ""))


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool))


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _told(values: Any) -> tuple[float | None, ...]:
    return tuple(_finite(float(x)) for x in values)


def edited(sim: Simulation, message: Edit) -> Simulation:
    """The simulation with a property changed: itself, or one of a changed model that goes on."""
    owner = next((o for o in owners_named(sim, message.name) if o.what == message.what), None)
    if owner is None:
        raise InputError("edit", f"{message.what} {message.name!r}", f"a {message.what} of the model", "Name another.")
    known = {p.field: p for p in owner.properties}
    if message.field not in known:
        raise unknown(f"{message.what} {message.name!r}", "property", message.field, known)
    message = _whole(message, known[message.field].values)
    return _edit_node(sim, message) if message.what == "body" else _edit_element(sim, message)


def _whole(message: Edit, now: tuple[float | None, ...]) -> Edit:
    """All numbers of a property, where one alone was given."""
    label, count = f"{message.what} {message.name!r}", 1 if message.part is not None else len(now)
    if len(message.values) != count:
        raise InputError(label, f"{len(message.values)} values for {message.field}", f"{count}", "Give as many.")
    if message.part is None:
        return message
    if message.part >= len(now):
        found = f"part {message.part} of {message.field}"
        raise InputError(label, found, f"0 to {len(now) - 1}", "Count from 0.")
    values = (*now[: message.part], message.values[0], *now[message.part + 1 :])
    return replace(message, values=values, part=None)


def _edit_element(sim: Simulation, message: Edit) -> Simulation:
    name, field, values = message.name, message.field, message.values
    if f"{name}.{field}" in sim.model.wired.inputs and message.what == "joint":
        sim.inputs[f"{name}.{field}"] = _number(message)
        return sim
    there = {"joint": sim.model.joints, "force": sim.model.forces, "material": sim.model.materials}[message.what]
    element: Any = next(e for e in there if e.name == name)
    given: Any
    if field.startswith(LIMITS):
        low, high = (x if x is not None else bound for x, bound in zip(values, (-math.inf, math.inf)))
        coordinate, field = field.removeprefix(LIMITS), "limits"
        given = tuple((c, low, high) if c == coordinate else (c, a, b) for c, a, b in element.limits)
    elif isinstance(getattr(element, field), tuple):
        given = _three(message)
    else:
        optional = any(f.name == field and "None" in str(f.type) for f in fields(element))
        given = (None if optional else math.inf) if values[0] is None else values[0]
    return sim.changed(lambda builder: builder.change(name, kind=message.what, **{field: given}))


def _number(message: Edit) -> float:
    if message.values[0] is None:
        raise InputError(f"{message.name!r}", f"no {message.field}", "a number", "Give one.")
    return float(message.values[0])


def _three(message: Edit) -> tuple[float, float, float]:
    if None in message.values:
        raise InputError(f"{message.name!r}", f"a part of {message.field} is left out", "three numbers", "Give all.")
    return check_vector(f"{message.name!r}", message.field, message.values, "1")


def _edit_node(sim: Simulation, message: Edit) -> Simulation:
    model, name = sim.model, message.name
    index, label = model.index(name), f"body {name!r}"
    kind = "particle" if model.nodes.is_particle(index) else "body"
    still = float(model.system.masses.inv_mass[index]) == 0.0
    if message.field == "mass":
        mass = check_number(label, "mass", _number(message), "kg", least=LIGHTEST, most=HEAVIEST)
        return sim.changed(lambda builder: builder.change(name, kind=kind, mass=mass))
    if message.field == "position":
        place = check_vector(label, "position", _three(message), "m")
        check_size(label, "position", place, FARTHEST, "m")
        _check_free(sim, name)
        if still:
            return sim.changed(lambda builder: builder.change(name, kind=kind, at=place))
        sim.state.p_WC[index] += np.array(place) - sim[name].position
        return sim
    wanted = np.array(_three(message))
    check_size(label, message.field, wanted, FASTEST, "m/s or rad/s")
    _check_apart(sim, name)
    now = sim[name]
    v, w = now.velocity, now.angular_velocity
    v, w = (wanted, w) if message.field == "velocity" else (v, wanted)
    if not model.nodes.is_particle(index):
        sim.state.w_WB_B[index] = now.rotation.T @ w
    sim.state.v_WC[index] = v + np.cross(w, now.com - now.position)
    return sim


def check_size(label: str, what: str, vector: Any, most: float, unit: str) -> None:
    """Refuse what no hand means, and steps would not survive."""
    if float(np.abs(vector).max()) > most:
        raise InputError(
            label, f"{what} is {tuple(vector)}"[:100], f"at most {most:g} {unit} along an axis", "Take less."
        )


def _check_apart(sim: Simulation, name: str) -> None:
    """Refuse a body that is one with others for a while."""
    if any(name in group for group in sim.merged):
        found = "it is one with others now, or frozen"
        raise InputError(f"body {name!r}", found, "a body that moves by itself", "Unfreeze or split it first.")


def _check_free(sim: Simulation, name: str) -> None:
    """Refuse to put elsewhere what joints hold: they would be torn."""
    _check_apart(sim, name)
    gone = {name, *(frame.name for frame in sim.model.frames if frame.body == name)}
    model = sim.model
    known = {*model.nodes.names, *(thing.name for thing in (*model.frames, *model.joints, *model.forces))}
    held = next((joint.name for joint in model.joints if refers(joint, gone, known)), None)
    if held is not None:
        found = f"it hangs on the joint {held!r}"
        raise InputError(f"body {name!r}", found, "a body without joints", "Drag it, or remove the joint first.")
