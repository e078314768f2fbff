"""Bodies that are held together for good become one rigid body (V-61, I-055): mass, shapes, frames, forces, joints.

The merged body keeps the name and the frame of the first of its bodies, so that nothing on that one changes but where
its centre of mass is. What was on the others is expressed in its frame. Each of their names becomes that of a frame
where their own frame was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from gelenk.checks import Quaternion, Vector
from gelenk.errors import InputError
from gelenk.forces.drag import Drag
from gelenk.forces.segment_contacts import SegmentContacts
from gelenk.forces.spring import Spring
from gelenk.forces.wrench import Wrench
from gelenk.geometry.mass import MassProperties, combine
from gelenk.joints.connection import Connection
from gelenk.joints.control import Deceleration, DirectControl, Grab
from gelenk.joints.distance import Distance
from gelenk.joints.joint import Joint
from gelenk.joints.rigid import Rigid
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.model.frame_tree import resolved
from gelenk.model.mass import as_vector
from gelenk.model.model import Model, in_order
from gelenk.model.parts import ORIGIN, WORLD, Body, Frame

REMEDY = "Build without merge, or keep the bodies apart: give their rigid joint merge=False."


def merged(model: Model) -> Model:
    """A model whose permanent rigid joints are gone, each group of bodies that they held now being one body."""
    read = {c.output for c in model.joints if isinstance(c, Connection)}
    welds = [joint for joint in model.joints if permanent(joint, read)]
    if not welds:
        return model
    into = Merge(model, groups(model, welds))
    held = {weld.name for weld in welds}
    joints = tuple(on_merged(joint, into) for joint in model.joints if joint.name not in held)
    forces = tuple(on_merged(force, into) for force in model.forces)
    bodies = tuple(into.bodies)
    excluded = in_order([(into.body(a), into.body(b)) for a, b in model.excluded], [body.name for body in bodies])
    frames = tuple(into.frames)
    return replace(model, bodies=bodies, frames=frames, joints=joints, forces=forces, excluded=excluded)


def permanent(joint: Any, read: set[str]) -> bool:
    """Whether a joint holds for good, rigidly, and nothing but its holding is asked of it."""
    if type(joint) is not Rigid or not joint.merge or joint.blocked is not None:
        return False
    endless = (joint.break_force, joint.break_torque, joint.hold_stiffness, joint.turn_stiffness)
    return min(endless) == np.inf and not any(name.startswith(f"{joint.name}.") for name in read)


def groups(model: Model, welds: Sequence[Rigid]) -> list[list[str]]:
    """Names of bodies that hang together, in the order of the model; the world belongs to a group as a body does."""
    order = {name: n for n, name in enumerate((WORLD, *(b.name for b in model.bodies)))}
    owner = {f.name: f.body for f in model.frames}
    group = {name: [name] for name in order}
    for weld in welds:
        one, two = (group[owner.get(name, name)] for name in (weld.a, weld.b))
        if one is not two:
            one += two
            group.update(dict.fromkeys(two, one))
    found = {id(names): names for names in group.values() if len(names) > 1}
    return [sorted(names, key=order.__getitem__) for names in found.values()]


class Merge:
    """From the bodies of a model to the merged ones: who went where."""

    def __init__(self, model: Model, groups: list[list[str]], remedy: str = REMEDY) -> None:
        self.model, self.remedy, self._group = model, remedy, {name: names for names in groups for name in names}
        self._old = {b.name: b for b in model.bodies}
        self._into = {name: self._first(names) for names in groups for name in names if name != WORLD}
        whole = {self._into[names[-1]]: names for names in groups}
        self.bodies = [
            self._one_body(b, whole[b.name]) if b.name in whole else b
            for b in model.bodies
            if self._into.get(b.name, b.name) == b.name
        ]
        self.frames = resolved(self._moved(f) for f in model.frames)
        gone = [b.name for b in model.bodies if self._into.get(b.name, b.name) != b.name]
        self.frames += [Frame(name, self._into[name], *self.place(name, ORIGIN)) for name in gone]
        self._body_of = {f.name: f.body for f in model.frames}

    def _first(self, names: list[str]) -> str:
        """Whose frame a merged body has: that of a static body if there is one, since it must not move."""
        bodies = [self._old[name] for name in names if name != WORLD]
        return next((b.name for b in bodies if b.static), bodies[0].name)

    def concerns(self, name: str) -> bool:
        """Whether a body is part of a merged one."""
        return name in self._into

    def body(self, name: str) -> str:
        """The body that has taken a body in; any other name stays."""
        return self._into.get(name, name)

    def place(self, name: str, at: Vector, rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)) -> tuple[Vector, Quaternion]:
        """A place in the frame of a body, in that of the merged one:  p' = R_1^T (x - x_1 + R p),  q' = q_1^* q q_p."""
        old, new = self._old[name], self._old[self._into[name]]
        if old is new:
            return at, rotation
        R_1, R = rotation_matrix(new.rotation), rotation_matrix(old.rotation)
        turn = (Quat(*new.rotation).conj() * Quat(*old.rotation) * Quat(*rotation)).unit()
        p = R_1.T @ (np.array(old.at) - np.array(new.at) + R @ np.array(at))
        return as_vector(p), (turn.w, turn.x, turn.y, turn.z)

    def com(self, name: str) -> Vector:
        """Centre of mass of a body as it was, in the world at the start [m]."""
        old = self._old[name]
        return as_vector(np.array(old.at) + rotation_matrix(old.rotation) @ np.array(old.com))

    def turned(self, name: str, rows: Any) -> Any:
        """Vectors in the axes of a body, in those of the merged one."""
        R = rotation_matrix(self.place(name, ORIGIN)[1])
        made = np.array(rows, dtype=np.float64) @ R.T
        return as_vector(made) if made.ndim == 1 else tuple(as_vector(row) for row in made)

    def check_apart(self, joint: Any) -> None:
        """Refuse a joint within a merged body."""
        a, b = (self._body_of.get(name, name) for name in (joint.a, joint.b))
        if a in self._group and b in self._group[a]:
            found = f"{a!r} and {b!r}, which it ties, are merged into one body"
            raise InputError(joint.label, found, "joints between bodies", f"Remove it. Or: {self.remedy}")

    def at_com(self, element: Any, name: str) -> str:
        """A frame with the axes of a body where its centre of mass was, for an element that measures there."""
        made = f"{element.name}.frame"
        while made in {*self.model.nodes.names, *(f.name for f in self.frames), *(j.name for j in self.model.joints)}:
            made += "_"
        at, rotation = self.place(name, self._old[name].com)
        self.frames.append(Frame(made, self._into[name], at, rotation))
        return made

    def _moved(self, frame: Frame) -> Frame:
        if frame.body not in self._into:
            return frame
        at, rotation = self.place(frame.body, frame.at, frame.rotation)
        return replace(frame, body=self._into[frame.body], at=at, rotation=rotation)

    def _one_body(self, first: Body, names: list[str]) -> Body:
        """All bodies of a group in the frame of the first; it moves with the momentum of all, or not at all:

        m v = sum m_k v_k        I w = sum ( I_k w_k + m_k (c_k - c) x v_k )        about the common centre of mass c
        """
        bodies = [self._old[name] for name in names if name != WORLD]
        parts = []
        for b in bodies:
            for part in b.parts:
                at, rotation = self.place(b.name, part.at, part.rotation)
                parts.append(replace(part, at=at, rotation=rotation))
        if WORLD in names or first.static:
            still: dict[str, Any] = {"mass": 0.0, "com": ORIGIN, "inertia": (ORIGIN, ORIGIN, ORIGIN)}
            return replace(first, **still, velocity=ORIGIN, angular_velocity=ORIGIN, static=True, parts=tuple(parts))
        properties = []
        for b in bodies:
            at, rotation = self.place(b.name, ORIGIN)
            properties.append(MassProperties(b.mass, b.com, b.inertia).moved(at, rotation_matrix(rotation)))
        whole = combine(properties)
        R = rotation_matrix(first.rotation)
        c = np.array(first.at) + R @ whole.com
        p, L = np.zeros(3), np.zeros(3)
        for b in bodies:
            R_k, w_k, c_k = rotation_matrix(b.rotation), np.array(b.angular_velocity), np.array(self.com(b.name))
            v_k = np.array(b.velocity) + np.cross(w_k, c_k - np.array(b.at))
            p += b.mass * v_k
            L += R_k @ np.array(b.inertia) @ R_k.T @ w_k + b.mass * np.cross(c_k - c, v_k)
        w = R @ np.linalg.solve(whole.inertia, R.T @ L)
        return replace(
            first,
            mass=whole.mass,
            com=as_vector(whole.com),
            inertia=tuple(as_vector(row) for row in whole.inertia),  # type: ignore[arg-type]
            velocity=as_vector(p / whole.mass - np.cross(w, c - np.array(first.at))),
            angular_velocity=as_vector(w),
            parts=tuple(parts),
        )


@singledispatch
def on_merged(element: Any, into: Merge) -> Any:
    """An element of the merged model. Register your own kind here if it names bodies or counts nodes."""
    if hasattr(element, "block"):
        found = "it may name bodies or count nodes in ways that are not known here"
        raise InputError(element.label, found, "springs and wrenches in a model to be merged", into.remedy)
    return element  # what acts on coordinates of joints


@on_merged.register
def _(joint: Joint, into: Merge) -> Any:
    into.check_apart(joint)
    return replace(joint, a=into.body(joint.a), b=into.body(joint.b))


@on_merged.register
def _(joint: Distance, into: Merge) -> Any:
    into.check_apart(joint)
    values: dict[str, Any] = {}
    for side in ("a", "b"):
        name, at = getattr(joint, side), getattr(joint, f"at_{side}")
        values[side] = into.body(name)
        values[f"at_{side}"] = into.com(name) if at is None and into.concerns(name) else at
    return replace(joint, **values)


@on_merged.register(DirectControl)
@on_merged.register(Grab)
@on_merged.register(Deceleration)
def _(hand: Any, into: Merge) -> Any:
    values: dict[str, Any] = {"body": into.body(hand.body)}
    if hand.at is None and into.concerns(hand.body):
        values["at"] = into.com(hand.body)
    if into.concerns(getattr(hand, "frame", WORLD)):
        values["frame"] = into.at_com(hand, hand.frame)
    return replace(hand, **values)


@on_merged.register
def _(connection: Connection, into: Merge) -> Any:
    name = connection.output.rpartition(".")[0].rpartition(".")[0]
    if into.body(name) != name:
        found = f"output is {connection.output!r}, and {name!r} is merged into {into.body(name)!r}"
        raise InputError(connection.label, found, "outputs of bodies of their own", into.remedy)
    return connection


@on_merged.register
def _(spring: Spring, into: Merge) -> Any:
    values: dict[str, Any] = {}
    for side in ("a", "b"):
        name = getattr(spring, side)
        if into.concerns(name):
            values[side], values[f"at_{side}"] = into.body(name), into.place(name, getattr(spring, f"at_{side}"))[0]
    if values.get("a", spring.a) == values.get("b", spring.b):
        raise InputError(
            spring.label, "its ends are merged into one body", "two bodies", f"Remove it. Or: {into.remedy}"
        )
    return replace(spring, **values)


@on_merged.register
def _(wrench: Wrench, into: Merge) -> Any:
    name = wrench.body
    if not into.concerns(name):
        return wrench
    values: dict[str, Any] = {"body": into.body(name), "at": into.place(name, wrench.at)[0]}
    if wrench.frame == "body":
        values |= {"force": into.turned(name, wrench.force), "torque": into.turned(name, wrench.torque)}
    return replace(wrench, **values)


@on_merged.register
def _(touch: SegmentContacts, into: Merge) -> Any:
    values: dict[str, Any] = {"ground": into.body(touch.ground)}
    if into.concerns(touch.body):
        values["body"] = into.body(touch.body)
        values["points"] = tuple(into.place(touch.body, p)[0] for p in touch.points)
        values["segments"] = into.turned(touch.body, touch.segments)
        values["axis"] = None if touch.axis is None else into.turned(touch.body, touch.axis)
    return replace(touch, **values)


@on_merged.register
def _(drag: Drag, into: Merge) -> Any:
    if into.concerns(drag.body):
        found = f"it acts at the centre of mass of {drag.body!r}, which is merged with others"
        raise InputError(drag.label, found, "drag on bodies of their own", into.remedy)
    return drag
