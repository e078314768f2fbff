"""What a model is made of, as plain immutable data: materials, parts, bodies, particles, frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gelenk.arguments import friendly
from gelenk.checks import (
    Quaternion,
    Vector,
    check_name,
    check_number,
    check_quaternion,
    check_vector,
)
from gelenk.errors import InputError
from gelenk.geometry.compound import ALL_SHAPES, meshes_of
from gelenk.geometry.lofted import LoftedSheet
from gelenk.geometry.shapes import Shape
from gelenk.model.contact_law import BARE_FRICTION, BARE_GRAIN, check_contact_values

ORIGIN: Vector = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
WORLD = "world"
Matrix = tuple[Vector, Vector, Vector]
BARE_DENSITY = 1000.0  # [kg/m^3] where neither a material nor its body says one


@friendly
@dataclass(frozen=True, slots=True)
class Material:
    """What a part is made of.

    Parameters
    ----------
    name : unique name
    density : [kg/m^3]; None is that of the body, or 1000
    friction : coefficient of sliding friction
    restitution : coefficient of restitution, 0 to 1
    color : red, green, blue from 0 to 1
    static_friction : coefficient of sticking, at least ``friction``; None is the same
    friction_across : coefficient of sliding across the grain; None is the same as along it
    grain : direction of the grain in the axes of the part, of any length above 0
    rolling_friction, torsional_friction : arms [m]; the couple that resists rolling, and turning about the normal, is
        at most the arm times the normal force
    stiffness, damping : of one contact point [N/m, N s/m]; 0 is hard contact, and damping needs a stiffness
    slip_restitution : the same as ``restitution`` along the tangents, as far as friction lets it: a ball of rubber that
        spins turns round its slip; 0 is usual (B-28)

    How the values of two materials are combined is told in :mod:`gelenk.model.contact_law`; :meth:`Builder.contact`
    gives a pair values of its own.
    """

    name: str
    density: float | None = None
    friction: float = BARE_FRICTION
    restitution: float = 0.0
    color: Vector = (0.6, 0.65, 0.7)
    static_friction: float | None = None
    friction_across: float | None = None
    grain: Vector = BARE_GRAIN
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    slip_restitution: float = 0.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", check_name("material", self.name))
        label = f"material {self.name!r}"
        if self.density is not None:
            put(self, "density", check_number(label, "density", self.density, "kg/m^3", above=0))
        check_contact_values(label, self, optional=("static_friction", "friction_across"))
        put(self, "grain", check_vector(label, "grain", self.grain, "1"))
        if not any(self.grain):
            remedy = "Pass a direction such as (1, 0, 0)."
            raise InputError(label, f"grain is {self.grain}, which has no direction", "a length above 0", remedy)
        color = check_vector(label, "color", self.color, "1")
        if not all(0 <= c <= 1 for c in color):
            raise InputError(label, f"color is {color}", "three numbers from 0 to 1", "Scale the color.")
        put(self, "color", color)


@friendly
@dataclass(frozen=True, slots=True)
class Part:
    """A shape fixed to a body. What is seen, what collides and what weighs are kept apart.

    Parameters
    ----------
    shape : a primitive, a mesh, a convex hull, a height field, a tree of balls or a compound of these; meshes that
        weigh or collide must not cut through themselves. A plane has no mass: on a body that moves, mass and inertia
        are given, or the plane does not weigh. A height field weighs as the solid between its base and its top.
        Convex meshes collide as convex hulls, see :class:`gelenk.TriangleMesh`. A :class:`gelenk.LoftedSheet` neither
        collides nor weighs: segments touch it.
    at, rotation : where it sits in the body frame [m, unit quaternion w x y z]
    density : [kg/m^3]; 0 takes the density of the material, then that of the body
    material : name of a material, or "" for none
    view, collide, weighs : whether it is drawn, whether it touches others, whether it counts for the mass
    groups : names of the groups it is in, up to 31 in a model; none is the group "default"
    meets : names of the groups it touches, all if empty; two parts touch if each is in a group that the other meets
    """

    shape: Shape
    at: Vector = ORIGIN
    rotation: Quaternion = UPRIGHT
    density: float = 0.0
    material: str = ""
    view: bool = True
    collide: bool = True
    weighs: bool = True
    groups: tuple[str, ...] = ()
    meets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not isinstance(self.shape, tuple(ALL_SHAPES.values())):
            allowed = ", ".join(f"gk.{c.__name__}" for c in ALL_SHAPES.values())
            raise InputError("part", f"shape is {self.shape!r}"[:160], allowed, "Pass a shape object.")
        if isinstance(self.shape, LoftedSheet) and (self.collide is not False or self.weighs is not False):
            found, remedy = (
                "a lofted sheet that collides or weighs",
                "Write gk.Part(sheet, collide=False, weighs=False).",
            )
            raise InputError("part", found, "one that is seen, and touched by segments (gk.SegmentContacts)", remedy)
        if self.collide is not False or self.weighs is not False:
            for mesh in meshes_of(self.shape):
                mesh.check_no_crossing("part")
        put(self, "at", check_vector("part", "at", self.at, "m"))
        put(self, "rotation", check_quaternion("part", "rotation", self.rotation))
        put(self, "density", check_number("part", "density", self.density, "kg/m^3", least=0))
        if not isinstance(self.material, str):
            raise InputError("part", f"material is {self.material!r}", "the name of a material", "Pass a name.")
        for field in ("view", "collide", "weighs"):
            if not isinstance(getattr(self, field), bool):
                raise InputError("part", f"{field} is {getattr(self, field)!r}", "true or false", "Pass a bool.")
        for field in ("groups", "meets"):
            given = getattr(self, field)
            names = (given,) if isinstance(given, str) else given
            if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) for name in names):
                raise InputError("part", f"{field} is {given!r}"[:160], "names of groups", "Pass a tuple of names.")
            put(self, field, tuple(check_name("group", name) for name in names))


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body, checked and complete. Made by :meth:`gelenk.Builder.body`.

    The frame B is the user's; the centre of mass lies at ``com`` in it (B-02). Velocities are those of the frame:
    of its origin and about world axes.
    """

    name: str
    mass: float  # [kg], 0 for a static body
    com: Vector  # centre of mass in the body frame [m]
    inertia: Matrix  # about the centre of mass, body axes [kg m^2]
    at: Vector  # origin of the body frame in the world [m]
    rotation: Quaternion  # body to world
    velocity: Vector  # of the origin of the body frame, world axes [m/s]
    angular_velocity: Vector  # world axes [rad/s]
    static: bool
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Particle:
    """A point mass (I-011)."""

    name: str
    mass: float  # [kg], 0 for a static particle
    at: Vector  # [m]
    velocity: Vector  # [m/s]
    static: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed to a body or to the world, for sensors, joints and drawings.

    One that hangs on another frame (V-102) has its place in the body too; ``within`` is the frame it hangs on, with its
    place [m] and unit quaternion in that.
    """

    name: str
    body: str
    at: Vector = ORIGIN
    rotation: Quaternion = UPRIGHT
    within: tuple[str, Vector, Quaternion] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", check_name("frame", self.name))
        label = f"frame {self.name!r}"
        put(self, "at", check_vector(label, "at", self.at, "m"))
        put(self, "rotation", check_quaternion(label, "rotation", self.rotation))


def as_parts(element: str, shape: Any) -> tuple[Part, ...]:
    """Accept a shape, a part, or a list of either."""
    if shape is None:
        return ()
    items = shape if isinstance(shape, (list, tuple)) else [shape]
    try:
        return tuple(item if isinstance(item, Part) else Part(item) for item in items)
    except InputError as error:
        raise InputError(element, error.found, error.allowed, error.remedy) from None
