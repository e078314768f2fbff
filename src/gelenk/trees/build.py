"""From a model to its tree: which joints are eliminated, which are left over, and in which order (B-10 to B-12).

Roots are the joints that hold a body to the world or to a static body; a part of the model that nothing holds is rooted
at its first body, which moves freely. The order is depth first, children in the order in which joints were added, so
that a link and its parent lie near each other.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from gelenk.checks import check_names, unknown
from gelenk.errors import InputError
from gelenk.joints.joint import Joint
from gelenk.model.model import Model
from gelenk.rows.block import NONE, records
from gelenk.rows.coordinate import ANGLE_X, ANGLE_Y, TWIST
from gelenk.trees.block import LINK, PIECE, Tree
from gelenk.trees.inner import taken_in
from gelenk.trees.kind_table import BALL, BEAD, COUNTED, CURVED, FIXED, FREE, NUMBER, POINT, SCREW, SPECK, TABLE

AUTO = "auto"  # cut where the tree comes back to itself


class Edge(NamedTuple):
    """A joint that a tree can eliminate."""

    joint: Any
    pair: int  # its frames
    a: int  # nodes
    b: int


class Hung(NamedTuple):
    """A node of the tree, what it hangs on, and by which joint; None if it moves freely."""

    node: int
    above: int
    edge: Edge | None


class Planned(NamedTuple):
    """A tree and what it leaves over."""

    tree: Tree
    names: tuple[str, ...]  # of the joints of all links; those that move freely have the name of the body
    jointed: tuple[bool, ...]  # whether a link has a joint
    left: tuple[Any, ...]  # joints that close loops, yield, break or are no part of a tree
    pairs: dict[int, int]  # pair of frames -> link that has its joint there


def edges_of(model: Model) -> tuple[list[Edge], list[Any]]:
    """Joints that a tree can eliminate, and the others."""
    joints, wired = model.wired.joints, model.wired
    pair = {name: int(joints.joint[n].pair) for n, name in enumerate(wired.names)}
    edges, others = [], []
    for joint in model.joints:
        if not isinstance(joint, Joint):
            continue
        if joint.kind in NUMBER and rigid(joint):
            k = pair[joint.name]
            edges.append(Edge(joint, k, int(joints.pair[k].a), int(joints.pair[k].b)))
        else:
            others.append(joint)
    return edges, others


def rigid(joint: Joint) -> bool:
    """Whether a joint neither yields nor breaks."""
    lasting = joint.break_force == joint.break_torque == math.inf
    return lasting and joint.hold_stiffness == joint.turn_stiffness == math.inf


def plan_tree(model: Model, cut: tuple[str, ...] = ()) -> Planned:
    """The tree of a model; joints named in ``cut`` are left over."""
    edges, others = edges_of(model)
    left = [*others, *(e.joint for e in edges if e.joint.name in cut)]
    edges = [e for e in edges if e.joint.name not in cut]
    closing = curved_loops(model, edges)
    left += [e.joint for e in closing]
    edges = [e for e in edges if e not in closing]
    near: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        near[edge.a].append(edge)
        near[edge.b].append(edge)
    for node in range(len(model.bodies) + 1, model.nodes.count):
        near[node].clear()  # a particle carries nothing on: what else hangs on it does so by rows
    moves = [bool(mass > 0.0) for mass in model.system.masses.inv_mass]
    seen = {n for n, yes in enumerate(moves) if not yes}
    trees: list[list[Hung]] = []
    for root in sorted(seen):
        for edge in near[root]:
            other = edge.b if edge.a == root else edge.a
            if other not in seen:
                trees.append(hanging(Hung(other, root, edge), near, seen))
    for root in range(len(moves)):
        if root not in seen:
            trees.append(hanging(Hung(root, 0, None), near, seen))
    group = groups_of(model)
    first: dict[int, int] = {}
    for tree in trees:
        first.setdefault(group[tree[0].node], len(first))
    trees.sort(key=lambda tree: first[group[tree[0].node]])
    order = [hung for tree in trees for hung in tree]
    used = {hung.edge.joint.name for hung in order if hung.edge is not None}
    left += [e.joint for e in edges if e.joint.name not in used]
    pieces = [first[group[hung.node]] for hung in order]
    jointed = tuple(hung.edge is not None for hung in order)
    pairs = {hung.edge.pair: n for n, hung in enumerate(order) if hung.edge is not None}
    return Planned(tree_arrays(model, order, pieces, pairs), names_of(model, order), jointed, tuple(left), pairs)


def curved_loops(model: Model, edges: list[Edge]) -> list[Edge]:
    """Joints along curves that tie what is tied already; what does not move is one."""
    root = [0 if not mass > 0.0 else n for n, mass in enumerate(model.system.masses.inv_mass)]

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    closing = []
    for edge in sorted(edges, key=lambda e: e.joint.kind in CURVED):
        a, b = find(edge.a), find(edge.b)
        if a == b and edge.joint.kind in CURVED:
            closing.append(edge)
        root[max(a, b)] = min(a, b)
    return closing


def hanging(root: Hung, near: dict[int, list[Edge]], seen: set[int]) -> list[Hung]:
    """A link and all that hangs on it, depth first, without recursion."""
    seen.add(root.node)
    order, stack = [root], [(root.node, iter(near[root.node]))]
    while stack:
        node, edges = stack[-1]
        edge = next(edges, None)
        if edge is None:
            stack.pop()
            continue
        other = edge.b if edge.a == node else edge.a
        if other not in seen:
            seen.add(other)
            order.append(Hung(other, node, edge))
            stack.append((other, iter(near[other])))
    return order


def groups_of(model: Model) -> list[int]:
    """A number for each node, the same for nodes that rows of any kind tie together."""
    joints = model.wired.joints
    root = list(range(len(model.system.masses.mass)))

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    for row in joints.row:
        nodes = [int(i) for i in joints.body[row.entry_first : row.entry_last]]
        for i in nodes[1:]:
            root[max(find(i), find(nodes[0]))] = min(find(i), find(nodes[0]))
    return [find(i) for i in range(len(root))]


def tree_arrays(model: Model, order: list[Hung], pieces: list[int], pairs: dict[int, int]) -> Tree:
    """Links as records."""
    joints, bodies = model.wired.joints, len(model.bodies) + 1
    link = records(LINK, len(order))
    place = {node: n for n, (node, _, _) in enumerate(order)}
    q = u = 0
    of_u: list[int] = []
    for n, (node, base, edge) in enumerate(order):
        x = link[n]
        x.node, x.stem, x.parent = node, base, place.get(base, NONE)
        x.turns = x.turns_y = NONE
        x.q_a[0] = x.q_b[0] = 1.0
        if edge is None:
            x.kind = FREE if node < bodies else POINT
        else:
            pair = joints.pair[edge.pair]
            x.kind = NUMBER[edge.joint.kind]
            if node >= bodies and x.kind in (BALL, BEAD):
                x.kind = FIXED if x.kind == BALL else SPECK  # a point turns for nothing
            x.back = int(edge.a == node)
            x.r_a, x.r_b, x.q_a, x.q_b = pair.r_a, pair.r_b, pair.q_a, pair.q_b
            if x.kind == SCREW:
                x.lead = edge.joint.lead / (2.0 * math.pi)
            if edge.joint.kind in CURVED:
                x.turns, x.turns_y, x.table = pair.first, pair.last, joints.coordinate[pair.first].table
            for c in range(pair.first, pair.last if x.kind in COUNTED else pair.first):
                if joints.coordinate[c].kind in (TWIST, ANGLE_X):
                    x.turns = c
                elif joints.coordinate[c].kind == ANGLE_Y:
                    x.turns_y = c
        x.q, x.u = q, u
        has = TABLE[x.kind]
        q, u = q + has.coordinates, u + len(has.names)
        x.last = u
        of_u += [n] * len(has.names)
    link.flags.writeable = False
    led, sprung = taken_in(joints, link, pairs)
    driven = np.zeros(u, np.uint32)
    driven[led.u] = 1
    begin = [n for n, k in enumerate(pieces) if n == 0 or pieces[n - 1] != k]
    piece = records(PIECE, len(begin))
    for k, (n, end) in enumerate(zip(begin, [*begin[1:], len(order)])):
        piece[k] = (n, end, link[n].u, link[end - 1].last)
    sizes = np.array([q, u, len(order)], np.int64)
    of_link = np.array(pieces, np.uint32)
    return Tree(link, np.array(of_u, np.uint32), of_link, piece, sizes, driven, led, sprung, joints.curves)


def names_of(model: Model, order: list[Hung]) -> tuple[str, ...]:
    """Names of what moves each link against its parent."""
    return tuple(model.nodes.names[node] if edge is None else edge.joint.name for node, _, edge in order)


def check_cut(element: str, model: Model, cut: Any) -> tuple[str, ...]:
    """Names of joints that a model has; none where trees are to be cut by themselves, ``cut="auto"``."""
    if isinstance(cut, str) and cut == AUTO:
        return ()
    known = {joint.name for joint in model.joints if isinstance(joint, Joint)}
    cut = check_names(element, "cut", cut)
    for name in cut:
        if name == AUTO and name not in known:
            found = f"cut is {cut!r}, and no joint has the name {AUTO!r}"
            raise InputError(element, found, 'cut="auto", or names of joints', 'Write cut="auto", alone.')
        if name not in known:
            raise unknown(element, "cut", name, sorted(known))
    return cut


def check_loops(element: str, model: Model, planned: Planned, cut: tuple[str, ...]) -> None:
    """Refuse loops that nobody said how to close."""
    points = set(model.nodes.names[len(model.bodies) + 1 :])
    left = [joint for joint in planned.left if joint.name not in cut and not {joint.a, joint.b} & points]
    open_loops = [joint for joint in left if joint.kind in NUMBER and joint.kind not in CURVED and rigid(joint)]
    if open_loops:
        names = ", ".join(repr(joint.name) for joint in open_loops[:5])
        found = f"{len(open_loops)} joints close loops: {names}"
        allowed = "a tree, or the joints at which it is cut"
        remedy = f"Pass cut=({open_loops[0].name!r},) or other joints of the loop, or use gk.Impulse()."
        raise InputError(element, found, allowed, remedy)


def check_masses(element: str, model: Model, planned: Planned) -> None:
    """Refuse freedoms that move no mass: a particle that a joint turns, for instance."""
    tree, masses = planned.tree, model.system.masses
    for n in range(len(tree.link)):
        if not masses.mass[tree.link[n].node] > 0.0:
            name = model.nodes.names[int(tree.link[n].node)]
            raise InputError(element, f"{name!r} has no mass", "bodies with mass", "Give it one, or make it static.")


def check_tree(element: str, model: Model, planned: Planned, cut: tuple[str, ...], *, auto: bool = False) -> None:
    """Refuse what equations of motion without rows leave out; ``auto`` leaves joints out that close loops."""
    if not auto:
        check_loops(element, model, planned, cut)
    left = [j for j in planned.left if j.name not in cut and not (auto and j.kind in NUMBER and rigid(j))]
    if left:
        found = f"joint {left[0].name!r} of kind {left[0].kind!r} is no part of a tree"
        raise InputError(element, found, f"{', '.join(NUMBER)} joints that neither yield nor break", "Name it in cut.")
