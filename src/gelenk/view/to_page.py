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
    blob: str = ""  # of a large surface, in place of vertices and faces: float32 (n, 3), then uint32 (m, 3)
    corners: int = 0  # of the vertices in the blob
    low: Vector = (0.0, 0.0, 0.0)  # the box around what is in the blob [m]
    high: Vector = (0.0, 0.0, 0.0)


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
    noises: tuple[str, ...] = ()  # and hits
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
    """What the model gives to hear and to feel.

    Pitch [Hz] and volume of its tones, cut-off [Hz], volume and sharpness of its noises, how often each hit was struck,
    how loudly the last time, its pitch [Hz] and length [s], and the strength of the vibration.
    """

    kind: ClassVar[str] = "outputs"
    tones: dict[str, tuple[float, float]] = field(default_factory=dict)
    weak: float = 0.0
    strong: float = 0.0
    noises: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    hits: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)


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
    rig: str = ""  # a camera that was declared


@dataclass(frozen=True, slots=True)
class Rig:
    """A declared camera: in a body, behind one, or beside the way of one."""

    name: str
    what: Literal["cockpit", "follow", "trackside"]
    body: str
    at: Vector  # of a cockpit in the body frame; of one that follows behind, ahead and above [m]
    toward: Vector  # body axes
    up: Vector
    fov_deg: float
    damping: float  # [s]
    level: bool = False
    places: tuple[Vector, ...] = ()
    width: float = 0.0  # of the picture at the body [m]


@dataclass(frozen=True, slots=True)
class Rigs:
    """Cameras to choose from."""

    kind: ClassVar[str] = "rigs"
    rigs: tuple[Rig, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """A time on the way [s], and how far behind the best it is, if there is one."""

    name: str
    time: float
    behind: float | None = None


@dataclass(frozen=True, slots=True)
class Hud:
    """What a driver sees over the picture; None where there is nothing to show."""

    kind: ClassVar[str] = "hud"
    driving: bool  # panels are put away at first
    speed: float | None  # [m/s]
    clock: float | None  # [s]
    splits: tuple[Split, ...]
    g: Vector | None  # left, up, ahead
    steering: float | None  # from -1, right, to 1, left
    words: str
    number: int  # of the words, shown once each
    seconds: float  # for which they are shown
    note: str  # a line that stays while it is not empty


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a dialog."""

    name: str
    label: str
    what: Literal["number", "choice", "text"]
    value: float
    text: str
    low: float
    high: float
    step: float
    unit: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """A dialog: its fields as they are now, and the names under which others were saved."""

    kind: ClassVar[str] = "form"
    title: str
    fields: tuple[FormField, ...]
    names: tuple[str, ...]
    files: bool  # whether it can be saved
    said: str  # of what was done last


@dataclass(frozen=True, slots=True)
class TracePart:
    """Points of a line on the ground from number ``first`` on; a new ``epoch`` begins anew. A point that is no number
    lifts the pen. Times and points are base64, float32 (n,) [s] and (n, 3) [m].
    """

    name: str
    colour: Colour
    epoch: int
    first: int
    times: str
    points: str


@dataclass(frozen=True, slots=True)
class Traces:
    """Lines on the ground that have grown."""

    kind: ClassVar[str] = "traces"
    parts: tuple[TracePart, ...]


@dataclass(frozen=True, slots=True)
class Light:
    """The light: even as of a workbench, the sun, or a night with lamps."""

    kind: ClassVar[str] = "light"
    mode: Literal["workbench", "day", "night"]
    sun: Vector  # unit vector to the sun, or to the moon
    haze: float  # distance at which things are lost in the sky [m]
    lamps: tuple[Vector, ...] = ()
    reach: float = 0.0  # of a lamp [m]
    brightness: float = 0.0


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of scenery, whose numbers are in a blob: a surface, or copies of something small."""

    name: str
    shape: Literal["surface", "conifer", "tree", "post", "banner", "box", "lamp", "rock"]
    blob: str
    vertices: int
    faces: int
    copies: int
    low: Vector  # the box around it, or around the places [m]
    high: Vector
    gloss: float
    shadow: bool
    shown: bool
    texture: Literal["", "ice", "wood"] = ""  # with a way along and across for each vertex behind the triangles


@dataclass(frozen=True, slots=True)
class Scenery:
    """What stands around and belongs to no model."""

    kind: ClassVar[str] = "scenery"
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Pong:
    """Answer to a ping."""

    kind: ClassVar[str] = "pong"
    number: int


TO_PAGE: tuple[type, ...] = (
    Welcome, Scene, Status, Figures, Samples, Values, Settings, Frozen, Outputs, Problem, Recording, Recorded, Playback,
    Trails, Panels, Properties, Look, Rigs, Hud, Form,
    Traces, Light, Scenery, Pong,
)  # fmt: skip
PARTS: tuple[type, ...] = (
    Geometry, Item, Node, Joint, Band, Skin, Strokes, Setting, Device, Thing, Signal, Ghost, Trail, Panel,
    Anchor, Property, Owner, Piece, Rig,
    Split, FormField, TracePart,
)  # of a scene  # fmt: skip
