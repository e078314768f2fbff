"""What a page may say: every command once, with the type and the limits of each field.

Its TypeScript is made from here when the page is built, without the rest of the package, of which this file imports no
more than the limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from gelenk.view.limits import AtMost, Between

MOST_STEPS = 100_000  # of one command
SLOWEST, FASTEST = 1e-3, 1e3  # speeds, in simulated seconds a second

Vector = tuple[float, float, float]
Name = Annotated[str, AtMost(200)]
Key = Annotated[str, AtMost(64)]
Layer = Literal["contacts", "load", "cluster", "sleeping", "speed"]


@dataclass(frozen=True, slots=True)
class Hello:
    """First of all: which protocol the page speaks; ``key`` tells a page that comes back from a new one."""

    kind: ClassVar[str] = "hello"
    protocol: Annotated[int, Between(0, 1_000_000)]
    key: Key = ""


@dataclass(frozen=True, slots=True)
class Play:
    """Go on in real time."""

    kind: ClassVar[str] = "play"


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop after the step at work."""

    kind: ClassVar[str] = "pause"


@dataclass(frozen=True, slots=True)
class Step:
    """Pause, and take exactly ``n`` steps more."""

    kind: ClassVar[str] = "step"
    n: Annotated[int, Between(1, MOST_STEPS)] = 1


@dataclass(frozen=True, slots=True)
class Reset:
    """Back to where the session began; it plays or pauses as before."""

    kind: ClassVar[str] = "reset"


@dataclass(frozen=True, slots=True)
class Speed:
    """Simulated seconds a second of wall time."""

    kind: ClassVar[str] = "speed"
    factor: Annotated[float, Between(SLOWEST, FASTEST)]


@dataclass(frozen=True, slots=True)
class Drag:
    """Pull a point of a body, in body axes, toward a point of the world [m]; the first one takes hold of it."""

    kind: ClassVar[str] = "drag"
    body: Name
    point: Vector
    target: Vector
    strength: Annotated[float, Between(0.01, 100.0)] = 1.0


@dataclass(frozen=True, slots=True)
class Release:
    """Let go of what is dragged."""

    kind: ClassVar[str] = "release"


@dataclass(frozen=True, slots=True)
class Push:
    """An impulse [N s] on a body at a point of the world [m]."""

    kind: ClassVar[str] = "push"
    body: Name
    point: Vector
    impulse: Vector


@dataclass(frozen=True, slots=True)
class Freeze:
    """Hold a body where it is, or let it move again."""

    kind: ClassVar[str] = "freeze"
    body: Name
    on: bool


@dataclass(frozen=True, slots=True)
class Delete:
    """Take a body out of the model."""

    kind: ClassVar[str] = "delete"
    body: Name


@dataclass(frozen=True, slots=True)
class Add:
    """Put a body of one of the simple shapes into the model; ``sizes`` as the shape has them [m]."""

    kind: ClassVar[str] = "add"
    shape: Literal["sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "torus"]
    sizes: Annotated[tuple[Annotated[float, Between(1e-6, 1e6)], ...], AtMost(3)]
    at: Vector
    velocity: Vector = (0.0, 0.0, 0.0)
    density: Annotated[float, Between(1e-3, 1e6)] = 1000.0  # [kg/m^3]
    name: Name = ""  # one is made up if left out


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a joint, drive or force out of the model, with what refers to it; drives count as joints."""

    kind: ClassVar[str] = "remove"
    what: Literal["joint", "force"]
    name: Name


@dataclass(frozen=True, slots=True)
class Attach:
    """Put a joint or a spring between two bodies where they are now, or a motor on a joint.

    ``at`` is a point of the world [m]: that of a joint, the centre of mass of ``b`` if left out; of a spring where it
    ends at ``a``, the centre of mass of ``a`` if left out. Particles are held where they are. ``axis`` is that of
    hinges and sliders, world axes. ``value`` is the stiffness of a spring [N/m] or the speed of a motor [rad/s or m/s].
    """

    kind: ClassVar[str] = "attach"
    what: Literal["hinge", "slider", "ball", "rigid", "spring", "motor"]
    a: Name  # body or "world"; of a motor the joint, or "joint.coordinate" where it has several
    b: Name = ""
    at: Vector | None = None
    axis: Vector = (0.0, 0.0, 1.0)
    value: Annotated[float, Between(-1e9, 1e9)] = 0.0
    name: Name = ""  # one is made up if left out


@dataclass(frozen=True, slots=True)
class Edit:
    """Give a property of something other values; None where there is no bound, or none of its own.

    All of its numbers, or one alone: that of the place ``part``, from 0 on; the others stay as they are then, to the
    last bit.
    """

    kind: ClassVar[str] = "edit"
    what: Literal["body", "joint", "force", "material"]
    name: Name
    field: Name
    values: Annotated[tuple[float | None, ...], AtMost(4)]
    part: Annotated[int, Between(0, 3)] | None = None


@dataclass(frozen=True, slots=True)
class SetParameter:
    """Change a parameter that the model declares."""

    kind: ClassVar[str] = "set_parameter"
    name: Name
    value: float


@dataclass(frozen=True, slots=True)
class SetInput:
    """Change an input that the model reads."""

    kind: ClassVar[str] = "set_input"
    name: Name
    value: float


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Which signals to send samples of from now on, in place of those before."""

    kind: ClassVar[str] = "subscribe"
    signals: Annotated[tuple[Name, ...], AtMost(64)]


@dataclass(frozen=True, slots=True)
class Watch:
    """Whose values to send from now on, in place of those before: bodies, joints, drives, forces by name, "" is all."""

    kind: ClassVar[str] = "watch"
    names: Annotated[tuple[Name, ...], AtMost(32)]


@dataclass(frozen=True, slots=True)
class Show:
    """What to compute for the frames from now on, in place of that before: contacts, and colours by one or more."""

    kind: ClassVar[str] = "show"
    layers: Annotated[tuple[Layer, ...], AtMost(8)]


@dataclass(frozen=True, slots=True)
class Record:
    """Begin or end to record to a run file, with so much time between samples; about 1/60 s if left out."""

    kind: ClassVar[str] = "record"
    on: bool
    interval: Annotated[float, Between(1e-6, 1e6)] | None = None


@dataclass(frozen=True, slots=True)
class Seek:
    """Go to a time of a replay [s]."""

    kind: ClassVar[str] = "seek"
    t: float


@dataclass(frozen=True, slots=True)
class StepSamples:
    """Pause a replay, and go on or back by samples."""

    kind: ClassVar[str] = "step_samples"
    n: Annotated[int, Between(-MOST_STEPS, MOST_STEPS)]


@dataclass(frozen=True, slots=True)
class Replaying:
    """How a replay plays; ``exact`` shows samples as they are and nothing between them."""

    kind: ClassVar[str] = "replaying"
    backwards: bool
    loop: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class SetField:
    """Choose a value of a field of the dialog: a number, or else a text."""

    kind: ClassVar[str] = "set_field"
    name: Name
    value: float | None = None
    text: Name = ""


@dataclass(frozen=True, slots=True)
class FormAct:
    """Let the values of the dialog count, or save or load them under a name, which is no path."""

    kind: ClassVar[str] = "form_act"
    act: Literal["apply", "save", "load"]
    name: Annotated[str, AtMost(40)] = ""


@dataclass(frozen=True, slots=True)
class AskTraces:
    """Send all lines on the ground from their beginnings."""

    kind: ClassVar[str] = "ask_traces"


@dataclass(frozen=True, slots=True)
class TakeDrive:
    """Let this page steer from now on."""

    kind: ClassVar[str] = "take_drive"


@dataclass(frozen=True, slots=True)
class Ping:
    """Is anyone there?"""

    kind: ClassVar[str] = "ping"
    number: Annotated[int, Between(0, 2**53)] = 0


FROM_PAGE: tuple[type, ...] = (
    Hello, Play, Pause, Step, Reset, Speed, Drag, Release, Push, Freeze, Delete, Add, Remove, Attach, Edit,
    SetParameter, SetInput, Subscribe, Watch, Show, Record, Seek, StepSamples, Replaying, SetField,
    FormAct, AskTraces, TakeDrive, Ping,
)  # fmt: skip
# allowed to a page that does not steer; it may let go of what it held while it did
WATCHING: tuple[type, ...] = (Hello, Release, Subscribe, Watch, Show, AskTraces, TakeDrive, Ping)
