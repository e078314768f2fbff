"""Where the links of a robot are at the start, and which of its joints stay as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gelenk.checks import check_number, unknown
from gelenk.errors import InputError
from gelenk.joints.joint import joint_axes
from gelenk.math.quat import Quat
from gelenk.math.spatial import Pose
from gelenk.math.vec3 import Vec3
from gelenk.model.urdf_read import IDENTITY, PLACES, UrdfJoint, UrdfLink, from_rpy

ELEMENT = "load_urdf()"


@dataclass
class Places:
    """The start of a robot."""

    link: dict[str, Pose]  # X_WL
    joint: dict[str, tuple[float, ...]]  # [rad or m], as many numbers as place the joint
    still: set[str]  # joints that do not move
    notes: dict[str, list[str]] = field(default_factory=dict)


def start_places(
    root: UrdfLink, X_WR: Pose, given: Mapping[str, Any], locked: Sequence[str], fixed_base: bool
) -> Places:
    """Forward kinematics from the root:  X_WC = X_WP X_PJ X_JC(place of the joint)."""
    links = root.below()
    joints = {link.joint.name: link.joint for link in links if link.joint is not None}
    for what, names in (("joint in joints", given), ("joint in locked", locked)):
        for name in names:
            if name not in joints:
                raise unknown(ELEMENT, what, name, joints)
    places = Places({root.name: X_WR}, {}, set())
    for name, joint in joints.items():
        if joint.mimic is None:
            places.joint[name] = start_of(joint, given.get(name))
    for name, joint in joints.items():
        if joint.mimic is not None:
            if name in given:
                found = f"a start for {name!r}, which follows {joint.mimic.joint!r}"
                raise InputError(ELEMENT, found, "joints that follow no other", f"Give {joint.mimic.joint!r} instead.")
            follow(joint, joints, places)
    for joint in joints.values():  # those nearer to the root come first
        places.link[joint.child] = places.link[joint.parent] * joint.origin * motion(joint, places.joint[joint.name])
    find_still(links, set(locked), fixed_base, places)
    return places


def start_of(joint: UrdfJoint, given: Any) -> tuple[float, ...]:
    """Place of a joint at the start: as given, or zero, or the limit nearest to zero."""
    count = PLACES[joint.kind]
    if given is None:
        place = (min(max(0.0, joint.lower), joint.upper),) if count == 1 else (0.0,) * count
    elif count == 1:
        place = (check_number(ELEMENT, f"start of joint {joint.name!r}", given, "rad or m"),)
    else:
        try:
            numbers = tuple(given)
        except TypeError:
            numbers = ()
        if len(numbers) != count or count == 0:
            found = f"start of joint {joint.name!r}, which is {joint.kind}, is {given!r}"[:160]
            raise InputError(ELEMENT, found, f"{count} numbers" if count else "none", "Give as many numbers.")
        place = tuple(check_number(ELEMENT, f"start of joint {joint.name!r}", x, "rad or m") for x in numbers)
    if count == 1 and not joint.lower <= place[0] <= joint.upper:
        found = f"joint {joint.name!r} starts at {place[0]:g}"
        raise InputError(ELEMENT, found, f"{joint.lower:g} to {joint.upper:g}, its limits", "Start within the limits.")
    return place


def counted(joint: UrdfJoint, place: tuple[float, ...]) -> tuple[float, ...]:
    """Place as the coordinate of the joint reads it at the start, where angles are known up to whole turns only.

    A joint without limits begins within half a turn of its zero. One with limits must be there: its stops would be
    mistaken for those a turn away.
    """
    if joint.kind == "continuous":
        return (math.remainder(place[0], 2.0 * math.pi),)
    if joint.kind == "revolute" and not abs(place[0]) < math.pi:
        found = f"joint {joint.name!r} starts at {place[0]:g} rad"
        raise InputError(ELEMENT, found, "less than half a turn from its zero", "Start it nearer to zero.")
    return place


def follow(joint: UrdfJoint, joints: Mapping[str, UrdfJoint], places: Places) -> None:
    """Place of a joint that mimics another, which may mimic a third."""
    chain = [joint]
    while (mimic := chain[-1].mimic) is not None and mimic.joint not in places.joint:
        chain.append(joints[mimic.joint])
    for link in reversed(chain):
        mimic = link.mimic
        assert mimic is not None
        leader = places.joint[mimic.joint] or (0.0,)  # a fixed joint stays at zero
        place = mimic.multiplier * leader[0] + mimic.offset
        places.joint[link.name] = () if link.kind == "fixed" else (place,)
        if not link.lower <= place <= link.upper:
            found = f"{link.name!r} at {place:g} (limits {link.lower:g} to {link.upper:g})"
            places.notes.setdefault("mimic leads beyond the limits at the start", []).append(found)


def motion(joint: UrdfJoint, place: tuple[float, ...]) -> Pose:
    """X_JC: how the child stands in the joint frame, which is its own frame at zero."""
    if not any(place):
        return IDENTITY
    if joint.kind == "floating":
        return Pose(Vec3(*place[:3]), from_rpy(*place[3:]))
    if joint.kind == "spherical":
        return Pose(Vec3(0.0, 0.0, 0.0), from_rpy(*place))
    axes = Pose(Vec3(0.0, 0.0, 0.0), joint_axes(joint.node.element, joint.axis, None))
    if joint.kind == "prismatic":
        along = Pose(Vec3(0.0, 0.0, place[0]), Quat(1.0, 0.0, 0.0, 0.0))
    else:
        shift = Vec3(place[0], place[1], 0.0) if joint.kind == "planar" else Vec3(0.0, 0.0, 0.0)
        along = Pose(shift, Quat(math.cos(0.5 * place[-1]), 0.0, 0.0, math.sin(0.5 * place[-1])))
    return axes * along * axes.inv()


def find_still(links: list[UrdfLink], locked: set[str], fixed_base: bool, places: Places) -> None:
    """Joints that do not move: fixed ones, locked ones, those that mimic them, and those that carry no mass."""
    joints = [link.joint for link in links[1:] if link.joint is not None]
    still = places.still
    still |= {joint.name for joint in joints if joint.kind == "fixed"} | locked
    idle = []
    for link in links[1:]:
        joint = link.joint
        if joint is not None and joint.name not in still and all(below.mass is None for below in link.below()):
            idle.append(f"{joint.name!r}")
            still.add(joint.name)
    if idle:
        places.notes["joints that carry no mass, so they stay where they are"] = idle
    before = -1
    while len(still) > before:
        before = len(still)
        for joint in joints:
            if joint.mimic is not None and (joint.mimic.joint in still or joint.mimic.multiplier == 0.0):
                still.add(joint.name)
    for link in links:
        if link.joint is None and fixed_base:
            continue
        if link.joint is not None and link.joint.name in still:
            continue
        if all(member.mass is None for member in fixed_to(link, still)):
            how = "lock its joint with locked=[...]" if link.joint is not None else 'use base="fixed"'
            raise link.node.error(
                "it moves and has no mass", "a mass above 0 [kg]", f"Give it an <inertial>, or {how}."
            )


def fixed_to(link: UrdfLink, still: set[str]) -> list[UrdfLink]:
    """A link and all that do not move against it."""
    found = [link]
    for member in found:
        found += [child for child in member.children if child.joint is not None and child.joint.name in still]
    return found
