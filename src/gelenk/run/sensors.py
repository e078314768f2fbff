"""What can be read of a simulation between its steps, by name (V-107, V-113, V-115, V-116)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from gelenk.checks import unknown
from gelenk.methods.observe_joints import JointWatch
from gelenk.model.model import Model
from gelenk.run.columns import BODY_SERIES, PARTICLE_SERIES
from gelenk.run.inputs import Inputs
from gelenk.run.now import BodyNow
from gelenk.run.signals import BROKEN, COORDINATE, FORCE, RATE, TORQUE, Signal, Signals
from gelenk.state import State


class Sensors(Mapping[str, Any]):
    """Numbers and vectors by the names that a run has for them: ``sim.sensors["elbow.angle"]``.

    Of a joint: its free coordinates and their rates now, ``force`` (3,) [N] and ``torque`` (3,) [N m] on b at the joint
    point, world axes, and whether it is ``broken``. Of a motor, spring or gear: its ``force`` [N] or [N m]. Forces are
    means over the last step, zero before the first. Of a body or particle: what ``sim["name"]`` gives.
    """

    def __init__(self, model: Model, state: State) -> None:
        self._model, self._state = model, state
        self._memory = model.wired.memory(state.memory)
        self.watch = JointWatch(model.wired, state)

    @cached_property
    def signals(self) -> Signals:
        """What joints and drives give."""
        return Signals.of(self._model)

    def __contains__(self, name: object) -> bool:
        """Whether there is one of this name."""
        return name in set(self)

    def __getitem__(self, name: str) -> Any:
        signal = self.signals.find(name)
        if signal is not None:
            return self.read(signal)
        owner, _, what = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        if what == "broken" and owner in self.signals.joints:
            return False  # of a model where nothing can break
        if owner in self._model.nodes.names[1:]:
            index = self._model.index(owner)
            if what in (PARTICLE_SERIES if self._model.nodes.is_particle(index) else BODY_SERIES):
                return getattr(BodyNow(self._model, self._state, index), what)
        raise unknown("sensors", "name", name, self)

    def read(self, signal: Signal) -> Any:
        """What a signal is now."""
        memory, row = self._memory, signal.row
        if signal.path in (COORDINATE, RATE):
            value, rate, _ = self.watch.look()
            return float((value if signal.path == COORDINATE else rate)[row])
        if signal.path in (FORCE, TORQUE):
            first = 0 if signal.path == FORCE else 3
            return memory.reaction[row, first : first + 3].copy()
        if signal.path == BROKEN:
            return bool(memory.broken[row])
        return float(memory.force[self._model.wired.forces[row].row])

    def __iter__(self) -> Iterator[str]:
        nodes = self._model.nodes
        for index, name in enumerate(nodes.names):
            if index:
                series = PARTICLE_SERIES if nodes.is_particle(index) else BODY_SERIES
                yield from (f"{name}.{what}" for what in series)
        yield from self.signals.names()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<Sensors: {', '.join(self.signals.names()) or 'bodies alone'}>"


class SignalsNow:
    """What a joint or drive gives now, as attributes, and its inputs."""

    def __init__(self, sensors: Sensors, inputs: Inputs, name: str) -> None:
        self._sensors, self.name = sensors, name
        self.inputs = inputs.of(name)

    def __getattr__(self, what: str) -> Any:
        if what.startswith("_"):
            raise AttributeError(what)
        signal = self._sensors.signals.table[self.name].get(what)
        if signal is None:
            raise self._sensors.signals.missing(self.name, what)
        return self._sensors.read(signal)

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._sensors.signals.table[self.name]]


class JointNow(SignalsNow):
    """What a joint does now: its free coordinates and rates by name, ``force``, ``torque``, ``broken``, its ``inputs``.

    A hinge has ``angle`` [rad] and ``rate`` [rad/s]; see :class:`Sensors`.
    """

    @property
    def broken(self) -> bool:
        """Whether it is broken."""
        return bool(self._sensors[f"{self.name}.broken"])

    def __repr__(self) -> str:
        table = self._sensors.signals.table[self.name]
        shown = [
            f"{what} {self._sensors.read(s):.6g} {s.unit}" for what, s in table.items() if s.path in (COORDINATE, RATE)
        ]
        return f"<joint {self.name!r}: {', '.join([*shown, *(['broken'] if self.broken else [])]) or 'nothing free'}>"


class DriveNow(SignalsNow):
    """What a motor, spring, gear or grip does now: its ``force`` [N] or [N m], and its ``inputs`` to read and set."""

    def __repr__(self) -> str:
        table = self._sensors.signals.table[self.name]
        shown = [f"{what} {self._sensors.read(s):.6g} {s.unit}" for what, s in table.items()]
        return f"<drive {self.name!r}: {', '.join([*shown, f'inputs {dict(self.inputs)}'])}>"
