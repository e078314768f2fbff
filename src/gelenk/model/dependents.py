"""What goes when something is taken out of a model: all that refers to it, and what refers to that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

OWN_WORDS = {("wrench", "frame"), ("direct_control", "mode")}  # fields whose texts are no names of other things


def dependents(
    name: str, kind: str, nodes: Iterable[Any], frames: Iterable[Any], joints: Iterable[Any], forces: Iterable[Any]
) -> list[tuple[str, str]]:
    """(kind, name) of all that cannot be without a body, particle, frame or joint: frames, joints, drives, forces."""
    frames, joints, forces = list(frames), list(joints), list(forces)
    known = {name, *(thing.name for thing in (*nodes, *frames, *joints, *forces))}
    if kind in ("force", "material"):
        return []
    found = [("frame", frame.name) for frame in frames if kind == "body" and frame.body == name]
    gone = {name, *(frame for _, frame in found)}
    while there := [f for f in frames if f.name not in gone and f.within is not None and f.within[0] in gone]:
        found += [("frame", frame.name) for frame in there]  # frames on frames
        gone.update(frame.name for frame in there)
    left = joints.copy()
    while those := [joint for joint in left if refers(joint, gone, known)]:  # drives on joints, connections to drives
        for joint in those:
            left.remove(joint)
            gone.add(joint.name)
            found.append(("joint", joint.name))
    return found + [("force", force.name) for force in forces if refers(force, gone, known)]


def refers(element: Any, names: set[str], known: set[str]) -> bool:
    """Whether an element names one of these, or a value of it such as "elbow.angle"; ``known`` are all names."""
    return any(thing_in(text, known) in names for text in names_in(element))


def thing_in(text: str, known: set[str]) -> str | None:
    """What a text names: the longest known name that it is or begins with, "elbow" for "elbow.angle"."""
    parts = text.split(".")
    return next((name for k in range(len(parts), 0, -1) if (name := ".".join(parts[:k])) in known), None)


def names_in(element: Any) -> Iterator[str]:
    """Texts in the fields of an element that name other things, or values of them."""
    for f in fields(element):
        if f.name == "name" or (element.kind, f.name) in OWN_WORDS:
            continue
        value = getattr(element, f.name)
        yield from (text for text in (value if isinstance(value, tuple) else (value,)) if isinstance(text, str))
