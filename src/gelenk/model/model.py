"""The model: what exists, immutable, and the arrays that kernels read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from gelenk.checks import Vector, unknown
from gelenk.errors import InputError
from gelenk.forces.drag import Drag
from gelenk.forces.element import Element
from gelenk.forces.gravity import Gravity
from gelenk.forces.law import Law
from gelenk.forces.segment_contacts import SegmentContacts
from gelenk.forces.spring import Spring
from gelenk.forces.wrench import Wrench
from gelenk.joints.wiring import Site
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.math.vec3 import Vec3, vec3
from gelenk.model.contact_law import ContactLaw
from gelenk.model.parts import WORLD, Body, Frame, Material, Particle
from gelenk.model.states import state_from
from gelenk.model.wired import Wired, wire
from gelenk.state import Masses, State, System, new_state

# One canonical tuple of the built-in kinds, empty where unused: a step is compiled once for all models.
KINDS: tuple[type, ...] = (Drag, Spring, Wrench, Law)
CONTACT_KINDS: tuple[type, ...] = (SegmentContacts,)  # act at contacts alone, and have no block


@dataclass(frozen=True)
class Model:
    """What the system is. Made by :meth:`Builder.build`, never written by a step.

    Two models are equal if everything in them is; functions of laws are compared by the name of the law. Their scene
    texts (``gk.scene_text``) also tell -0.0 from 0.0.
    """

    name: str
    gravity: Vector
    bodies: tuple[Body, ...]
    particles: tuple[Particle, ...]
    frames: tuple[Frame, ...]
    materials: tuple[Material, ...]
    forces: tuple[Element, ...]
    joints: tuple[Any, ...] = ()  # joints, motors and gears
    excluded: tuple[tuple[str, str], ...] = ()  # pairs of bodies that never collide, in the order of the bodies
    contacts: tuple[ContactLaw, ...] = ()  # laws of pairs of materials
    nodes: NodeTable = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", NodeTable(self.bodies, self.particles, self.frames))
        _ = self.system, self.wired  # the blocks check what only the whole model can tell
        for force in self.forces:
            if isinstance(force, SegmentContacts):
                force.check(self.nodes, {body.name: len(body.parts) for body in self.bodies if body.static})

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and other processes build their own arrays: addresses and read-only flags do not travel."""
        parts = (self.gravity, self.bodies, self.particles, self.frames, self.materials, self.forces, self.joints)
        return Model, (self.name, *parts, self.excluded, self.contacts)

    def __repr__(self) -> str:
        return (
            f"<Model {self.name!r}: {len(self.bodies)} bodies, {len(self.particles)} particles, "
            f"{len(self.forces)} forces, {len(self.joints)} joints and drives>"
        )

    @cached_property
    def system(self) -> System:
        """Masses and force blocks, as compiled code sees them."""
        bodies, particles = self.bodies, self.particles
        mass = np.array([0.0, *(b.mass for b in bodies), *(p.mass for p in particles)])
        inertia = np.array([np.zeros((3, 3)), *(np.array(b.inertia) for b in bodies)])
        inverse = np.zeros_like(inertia)
        for i, b in enumerate(bodies, start=1):
            if not b.static:
                inverse[i] = symmetric_inverse(inertia[i])
        masses = Masses(mass, np.divide(1.0, mass, where=mass > 0, out=np.zeros_like(mass)), inertia, inverse)
        by_kind: dict[type, list[Any]] = defaultdict(list)
        for force in (force for force in self.forces if not isinstance(force, CONTACT_KINDS)):
            by_kind[type(force)].append(force)
        others = [kind for kind in by_kind if kind not in KINDS]
        blocks: list[Any] = [Gravity(np.array(self.gravity))]
        blocks += [kind.block(by_kind[kind], self.nodes) for kind in (*KINDS, *others)]  # type: ignore[attr-defined]
        system = System(masses, tuple(blocks))
        for array in (*masses, *(a for block in blocks for a in block)):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False  # also for the compiler: a kernel that writes to a model does not compile
        return system

    @cached_property
    def wired(self) -> Wired:
        """Joints, motors and gears, as compiled code sees them."""
        return replace(wire(self.joints, self.nodes), segments=self.segment_count)

    @property
    def segment_count(self) -> int:
        """Segments of all segment contacts, each once for every part of its ground."""
        count = 0
        for force in self.forces:
            if isinstance(force, SegmentContacts):
                ground, _ = self.nodes.site(force.label, "ground", force.ground)
                count += len(force.points) * (len(self.bodies[ground - 1].parts) if ground > 0 else 0)
        return count

    def initial_state(self) -> State:
        """State at the start, as the bodies and particles give it."""
        state = new_state(self.nodes.count, len(self.bodies) + 1, self.wired.memory_size)
        self.wired.begin(state.memory)
        if self.bodies:
            rows = slice(1, len(self.bodies) + 1)
            R_WB = rotation_matrix([b.rotation for b in self.bodies])
            r_W = (R_WB @ np.array([b.com for b in self.bodies])[:, :, None])[:, :, 0]
            w_W = np.array([b.angular_velocity for b in self.bodies])
            state.p_WC[rows] = np.array([b.at for b in self.bodies]) + r_W
            state.q_WB[rows] = [b.rotation for b in self.bodies]
            state.v_WC[rows] = np.array([b.velocity for b in self.bodies]) + np.cross(w_W, r_W)
            state.w_WB_B[rows] = (R_WB.transpose(0, 2, 1) @ w_W[:, :, None])[:, :, 0]
        if self.particles:
            first = len(self.bodies) + 1
            state.p_WC[first:] = [p.at for p in self.particles]
            state.v_WC[first:] = [p.velocity for p in self.particles]
        return state

    def state_from(self, other: Model, state: State) -> State:
        """State of this model in which all is as in a ``state`` of another model, by names.

        ::

            b = gk.Builder.from_model(model)
            b.body("tile", shape=gk.Box((10, 10, 1)), static=True)
            larger = b.build()
            sim = gk.Simulation(larger, state=larger.state_from(model, sim.state), time=sim.time)

        What moves in both is where it was and as fast; what is new, and what is static, is where this model has it.
        Joints and drives of the same name keep their set-points, turned angles and breaks.
        """
        if not isinstance(other, Model):
            raise InputError("state_from()", f"other is {other!r}"[:100], "a Model", "Pass the model of the state.")
        return state_from(self, other, state)

    def body(self, name: str) -> Body:
        """The body of that name."""
        for b in self.bodies:
            if b.name == name:
                return b
        raise unknown(f"model {self.name!r}", "body", name, (b.name for b in self.bodies))

    def index(self, name: str) -> int:
        """Row of a body or particle in the arrays of a state; the world is row 0."""
        return self.nodes.index(f"model {self.name!r}", "name", name)


def in_order(pairs: Iterable[tuple[str, str]], bodies: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of different bodies that exist, each once, sorted as the bodies are."""
    order = {name: k for k, name in enumerate(bodies)}
    there = [(order[a], order[b], a, b) for a, b in pairs if a in order and b in order and a != b]
    found = {(i, j, a, b) if i < j else (j, i, b, a) for i, j, a, b in there}
    return tuple((a, b) for _, _, a, b in sorted(found))


def symmetric_inverse(inertia: np.ndarray) -> np.ndarray:
    """Inverse of an inertia tensor, exactly symmetric, exactly diagonal if the tensor is."""
    if np.array_equal(inertia, np.diag(np.diag(inertia))):
        return np.diag(1.0 / np.diag(inertia))
    inverse = np.linalg.inv(inertia)
    return 0.5 * (inverse + inverse.T)


class NodeTable:
    """Where named bodies and particles stand in the arrays: the world, all bodies, all particles."""

    def __init__(
        self, bodies: tuple[Body, ...], particles: tuple[Particle, ...], frames: tuple[Frame, ...] = ()
    ) -> None:
        self.names = (WORLD, *(b.name for b in bodies), *(p.name for p in particles))
        self.count = len(self.names)
        self._first_particle = len(bodies) + 1
        self._index = {name: i for i, name in enumerate(self.names)}
        self._com = np.array([np.zeros(3), *(np.array(b.com) for b in bodies)])
        self._parts: tuple[Any, ...] = (None, *bodies, *particles)
        self._frames = {frame.name: frame for frame in frames}

    def index(self, element: str, what: str, name: str) -> int:
        """Index of a node; refuses a name that does not exist."""
        if not isinstance(name, str) or name not in self._index:
            raise unknown(element, what, name, self.names)
        return self._index[name]

    def arm(self, index: int, point_B: Vector) -> np.ndarray:
        """Vector from the centre of mass to a point given in the body frame, body axes [m]."""
        if self.is_particle(index):
            if any(point_B):
                name = self.names[index]
                raise InputError(f"particle {name!r}", f"a point {point_B} beside it", "(0, 0, 0)", "Leave it out.")
            return np.zeros(3)
        return np.array(point_B) - self._com[index]

    def is_particle(self, index: int) -> bool:
        """Whether the node has no orientation."""
        return index >= self._first_particle

    def is_static(self, index: int) -> bool:
        """Whether the node never moves."""
        return index == 0 or bool(self._parts[index].static)

    def site(self, element: str, what: str, name: str) -> tuple[int, Site | None]:
        """Node of a body, particle or frame, and for a frame its place in the node."""
        if not isinstance(name, str) or (name not in self._index and name not in self._frames):
            raise unknown(element, what, name, (*self.names, *self._frames))
        if name in self._index:
            return self._index[name], None
        frame = self._frames[name]
        node = self._index[frame.body]
        return node, Site(node, vec3(self.arm(node, frame.at)), Quat(*frame.rotation))

    def start(self, index: int) -> tuple[Vec3, Quat]:
        """Centre of mass and orientation of a node at the start."""
        part = self._parts[index]
        if part is None:
            return Vec3(0.0, 0.0, 0.0), Quat(1.0, 0.0, 0.0, 0.0)
        if self.is_particle(index):
            return Vec3(*part.at), Quat(1.0, 0.0, 0.0, 0.0)
        return vec3(np.array(part.at) + rotation_matrix(part.rotation) @ self._com[index]), Quat(*part.rotation)
