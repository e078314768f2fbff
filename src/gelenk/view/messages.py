"""Every message between page and simulation, once.

Text messages are JSON objects with a ``kind`` and the fields of one dataclass below; frames are binary, see
:mod:`gelenk.view.frame`. The TypeScript types are generated from here (:mod:`gelenk.view.typescript`) when the page is
built, without the rest of the package, so this file imports none of it.

A message of the page is checked field by field when it is read. It is refused as a whole or taken as a whole.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from gelenk.view.limits import AtMost, BadValue, Between, made_of

PROTOCOL = 1  # a page of another number is told to reload
MOST_BYTES = 64 * 1024  # of a message of a page
MOST_STEPS = 100_000  # of one command
SLOWEST, FASTEST = 1e-3, 1e3  # speeds, in simulated seconds a second

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Colour = tuple[float, float, float]  # red, green, blue from 0 to 1
Name = Annotated[str, AtMost(200)]
Key = Annotated[str, AtMost(64)]
Force = Annotated[float, Between(0.0, 1e9)]
Layer = Literal["contacts", "load", "cluster", "sleeping", "speed"]
Run = Literal["playing", "paused", "failed", "ended"]


# From the page -------------------------------------------------------------------------------------------------------


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
class TakeDrive:
    """Let this page steer from now on."""

    kind: ClassVar[str] = "take_drive"


@dataclass(frozen=True, slots=True)
class Ping:
    """Is anyone there?"""

    kind: ClassVar[str] = "ping"
    number: Annotated[int, Between(0, 2**53)] = 0


# To the page ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Welcome:
    """Answer to a hello."""

    kind: ClassVar[str] = "welcome"
    protocol: int
    client: int
    version: str


@dataclass(frozen=True, slots=True)
class Geometry:
    """A surface that items share: a unit shape by name with the numbers that scale cannot give, or triangles.

    Sphere of radius 1, box of edges 1, cylinder and cone of radius 1 and height 1, capsule of radius 1 (sizes:
    length), torus of radius 1 (sizes: tube radius), plane without end; axes and origin as in gelenk.geometry.
    """

    shape: Literal["sphere", "box", "capsule", "cylinder", "cone", "torus", "plane", "triangles"]
    sizes: tuple[float, ...] = ()
    vertices: str = ""  # base64, float32 (n, 3)
    faces: str = ""  # base64, uint32 (m, 3)
    crease: float = 30.0  # edges whose faces meet at a larger angle are sharp [degrees]


@dataclass(frozen=True, slots=True)
class Item:
    """A surface in its place in a body."""

    node: int  # row of the frame that it moves with
    geometry: int
    at: Vector
    rotation: Quaternion
    scale: Vector
    colour: Colour
    visual: bool  # drawn; else it is there for contact alone
    physical: bool  # touches others


@dataclass(frozen=True, slots=True)
class Node:
    """A row of the frame: the world, a body or a particle."""

    name: str
    what: Literal["world", "body", "particle"]
    static: bool
    com: Vector  # centre of mass in the body frame [m]
    mass: float  # [kg]


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint: its frames in two nodes, in their body frames; z is the axis of those that have one."""

    name: str
    what: str
    a: int
    b: int
    at_a: Vector
    at_b: Vector
    rotation_a: Quaternion
    rotation_b: Quaternion


@dataclass(frozen=True, slots=True)
class Band:
    """A spring: a line between points of two nodes, in their body frames."""

    name: str
    a: int
    b: int
    at_a: Vector
    at_b: Vector


@dataclass(frozen=True, slots=True)
class Skin:
    """A surface whose vertices come with every frame."""

    name: str
    vertices: int
    faces: str  # base64, uint32 (m, 3)
    colour: Colour


@dataclass(frozen=True, slots=True)
class Strokes:
    """Lines that come with every frame."""

    name: str
    colour: Colour


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that can be changed while it runs: a parameter or an input."""

    name: str
    value: float
    least: float
    most: float
    unit: str = ""
    label: str = ""
    switch: bool = False  # on or off: most or least


@dataclass(frozen=True, slots=True)
class Device:
    """An input that a hand moves: what moves it where nobody has chosen otherwise."""

    name: str
    low: float
    high: float
    rest: float  # where it is while nobody touches it
    digital: bool
    unit: str = ""
    up: str = ""  # keys, by the codes of a keyboard
    down: str = ""
    axis: int | None = None  # of a gamepad
    button: int | None = None
    rise: float = 0.3  # time in which a key takes it from rest to its end [s]


@dataclass(frozen=True, slots=True)
class Thing:
    """A drive or a force, by name."""

    name: str
    what: str


@dataclass(frozen=True, slots=True)
class Signal:
    """A quantity that can be plotted: "elbow.angle", or "velocity.x" of every body where it is one of all bodies."""

    name: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Ghost:
    """Another run shown beside the first, in one colour that light shines through."""

    name: str
    colour: Colour
    nodes: tuple[Node, ...]
    geometries: tuple[Geometry, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What does not change from frame to frame; ``number`` is that of the frames it belongs to."""

    kind: ClassVar[str] = "scene"
    number: int
    name: str
    h: float  # step [s]
    gravity: Vector
    nodes: tuple[Node, ...]
    geometries: tuple[Geometry, ...]
    items: tuple[Item, ...]
    joints: tuple[Joint, ...] = ()
    parameters: tuple[Setting, ...] = ()
    inputs: tuple[Setting, ...] = ()
    signals: tuple[Signal, ...] = ()  # of the whole, of joints, drives and forces
    body_signals: tuple[Signal, ...] = ()  # every body has these
    particle_signals: tuple[Signal, ...] = ()
    drives: tuple[Thing, ...] = ()
    forces: tuple[Thing, ...] = ()
    devices: tuple[Device, ...] = ()
    tones: tuple[str, ...] = ()
    vibrates: bool = False
    bands: tuple[Band, ...] = ()
    skins: tuple[Skin, ...] = ()
    strokes: tuple[Strokes, ...] = ()
    duration: float | None = None  # of a replay [s]
    ghosts: tuple[Ghost, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """Where the simulation is and how it keeps up."""

    kind: ClassVar[str] = "status"
    run: Run
    time: float
    steps: int  # since the session began or was reset
    speed: float  # that is asked for
    factor: float  # simulated seconds a second, measured
    behind: bool  # it cannot keep up with the speed asked for
    driver: int | None  # client that steers
    clients: int
    recording: bool = False
    note: str = ""  # why it failed


@dataclass(frozen=True, slots=True)
class Figures:
    """What the solver says of itself, by name; numbers as text where they are none."""

    kind: ClassVar[str] = "figures"
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Samples:
    """Values of the signals subscribed to, since the last of these messages."""

    kind: ClassVar[str] = "samples"
    time: tuple[float, ...]
    values: dict[str, tuple[float | None, ...]] = field(default_factory=dict)  # None: no finite number


@dataclass(frozen=True, slots=True)
class Values:
    """Values now of what is shown in the tree."""

    kind: ClassVar[str] = "values"
    values: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Panel:
    """A table under a title."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Panels:
    """Tables that a world shows of itself."""

    kind: ClassVar[str] = "panels"
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """What parameters and inputs are now."""

    kind: ClassVar[str] = "settings"
    parameters: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frozen:
    """Bodies that are held where they are."""

    kind: ClassVar[str] = "frozen"
    bodies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the model gives to hear and to feel: pitch [Hz] and volume of its tones, strength of the vibration."""

    kind: ClassVar[str] = "outputs"
    tones: dict[str, tuple[float, float]] = field(default_factory=dict)
    weak: float = 0.0
    strong: float = 0.0


@dataclass(frozen=True, slots=True)
class Problem:
    """A command that was not carried out, and why."""

    kind: ClassVar[str] = "problem"
    text: str


@dataclass(frozen=True, slots=True)
class Recording:
    """What is being recorded: the file, how large it is by now, and the time between samples [s]."""

    kind: ClassVar[str] = "recording"
    on: bool = False
    file: str = ""
    bytes: int = 0
    samples: int = 0
    interval: float = 0.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run file that was written; ``why`` says what ended it, if nobody asked for the end."""

    kind: ClassVar[str] = "recorded"
    file: str
    time: float
    bytes: int = 0
    samples: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Trail:
    """Where a body went, from first to last: times and points as base64, float32 (n,) and (n, 3)."""

    name: str
    ghost: int  # 0 for the first run, which is no ghost
    colour: Colour
    times: str
    points: str


@dataclass(frozen=True, slots=True)
class Playback:
    """What a replay shows and how; ``time`` of the samples of the first run runs from ``start`` to ``end`` [s]."""

    kind: ClassVar[str] = "playback"
    start: float
    end: float
    samples: int
    sample: int  # the last one not later than now
    backwards: bool
    loop: bool
    exact: bool
    runs: tuple[str, ...]  # names of all that are shown


@dataclass(frozen=True, slots=True)
class Trails:
    """Trails of all that moves in a replay."""

    kind: ClassVar[str] = "trails"
    trails: tuple[Trail, ...]


@dataclass(frozen=True, slots=True)
class Pong:
    """Answer to a ping."""

    kind: ClassVar[str] = "pong"
    number: int


Message = Any  # one of the dataclasses below

FROM_PAGE: tuple[type, ...] = (
    Hello, Play, Pause, Step, Reset, Speed, Drag, Release, Push, Freeze, Delete, Add, SetParameter, SetInput,
    Subscribe, Watch, Show, Record, Seek, StepSamples, Replaying, TakeDrive, Ping,
)  # fmt: skip
TO_PAGE: tuple[type, ...] = (
    Welcome, Scene, Status, Figures, Samples, Values, Settings, Frozen, Outputs, Problem, Recording, Recorded, Playback,
    Trails, Panels, Pong,
)  # fmt: skip
PARTS: tuple[type, ...] = (
    Geometry, Item, Node, Joint, Band, Skin, Strokes, Setting, Device, Thing, Signal, Ghost, Trail, Panel,
)  # of a scene  # fmt: skip
WATCHING: tuple[type, ...] = (Hello, Subscribe, Watch, Show, TakeDrive, Ping)  # allowed to a page that does not steer
_READ = {kind.kind: kind for kind in FROM_PAGE}  # type: ignore[attr-defined]


def read_message(text: str | bytes) -> Message:
    """The message of a page, checked; anything else raises :class:`BadValue` and nothing else."""
    if not isinstance(text, str):
        raise BadValue("a message is text, not bytes")
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise BadValue(f"a message is at most {MOST_BYTES} bytes long")
    try:
        given = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):  # also whole numbers of too many digits
        raise BadValue("a message is a JSON object") from None
    if not isinstance(given, dict):
        raise BadValue("a message is a JSON object")
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or kind not in _READ:
        raise BadValue(f"a message has a kind, one of {', '.join(_READ)}")
    return made_of(_READ[kind], given, kind)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def write_message(message: Message) -> str:
    """A message as text; a number that is not finite would be no JSON, and raises ValueError."""
    return json.dumps({"kind": message.kind, **asdict(message)}, allow_nan=False, separators=(",", ":"))
