"""Edges of the contact graph: joints, contacts, and what else ties bodies (V-92, V-93; virtual-worlds 4.8).

Each kind of edge says itself what it counts for:

| requirement            | true for                                                                              |
| ---------------------- | ------------------------------------------------------------------------------------- |
| ``ONE_BODY``           | rigid joints that hold for good, blocked joints, whatever is to be rigid for now      |
| ``ONE_COLLIDER_GROUP`` | the same, and every joint without ``separate_groups``                                 |
| ``ONE_CLUSTER``        | every joint, contact and gear                                                         |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any

from gelenk.errors import InputError
from gelenk.joints.connection import Connection
from gelenk.joints.joint import Joint
from gelenk.model.merging import permanent
from gelenk.model.model import Model
from gelenk.rows.block import NONE
from gelenk.state import State


class Requirement(Enum):
    """What two bodies at an edge may have to be."""

    ONE_BODY = "one body"
    ONE_COLLIDER_GROUP = "one collider group"
    ONE_CLUSTER = "one cluster"


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two bodies that counts for clusters alone: a contact, or a gear between two of its bodies."""

    a: str
    b: str
    name: str = ""  # of the joint or gear; contacts have none

    def requires(self, requirement: Requirement) -> bool:
        """Whether the edge counts."""
        return requirement is Requirement.ONE_CLUSTER


@dataclass(frozen=True, slots=True)
class JointEdge(Edge):
    """A joint that is not broken."""

    rigid: bool = False  # nothing of it can move
    separates: bool = False  # ends a group of bodies that do not collide

    def requires(self, requirement: Requirement) -> bool:
        """Whether the edge counts: a joint that holds all six ways always, since it makes one body of two."""
        if requirement is Requirement.ONE_COLLIDER_GROUP:
            return self.rigid or not self.separates
        return self.rigid or requirement is Requirement.ONE_CLUSTER


@dataclass(frozen=True, slots=True)
class RigidEdge(Edge):
    """Two bodies that are to be one for now: resting load, an idle arm (V-101)."""

    def requires(self, requirement: Requirement) -> bool:
        """It counts for everything."""
        return True


def joint_edges(model: Model, state: State, rigid: Iterable[str], blocked: bool) -> list[Edge]:
    """Joints that are not broken in a state.

    Parameters
    ----------
    rigid : names of joints that are to count as rigid
    blocked : whether joints that are blocked now count as rigid
    """
    memory, wired, named = model.wired.memory(state.memory), model.wired, set(rigid)
    broken = {name for name, value in zip(wired.names, memory.broken) if value != 0.0}
    read = {c.output for c in model.joints if isinstance(c, Connection)}
    edges: list[Edge] = []
    for joint in model.joints:
        if not isinstance(joint, Joint) or joint.name in broken:
            continue
        a, b = (model.nodes.names[model.nodes.site(joint.label, "body", end)[0]] for end in (joint.a, joint.b))
        lock = wired.inputs.get(f"{joint.name}.blocked") if blocked and not yields(joint) else None
        held = lock is not None and memory.inputs[lock] != 0.0
        welded = joint.name in named or permanent(joint, read) or held
        edges.append(JointEdge(a, b, joint.name, welded, joint.separate_groups))
    return edges


def yields(joint: Joint) -> bool:
    """Whether what a joint holds gives way: such a joint moves also while it is blocked."""
    return min(joint.hold_stiffness, joint.turn_stiffness) < float("inf")


def tie_edges(model: Model, state: State) -> list[Edge]:
    """Gears and all else whose rows act on several bodies, one edge from each of its bodies to the next (4.8).

    Rows of a joint and of its motors act on its two bodies, which the joint itself ties. A hand (``DirectControl``,
    ``Grab``) ties a body to the world, which connects nothing.
    """
    joints, memory = model.wired.joints, model.wired.memory(state.memory)
    gone = {n for n, value in enumerate(memory.broken) if value != 0.0}
    edges: dict[tuple[str, str, str], Edge] = {}
    for row, label in zip(joints.row, model.wired.labels):
        if row.owner != NONE or {int(row.with_a), int(row.with_b)} & gone:
            continue
        nodes = sorted({int(i) for i in joints.body[row.entry_first : row.entry_last]})
        names = [model.nodes.names[i] for i in nodes if not model.nodes.is_static(i)]
        for a, b in pairwise(names):
            edges[a, b, label] = Edge(a, b, label)
    return list(edges.values())


def pair_edges(model: Model, pairs: Any, kind: type[Edge]) -> list[Edge]:
    """One edge for each pair of bodies, from anything that begins with their names: contacts, or plain pairs."""
    found: dict[tuple[str, str], Edge] = {}
    for entry in pairs:
        try:
            a, b = entry[0], entry[1]
        except (TypeError, IndexError, KeyError):
            a = b = None
        for name in (a, b):
            if not isinstance(name, str):
                allowed = "sim.contacts, a CollisionWorld, or pairs of names of bodies"
                raise InputError("ContactGraph", f"{entry!r}"[:80], allowed, "Pass one of these.")
            model.nodes.index("ContactGraph", "body", name)
        if a != b:
            found.setdefault((min(a, b), max(a, b)), kind(a, b))
    return list(found.values())
