"""Models as TOML text that a person can read, with every number to the last bit.

The text depends on the model alone and on nothing else, so it also serves as the model's digest.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.forces.law import Law
from gelenk.geometry.compound import ALL_SHAPES, Compound
from gelenk.geometry.distance_map import DistanceMap
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.sphere_tree import SphereTree
from gelenk.joints.kinds import JOINT_KINDS
from gelenk.model.model import KINDS, Model
from gelenk.model.parts import ORIGIN, UPRIGHT, Body, Part, Particle

HEADER = "# A Gelenk scene in SI units, every number in full. Read it with gelenk.load_scene."
WIDTH = 120  # longer values are spread over lines: tables to one row a line

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DEFAULTS = {"at": ORIGIN, "rotation": UPRIGHT, "velocity": ORIGIN, "angular_velocity": ORIGIN, "com": ORIGIN}


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

    Masses, centres of mass and inertias are written as resolved numbers, meshes and hulls as base64 of their arrays.
    What has its default value is left out. Equal texts mean equal models, apart from the functions of laws.
    """
    lines = [HEADER]
    if model.name != "model":
        lines.append(f"name = {_text(model.name)}")
    lines.append(f"gravity = {_value(model.gravity)}")
    for material in model.materials:
        lines += ["", _header("material", material.name), *_pairs(_given(f"material {material.name!r}", material))]
    for body in model.bodies:
        lines += ["", _header("body", body.name), *_pairs(_body(body))]
        for part in body.parts:
            lines += ["", f"[{_header('body', body.name, 'part')}]", *_pairs(_part(body, part))]
    for particle in model.particles:
        lines += ["", _header("particle", particle.name), *_pairs(_particle(particle))]
    for frame in model.frames:
        lines += ["", _header("frame", frame.name), *_pairs(_given(f"frame {frame.name!r}", frame))]
    for force in model.forces:
        lines += ["", *_element("force", force, KINDS)]
    for joint in model.joints:
        lines += ["", *_element("joint", joint, JOINT_KINDS)]
    return "\n".join(lines) + "\n"


Pairs = dict[str, str]  # key -> TOML text of its value


def _body(body: Body) -> Pairs:
    pairs: Pairs = {}
    if body.static:
        pairs["static"] = "true"
    else:
        pairs["mass"] = _value(body.mass)
        pairs |= _unless_default(com=body.com)
        pairs["inertia"] = _value(body.inertia)
    return pairs | _unless_default(
        at=body.at, rotation=body.rotation, velocity=body.velocity, angular_velocity=body.angular_velocity
    )


def _particle(particle: Particle) -> Pairs:
    pairs = {"static": "true"} if particle.static else {"mass": _value(particle.mass)}
    return pairs | _unless_default(at=particle.at, velocity=particle.velocity)


def _part(body: Body, part: Part) -> Pairs:
    element = f"body {body.name!r}"
    return {"shape": _shape(element, part.shape)} | _given(element, part, but=("shape",))


def _shape(element: str, shape: Any) -> str:
    if ALL_SHAPES.get(shape.kind) is not type(shape):
        raise InputError(
            element,
            f"a shape of class {type(shape).__name__!r}",
            ", ".join(ALL_SHAPES),
            "Turn it into a mesh or a built-in shape before saving.",
        )
    if isinstance(shape, Compound):
        children = [
            _inline({"shape": _shape(element, child)} | _unless_default(at=at, rotation=q))
            for child, at, q in shape.children
        ]
        return _inline({shape.kind: _inline({"children": f"[{', '.join(children)}]"})})
    if isinstance(shape, SphereTree):
        return _inline({shape.kind: _inline(_mesh(shape.mesh) | {"levels": _value(shape.levels)})})
    if isinstance(shape, DistanceMap):
        options = {"cells": _value(shape.cells), "exact": _value(shape.exact)}
        return _inline({shape.kind: _inline(_mesh(shape.mesh) | options)})
    if isinstance(shape, TriangleMesh):
        return _inline({shape.kind: _inline(_mesh(shape))})
    if isinstance(shape, ConvexHull):
        return _inline({shape.kind: _inline({"points": _base64(shape.vertices, "<f8")})})
    return _inline({shape.kind: _inline(_given(element, shape))})


def _mesh(mesh: TriangleMesh) -> Pairs:
    return {"vertices": _base64(mesh.vertices, "<f8"), "triangles": _base64(mesh.faces, "<u4")}


def _base64(array: np.ndarray, dtype: str) -> str:
    # a literal string: the parser reads it several times faster than a quoted one
    return "'" + base64.b64encode(array.astype(dtype).tobytes()).decode("ascii") + "'"


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
    pairs = _given(label, element, but=("function",) if cls is Law else ())
    line = f"{_key(word)} = {_inline(pairs)}"
    if len(line) <= WIDTH and "\n" not in line:
        yield _header(group, element.name)
        yield line
    else:
        yield _header(group, element.name, word)
        yield from _pairs(pairs)


def _given(element: str, item: Any, but: tuple[str, ...] = ()) -> Pairs:
    """The fields of a dataclass that differ from their defaults; a name is not among them."""
    pairs = {}
    for field in fields(item):
        if not field.init or field.name in ("name", *but):
            continue
        value, width = getattr(item, field.name), WIDTH - len(field.name) - 3
        if value is None and field.default is None:
            continue
        try:
            text = _value(value, width)
        except _NoTomlError as error:
            raise InputError(
                element,
                f"{field.name} is {value!r}"[:160] + f", where {error}",
                "numbers, strings, true or false, and tuples or arrays of them",
                "Store plain values in the element; only a law keeps a function.",
            ) from None
        # texts, not values: -0.0 equals 0.0 and is still another number
        if text != _default_text(field, width):
            pairs[field.name] = text
    return pairs


def _default_text(field: Field[Any], width: int) -> str | None:
    try:
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        return _value(default, width)
    except _NoTomlError:
        return None


def _unless_default(**values: Any) -> Pairs:
    texts = {key: _value(value) for key, value in values.items()}
    return {key: text for key, text in texts.items() if text != _value(_DEFAULTS[key])}


class _NoTomlError(Exception):
    """The value has no counterpart in TOML."""


def _value(value: Any, width: int | None = None) -> str:
    """TOML text of a value; an array of arrays wider than ``width`` gets a line for each row."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise _NoTomlError("a whole number has more than 64 bits")
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)  # the shortest text that reads back to the same bits
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (tuple, list)):
        items = [_value(item) for item in value]
        text = f"[{', '.join(items)}]"
        if width is None or len(text) <= width or not any(isinstance(item, (tuple, list)) for item in value):
            return text
        return "\n".join(["[", *(f"    {item}," for item in items), "]"])
    raise _NoTomlError(f"{type(value).__name__!r} has no place in TOML")


def _text(text: str) -> str:
    if _SURROGATE.search(text):
        raise _NoTomlError("half a character (a surrogate) has no place in TOML")
    return '"' + _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04X}", text) + '"'


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(key)


def _header(*keys: str) -> str:
    return f"[{'.'.join(map(_key, keys))}]"


def _pairs(pairs: Pairs) -> Iterator[str]:
    return (f"{_key(key)} = {text}" for key, text in pairs.items())


def _inline(pairs: Pairs) -> str:
    return f"{{ {', '.join(_pairs(pairs))} }}" if pairs else "{}"
