"""The joints of a model as arrays, with the names of what they take and give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gelenk.joints.connection import Connection
from gelenk.joints.joint import Joint
from gelenk.joints.wiring import Places, Wiring
from gelenk.rows.block import JointMemory, Joints, memory_of, memory_sizes


class Sensed(NamedTuple):
    """A free coordinate of a joint: where it is in the arrays."""

    joint: str
    name: str
    place: int
    unit: str


class Felt(NamedTuple):
    """The force of a motor or gear: its row."""

    name: str
    row: int
    unit: str


@dataclass(frozen=True)
class Wired:
    """Rows of a model and their names."""

    joints: Joints
    inputs: dict[str, int]  # name -> place in the inputs
    inputs_begin: np.ndarray
    coordinates: tuple[Sensed, ...]
    forces: tuple[Felt, ...]
    names: tuple[str, ...]  # of the joints, in the order of reactions
    labels: tuple[str, ...]  # of the rows, for messages
    to_check: frozenset[int]  # pairs whose frames a user placed one by one
    memory_begin: np.ndarray  # (C, 2)
    locks_begin: dict[int, float]  # row -> where it holds
    links: np.ndarray  # (L,) LINK, from outputs to inputs
    followers: dict[str, str]  # inputs that a connection or a function of time sets -> its label
    segments: int = 0  # of segment contacts, which remember their forces

    @property
    def memory_size(self) -> int:
        """Numbers that the rows hold from step to step."""
        return sum(memory_sizes(self.joints, len(self.inputs), self.segments))

    def memory(self, memory: np.ndarray) -> JointMemory:
        """View the memory of a state."""
        return memory_of(memory, self.joints, len(self.inputs), self.segments)

    def begin(self, memory: np.ndarray) -> None:
        """Memory at the start: set-points as modelled, angles not yet turned, no impulse."""
        memory[:] = 0.0
        view = self.memory(memory)
        view.inputs[:] = self.inputs_begin
        view.coordinate[:] = self.memory_begin
        for row, place in self.locks_begin.items():
            view.integral[row] = place


def wire(elements: Iterable[Any], places: Places) -> Wired:
    """Wire joints first, then what acts on them, then connections, whatever the order they were added in."""
    elements = list(elements)
    wiring = Wiring(places, frozenset(element.name for element in elements))
    for element in sorted(elements, key=lambda e: 0 if isinstance(e, Joint) else 2 if isinstance(e, Connection) else 1):
        element.wire(wiring)
    joints, links = wiring.arrays(), wiring.links()
    for array in (*joints, links):
        for part in array if isinstance(array, tuple) else (array,):
            part.flags.writeable = False
    place = {id(row): n for n, row in enumerate(wiring.rows)}
    coordinates = [
        Sensed(c.joint, c.name, wiring.new_index[wiring.known[c.key]], c.unit)
        for free in wiring.free.values()
        for c in free.values()
        if c.key in wiring.known
    ]
    forces = [Felt(name, place[id(row)], unit) for name, rows in wiring.forces.items() for row, _, unit in rows]
    return Wired(
        joints=joints,
        inputs={name: i for name, (i, _) in wiring.inputs.items()},
        inputs_begin=np.array([value for _, value in wiring.inputs.values()], dtype=np.float64),
        coordinates=tuple(coordinates),
        forces=tuple(forces),
        names=tuple(name for name, *_ in wiring.joints),
        labels=tuple(row.label for row in wiring.rows),
        to_check=frozenset(wiring.to_check),
        memory_begin=wiring.memory_begin,
        locks_begin=wiring.locks_begin,
        links=links,
        followers=wiring.written | {tie.input: tie.label for tie in wiring.ties},
    )
