"""Outputs of a model by name: what joints, drives and bodies tell a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gelenk.rows.links import AT, FORCE, ORIENTATION, POSITION, RATE, REACTION, TURNING, VELOCITY

if TYPE_CHECKING:
    from gelenk.joints.wiring import Wiring

AXES = "xyz"


class Output(NamedTuple):
    """What to read."""

    kind: int
    of: Any  # a free coordinate, a row, the index of a joint or of a node
    axis: int = 0


def outputs_of(wiring: Wiring) -> dict[str, Output]:
    """All outputs, by the names that sensors have for them; vectors by their components."""
    made: dict[str, Output] = {}
    for joint, free in wiring.free.items():
        for c in free.values():
            made[f"{joint}.{c.name}"] = Output(AT, c)
            made[f"{joint}.rate" if len(free) == 1 else f"{joint}.{c.name}_rate"] = Output(RATE, c)
    for index, (joint, *_) in enumerate(wiring.joints):
        for axis, letter in enumerate(AXES):
            made[f"{joint}.force.{letter}"] = Output(REACTION, index, axis)
            made[f"{joint}.torque.{letter}"] = Output(REACTION, index, 3 + axis)
    for name, rows in wiring.forces.items():  # "drive", or "hand.fx" of an element with several
        made[f"{name}.force" if name in wiring.elements else name] = Output(FORCE, rows[0][0])
    for node, name in enumerate(wiring.places.names[1:], start=1):
        for axis, letter in enumerate(AXES):
            made[f"{name}.position.{letter}"] = Output(POSITION, node, axis)
            made[f"{name}.velocity.{letter}"] = Output(VELOCITY, node, axis)
            if not wiring.places.is_particle(node):
                made[f"{name}.angular_velocity.{letter}"] = Output(TURNING, node, axis)
        if not wiring.places.is_particle(node):
            made |= {f"{name}.orientation.{letter}": Output(ORIENTATION, node, k) for k, letter in enumerate("wxyz")}
    return made
