"""Bodies that are one for now (V-95, virtual-worlds 4.8): a model in which each of some groups of bodies is one body.

The model begins where a state has the bodies. Joints inside a group are gone, with what drives them and with springs
between its bodies; joints to the outside are anchored in the one body. Forces that cannot be moved to another body,
such as drag, and laws of the user, act on the parts as before: see :mod:`gelenk.model.parts_law`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from gelenk.errors import InputError
from gelenk.forces.law import Law
from gelenk.forces.segment_contacts import SegmentContacts
from gelenk.forces.spring import Spring
from gelenk.joints.connection import Connection
from gelenk.joints.drive import Drive
from gelenk.joints.gear import Differential, Gear
from gelenk.joints.joint import Joint
from gelenk.model.assembly import placed_anew
from gelenk.model.merged_state import StateMap
from gelenk.model.merging import Merge, on_merged
from gelenk.model.model import Model, in_order
from gelenk.model.parts_law import PartsLaw
from gelenk.state import State

REMEDY = "Keep one of them out of merge(), or split() first."


class MergedModel(NamedTuple):
    """A model in which groups of bodies are one each, and its states beside those of the model of all bodies."""

    model: Model
    map: StateMap


def merged_now(model: Model, state: State, groups: list[list[str]]) -> MergedModel:
    """The model at a state, each group one body, with the name and frame of its first or of a static one."""
    now = placed_anew(model, state)
    into, group_of = Merge(now, groups, REMEDY), groups_by_name(model, groups)
    gone = inner_elements(model, group_of)
    joints = tuple(on_merged(element, into) for element in now.joints if element.name not in gone)
    forces, left = [], []
    for force in now.forces:
        if not inner_spring(force, group_of) and not inner_segments(model, force, group_of):
            try:
                forces.append(on_merged(force, into))
            except InputError:
                left.append(force)
    law = PartsLaw(model, left)
    if left:
        forces.append(Law(law.free_name(forces), law.add))
    bodies = tuple(into.bodies)
    excluded = in_order([(into.body(a), into.body(b)) for a, b in now.excluded], [body.name for body in bodies])
    made = replace(
        now, bodies=bodies, frames=tuple(into.frames), joints=joints, forces=tuple(forces), excluded=excluded
    )
    law.map = StateMap(model, made, state, [into.body(name) for name in model.nodes.names])
    return MergedModel(made, law.map)


def groups_by_name(model: Model, groups: list[list[str]]) -> dict[str, int]:
    """Number of the group of each body in one; all that does not move then is one group, since no joint moves it."""
    fixed = {name for i, name in enumerate(model.nodes.names) if model.nodes.is_static(i)}
    group_of = dict.fromkeys(fixed, -1)
    for k, names in enumerate(groups):
        group_of.update(dict.fromkeys(names, -1 if fixed.intersection(names) else k))
    return group_of


def inner_spring(force: Any, group_of: dict[str, int]) -> bool:
    """Whether a spring lies inside a group: it then does nothing but press its bodies together."""
    return isinstance(force, Spring) and force.a in group_of and group_of[force.a] == group_of.get(force.b)


def inner_segments(model: Model, force: Any, group_of: dict[str, int]) -> bool:
    """Whether segments lie inside a group: their body stands still on its ground for now."""
    if not isinstance(force, SegmentContacts):
        return False
    ends = [model.nodes.site(force.label, end, getattr(force, end))[0] for end in ("body", "ground")]
    body, ground = (group_of.get(model.nodes.names[node]) for node in ends)
    return body is not None and body == ground


def inner_elements(model: Model, group_of: dict[str, int]) -> set[str]:
    """Names of joints inside a group, of what acts on them alone, and of connections to what is gone (trap T-19)."""
    nodes = model.nodes
    gone: set[str] = set()
    for joint in model.joints:
        if isinstance(joint, Joint):
            a, b = (nodes.names[nodes.site(joint.label, "body", end)[0]] for end in (joint.a, joint.b))
            if a in group_of and group_of[a] == group_of.get(b):
                gone.add(joint.name)
    inner_joints = frozenset(gone)
    for element in model.joints:
        if isinstance(element, Drive) and element.on.partition(".")[0] in inner_joints:
            gone.add(element.name)
        if isinstance(element, (Gear, Differential)):
            ends = [end.partition(".")[0] for end in (element.first, element.second)]
            inside = [end for end in ends if end in inner_joints]
            if len(inside) == 1:
                found = f"{inside[0]!r}, which it ties, is inside a merged body, and the other joint is not"
                raise InputError(element.label, found, "gears between joints that are both inside or outside", REMEDY)
            gone.update([element.name] if inside else [])
    for element in model.joints:
        if isinstance(element, Connection):
            if element.input.rpartition(".")[0] in gone:
                gone.add(element.name)
            elif any(element.output.startswith(f"{name}.") for name in gone):
                found = f"output is {element.output!r}, which stands still inside a merged body"
                raise InputError(element.label, found, "outputs of what moves by itself", REMEDY)
    return gone
