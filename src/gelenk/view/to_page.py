"""What a page is told: every message once, and the parts that messages are made of.

Its TypeScript is made from here when the page is built, without the rest of the package.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from gelenk.view.from_page import Vector

Quaternion = tuple[float, float, float, float]
Colour = tuple[float, float, float]  # red, green, blue from 0 to 1
Run = Literal["playing", "paused", "failed", "ended"]


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
    free: tuple[str, ...] = ()  # coordinates that motors may drive


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
    shared: bool = False  # moved by any page, also one that does not drive


@dataclass(frozen=True, slots=True)
class Thing:
    """A drive or a force, by name, and the joints or bodies that it acts on."""

    name: str
    what: str
    on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Anchor:
    """A named frame in a node: its place in the body frame [m], and in the frame that it hangs on, if it does."""

    name: str
    node: int
    at: Vector
    rotation: Quaternion
    parent: str = ""  # frame that it hangs on
    at_parent: Vector | None = None


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
    anchors: tuple[Anchor, ...] = ()
    materials: tuple[str, ...] = ()


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
class Property:
    """Numbers of something that can be edited; None where there is no bound, or none of its own."""

    field: str
    values: tuple[float | None, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Owner:
    """A body, joint, drive, force or material with its properties."""

    what: Literal["body", "joint", "force", "material"]
    name: str
    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Properties:
    """Properties now of what is shown in the tree."""

    kind: ClassVar[str] = "properties"
    owners: tuple[Owner, ...]


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
class Look:
    """Where to look from: a direction with the whole scene in sight, an eye and its target, or a body to go along with.

    The eye of a camera that goes along is seen from the centre of mass of the body, in axes of the body if it is
    ``fixed``; as far away as before if it is left out. A page obeys each ``number`` once.
    """

    kind: ClassVar[str] = "look"
    number: int
    toward: Vector | None = None
    eye: Vector | None = None
    target: Vector | None = None
    body: str = ""
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Pong:
    """Answer to a ping."""

    kind: ClassVar[str] = "pong"
    number: int


TO_PAGE: tuple[type, ...] = (
    Welcome, Scene, Status, Figures, Samples, Values, Settings, Frozen, Outputs, Problem, Recording, Recorded, Playback,
    Trails, Panels, Properties, Look, Pong,
)  # fmt: skip
PARTS: tuple[type, ...] = (
    Geometry, Item, Node, Joint, Band, Skin, Strokes, Setting, Device, Thing, Signal, Ghost, Trail, Panel,
    Anchor, Property, Owner,
)  # of a scene  # fmt: skip
