"""Connection of an output to an input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.checks import check_name, unknown
from gelenk.errors import InputError
from gelenk.forces.element import Labelled
from gelenk.joints.drive import put_number
from gelenk.joints.wiring import Tie, Wiring
from gelenk.rows.links import AT, RATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection(Labelled):
    """What one component gives becomes what another is asked for, in every step (V-107):

        input = factor output + offset        several connections to one input add up

    Parameters
    ----------
    name : unique name
    output : "joint.angle" or another coordinate, "joint.rate" (of several: "joint.angle_x_rate"), "joint.force.x",
        "joint.torque.x", "motor.force"; of a body "body.position.x", "body.velocity.x", "body.angular_velocity.x",
        "body.orientation.w". World axes; forces are those of the step before
    input : a set-point such as "servo.target", "motor.speed", "motor.force", "motor.strength"
    factor : input per output
    offset : input where the output is zero

    Outputs are read at the start of a step and hold for all of it, so components may be connected in a ring; like any
    sampled controller it answers half a step late on average, which feeds what is not damped. For a spring alone take
    :class:`JointSpring`, for a fixed ratio :class:`Gear`: both are solved with the step.
    """

    kind: ClassVar[str] = "connection"

    name: str
    output: str
    input: str
    factor: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.kind, self.name))
        for what in ("output", "input"):
            if not isinstance(getattr(self, what), str):
                found = f"{what} is {getattr(self, what)!r}"[:80]
                raise InputError(self.label, found, f"the name of an {what}", "Give it as a text in quotes.")
        put_number(self, "factor", "input per output")
        put_number(self, "offset", "unit of the input")

    def wire(self, wiring: Wiring) -> None:
        """Tie both ends together, once all else is wired."""
        if self.output not in wiring.outputs:
            raise unknown(self.label, "output", self.output, wiring.outputs)
        if self.input not in wiring.inputs:
            raise unknown(self.label, "input", self.input, wiring.inputs)
        if self.input in wiring.written:
            found = f"input is {self.input!r}, which {wiring.written[self.input]} sets by its function of time"
            raise InputError(self.label, found, "any other input", "Give that drive a position instead.")
        place = wiring.inputs[self.input][0]
        if any(pose + 3 <= place < pose + 7 for pose in wiring.poses):
            found = f"input is {self.input!r}, a number of a quaternion"
            raise InputError(self.label, found, "any other input", "Let a control function turn it: sim.run(control=).")
        source = wiring.outputs[self.output]
        if source.kind in (AT, RATE):
            wiring.index(source.of)  # also of a coordinate that nothing else follows
        wiring.ties.append(Tie(self.label, source, self.input, self.factor, self.offset))
