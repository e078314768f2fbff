"""Joined links as URDF, for engines that read a tree from a file."""

from __future__ import annotations

from collections.abc import Iterable

from gelenk.bench.links import Link
from gelenk.bench.tree_scene import Links

KINDS = {"ball": "spherical", "hinge": "continuous"}


def urdf(scene: Links) -> str:
    """A robot without shapes, on a link named world. Link frames sit in the joints, along the world at the start."""
    parts = ['<robot name="tree">', '<link name="world"/>']
    for link in scene.links:
        parts += [_body(link), _joint(link, None if link.parent < 0 else scene.links[link.parent])]
    return "\n".join([*parts, "</robot>"])


def _body(link: Link) -> str:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia_W
    return (
        f'<link name="{link.name}"><inertial><origin xyz="{_three(link.p_WC - link.p_WJ)}"/>'
        f'<mass value="{link.mass!r}"/>'
        f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial></link>'
    )


def _joint(link: Link, parent: Link | None) -> str:
    at = link.p_WJ if parent is None else link.p_WJ - parent.p_WJ
    return (
        f'<joint name="joint of {link.name}" type="{KINDS[link.joint]}">'
        f'<parent link="{parent.name if parent else "world"}"/><child link="{link.name}"/>'
        f'<origin xyz="{_three(at)}"/><axis xyz="{_three(link.axis_W)}"/>'
        '<dynamics damping="0" friction="0"/></joint>'
    )


def _three(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
