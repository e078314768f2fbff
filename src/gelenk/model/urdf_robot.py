"""A robot on its way into a builder: links become bodies and frames, joints become joints, gears and brakes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.geometry.mass import MassProperties, check_inertia, combine
from gelenk.joints.ball import Ball
from gelenk.joints.gear import Gear
from gelenk.joints.hinge import Hinge
from gelenk.joints.joint import joint_axes
from gelenk.joints.joint_spring import JointSpring
from gelenk.joints.planar import Planar
from gelenk.joints.rigid import Rigid
from gelenk.joints.slider import Slider
from gelenk.joints.velocity_motor import VelocityMotor
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.math.spatial import Pose
from gelenk.math.vec3 import Vec3
from gelenk.model.builder import SERIES_NAMES, Builder
from gelenk.model.parts import WORLD, Part
from gelenk.model.urdf_pose import Places, counted
from gelenk.model.urdf_read import IDENTITY, SINGLE, UrdfJoint, UrdfLink
from gelenk.model.urdf_shapes import Materials

JOINTS: dict[str, Any] = {
    "fixed": Rigid,
    "revolute": Hinge,
    "continuous": Hinge,
    "prismatic": Slider,
    "planar": Planar,
    "spherical": Ball,
}


@dataclass(frozen=True)
class RobotJoint:
    """A joint of a robot that moves, as its file gives it; infinite where the file says nothing.

    Angles in rad, lengths in m, ``effort`` in N m or N, ``velocity`` in rad/s or m/s.
    """

    name: str  # in the model
    type: str  # in the file
    lower: float
    upper: float
    effort: float  # greatest force or torque of its motor
    velocity: float  # greatest speed of its motor
    start: tuple[float, ...]  # place at the start
    follows: str  # name in the model of the joint that it mimics, or ""


@dataclass(frozen=True, repr=False)
class Robot:
    """A robot in a builder. Names in the file lead to names in the model."""

    name: str
    builder: Builder  # add motors here, then build()
    root: str  # body of the root link, or "world"
    links: dict[str, str]  # bodies, and frames for links that belong to the body of another
    joints: dict[str, RobotJoint]  # those that move

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {len(self.links)} links, {len(self.joints)} joints that move>"


class Assembly:
    """One robot on its way into a builder."""

    def __init__(
        self, builder: Builder, prefix: str, materials: Materials, places: Places, fixed: bool, merge: bool, mend: bool
    ) -> None:
        self.builder, self.prefix, self.materials, self.places = builder, prefix, materials, places
        self.fixed, self.merge, self.mend = fixed, merge, mend
        self.names: set[str] = {WORLD, *SERIES_NAMES}
        self.notes: dict[str, list[str]] = {"name changed": [], "impossible inertia mended": []}
        self.leader: dict[str, UrdfLink] = {}  # link -> the link whose body it belongs to
        self.body: dict[str, str] = {}  # leader -> body in the model

    def robot(self, name: str, root: UrdfLink) -> Robot:
        """Bodies first, then frames of the links that they took in, then joints, then what acts on joints."""
        links = root.below()
        for link in links:
            self.leader[link.name] = link if self._stands_alone(link) else self.leader[link.joint.parent]  # type: ignore[union-attr]
        for material, color in self.materials.used.items():
            self.builder.material(material, color=color)
        named = {link.name: self._name(link.name, "link") for link in links if link is not root or link.name != WORLD}
        for link in links:
            if self.leader[link.name] is link:
                self._body(link, named.get(link.name, WORLD), links)
        for link in links:
            named[link.name] = self._frame(link, named.get(link.name, f"{self.prefix}{WORLD} link"))
        made = {j.name: self._joint(j) for link in links if (j := link.joint) is not None}
        moving = {name: joint for name, joint in made.items() if joint is not None}
        for link in links:
            if link.joint is not None and link.joint.name in moving:
                self._extras(link.joint, moving)
        return Robot(name, self.builder, self.body[root.name], named, moving)

    def _stands_alone(self, link: UrdfLink) -> bool:
        """Whether a link begins a body. Its leader has been chosen before, and so have those above it."""
        if link.joint is None or link.joint.name not in self.places.still:
            return True
        above = self.leader[link.joint.parent]
        static = self.fixed and above.joint is None
        has_mass = any(member.mass is not None for member in self._members(above, above.below()))
        return not (self.merge or link.mass is None or link.joint.kind != "fixed" or not (static or has_mass))

    def _members(self, leader: UrdfLink, links: list[UrdfLink]) -> list[UrdfLink]:
        return [link for link in links if self.leader.get(link.name) is leader]

    def _name(self, name: str, kind: str) -> str:
        """A name that the model accepts and that is not taken by another part of this robot."""
        new = self.prefix + re.sub(r"[^\w\- .]", "_", name).strip()
        new = new if re.match(r"[^\W\d]", new) else f"_{new}"
        new = new if re.fullmatch(r"[\w\- ]+(\.[\w\- ]+)*", new) else new.replace(".", "_")
        new = self._free(new, kind)
        if new != self.prefix + name:
            self.notes["name changed"].append(f"{kind} {name!r} to {new!r}")
        return new

    def _free(self, name: str, kind: str) -> str:
        while name in self.names:
            name = f"{name} {kind}"
        self.names.add(name)
        return name

    # --- bodies ------------------------------------------------------------------------------------------------------

    def _body(self, leader: UrdfLink, name: str, links: list[UrdfLink]) -> None:
        """A body of all links that are fixed to its leader; for a fixed base without shapes the world itself."""
        static = self.fixed and leader.joint is None
        parts, masses, spin = [], [], np.zeros((3, 3))
        for link in self._members(leader, links):
            X_BL = self._in_body(link.name)
            for looks in link.looks:
                X_BS = X_BL * looks.pose
                seen = looks.seen
                part = Part(looks.shape, tuple(X_BS.p), unit4(X_BS.q), 0.0, looks.material, seen, not seen, False)
                parts.append(part)
            R_BL = rotation_matrix(X_BL.q)
            spin += R_BL @ link.spin @ R_BL.T
            if link.mass is not None:
                masses.append(link.mass.moved(X_BL.p, R_BL))
        self.body[leader.name] = WORLD
        if static and not parts:
            return
        X_WB = self.places.link[leader.name]
        pose: dict[str, Any] = {"at": tuple(X_WB.p), "rotation": unit4(X_WB.q)}
        name = name if name != WORLD else self._free(f"{self.prefix}{WORLD} link", "link")
        with leader.node.place():
            if static:
                self.builder.body(name, shape=parts, static=True, **pose)
            else:
                whole = combine(masses)
                whole = self._possible(leader, MassProperties(whole.mass, whole.com, whole.inertia + spin))
                weight: dict[str, Any] = {"mass": whole.mass, "com": whole.com, "inertia": whole.inertia}
                self.builder.body(name, shape=parts, **weight, **pose)
        self.body[leader.name] = name

    def _in_body(self, link: str) -> Pose:
        """X_BL of a link in the body that it belongs to, or in the world."""
        leader = self.leader[link].name
        if self.body.get(leader) == WORLD:
            return self.places.link[link]
        return IDENTITY if leader == link else self.places.link[leader].inv() * self.places.link[link]

    def _possible(self, link: UrdfLink, whole: MassProperties) -> MassProperties:
        """Mass properties that a body can have: the nearest ones, if that is asked for.

            S = tr(I)/2 E - I = integral of r r^T dm        I = tr(S) E - S

        A body has an S without negative eigenvalues; those of a tensor that is none become 0.

        Source: Wensing, Kim and Slotine, Linear matrix inequalities for physically consistent inertial parameter
        identification, IEEE RA-L 3 (2018).
        """
        element = link.node.element
        try:
            check_inertia(element, whole.inertia)
            return whole
        except InputError:
            if not self.mend:
                raise
        values, axes = np.linalg.eigh(0.5 * np.trace(whole.inertia) * np.eye(3) - whole.inertia)
        S = (axes * np.maximum(values, 0.0)) @ axes.T
        inertia = np.trace(S) * np.eye(3) - S
        inertia = check_inertia(element, 0.5 * (inertia + inertia.T))
        before, after = (np.linalg.eigvalsh(tensor) for tensor in (whole.inertia, inertia))
        self.notes["impossible inertia mended"].append(f"{element}, moments {_three(before)} to {_three(after)} kg m^2")
        return MassProperties(whole.mass, whole.com, inertia)

    def _frame(self, link: UrdfLink, name: str) -> str:
        """The name under which the model knows the frame of a link: its body, or a frame on the body it belongs to."""
        leader = self.leader[link.name]
        body = self.body[leader.name]
        if link is leader and body != WORLD:
            return body
        X_BL = self._in_body(link.name)
        if link.name == WORLD and X_BL == IDENTITY:
            return WORLD
        with link.node.place():
            return self.builder.frame(name, body, at=tuple(X_BL.p), rotation=unit4(X_BL.q))

    # --- joints ------------------------------------------------------------------------------------------------------

    def _joint(self, joint: UrdfJoint) -> RobotJoint | None:
        """A joint of the model, between frames whose z axis is the axis of the joint; None if nothing of it moves."""
        if self.leader[joint.parent] is self.leader[joint.child]:
            return None
        name = self._name(joint.name, "joint")
        q_J = joint_axes(joint.node.element, joint.axis, None)
        if joint.kind != "floating":
            limits = (joint.lower, joint.upper) if joint.kind in ("revolute", "prismatic") else ()
            sides = (("a", joint.parent, joint.origin), ("b", joint.child, IDENTITY))
            with joint.node.place():
                frames = {}
                for side, link, X_LJ in sides:
                    X_BJ = self._in_body(link) * X_LJ * Pose(Vec3(0.0, 0.0, 0.0), q_J)
                    frame, body = self._free(f"{name}.{side}", "frame"), self.body[self.leader[link].name]
                    frames[side] = self.builder.frame(frame, body, at=tuple(X_BJ.p), rotation=unit4(X_BJ.q))
                self.builder.add(JOINTS[joint.kind](name=name, **frames, limits=limits))
        if joint.name in self.places.still:
            return None
        numbers = (joint.lower, joint.upper, joint.effort, joint.velocity)
        return RobotJoint(name, joint.kind, *numbers, counted(joint, self.places.joint[joint.name]), "")

    def _extras(self, joint: UrdfJoint, moving: dict[str, RobotJoint]) -> None:
        """The gear, the damper and the brake on a joint."""
        name = moving[joint.name].name
        with joint.node.place():
            if joint.mimic is not None:
                self._gear(joint, moving)
            if joint.kind not in SINGLE:
                if joint.damping or joint.friction:
                    found = f"of {joint.node.element}, which is {joint.kind}"
                    self.notes.setdefault("damping and friction not used", []).append(found)
                return
            if joint.damping:
                damper = self._free(f"{name} damping", "spring")
                self.builder.add(JointSpring(name=damper, on=name, damping=joint.damping))
            if joint.friction:
                brake = self._free(f"{name} friction", "motor")
                self.builder.add(VelocityMotor(name=brake, on=name, speed=0.0, force_max=joint.friction))

    def _gear(self, joint: UrdfJoint, moving: dict[str, RobotJoint]) -> None:
        """A joint that mimics another:  place = multiplier * place of the other + offset"""
        mimic = joint.mimic
        assert mimic is not None
        first, second = moving[joint.name], moving[mimic.joint]
        offset = mimic.offset
        turned = [n for n in (joint.name, mimic.joint) if moving[n].start != self.places.joint[n]]
        if turned:  # whole turns that the coordinates do not know of
            offset = first.start[0] - mimic.multiplier * second.start[0]
        name = self._free(f"{first.name} mimic", "gear")
        gear = Gear(name=name, first=first.name, second=second.name, ratio=mimic.multiplier, offset=offset)
        self.builder.add(gear)
        moving[joint.name] = replace(first, follows=second.name)


def unit4(q: Quat) -> tuple[float, float, float, float]:
    """The quaternion with length 1 again: products of many drift by their rounding."""
    u = q.unit()
    return u.w, u.x, u.y, u.z


def _three(moments: np.ndarray) -> str:
    return f"({', '.join(f'{m:.6g}' for m in moments)})"
