"""Links and joints of a URDF file as plain data, each checked alone, then as a tree."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from gelenk.checks import Vector, unit, unknown
from gelenk.geometry.mass import FloatArray, MassProperties
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.math.spatial import Pose
from gelenk.math.vec3 import Vec3
from gelenk.model.urdf_shapes import Looks, Materials, Meshes, read_shape
from gelenk.model.urdf_xml import Node

# Type of a joint -> numbers that place it. "spherical" is not in the standard, but some programs write it.
PLACES = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "spherical": 3, "floating": 6}
SINGLE = ("revolute", "continuous", "prismatic")  # joints with one coordinate: what mimic, damping and friction act on
IDENTITY = Pose(Vec3(0.0, 0.0, 0.0), Quat(1.0, 0.0, 0.0, 0.0))


@dataclass
class Mimic:
    """``place = multiplier * place of another joint + offset``."""

    joint: str
    multiplier: float
    offset: float


@dataclass
class UrdfJoint:
    """A joint as the file gives it: angles in rad, lengths in m."""

    node: Node
    name: str
    kind: str
    parent: str
    child: str
    origin: Pose  # X_PJ
    axis: Vector  # in J, unit
    lower: float
    upper: float
    effort: float
    velocity: float
    damping: float
    friction: float
    mimic: Mimic | None


@dataclass
class UrdfLink:
    """A link as the file gives it, everything in its own frame."""

    node: Node
    name: str
    mass: MassProperties | None  # None for a mass of 0
    spin: FloatArray  # (3, 3) inertia of a link of mass 0, link axes [kg m^2]
    looks: list[Looks]
    joint: UrdfJoint | None = None  # that carries it; None for the root
    children: list[UrdfLink] = field(default_factory=list)

    def below(self) -> list[UrdfLink]:
        """The link and all that it carries, each after the one that carries it."""
        found = [self]
        for link in found:
            found += link.children
        return found


def read_tree(root: Node, materials: Materials, meshes: Meshes) -> UrdfLink:
    """The root link, with all others below it."""
    materials.learn(root)
    links: dict[str, UrdfLink] = {}
    for node in root.all("link"):
        link = read_link(node, materials, meshes)
        if link.name in links:
            raise node.error("the name is taken by another link", "unique names", "Rename one of them.")
        links[link.name] = link
    if not links:
        raise root.error("no <link>", "at least one link", "Pass the description of a robot.")
    joints: dict[str, UrdfJoint] = {}
    for node in root.all("joint"):
        joint = read_joint(node)
        if joint.name in joints:
            raise node.error("the name is taken by another joint", "unique names", "Rename one of them.")
        joints[joint.name] = joint
        for what in ("parent", "child"):
            if getattr(joint, what) not in links:
                with node.need(what).place():
                    raise unknown(node.element, f"{what} link", getattr(joint, what), links)
        child = links[joint.child]
        if child.joint is not None:
            found = f"link {child.name!r} already hangs on joint {child.joint.name!r}"
            remedy = "A URDF file describes a tree; close the loop with gk joints after loading it."
            raise node.error(found, "one joint that carries each link", remedy)
        child.joint = joint
        links[joint.parent].children.append(child)
    for joint in joints.values():
        if joint.mimic is not None:
            check_mimic(joint, joints)
    return only_root(root, links)


def only_root(root: Node, links: dict[str, UrdfLink]) -> UrdfLink:
    """The one link that no joint carries."""
    tops = [link for link in links.values() if link.joint is None]
    if len(tops) > 1:
        names = ", ".join(repr(link.name) for link in tops[:6])
        raise tops[1].node.error(
            f"the links {names} hang on nothing", "one root link", "Join them, or put them in files of their own."
        )
    reached = {link.name for link in tops[0].below()} if tops else set()
    for name, link in links.items():
        if name not in reached and link.joint is not None:
            loop = [name]
            while (above := links[loop[-1]].joint) is not None and above.parent not in loop:
                loop.append(above.parent)
            found = f"it carries itself: {' on '.join(map(repr, loop[:6]))} on {loop[0]!r}"
            raise link.node.error(found, "a tree with one root", "Remove one joint of the circle.")
    return tops[0]


def read_link(node: Node, materials: Materials, meshes: Meshes) -> UrdfLink:
    """One link."""
    name = node.text("name")
    node.element = f"link {name!r}"
    inertial = node.first("inertial")
    looks = []
    for tag in ("visual", "collision"):
        for seen in node.all(tag):
            shape = read_shape(seen.need("geometry"), meshes, tag == "collision")
            material = materials.name(seen.first("material")) if tag == "visual" else ""
            if shape is not None:
                looks.append(Looks(shape, read_origin(seen), tag == "visual", material))
    mass, spin = (None, np.zeros((3, 3))) if inertial is None else read_mass(inertial)
    return UrdfLink(node, name, mass, spin, looks)


def read_mass(node: Node) -> tuple[MassProperties | None, FloatArray]:
    """Mass properties in the link frame, and for a link of mass 0 the inertia that it has all the same.

    No body turns heavily without a mass, but files have such links, and they count for the body they are fixed to.
    """
    given = node.need("mass")
    mass = given.number("value")
    if mass < 0.0:
        raise given.error(f"mass is {mass:g}", "a mass above 0 [kg], or 0 for none", "Correct the mass.")
    if mass == 0.0 and node.first("inertia") is None:
        return None, np.zeros((3, 3))
    tensor = node.need("inertia")
    xx, yy, zz = (tensor.number(f"i{k}{k}") for k in "xyz")
    xy, xz, yz = (tensor.number(name, 0.0) for name in ("ixy", "ixz", "iyz"))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    X_LC = read_origin(node)
    R_LC = rotation_matrix(X_LC.q)
    if mass == 0.0:
        return None, R_LC @ inertia @ R_LC.T
    with tensor.place(node.element):
        return MassProperties(mass, np.zeros(3), inertia).moved(X_LC.p, R_LC), np.zeros((3, 3))


def read_origin(node: Node) -> Pose:
    """``<origin>`` of an element: roll, pitch and yaw turn about fixed axes, so  R = R_z(yaw) R_y(pitch) R_x(roll)."""
    origin = node.first("origin")
    if origin is None:
        return IDENTITY
    p = Vec3(*origin.numbers("xyz", (3,), (0.0, 0.0, 0.0)))
    if "quat_xyzw" not in origin.attributes:
        return Pose(p, from_rpy(*origin.numbers("rpy", (3,), (0.0, 0.0, 0.0))))
    if "rpy" in origin.attributes:
        raise origin.error("both rpy and quat_xyzw", "one of them", "Leave one out.")
    x, y, z, w = origin.numbers("quat_xyzw", (4,))
    with origin.place(origin.element):
        return Pose(p, Quat(*unit((w, x, y, z))))


def from_rpy(roll: float, pitch: float, yaw: float) -> Quat:
    """Unit quaternion of turns about the fixed axes x, y, z, in this order."""
    q = Quat(math.cos(0.5 * roll), math.sin(0.5 * roll), 0.0, 0.0)
    q = Quat(math.cos(0.5 * pitch), 0.0, math.sin(0.5 * pitch), 0.0) * q
    return Quat(math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw)) * q


def read_joint(node: Node) -> UrdfJoint:
    """One joint."""
    name = node.text("name")
    node.element = f"joint {name!r}"
    kind = node.text("type")
    if kind not in PLACES:
        raise node.error(f"type is {kind!r}", ", ".join(PLACES), "Choose one of these.")
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    given = node.first("axis")
    if given is not None and kind not in ("fixed", "floating", "spherical"):
        axis = given.numbers("xyz", (3,))
        if not any(axis):
            raise given.error("axis is 0 0 0", "a direction", "Give the axis a length.")
        axis = unit(axis)
    limit, dynamics, mimic = node.first("limit"), node.first("dynamics"), node.first("mimic")
    lower, upper, effort, velocity = -math.inf, math.inf, math.inf, math.inf
    if kind in ("revolute", "prismatic"):
        if limit is None:
            remedy = 'Add <limit lower=".." upper=".."/>' + (", or use continuous." if kind == "revolute" else ".")
            raise node.error(f"a {kind} joint without <limit>", "one <limit>", remedy)
        lower, upper = (limit.number(word, 0.0, infinite=True) for word in ("lower", "upper"))
        if lower > upper:
            raise limit.error(f"lower {lower:g} above upper {upper:g}", "lower at or below upper", "Swap them.")
    if limit is not None:
        effort, velocity = (limit.number(word, math.inf, infinite=True) for word in ("effort", "velocity"))
    damping = friction = 0.0
    if dynamics is not None:
        damping, friction = (dynamics.number(word, 0.0) for word in ("damping", "friction"))
        if damping < 0.0 or friction < 0.0:
            found = f"damping {damping:g} and friction {friction:g}"
            raise dynamics.error(found, "numbers of 0 or more", "Correct the sign.")
    follows = None
    if mimic is not None:
        follows = Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    return UrdfJoint(
        node,
        name,
        kind,
        node.need("parent").text("link"),
        node.need("child").text("link"),
        read_origin(node),
        (axis[0], axis[1], axis[2]),
        lower,
        upper,
        effort,
        velocity,
        damping,
        friction,
        follows,
    )


def check_mimic(joint: UrdfJoint, joints: dict[str, UrdfJoint]) -> None:
    """A joint with one coordinate follows another such joint, and not itself in the end."""
    node, seen, at = joint.node.need("mimic"), [joint.name], joint
    while at.mimic is not None:
        if at.mimic.joint not in joints:
            with node.place():
                raise unknown(joint.node.element, "mimic joint", at.mimic.joint, joints)
        at = joints[at.mimic.joint]
        if at.name in seen:
            found = f"it follows itself: {' after '.join(map(repr, [*seen, at.name]))}"
            raise node.error(found, "a joint that others do not drive in a circle", "Remove one <mimic>.")
        seen.append(at.name)
    for name in seen:
        if joints[name].kind not in (*SINGLE, "fixed"):
            found = f"joint {name!r} in it is {joints[name].kind}"
            raise node.error(found, f"mimic between joints that are {', '.join(SINGLE)}", "Remove <mimic>.")
