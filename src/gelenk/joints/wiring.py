"""Wiring: joints and motors of a model put down their pairs, coordinates and rows here, and become arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from gelenk.checks import Vector, unknown
from gelenk.errors import InputError
from gelenk.geometry.curve_eval import pack_curves
from gelenk.geometry.surface_eval import pack_surfaces
from gelenk.joints.outputs import Output, outputs_of
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3
from gelenk.rows.block import BOX, COORDINATE, HOLD, JOINT, LIMIT, LOCK, NONE, PAIR, ROW, TERM, Joints, records
from gelenk.rows.coordinate import CURVE, FOLLOW, PLACE, SHIFT, SURFACE, Frames, coordinate
from gelenk.rows.guides import pack_guides
from gelenk.rows.links import AT, FORCE, LINK, RATE, REACTION
from gelenk.rows.strips import strips

GAIN = 0.5  # error reduction of joints a step (virtual-worlds 5.1)


class Places(Protocol):
    """Where named bodies, particles and frames are at the start."""

    names: tuple[str, ...]  # of bodies and particles

    def index(self, element: str, what: str, name: str) -> int:
        """Index of a node."""
        ...

    def is_particle(self, index: int) -> bool:
        """Whether the node has no orientation."""
        ...

    def is_static(self, index: int) -> bool:
        """Whether the node never moves."""
        ...

    def site(self, element: str, what: str, name: str) -> tuple[int, Site | None]:
        """Node of a body, particle or frame, and the site of a frame."""
        ...

    def start(self, index: int) -> tuple[Vec3, Quat]:
        """Centre of mass and orientation of a node at the start."""
        ...

    def arm(self, index: int, point_B: Vector) -> np.ndarray:
        """Vector from the centre of mass of a node to a point in its frame, body axes [m]."""
        ...


@dataclass(frozen=True)
class Site:
    """A frame fixed in a node."""

    node: int
    r: Vec3  # centre of mass to origin, body axes [m]
    q: Quat  # axes, frame to body

    def in_world(self, places: Places) -> tuple[Vec3, Quat]:
        """Origin and axes in the world at the start."""
        p, q = places.start(self.node)
        return p + rotation(q) @ self.r, q * self.q


def site_at(places: Places, node: int, p_W: Vec3, q_W: Quat) -> Site:
    """The frame of a node that is at a place in the world at the start."""
    p, q = places.start(node)
    return Site(node, rotation(q).tdot(p_W - p), q.conj() * q_W)


@dataclass
class Row:
    """One row before it becomes numbers in arrays; see :class:`gelenk.rows.block.Joints`."""

    label: str  # whom an error names
    mode: int
    terms: list[tuple[int, float]]  # (coordinate, factor)
    owner: int = NONE
    bearing: bool = False
    with_a: int = NONE
    with_b: int = NONE
    rest: float = 0.0
    gain: float = GAIN
    stiffness: float = 0.0
    damping: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    target: int = NONE
    target_factor: float = 1.0
    strength: int = NONE
    kp: float = 0.0
    ki: float = 0.0
    kd: float = 0.0
    set: int = BOX
    radius: float = 0.0
    guide: int = NONE
    kink: float = math.inf
    beyond: float = 0.0
    restitution: float = 0.0

    @property
    def equality(self) -> bool:
        """A joint row that nothing bounds."""
        return self.mode == HOLD and self.set == BOX and self.low == -math.inf and self.high == math.inf


@dataclass(frozen=True)
class Coordinate:
    """A free coordinate of a joint, by name: what limits, motors and gears act on, and what a run records."""

    joint: str
    name: str
    key: tuple[int, int, int, int]  # pair, kind, axis, table
    unit: str  # "rad" or "m"
    owner: int  # its joint


class Tie(NamedTuple):
    """A connection before it becomes numbers in arrays."""

    label: str  # whom an error names
    output: Output
    input: str
    factor: float
    offset: float


@dataclass
class Wiring:
    """Collects what the joints of a model need."""

    places: Places
    elements: frozenset[str] = frozenset()  # names of all joints and drives
    pairs: list[tuple[Site, Site, int]] = field(default_factory=list)
    keys: list[tuple[int, int, int, int]] = field(default_factory=list)  # (pair, kind, axis, table)
    known: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    begin: list[tuple[float, float]] = field(default_factory=list)  # memory of the coordinates at the start
    rows: list[Row] = field(default_factory=list)
    joints: list[tuple[str, int, float, float]] = field(default_factory=list)  # name, pair, break force, torque
    inputs: dict[str, tuple[int, float]] = field(default_factory=dict)  # name -> (place, value at the start)
    free: dict[str, dict[str, Coordinate]] = field(default_factory=dict)  # joint -> its free coordinates
    forces: dict[str, list[tuple[Row, float, str]]] = field(default_factory=dict)  # motor -> rows, factors, unit
    curves: list[Any] = field(default_factory=list)
    surfaces: list[Any] = field(default_factory=list)
    to_check: set[int] = field(default_factory=set)  # pairs whose frames may stand apart
    ties: list[Tie] = field(default_factory=list)
    guides: list[dict[str, Any]] = field(default_factory=list)  # see gelenk.rows.guides
    written: dict[str, str] = field(default_factory=dict)  # inputs that elements write themselves -> their labels

    # --- what elements call ------------------------------------------------------------------------------------------

    def pair(self, a: Site, b: Site, pose: int = NONE, *, check: bool = False) -> int:
        """Add a pair of frames."""
        self.pairs.append((a, b, pose))
        if check:
            self.to_check.add(len(self.pairs) - 1)
        return len(self.pairs) - 1

    def shifted_pair(self, pair: int, way: Vector) -> int:
        """The frames of a pair, both moved by ``way`` along their own axes [m]."""
        a, b, pose = self.pairs[pair]
        made = [Site(site.node, site.r + rotation(site.q) @ Vec3(*way), site.q) for site in (a, b)]
        return self.pair(made[0], made[1], pose)

    def joint(self, name: str, pair: int, break_force: float = math.inf, break_torque: float = math.inf) -> int:
        """Add a joint, whose reaction is measured at the second origin of a pair."""
        self.joints.append((name, pair, break_force, break_torque))
        return len(self.joints) - 1

    def index(self, free: Coordinate) -> int:
        """The coordinate of a joint, made if there is none yet."""
        return self.coordinate(*free.key)

    def coordinate(self, pair: int, kind: int, axis: int = 0, table: int = 0) -> int:
        """A coordinate of a pair, made if there is none yet."""
        key = (pair, kind, axis, table)
        if key not in self.known:
            self.known[key] = len(self.keys)
            self.keys.append(key)
            self.begin.append(self._begin(pair, kind, table))
        return self.known[key]

    def _begin(self, pair: int, kind: int, table: int) -> tuple[float, float]:
        if kind not in (CURVE, PLACE, FOLLOW, SURFACE):
            return 0.0, 0.0
        a, b, _ = self.pairs[pair]
        p_a, q_a = a.in_world(self.places)
        p = tuple(rotation(q_a).tdot(b.in_world(self.places)[0] - p_a))
        if kind == SURFACE:
            from gelenk.geometry.surface_eval import nearest_on_surface

            return nearest_on_surface(self.surfaces[table], p)
        from gelenk.geometry.curve_eval import nearest_on_curve

        return nearest_on_curve(self.curves[table], p), 0.0

    def begin_within(self, c: int, low: float, high: float) -> None:
        """Count an angle that has limits from the turn in which they lie."""
        if not low <= self.value(c) <= high:
            before, ends = self.begin[c], [end for end in (low, high) if math.isfinite(end)]
            self.begin[c] = (sum(ends) / len(ends), 0.0)
            if not low <= self.value(c) <= high:
                self.begin[c] = before

    def value(self, c: int) -> float:
        """A coordinate at the start."""
        pair, kind, axis, table = self.keys[c]
        a, b, _ = self.pairs[pair]
        (p_a, q_a), (p_b, q_b) = a.in_world(self.places), b.in_world(self.places)
        frames = Frames(p_a, p_b, rotation(q_a), rotation(q_b), q_a.conj() * q_b)
        tables = pack_curves(self.curves), pack_surfaces(self.surfaces)
        return float(coordinate(kind, axis, table, self.begin[c], frames, *tables)[0])

    def row(self, row: Row) -> Row:
        """Add a row."""
        self.rows.append(row)
        return row

    def input(self, name: str, value: float) -> int:
        """Add a named set-point; returns its place."""
        self.inputs[name] = (len(self.inputs), float(value))
        return self.inputs[name][0]

    def sensor(self, name: str, row: Row, factor: float, unit: str) -> None:
        """Record the force of a row under the name of its motor."""
        taken = next((r.label for r, *_ in self.forces.get(name, []) if r.label != row.label), None)
        if taken is not None:
            found = f"its sensor {name!r} is that of {taken}"
            raise InputError(row.label, found, "names that no sensor has", "Rename one of them.")
        self.forces.setdefault(name, []).append((row, factor, unit))

    def name_free(self, joint: str, name: str, key: tuple[int, int, int, int], unit: str, owner: int) -> Coordinate:
        """Give a free coordinate of a joint its name."""
        self.free.setdefault(joint, {})[name] = Coordinate(joint, name, key, unit, owner)
        return self.free[joint][name]

    def find(self, label: str, what: str, on: Any) -> Coordinate:
        """The coordinate that ``"joint"`` or ``"joint.coordinate"`` means."""
        if isinstance(on, str):
            joint, _, name = (on, "", "") if on in self.free else on.rpartition(".")
            free = self.free.get(joint, {})
            if name in free:
                return free[name]
            if not name and len(free) == 1:
                return next(iter(free.values()))
            if free:
                names = ", ".join(repr(f"{joint}.{c}") for c in free)
                found = f"{joint!r} has no {name!r}" if name else f"{joint!r} has {len(free)} coordinates"
                raise InputError(label, f"{what} is {on!r}, and {found}", names, "Choose one of these.")
            if on in (made for made, *_ in self.joints):
                allowed = "a joint with a free coordinate"
                raise InputError(label, f"{what} is {on!r}, which leaves none free", allowed, "Choose another joint.")
        near = [f"{j}.{c}" for j, free in self.free.items() for c in free]
        if isinstance(on, str) and on in self.places.names:
            allowed = ", ".join(["a joint or one of its coordinates", *map(repr, near[:8])])
            raise InputError(label, f"{what} is {on!r}, which is no joint", allowed, "Name the joint that moves it.")
        raise unknown(label, what, on, near)

    @property
    def poses(self) -> list[int]:
        """The first of the seven inputs of every pose that is an input."""
        return [pose for *_, pose in self.pairs if pose != NONE]

    @cached_property
    def outputs(self) -> dict[str, Output]:
        """What connections may read, by name; to be asked for once joints and drives are wired."""
        return outputs_of(self)

    # --- arrays ------------------------------------------------------------------------------------------------------

    def arrays(self) -> Joints:
        """Everything as arrays; coordinates sorted by pair.

        Rows without bounds come first (V-120). Stops and locks come last, so that where a solver that sweeps has no
        time to settle what leans on them, they hold.
        """
        self.rows.sort(key=lambda row: 0 if row.equality else 1 if row.mode not in (LIMIT, LOCK) else 2)
        order = sorted(range(len(self.keys)), key=lambda c: self.keys[c][0])
        self.new_index = {c: n for n, c in enumerate(order)}
        locks = [(n, row) for n, row in enumerate(self.rows) if row.mode == LOCK]
        self.locks_begin = {n: sum(s * self.value(c) for c, s in row.terms) for n, row in locks}
        self.memory_begin = np.array([self.begin[c] for c in order], dtype=np.float64).reshape(-1, 2)
        coordinates = records(COORDINATE, len(order))
        for n, c in enumerate(order):
            coordinates[n] = tuple(self.keys[c][i] for i in (1, 2, 0, 3))
        first = np.searchsorted(coordinates.pair, np.arange(len(self.pairs) + 1))
        pair = records(PAIR, len(self.pairs))
        for n, (a, b, pose) in enumerate(self.pairs):
            only = all(coordinates.kind[first[n] : first[n + 1]] == SHIFT)
            pair[n] = (a.node, b.node, pose, only, first[n], first[n + 1], a.r, b.r, a.q, b.q)
        row, term = records(ROW, len(self.rows)), records(TERM, sum(len(r.terms) for r in self.rows))
        body: list[int] = []
        terms = 0
        for n, made in enumerate(self.rows):
            mine: list[int] = []
            begin = (terms, len(body))
            for c, factor in made.terms:
                slots = []
                for site in self.pairs[self.keys[c][0]][:2]:
                    moves = not self.places.is_static(site.node)
                    if moves and site.node not in mine:
                        mine.append(site.node)
                    slots.append(begin[1] + mine.index(site.node) if moves else NONE)
                term[terms] = (self.new_index[c], *slots, self.keys[c][1] == SHIFT, factor)
                terms += 1
            body += mine
            row[n].term_first, row[n].term_last = begin[0], terms
            row[n].entry_first, row[n].entry_last = begin[1], len(body)
            row[n].normal = NONE
            row[n].plain = made.equality
            for name in ROW_FIELDS:
                row[n][name] = getattr(made, name)
            if made.guide != NONE:
                self.guides[made.guide] |= {"row": n, "coordinate": self.new_index[made.terms[0][0]]}
        joint = records(JOINT, len(self.joints))
        for n, (_, of_pair, force, torque) in enumerate(self.joints):
            joint[n] = (of_pair, 0, force, torque)
        equalities = sum(made.equality for made in self.rows)
        return Joints(
            pair=pair,
            coordinate=coordinates,
            row=row,
            term=term,
            body=np.array(body, dtype=np.uint32),
            joint=joint,
            equalities=np.array([equalities], dtype=np.uint32),
            strip=strips(
                np.maximum(pair.a, pair.b).astype(np.int64),
                np.array([max(self.keys[c][0] for c, _ in made.terms) for made in self.rows[:equalities]], np.int64),
                np.array([-1 if made.owner == NONE else made.owner for made in self.rows[:equalities]], np.int64),
                len(self.places.names),
                len(joint),
            ),
            breakable=np.flatnonzero(np.minimum(joint.break_force, joint.break_torque) < np.inf).astype(np.uint32),
            curves=pack_curves(self.curves),
            surfaces=pack_surfaces(self.surfaces),
            guides=pack_guides(self.guides, records),
        )

    def links(self) -> Any:
        """The connections as records; after :meth:`arrays`, which gives coordinates and rows their places."""
        made = records(LINK, len(self.ties))
        row = {id(r): n for n, r in enumerate(self.rows)}
        for n, tie in enumerate(self.ties):
            kind, of, axis = tie.output
            index, r = of, np.zeros(3)
            if kind in (AT, RATE):
                index = self.new_index[self.index(of)]
            elif kind == FORCE:
                index = row[id(of)]
            elif kind != REACTION:
                r = self.places.arm(of, (0.0, 0.0, 0.0))
            made[n] = (kind, index, axis, self.inputs[tie.input][0], tie.factor, tie.offset, r)
        return made


ROW_FIELDS = [f.name for f in fields(Row) if f.name in (ROW.names or ())]
