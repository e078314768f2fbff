"""Constant and time-dependent wrenches (I-007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.checks import Vector, check_choice, check_name, check_table, check_vector
from gelenk.compile import helper
from gelenk.errors import InputError
from gelenk.forces.block import add_energy, add_force_at, add_loads, arm
from gelenk.forces.element import Labelled, Nodes, arms, node_indices
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import get3, put3

Rows = tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Wrench(Labelled):
    """A force at a point of a body and a free torque, constant or following a table over time.

    Between the times of a table the wrench is interpolated linearly, before the first and after the last it is
    zero. A kink of the table costs a fixed-step scheme its order unless a step ends there, and a pulse shorter than
    the step may be stepped over.

    Parameters
    ----------
    name : unique name
    body : name of the body; a particle takes no torque
    force : (3,) or, with ``times``, (n, 3) [N]
    torque : (3,) or, with ``times``, (n, 3) [N m]
    at : point of application in the body frame [m]; by default the origin of the body frame
    frame : "world" (fixed axes) or "body" (turns with the body, like a thruster); a particle has world axes only
    times : (n,) rising times of the table [s]; left out, the wrench is constant
    """

    kind: ClassVar[str] = "wrench"

    name: str
    body: str
    force: Vector | Rows = (0.0, 0.0, 0.0)
    torque: Vector | Rows = (0.0, 0.0, 0.0)
    at: Vector = (0.0, 0.0, 0.0)
    frame: str = "world"
    times: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", check_name("wrench", self.name))
        put(self, "at", check_vector(self.label, "at", self.at, "m"))
        put(self, "frame", check_choice(self.label, "frame", self.frame, ("world", "body")))
        if isinstance(self.times, (tuple, list, np.ndarray)) and len(self.times) == 0:
            put(self, "times", ())
            put(self, "force", check_vector(self.label, "force", self.force, "N"))
            put(self, "torque", check_vector(self.label, "torque", self.torque, "N m"))
            return
        times = check_table(self.label, "times", self.times, 0, "s")
        if len(times) < 2 or not (np.diff(times) > 0).all():
            raise InputError(self.label, f"times are {self.times!r}"[:160], "two or more rising times", "Sort them.")
        put(self, "times", tuple(times.tolist()))
        for field, unit in (("force", "N"), ("torque", "N m")):
            put(self, field, self._table(field, unit))

    def _table(self, field: str, unit: str) -> Rows:
        value: Any = getattr(self, field)
        rows = (tuple, list, np.ndarray)
        if isinstance(value, rows) and len(value) == 3 and not any(isinstance(x, rows) for x in value):
            value = [value] * len(self.times)  # one vector for all times
        table = check_table(self.label, field, value, 3, unit)
        if len(table) != len(self.times):
            raise InputError(
                self.label, f"{field} has {len(table)} rows", f"{len(self.times)}, one a time", "Add or remove rows."
            )
        return tuple((x, y, z) for x, y, z in table.tolist())

    @classmethod
    def block(cls, elements: Sequence[Wrench], nodes: Nodes) -> Wrenches:
        """All wrenches as arrays; a constant one is a table of one row."""
        node = node_indices(elements, "body", nodes)
        for e, i in zip(elements, node):
            if nodes.is_particle(int(i)) and np.any(np.asarray(e.torque)):
                raise InputError(e.label, f"a torque on the particle {e.body!r}", "a force only", "Leave torque out.")
        force = [np.atleast_2d(np.array(e.force)) for e in elements]
        torque = [np.atleast_2d(np.array(e.torque)) for e in elements]
        times = [np.array(e.times or (0.0,)) for e in elements]
        ends = np.cumsum([0] + [len(f) for f in force])
        empty = np.zeros((0, 3))
        return Wrenches(
            node,
            arms(elements, node, "at", nodes),
            np.array([e.frame == "body" for e in elements], dtype=np.uint8),
            ends.astype(np.uint32),
            np.concatenate(times) if times else np.zeros(0),
            np.concatenate(force) if force else empty,
            np.concatenate(torque) if torque else empty.copy(),
        )


class Wrenches(NamedTuple):
    """All wrenches of a model; rows first[e] to first[e+1] of the tables belong to element e."""

    node: np.ndarray  # (n,) uint32
    r_B: np.ndarray  # (n, 3) centre of mass to point of application, body axes [m]
    in_body: np.ndarray  # (n,) uint8, 1 if the axes turn with the body
    first: np.ndarray  # (n + 1,) uint32
    time: np.ndarray  # (rows,) [s]
    force: np.ndarray  # (rows, 3) [N]
    torque: np.ndarray  # (rows, 3) [N m]


@helper
def table_row(time, first, last, t):
    """(row, weight) so that the value at t is (1 - weight) table[row] + weight table[row + 1]; row = last outside."""
    if last - first == 1:
        return first, 0.0
    if t < time[first] or t > time[last - 1]:
        return last, 0.0
    low, high = first, last - 1
    while high - low > 1:
        middle = (low + high) // 2
        if time[middle] <= t:
            low = middle
        else:
            high = middle
    return low, (t - time[low]) / (time[low + 1] - time[low])


@helper
def table_value(table, row, weight):
    """Linear interpolation between two rows."""
    if weight == 0.0:
        return get3(table, row)
    return get3(table, row) * (1.0 - weight) + get3(table, row + 1) * weight


@add_loads.register(Wrenches)
def _(wrenches, masses, state, t, loads_out):
    for e in range(wrenches.node.shape[0]):
        i = wrenches.node[e]
        first, last = int(wrenches.first[e]), int(wrenches.first[e + 1])
        row, weight = table_row(wrenches.time, first, last, t)
        if row == last:
            continue
        f = table_value(wrenches.force, row, weight)
        torque = table_value(wrenches.torque, row, weight)
        if i < state.q_WB.shape[0]:
            if wrenches.in_body[e] != 0:
                R = rotation(get4(state.q_WB, i))
                f, torque = R @ f, R @ torque
            put3(loads_out.torque_W, i, get3(loads_out.torque_W, i) + torque)
        add_force_at(loads_out, i, arm(state, i, get3(wrenches.r_B, e)), f)


@add_energy.register(Wrenches)
def _(wrenches, masses, state, t, energy_out):
    pass
