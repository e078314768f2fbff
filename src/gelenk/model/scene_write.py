"""Models as TOML text that a person can read, with every number to the last bit.

The text depends on the model alone and on nothing else, so it also serves as the model's digest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from gelenk.errors import InputError
from gelenk.forces.law import Law
from gelenk.joints.kinds import JOINT_KINDS
from gelenk.model.model import CONTACT_KINDS, KINDS, Model
from gelenk.model.parts import Body, Frame, Part, Particle
from gelenk.model.scene_shapes import shape_text
from gelenk.model.toml_text import (
    WIDTH,
    Pairs,
    given,
    header,
    inline,
    key_text,
    pair_lines,
    quoted,
    unless_default,
    value_text,
)

HEADER = "# A Gelenk scene in SI units, every number in full. Read it with gelenk.load_scene."


def save_scene(model: Model, path: str | Path) -> None:
    """Write a model to a scene file (UTF-8); :func:`load_scene` reads it back bit by bit.

    Functions of laws are not written, only their names: ``load_scene(path, laws={name: function})`` gives them back.
    """
    data = scene_text(model).encode("utf-8")
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise InputError(
            f"model {model.name!r}",
            f"the file cannot be written ({error.strerror or error})",
            "a path in a folder that exists and may be written to",
            "Check the path.",
            file=str(path),
        ) from error


def scene_text(model: Model) -> str:
    """The model as a scene: a TOML text that :func:`read_scene` turns into an equal model, bit by bit.

    Masses, centres of mass and inertias are written as resolved numbers, meshes, hulls and rasters as base64 of their
    arrays. What has its default value is left out. Equal texts mean equal models, apart from the functions of laws.
    """
    lines = [HEADER]
    if model.name != "model":
        lines.append(f"name = {quoted(model.name)}")
    lines.append(f"gravity = {value_text(model.gravity)}")
    if model.excluded:
        lines += pair_lines({"exclude": value_text(model.excluded)})
    for material in model.materials:
        lines += ["", header("material", material.name), *pair_lines(given(f"material {material.name!r}", material))]
    for law in model.contacts:
        pairs = {"between": value_text((law.a, law.b))} | given(law.label, law, but=("a", "b"))
        lines += ["", "[[contact]]", *pair_lines(pairs)]
    for body in model.bodies:
        lines += ["", header("body", body.name), *pair_lines(_body(body))]
        for part in body.parts:
            lines += ["", f"[{header('body', body.name, 'part')}]", *pair_lines(_part(body, part))]
    for particle in model.particles:
        lines += ["", header("particle", particle.name), *pair_lines(_particle(particle))]
    for frame in model.frames:
        lines += ["", header("frame", frame.name), *pair_lines(given(f"frame {frame.name!r}", _as_given(frame)))]
    for force in model.forces:
        lines += ["", *_element("force", force, (*KINDS, *CONTACT_KINDS))]
    for joint in model.joints:
        lines += ["", *_element("joint", joint, JOINT_KINDS)]
    return "\n".join(lines) + "\n"


def _as_given(frame: Frame) -> Frame:
    """A frame with its place in what it hangs on, as a user gives it."""
    if frame.within is None:
        return frame
    parent, at, rotation = frame.within
    return Frame(frame.name, parent, at, rotation)


def _body(body: Body) -> Pairs:
    pairs: Pairs = {}
    if body.static:
        pairs["static"] = "true"
    else:
        pairs["mass"] = value_text(body.mass)
        pairs |= unless_default(com=body.com)
        pairs["inertia"] = value_text(body.inertia)
    return pairs | unless_default(
        at=body.at, rotation=body.rotation, velocity=body.velocity, angular_velocity=body.angular_velocity
    )


def _particle(particle: Particle) -> Pairs:
    pairs = {"static": "true"} if particle.static else {"mass": value_text(particle.mass)}
    return pairs | unless_default(at=particle.at, velocity=particle.velocity)


def _part(body: Body, part: Part) -> Pairs:
    element = f"body {body.name!r}"
    return {"shape": shape_text(element, part.shape)} | given(element, part, but=("shape",))


def _element(group: str, element: Any, built_in: tuple[Any, ...]) -> Iterator[str]:
    """A force or a joint on one line if it fits, else as a table of its own."""
    cls, word, label = type(element), element.kind, element.label
    if not is_dataclass(cls):
        raise InputError(label, f"its class {cls.__name__!r} is no dataclass", "a dataclass", "Make it a dataclass.")
    if cls not in built_in and any(word == kind.kind for kind in built_in):
        raise InputError(
            label,
            f"class {cls.__name__!r} calls itself {word!r}, as a built-in kind of {group} does",
            "a word of its own for each kind",
            "Change kind in the class.",
        )
    pairs = given(label, element, but=("function",) if cls is Law else ())
    line = f"{key_text(word)} = {inline(pairs)}"
    if len(line) <= WIDTH and "\n" not in line:
        yield header(group, element.name)
        yield line
    else:
        yield header(group, element.name, word)
        yield from pair_lines(pairs)
