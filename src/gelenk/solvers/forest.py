"""Which rows form a tree: the spanning forest of the joint graph, in the order of elimination (I-070 to I-072).

Nodes are the bodies that move. All rigid rows of a joint between two bodies, or between a body and the ground, are one
edge (trap 5). A tree is rooted at the edge that holds it to the ground, or at a body if it floats; a second edge to the
ground, an edge that closes a loop, a second joint between the same bodies, and rows over more than two bodies are *left
over*.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from gelenk.rows.block import NONE, Joints

EDGE = np.dtype(
    [
        ("body", "u4"),  # node
        ("parent", "u4"),  # place of the parent in the order, or NONE
        ("first", "u4"),  # its rows towards the parent, none for the root of a floating tree
        ("last", "u4"),
        ("children", "u4"),
        ("eldest", "u4"),  # 1 for the child that its parent meets first
        ("slot", "u4"),  # where a solver keeps its matrices
    ]
)


class Forest(NamedTuple):
    """Bodies in an order where children come before parents, each with the rows that tie it to its parent."""

    edge: np.ndarray  # (n,) EDGE
    row: np.ndarray  # (m,) uint32 rows of the model, edge by edge
    entry: np.ndarray  # (m,) uint32 entry of the row that belongs to the body
    parent_entry: np.ndarray  # (m,) uint32 entry that belongs to the parent, or NONE
    in_tree: np.ndarray  # (R,) uint32 1 if the row is among them
    outside: np.ndarray  # (k,) uint32 nodes that no edge has


def rigid_groups(joints: Joints, skip: frozenset[int] = frozenset()) -> dict[tuple[int, ...], list[int]]:
    """Rows of one joint that hold a position, by the moving bodies they tie."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for r in range(int(joints.equalities[0])):
        row = joints.row[r]
        bodies = tuple(sorted(int(i) for i in joints.body[row.entry_first : row.entry_last]))
        mine = groups[bodies] if row.gain > 0.0 and row.owner != NONE and 1 <= len(bodies) <= 2 else None
        if mine is not None and r not in skip and (not mine or joints.row[mine[0]].owner == row.owner):
            mine.append(r)
    return groups


def forest(joints: Joints, nodes: int, skip: frozenset[int] = frozenset()) -> Forest:
    """The forest of a model; rows in ``skip`` are left over."""
    groups = rigid_groups(joints, skip)
    near: dict[int, list[int]] = defaultdict(list)
    ground: dict[int, list[int]] = {}
    for bodies, rows in groups.items():
        if not rows:
            continue
        if len(bodies) == 1:
            ground[bodies[0]] = rows
        else:
            near[bodies[0]].append(bodies[1])
            near[bodies[1]].append(bodies[0])
    seen: set[int] = set()
    order: list[tuple[int, int]] = []  # (body, parent), parents first
    for root in (*ground, *near):
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, -1)]
        while stack:
            body, parent = stack.pop()
            order.append((body, parent))
            for other in reversed(near[body]):
                if other not in seen:
                    seen.add(other)
                    stack.append((other, body))
    order.reverse()
    place = {body: n for n, (body, _) in enumerate(order)}
    edge = np.zeros(len(order), EDGE).view(np.recarray)
    children = Counter(parent for _, parent in order)
    met: set[int] = {-1}
    row: list[int] = []
    entry: list[int] = []
    parent_entry: list[int] = []
    in_tree = np.zeros(len(joints.row), np.uint32)
    for n, (body, parent) in enumerate(order):
        rows = ground.get(body, []) if parent < 0 else groups[tuple(sorted((body, parent)))]
        above = NONE if parent < 0 else place[parent]
        edge[n] = (body, above, len(row), len(row) + len(rows), children[body], parent not in met, 0)
        met.add(parent)
        for r in rows:
            of = {int(joints.body[e]): e for e in range(joints.row[r].entry_first, joints.row[r].entry_last)}
            row.append(r)
            entry.append(of[body])
            parent_entry.append(NONE if parent < 0 else of[parent])
            in_tree[r] = 1
    outside = [i for i in range(nodes) if i not in place]

    def u(values: list[int]) -> np.ndarray:
        return np.array(values, dtype=np.uint32)

    return Forest(edge, u(row), u(entry), u(parent_entry), in_tree, u(outside))
