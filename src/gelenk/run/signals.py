"""What joints and drives give: its names, where a run file has it, and its unit; one list for sensors and runs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import NamedTuple

from gelenk.model.model import Model

COORDINATE, RATE, FORCE, TORQUE = "joint_coordinate", "joint_rate", "joint_force", "joint_torque"
BROKEN, DRIVE = "joint_broken", "drive_force"
MEAN, PEAK = "_mean", "_peak"


class Signal(NamedTuple):
    """One thing to read: a column of the run file and a row in it."""

    path: str
    row: int
    unit: str


@dataclass(frozen=True)
class Signals:
    """Signals of a model, by owner and name. Small enough to be kept in a run file as text.

    A joint gives its free coordinates, their rates, and its reaction; a joint with one free coordinate calls the rate
    of that "rate", one with several says of which: "angle_x_rate". A drive gives its force. Where peaks are recorded,
    every force has its mean and its peak since the sample before: "force_mean", "force_peak".
    """

    joints: tuple[str, ...] = ()
    breakable: bool = False  # whether any joint can break
    coordinates: tuple[tuple[str, str, str, str], ...] = ()  # joint, name, name of the rate, unit
    forces: tuple[tuple[str, str, str], ...] = ()  # owner, name, unit
    drives: tuple[str, ...] = ()  # what acts on joints, also what gives nothing to read
    peaks: bool = False  # whether means and peaks of forces are recorded

    @classmethod
    def of(cls, model: Model, *, peaks: bool = False) -> Signals:
        """The signals of a model."""
        wired = model.wired
        elements = {element.name: element for element in model.joints}
        alone = {name for name, element in elements.items() if len(getattr(element, "free", ())) == 1}
        of_joints, forces = set(wired.names), []
        for felt in wired.forces:  # "drive", or "hand.fx" of an element with several
            owner, _, name = (felt.name, "", "force") if felt.name in elements else felt.name.rpartition(".")
            forces.append((owner, name, felt.unit))
        return cls(
            joints=wired.names,
            breakable=can_break(model),
            coordinates=tuple(
                (c.joint, c.name, "rate" if c.joint in alone else f"{c.name}_rate", c.unit) for c in wired.coordinates
            ),
            forces=tuple(forces),
            drives=tuple(name for name in elements if name not in of_joints),
            peaks=peaks,
        )

    @classmethod
    def from_text(cls, text: str) -> Signals:
        """What :meth:`text` wrote."""
        read = json.loads(text)
        joints, drives = tuple(read.get("joints", ())), tuple(read.get("drives", ()))
        coordinates, forces = (tuple(map(tuple, read.get(name, ()))) for name in ("coordinates", "forces"))
        return cls(
            joints, bool(read.get("breakable", False)), coordinates, forces, drives, bool(read.get("peaks", False))
        )

    def text(self) -> str:
        """All of it, for a run file."""
        return json.dumps(asdict(self))

    @cached_property
    def table(self) -> dict[str, dict[str, Signal]]:
        """Owner -> name -> signal."""
        made: dict[str, dict[str, Signal]] = {name: {} for name in (*self.joints, *self.drives)}
        for row, (joint, name, rate, unit) in enumerate(self.coordinates):
            made[joint][name] = Signal(COORDINATE, row, unit)
            made[joint][rate] = Signal(RATE, row, f"{unit}/s")
        for row, joint in enumerate(self.joints):
            made[joint] |= self._felt("force", FORCE, row, "N") | self._felt("torque", TORQUE, row, "N m")
            if self.breakable:
                made[joint]["broken"] = Signal(BROKEN, row, "")
        for row, (owner, name, unit) in enumerate(self.forces):
            made[owner] |= self._felt(name, DRIVE, row, unit)
        return made

    def _felt(self, name: str, path: str, row: int, unit: str) -> dict[str, Signal]:
        """A force, and its mean and peak where they are recorded."""
        kinds = ("", MEAN, PEAK) if self.peaks else ("",)
        return {name + kind: Signal(path + kind, row, unit) for kind in kinds}

    def find(self, name: object) -> Signal | None:
        """The signal of a name such as "elbow.angle"."""
        owner, _, what = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        return self.table.get(owner, {}).get(what)

    def names(self) -> Iterator[str]:
        """Names of all signals."""
        for owner, signals in self.table.items():
            for name in signals:
                yield f"{owner}.{name}"

    def missing(self, owner: str, what: str) -> AttributeError:
        """Error for something that an owner does not give."""
        given = ", ".join(self.table[owner]) or "nothing"
        kind = "joint" if owner in self.joints else "drive"
        hint = ". Record it with run(..., peaks=True)" if what.endswith((MEAN, PEAK)) and not self.peaks else ""
        return AttributeError(f"{kind} {owner!r} has no {what!r}; it gives {given}{hint}")


def can_break(model: Model) -> bool:
    """Whether a model has joints that break."""
    joint = model.wired.joints.joint
    return bool((joint["break_force"] < math.inf).any() or (joint["break_torque"] < math.inf).any())
