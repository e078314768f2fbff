"""Quantities by name, to be plotted and shown: of the whole, of bodies, joints, drives and forces.

"energy", "ball.velocity.x", "ball.velocity.size", "elbow.angle", "drive.force", "spring.length".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from gelenk.checks import unknown
from gelenk.forces.spring import Spring
from gelenk.model.dependents import names_in, thing_in
from gelenk.model.parts import WORLD
from gelenk.run.now import BodyNow
from gelenk.run.signals import COORDINATE, FORCE, RATE, TORQUE
from gelenk.simulate import Simulation
from gelenk.view.to_page import Signal, Thing

XYZ = ("x", "y", "z")
PARTS: dict[str, int | None] = {"x": 0, "y": 1, "z": 2, "size": None}
TURN = {"w": 0, "x": 1, "y": 2, "z": 3}
OF_PARTICLES = {"position": "m", "velocity": "m/s"}
OF_BODIES = {**OF_PARTICLES, "angular_velocity": "rad/s", "contact_force": "N", "orientation": ""}
OF_SPRINGS = {"length": "m", "tension": "N"}
OF_ALL = {
    "energy": "J", "kinetic energy": "J", "potential energy": "J",
    **{f"{what}.{axis}": unit for what, unit in (("momentum", "N s"), ("angular momentum", "N m s")) for axis in XYZ},
    "contacts": "",
}  # fmt: skip
LEDGER = {"momentum": 2, "angular momentum": 5}

Read = Callable[["Moment"], float]


class Moment:
    """A simulation between two steps; what many quantities need is computed once."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim

    @cached_property
    def ledger(self) -> np.ndarray:
        """Energies and momenta."""
        return self.sim.ledger

    @cached_property
    def joints(self) -> Any:
        """Coordinates and rates of joints."""
        return self.sim.sensors.watch.look()

    @cached_property
    def contacts(self) -> list[Any]:
        """Where bodies press."""
        return self.sim.contacts

    def contact_force(self, body: str) -> np.ndarray:
        """(3,) on a body [N]."""
        total = np.zeros(3)
        for c in self.contacts:
            if body in (c.a, c.b):
                total += c.force if c.b == body else -c.force
        return total


def signals_of(sim: Simulation, own: Iterable[str] = ()) -> dict[str, Any]:
    """What can be plotted, and by what names, as the parts of a scene."""
    signals = [Signal(name, unit) for name, unit in OF_ALL.items()] + [Signal(name) for name in own]
    table = sim.sensors.signals.table
    for owner, given in table.items():
        for what, signal in given.items():
            parts = PARTS if signal.path in (FORCE, TORQUE) else ("",)
            signals += [Signal(f"{owner}.{what}{'.' * bool(part)}{part}", signal.unit) for part in parts]
    taken = {signal.name for signal in signals}
    signals += [Signal(name) for name in sim.inputs if name not in taken]
    springs = [force.name for force in sim.model.forces if isinstance(force, Spring)]
    signals += [
        Signal(f"{name}.{what}", unit) for name in springs for what, unit in (("length", "m"), ("tension", "N"))
    ]
    joints = set(sim.model.wired.names)
    return {
        "signals": tuple(signals),
        "body_signals": _components(OF_BODIES),
        "particle_signals": _components(OF_PARTICLES),
        "drives": tuple(_thing(e, joints) for e in sim.model.joints if e.name not in joints),
        "forces": tuple(_thing(f, set(sim.model.nodes.names)) for f in sim.model.forces),
    }


def _thing(element: Any, known: set[str]) -> Thing:
    """A drive or a force, with what it acts on of what is known: "elbow.angle" is of "elbow"."""
    on = [name for text in names_in(element) if (name := thing_in(text, known)) is not None]
    return Thing(element.name, str(element.kind), tuple(dict.fromkeys(on)))


def _components(series: Mapping[str, str]) -> tuple[Signal, ...]:
    return tuple(
        Signal(f"{what}.{part}", unit)
        for what, unit in series.items()
        for part in (TURN if what == "orientation" else PARTS)
    )


class Quantities:
    """Finds what reads a quantity of a simulation."""

    def __init__(self, sim: Simulation, own: Mapping[str, Callable[[Any], Any]]) -> None:
        self._sim, self._own = sim, own
        self._springs = {force.name: force for force in sim.model.forces if isinstance(force, Spring)}

    def names_of(self, owner: str) -> list[str]:
        """Names of all quantities of a body, joint, drive or force; those of the whole are called ""."""
        if not owner:
            return [*OF_ALL, *self._own]
        nodes = self._sim.model.nodes
        if owner in nodes.names[1:]:
            series = OF_PARTICLES if nodes.is_particle(nodes.index("view", "name", owner)) else OF_BODIES
            return [f"{owner}.{signal.name}" for signal in _components(series)]
        if owner in self._springs:
            return [f"{owner}.{what}" for what in OF_SPRINGS]
        made = []
        for what, signal in self._sim.sensors.signals.table.get(owner, {}).items():
            parts = PARTS if signal.path in (FORCE, TORQUE) else ("",)
            made += [f"{owner}.{what}{'.' * bool(part)}{part}" for part in parts]
        return made + [name for name in self._sim.inputs if name.rpartition(".")[0] == owner and name not in made]

    def read(self, name: str) -> Read:
        """A function of a moment that gives a quantity; refuses a name that nothing has."""
        if name in self._own:
            f = self._own[name]
            return lambda moment: float(f(moment.sim))
        if name in OF_ALL:
            return _of_all(name)
        for find in (self._of_joint, self._of_node, self._of_spring):
            found = find(name)
            if found is not None:
                return found
        if name in self._sim.model.wired.inputs:
            return lambda moment: moment.sim.inputs[name]
        raise unknown("plot", "quantity", name, [*OF_ALL, *self._own, *self._sim.sensors.signals.names()])

    def _of_joint(self, name: str) -> Read | None:
        signals = self._sim.sensors.signals
        signal = signals.find(name)
        if signal is None:
            whole, _, part = name.rpartition(".")
            signal = signals.find(whole) if part in PARTS else None
            if signal is None or signal.path not in (FORCE, TORQUE):
                return None
            return _part(lambda moment: moment.sim.sensors.read(signal), PARTS[part])
        if signal.path in (FORCE, TORQUE):
            return None
        if signal.path in (COORDINATE, RATE):
            which, row = (0 if signal.path == COORDINATE else 1), signal.row
            return lambda moment: float(moment.joints[which][row])
        return lambda moment: float(moment.sim.sensors.read(signal))

    def _of_node(self, name: str) -> Read | None:
        whole, _, part = name.rpartition(".")
        body, _, what = whole.rpartition(".")
        nodes = self._sim.model.nodes
        if body not in nodes.names or body == WORLD:
            return None
        index = self._sim.model.index(body)
        series, parts = (OF_PARTICLES if nodes.is_particle(index) else OF_BODIES), PARTS
        parts = TURN if what == "orientation" else parts  # type: ignore[assignment]
        if what not in series or part not in parts:
            return None
        if what == "contact_force":
            return _part(lambda moment: moment.contact_force(body), parts[part])
        now = BodyNow(self._sim.model, self._sim.state, index)
        return _part(lambda moment: getattr(now, what), parts[part])

    def _of_spring(self, name: str) -> Read | None:
        owner, _, what = name.rpartition(".")
        spring = self._springs.get(owner)
        if spring is None or what not in OF_SPRINGS:
            return None
        ends = [(self._node(body), np.array(at)) for body, at in ((spring.a, spring.at_a), (spring.b, spring.at_b))]

        def read(moment: Moment) -> float:
            p, q = (now.position + now.rotation @ at for now, at in ends)
            length = float(np.linalg.norm(q - p))
            if what == "length" or length == 0.0:
                return length if what == "length" else 0.0
            rate = float((q - p) @ (ends[1][0].velocity_at(q) - ends[0][0].velocity_at(p))) / length
            return spring.stiffness * (length - spring.rest_length) + spring.damping * rate

        return read

    def _node(self, body: str) -> BodyNow:
        return BodyNow(self._sim.model, self._sim.state, self._sim.model.index(body))


def _of_all(name: str) -> Read:
    if name == "contacts":
        return lambda moment: float(len(moment.contacts))
    if name.endswith("energy"):
        terms = {"energy": (0, 1), "kinetic energy": (0,), "potential energy": (1,)}[name]
        return lambda moment: float(sum(moment.ledger[k] for k in terms))
    what, _, axis = name.rpartition(".")
    place = LEDGER[what] + XYZ.index(axis)
    return lambda moment: float(moment.ledger[place])


def _part(vector: Callable[[Moment], Any], k: int | None) -> Read:
    if k is None:
        return lambda moment: math.sqrt(float(np.dot(v := vector(moment), v)))
    return lambda moment: float(vector(moment)[k])
