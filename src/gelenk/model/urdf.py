"""Robots from URDF files, the descriptions that ROS and most simulators read.

Source: the URDF specification, wiki.ros.org/urdf/XML. A file is data and may come from anywhere: nothing in it is
executed, nothing is fetched from a network, and the only other files that are read are the meshes it names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_quaternion, check_vector
from gelenk.errors import InputError, warn_user
from gelenk.math.quat import Quat
from gelenk.math.spatial import Pose
from gelenk.math.vec3 import Vec3
from gelenk.model.builder import Builder
from gelenk.model.parts import ORIGIN, UPRIGHT
from gelenk.model.urdf_pose import ELEMENT, start_places
from gelenk.model.urdf_read import read_tree
from gelenk.model.urdf_robot import Assembly, Robot
from gelenk.model.urdf_shapes import Materials, Meshes
from gelenk.model.urdf_xml import not_used, read_xml


class UrdfWarning(UserWarning):
    """What a URDF file holds that has no meaning here, or that had to be changed."""


@friendly
def load_urdf(
    path: str | Path,
    *,
    into: Builder | None = None,
    prefix: str = "",
    base: str = "fixed",
    at: Any = ORIGIN,
    rotation: Any = UPRIGHT,
    joints: Mapping[str, Any] | None = None,
    locked: Sequence[str] = (),
    merge_fixed: bool = True,
    packages: Mapping[str, str | Path] | None = None,
    meshes: str = "load",
    mend: bool = True,
) -> Robot:
    """Read a robot from a URDF file into a builder, where motors can be added before the model is built.

    ::

        arm = gk.load_urdf("arm.urdf", joints={"elbow": 0.3})
        elbow = arm.joints["elbow"]
        arm.builder.add(gk.Servo(name="elbow motor", on=elbow.name, target=0.3, force_max=elbow.effort))
        model = arm.builder.build()

    Every link with a mass becomes a body. Links without one or of mass 0, such as ``tool0``, become frames of the body
    they are fixed to. Joints become hinges, sliders, planar and ball joints with their limits, whose coordinates are
    zero where the file has its zero; a floating joint leaves its link free. A joint that mimics another is geared to
    it, offset included. Damping becomes a :class:`JointSpring` "joint damping", friction a brake "joint friction" that
    holds up to its force. A URDF file has no motors, but ``robot.joints`` tells their greatest force and speed. What is
    seen and what collides are parts of the bodies without weight. Colours become materials; transparency is not kept.

    Parameters
    ----------
    path : URDF file, at most 64 MiB; expand xacro files first
    into : builder that gets the robot; a new one if left out
    prefix : put before every name, so that one builder can hold several robots
    base : "fixed" makes the root link a part of the world, "free" lets it move
    at, rotation : where the root link is [m, unit quaternion w x y z]
    joints : where joints are at the start [rad or m], by name in the file: a number, or x, y, angle for a planar joint,
        x, y, z, roll, pitch, yaw for a floating and roll, pitch, yaw for a spherical one. Joints left out are at 0, or
        at the limit nearest to it; those that mimic follow
    locked : names of joints that stay where they are, as if they were fixed
    merge_fixed : make one body of links with fixed joints between them; else those with mass get rigid joints
    packages : folders of packages in ``package://`` paths; those left out are searched for upward from the file
    meshes : "load" refuses a mesh that cannot be read, "skip" leaves it out with a warning, "none" reads no mesh
    mend : replace surfaces that are not closed by their convex hull, and inertias that no body can have by the nearest
        possible one, each with a warning; without it they are refused

    Warns
    -----
    UrdfWarning
        Names once each tag that is not used (transmissions, sensors, ...), and all that was changed.
    """
    path = Path(path)
    check_choice(ELEMENT, "base", base, ("fixed", "free"))
    check_choice(ELEMENT, "meshes", meshes, ("load", "skip", "none"))
    for what, value in (("merge_fixed", merge_fixed), ("mend", mend)):
        if not isinstance(value, bool):
            raise InputError(ELEMENT, f"{what} is {value!r}", "true or false", "Pass a bool.")
    if into is not None and not isinstance(into, Builder):
        raise InputError(ELEMENT, f"into is {into!r}"[:80], "a gk.Builder", "Pass a builder, or leave it out.")
    if not isinstance(prefix, str) or not re.fullmatch(r"[\w\- .]*", prefix):
        allowed = "a text of letters, digits, '_', '-', '.' and spaces"
        raise InputError(ELEMENT, f"prefix is {prefix!r}"[:80], allowed, 'Pass a text such as "left " or "left.".')
    X_WR = Pose(Vec3(*check_vector(ELEMENT, "at", at, "m")), Quat(*check_quaternion(ELEMENT, "rotation", rotation)))
    # what the builder holds now, so that a file with an error leaves nothing in it
    before = {key: dict(value) for key, value in vars(into).items() if isinstance(value, dict)} if into else {}
    try:
        xml = read_xml(path)
        files, materials = Meshes(path.parent, packages or {}, meshes, mend), Materials(prefix)
        root = read_tree(xml, materials, files)
        places = start_places(root, X_WR, joints or {}, locked, base == "fixed")
        name = re.sub(r"[^\w\- ]", "_", xml.attributes.get("name", "").strip()) or "robot"
        name = name if name[0].isalpha() else f"_{name}"
        assembly = Assembly(into or Builder(name=name), prefix, materials, places, base == "fixed", merge_fixed, mend)
        robot = assembly.robot(name, root)
    except InputError as error:
        if into is not None:
            vars(into).update(before)
        if error.file is None and error.element != ELEMENT:
            error.file = str(path)
        if into is not None and error.found.startswith("the name is taken"):
            remedy = 'Put a text before all names of this robot, such as prefix="left ".'
            raise InputError(error.element, error.found, error.allowed, remedy, file=error.file) from None
        raise
    notes = {
        "not used": not_used(xml),
        "surface not closed, or crossing itself, so its convex hull is taken": files.open,
        "mesh left out": files.skipped,
        **places.notes,
        **assembly.notes,
    }
    for what, found in notes.items():
        if found:
            warn_user(f"{path.name}: {what}: {', '.join(found)}", UrdfWarning)
    return robot
