"""The builder: everything is checked here, at the door, and nothing later."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_name, check_number, check_quaternion, check_vector, unknown
from gelenk.errors import InputError
from gelenk.forces.element import Element
from gelenk.model.assembly import assembled, check_closed
from gelenk.model.change import changed_part
from gelenk.model.contact_law import ContactLaw, check_laws, check_materials
from gelenk.model.dependents import dependents as what_depends
from gelenk.model.frame_tree import hung, resolved
from gelenk.model.mass import as_vector, body_mass, check_given, check_inverse
from gelenk.model.merging import merged
from gelenk.model.model import Model, in_order
from gelenk.model.parts import ORIGIN, UPRIGHT, WORLD, Body, Frame, Material, Particle, as_parts
from gelenk.model.start_check import check_start
from gelenk.model.start_velocities import warn_of_velocities, with_fitting_velocities

GRAVITY = (0.0, 0.0, -9.81)
SERIES_NAMES = ("time", "energy", "momentum", "angular_momentum")


@friendly
class Builder:
    """Collects bodies, particles, frames, materials and forces, and builds an immutable :class:`Model`.

    >>> b = Builder(gravity=(0, 0, -9.81))
    >>> b.particle("stone", mass=0.5, at=(0, 0, 10))
    'stone'
    >>> model = b.build()
    """

    def __init__(self, *, gravity: Any = GRAVITY, name: str = "model") -> None:
        self.name = check_name("model", name)
        self.gravity = check_vector("model", "gravity", gravity, "m/s^2")
        self._bodies: dict[str, Body] = {}
        self._particles: dict[str, Particle] = {}
        self._frames: dict[str, Frame] = {}
        self._materials: dict[str, Material] = {}
        self._forces: dict[str, Element] = {}
        self._joints: dict[str, Any] = {}
        self._excluded: dict[tuple[str, str], None] = {}
        self._contacts: dict[tuple[str, str], ContactLaw] = {}

    def __repr__(self) -> str:
        counts = f"{len(self._bodies)} bodies, {len(self._particles)} particles, {len(self._forces)} forces"
        return f"<Builder {self.name!r}: {counts}; build() makes the model>"

    @classmethod
    def from_model(cls, model: Model) -> Builder:
        """A builder that holds what a model holds, to make a changed copy of it.

        ::

            b = gk.Builder.from_model(model)
            b.change("elbow", limits=(-1, 1))      # other values of a joint, drive or force
            b.replace(gk.Ball(name="wrist", ...))  # another element of that name
            b.remove("motor")                      # anything, by its name
            model = b.build()
        """
        b = cls(gravity=model.gravity, name=model.name)
        b._bodies = {x.name: x for x in model.bodies}
        b._particles = {x.name: x for x in model.particles}
        b._frames = {x.name: x for x in model.frames}
        b._materials = {x.name: x for x in model.materials}
        b._forces = {x.name: x for x in model.forces}
        b._joints = {x.name: x for x in model.joints}
        b._excluded = dict.fromkeys(model.excluded)
        b._contacts = {x.pair: x for x in model.contacts}
        return b

    def material(self, name: str, **properties: Any) -> str:
        """Add a material; see :class:`Material` for the properties. Returns its name."""
        material = Material(name, **properties)
        if name in self._materials:
            raise InputError(f"material {name!r}", "the name is taken", "unique names", "Choose another name.")
        self._materials[name] = material
        return name

    @friendly
    def contact(
        self,
        a: str,
        b: str,
        *,
        friction: float | None = None,
        static_friction: float | None = None,
        friction_across: float | None = None,
        rolling_friction: float | None = None,
        torsional_friction: float | None = None,
        restitution: float | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        slip_restitution: float | None = None,
    ) -> None:
        """Say how two materials act on each other, where it is not what their own values combine to.

        ``a`` and ``b`` are names of materials, maybe the same, and "" for parts without one. See :class:`ContactLaw`
        for the values. What is left out is combined from the materials, but ``friction`` alone holds for sticking and
        across the grain too.
        """
        law = ContactLaw(
            a,
            b,
            friction=friction,
            static_friction=static_friction,
            friction_across=friction_across,
            rolling_friction=rolling_friction,
            torsional_friction=torsional_friction,
            restitution=restitution,
            stiffness=stiffness,
            damping=damping,
            slip_restitution=slip_restitution,
        )
        check_materials(law, self._materials)
        if law.pair in self._contacts:
            found, remedy = "the pair has a law already", "Put all values into one, or remove_contact() it first."
            raise InputError(law.label, found, "one law for each pair of materials", remedy)
        self._contacts[law.pair] = law

    @friendly
    def remove_contact(self, a: str, b: str) -> None:
        """Take out the law of a pair of materials, in whichever order they are named."""
        del self._contacts[self._law_of("remove_contact()", a, b)]

    def law(self, a: str, b: str) -> ContactLaw:
        """The law of a pair of materials, in whichever order they are named."""
        return self._contacts[self._law_of("law()", a, b)]

    def _law_of(self, call: str, a: str, b: str) -> tuple[str, str]:
        """Where the law of a pair of materials is."""
        there = [pair for pair in self._contacts if pair in ((a, b), (b, a))]
        if not there:
            known = ", ".join(f"{law.a!r} and {law.b!r}" for law in self._contacts.values()) or "nothing yet"
            found = f"{a!r} and {b!r}, which have no law"
            raise InputError(call, found, known[:160], "Name a pair that contact() was called for.")
        return there[0]

    @friendly
    def body(
        self,
        name: str,
        *,
        shape: Any = None,
        density: float | None = None,
        material: str = "",
        mass: float | None = None,
        com: Any = None,
        inertia: Any = None,
        at: Any = ORIGIN,
        rotation: Any = UPRIGHT,
        velocity: Any = ORIGIN,
        angular_velocity: Any = ORIGIN,
        static: bool = False,
    ) -> str:
        """Add a rigid body. Returns its name.

        Parameters
        ----------
        name : unique name
        shape : a shape, a :class:`Part`, or a list of them; drawn, touched and weighed unless a part says otherwise
        density : [kg/m^3] of parts that bring none of their own, by themselves or by their material
        material : name of the material of parts that bring none of their own
        mass : [kg]; with shapes and no inertia, their density is scaled to it
        com : (3,) centre of mass in the body frame [m]; from the shapes, or the origin, if left out
        inertia : (3,) principal moments or (3, 3) about the centre of mass, body axes [kg m^2]
        at, rotation : origin [m] and orientation (unit quaternion w x y z, body to world) of the body frame
        velocity : of the origin of the body frame, world axes [m/s]
        angular_velocity : world axes [rad/s]
        static : never moves; mass and velocity are not needed
        """
        element = self._door("body", name)
        parts = self._with_material(element, as_parts(element, shape), material)
        pose = {
            "at": check_vector(element, "at", at, "m"),
            "rotation": check_quaternion(element, "rotation", rotation),
            "velocity": check_vector(element, "velocity", velocity, "m/s"),
            "angular_velocity": check_vector(element, "angular_velocity", angular_velocity, "rad/s"),
        }
        if not isinstance(static, bool):
            raise InputError(element, f"static is {static!r}", "true or false", "Pass a bool.")
        if static:
            if any(pose["velocity"]) or any(pose["angular_velocity"]):
                raise InputError(
                    element, "a static body with a velocity", "velocity 0", "Leave velocity or static out."
                )
            check_given(element, mass=mass, density=density, com=com, inertia=inertia)
            weight: dict[str, Any] = {"mass": 0.0, "com": ORIGIN, "inertia": (ORIGIN, ORIGIN, ORIGIN)}
        else:
            whole = body_mass(element, parts, self._materials, mass=mass, density=density, com=com, inertia=inertia)
            check_inverse(element, "mass", whole.mass, "kg")
            check_inverse(element, "inertia", float(np.linalg.eigvalsh(whole.inertia)[0]), "kg m^2")
            tensor = tuple(as_vector(row) for row in whole.inertia)
            weight = {"mass": whole.mass, "com": as_vector(whole.com), "inertia": tensor}
        self._bodies[name] = Body(name, **weight, **pose, static=static, parts=parts)  # type: ignore[arg-type]
        return name

    @friendly
    def particle(
        self, name: str, *, mass: float | None = None, at: Any = ORIGIN, velocity: Any = ORIGIN, static: bool = False
    ) -> str:
        """Add a point mass [kg] at a place [m] with a velocity [m/s], or a fixed point. Returns its name."""
        element = self._door("particle", name)
        at, velocity = check_vector(element, "at", at, "m"), check_vector(element, "velocity", velocity, "m/s")
        if not isinstance(static, bool):
            raise InputError(element, f"static is {static!r}", "true or false", "Pass a bool.")
        if mass is not None or not static:
            mass = check_number(element, "mass", mass, "kg", above=0)
            check_inverse(element, "mass", mass, "kg")
        if static:
            if any(velocity):
                raise InputError(element, "a static particle with a velocity", "velocity 0", "Leave one of them out.")
            mass = 0.0
        self._particles[name] = Particle(name, mass or 0.0, at, velocity, static)
        return name

    @friendly
    def frame(self, name: str, body: str, *, at: Any = ORIGIN, rotation: Any = UPRIGHT) -> str:
        """Add a named frame fixed to a body or to "world", or hung on another frame (V-102). Returns its name.

        ``at`` [m] and ``rotation`` are in the frame of the body, or in the frame that it hangs on, and goes along with.
        """
        element = self._door("frame", name)
        parent = self._frames.get(body) if isinstance(body, str) else None
        if parent is None:
            self._need_body(element, body, self._frames)
        frame = Frame(name, body if parent is None else parent.body, at, rotation)
        self._frames[name] = frame if parent is None else hung(frame, parent)
        return name

    @friendly
    def exclude(self, a: str, b: str) -> None:
        """Let two bodies never collide, wherever they are; queries see both as before.

        Neighbours at a joint need it not. For many bodies at once there are groups, see :class:`Part`.
        """
        for body in (a, b):
            if not isinstance(body, str) or body not in self._bodies:
                raise unknown("exclude()", "body", body, self._bodies)
        if a == b:
            remedy = "Name two bodies; a body never meets itself."
            raise InputError("exclude()", f"{a!r} twice", "two different bodies", remedy)
        self._excluded[a, b] = None

    def add(self, element: Any) -> str:
        """Add a force, a joint, or a motor or gear on joints, such as ``gk.Spring(...)`` or ``gk.Hinge(...)``.

        Returns its name.
        """
        self._check_element("add()", element)
        name = check_name(element.kind, element.name)
        if hasattr(element, "wire"):
            self._door(element.kind, name)
            self._joints[name] = element
        else:
            if name in self._forces:
                found = "the name is taken by another force"
                raise InputError(element.label, found, "unique names", "Choose another name.")
            self._forces[name] = element
        return name

    @staticmethod
    def _check_element(call: str, element: Any) -> None:
        if not hasattr(element, "kind") or not (hasattr(element, "block") or hasattr(element, "wire")):
            found = f"{element!r}"[:120]
            raise InputError(call, found, "an element such as gk.Spring(...) or gk.Hinge(...)", "Pass an element.")

    def change(self, name: str, /, *, kind: str | None = None, **values: Any) -> None:
        """Give something other values, all else stays: ``b.change("elbow", limits=(-1, 1))``.

        Forces, joints and drives by their names alone; ``kind`` tells others: ``b.change("ice", kind="material",
        friction=0.1)``, and ``kind="body"``, "particle", "frame" for mass, place and velocities. The inertia of a body
        goes with its mass.
        """
        if kind is None:
            table = self._elements(name)
        else:
            tables = self._tables()
            table = tables[check_choice("change()", "kind", kind, tuple(tables))]
            if not isinstance(name, str) or name not in table:
                raise unknown("change()", kind, name, table)
        if "name" in values:
            label = getattr(table[name], "label", f"{kind} {name!r}")
            raise InputError(label, "another name for it", "other values", "Remove it and add one of another name.")
        is_element = table is self._joints or table is self._forces
        table[name] = replace(table[name], **values) if is_element else changed_part(table[name], values)
        if table is self._frames:
            self._frames = {frame.name: frame for frame in resolved(table.values())}

    def change_contact(self, a: str, b: str, **values: Any) -> None:
        """Give the law of a pair of materials other values, in whichever order they are named; all else stays."""
        pair = self._law_of("change_contact()", a, b)
        self._contacts[pair] = replace(self._contacts[pair], **values)

    def replace(self, element: Any) -> None:
        """Put a force, joint or drive into the place of the one of its name."""
        self._check_element("replace()", element)
        table = self._elements(element.name)
        if hasattr(element, "wire") != (table is self._joints):
            found = f"it would take the place of {table[element.name].label}"
            raise InputError(element.label, found, "a force for a force, a joint or drive for one of these", "Use add.")
        table[element.name] = element

    def remove(self, name: str, *, kind: str | None = None, dependents: bool = False) -> list[str]:
        """Take out what has this name; ``kind`` tells which where a force or material has that of something else.

        With ``dependents`` all goes that refers to it: frames in a body, joints at it, drives and forces. Without,
        that is refused when the model is built, but for pairs of :meth:`exclude`. Laws of pairs of materials are taken
        out by :meth:`remove_contact`. Returns the names of what went with it.
        """
        tables = every = self._tables()
        if kind is not None:
            tables = {check_choice("remove()", "kind", kind, tuple(every)): every[kind]}
        having = [word for word, table in tables.items() if isinstance(name, str) and name in table]
        if not having:
            raise unknown("remove()", "name", name, (known for table in tables.values() for known in table))
        if len(having) > 1:
            found = f"{name!r} is the name of a {' and a '.join(having)}"
            raise InputError("remove()", found, "one of them", f"Pass kind={having[0]!r} or {having[1]!r}.")
        del tables[having[0]][name]
        if not dependents:
            return []
        nodes = (*self._bodies.values(), *self._particles.values())
        rest = nodes, self._frames.values(), self._joints.values(), self._forces.values()
        gone = what_depends(name, having[0], *rest)
        for word, other in gone:
            every[word].pop(other)
        return [other for _, other in gone]

    def named(self, kind: str) -> dict[str, Any]:
        """What it holds of a kind, by names: "body", "particle", "frame", "joint" (drives too), "force", "material".

        The table is a copy, and what is in it never changes: :meth:`change` and :meth:`replace` put others in place.
        """
        tables = self._tables()
        return dict(tables[check_choice("named()", "kind", kind, tuple(tables))])

    def new_name(self, word: str) -> str:
        """A name that is free: "hinge 1" for "hinge", or the first number that is."""
        taken = {name for table in self._tables().values() for name in table}
        return next(name for k in range(1, len(taken) + 2) if (name := f"{word} {k}") not in taken)

    def _tables(self) -> dict[str, dict[str, Any]]:
        return {
            "body": self._bodies,
            "particle": self._particles,
            "frame": self._frames,
            "joint": self._joints,
            "force": self._forces,
            "material": self._materials,
        }

    def _elements(self, name: Any) -> dict[str, Any]:
        """Where the force, joint or drive of that name is."""
        known = (*self._joints, *self._forces)
        if not isinstance(name, str):
            found = f"the name of an element is {name!r}"[:160]
            raise InputError(f"model {self.name!r}", found, "a text", "Pass the name that the element has.")
        if known.count(name) > 1:
            found = f"{name!r} is the name of a joint and a force"
            raise InputError(f"model {self.name!r}", found, "one of them", "Remove it by its kind and add it anew.")
        for what, there in (("body", self._bodies), ("particle", self._particles), ("frame", self._frames)):
            if name in there and name not in known:
                found, allowed = f"{name!r} is a {what}", "a joint, drive, connection or force"
                remedy = f"Remove it and add it anew, or change(..., kind={what!r})."
                raise InputError(f"model {self.name!r}", found, allowed, remedy)
        if name not in known:
            raise unknown(f"model {self.name!r}", "element", name, known)
        return self._joints if name in self._joints else self._forces

    @friendly
    def build(self, *, assemble: bool = False, merge: bool = False, settled: Collection[str] = ()) -> Model:
        """Check what only the whole can tell, and freeze it.

        Parameters
        ----------
        assemble : move bodies, each as little as its mass and inertia ask, until all joints meet (I-110). Joints placed
            in the world keep their place in both bodies: they get a frame in each, "joint.a" and "joint.b". Without it
            frames that do not meet are refused. Velocities change as little until joints allow them; without it those
            that joints do not allow are warned of.
        merge : make one body of those that rigid joints hold for good (V-61, I-055): without a limit to their force,
            without springs in them, not read by a connection, and not given ``merge=False``. The body has the name and
            frame of the first (of a static one if there is one) and the momentum of all; the other names become frames
            in it. Those rigid joints are gone, with their rows and their forces.
        settled : names of joints that ``assemble`` leaves as they are where they are open by no more than 1e-6 m or
            rad, as those of a model that ran are
        """
        for what, value in (("assemble", assemble), ("merge", merge)):
            if not isinstance(value, bool):
                raise InputError("build()", f"{what} is {value!r}", "true or false", "Pass a bool.")
        for frame in self._frames.values():
            self._need_body(f"frame {frame.name!r}", frame.body)
        for body in self._bodies.values():
            self._with_material(f"body {body.name!r}", body.parts, "")
        check_laws(self._materials, self._contacts.values())
        model = Model(
            name=self.name,
            gravity=self.gravity,
            bodies=tuple(self._bodies.values()),
            particles=tuple(self._particles.values()),
            frames=tuple(resolved(self._frames.values())),
            materials=tuple(self._materials.values()),
            forces=tuple(self._forces.values()),
            joints=tuple(self._joints.values()),
            excluded=in_order(self._excluded, self._bodies),
            contacts=tuple(self._contacts.values()),
        )
        model = with_fitting_velocities(assembled(model, settled)) if assemble else model
        check_closed(model)
        model = merged(model) if merge else model
        check_start(model)
        warn_of_velocities(model)
        return model

    def _door(self, kind: str, name: Any) -> str:
        """Check a name of the space that bodies, particles, frames, joints and drives share."""
        check_name(kind, name)
        element = f"{kind} {name!r}"
        if name in SERIES_NAMES:
            raise InputError(
                element, "the name is that of a series of every run", "another name", "Choose another name."
            )
        if name == WORLD:
            raise InputError(element, "the name stands for the world itself", "another name", "Choose another name.")
        spaces: tuple[tuple[str, Any], ...] = (
            ("body", self._bodies),
            ("particle", self._particles),
            ("frame", self._frames),
            ("joint or drive", self._joints),
        )
        for other, taken in spaces:
            if name in taken:
                raise InputError(element, f"the name is taken by a {other}", "unique names", "Choose another name.")
        return element

    def _need_body(self, element: str, body: Any, others: Iterable[str] = ()) -> None:
        if not isinstance(body, str) or (body != WORLD and body not in self._bodies):
            raise unknown(element, "body", body, [WORLD, *self._bodies, *others])

    def _with_material(self, element: str, parts: Any, material: str) -> Any:
        parts = tuple(p if p.material or not material else replace(p, material=material) for p in parts)
        for used in (material, *(p.material for p in parts)):
            if used != "" and (not isinstance(used, str) or used not in self._materials):
                raise unknown(element, "material", used, self._materials)
        return parts
