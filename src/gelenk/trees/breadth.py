"""Lists of a tree by breadth: all that hangs on the world first, then what hangs on that, and so on (B-12).

Source: bobsleigh 4.3, after Alg. 2.2 of G. S. Rempfler (2015). The arrays that kernels run through are depth first
(:mod:`gelenk.trees.build`); in both orders parents come before children, so that loops do for recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gelenk.forces.segment_contacts import SegmentContacts
from gelenk.model.model import Model
from gelenk.rows.block import NONE
from gelenk.trees.block import Tree


class ByBreadth(NamedTuple):
    """Names in the order of the lists of a solver."""

    joints: tuple[str, ...]  # of what moves freely, the name of the body
    bodies: tuple[str, ...]  # without the world and static bodies
    contacts: tuple[tuple[str, int], ...]  # segment contacts of these bodies, and the number of the point


def by_breadth(model: Model, tree: Tree, joints: Sequence[str]) -> ByBreadth:
    """Joints, bodies and contacts of a tree, level by level; joints of one body in the order of attachment."""
    below: dict[int, list[int]] = {}
    for n, link in enumerate(tree.link):
        below.setdefault(int(link.parent), []).append(n)
    order = list(below.get(int(NONE), ()))
    for n in order:  # grows while it is run through
        order += below.get(n, ())
    sets: dict[int, list[tuple[str, int]]] = {}
    for element in model.forces:
        if isinstance(element, SegmentContacts):
            node, _ = model.nodes.site(element.label, "body", element.body)
            sets.setdefault(node, []).extend((element.name, k) for k in range(len(element.points)))
    nodes = [int(tree.link[n].node) for n in order]
    contacts = [contact for node in nodes for contact in sets.get(node, ())]
    return ByBreadth(tuple(joints[n] for n in order), tuple(model.nodes.names[node] for node in nodes), tuple(contacts))
