"""A binary tree of boxes that changes while it is used (V-34): insert, remove, refit.

Leaf i is element i, with a box somewhat larger than its own, so that an element moves for some steps without a change
of the tree. Inner nodes hold the box around their two children. A new leaf goes where the tree's total surface grows
least (surface-area heuristic); on the way back up, children change places with grandchildren where that makes the
surface smaller, or leaves it much the same and the tree less deep.

Source: J. Goldsmith, J. Salmon, Automatic creation of object hierarchies for ray tracing (1987);
A. Kensler, Tree rotations for improving bounding volume hierarchies (2008).
Ends beyond FAR, infinite ones too, are kept as FAR: all areas stay finite, and boxes that met still do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count, check_number
from gelenk.collision.broad.bounds import Bounds, get_box
from gelenk.collision.broad.pair_filter import MOVING, present
from gelenk.collision.broad.phase import NONE
from gelenk.compile import helper, routine

FAR = 1e150  # [m]; its square and sums of such are numbers still
EVEN = 0.05  # share of its surface that a node may be charged for a turn that makes the tree less deep

# entries of BoxTree.state
ROOT, FREE = 0, 1


TREE_NODE = np.dtype(  # all that a search reads, in one line of the cache
    [
        ("x", "f8"),  # its box [m]
        ("y", "f8"),
        ("z", "f8"),
        ("x_high", "f8"),
        ("y_high", "f8"),
        ("z_high", "f8"),
        ("left", "u4"),
        ("right", "u4"),
        ("height", "u4"),  # 0 at leaves
        ("moving", "u4"),  # 1 if anything below moves
    ]
)


class BoxTree(NamedTuple):
    """Nodes 0 to n - 1 are leaves, the n - 1 others inner ones."""

    node: np.ndarray  # (2 n,) TREE_NODE
    parent: np.ndarray  # (2 n,) uint32
    used: np.ndarray  # (2 n,) uint8 whether the node is in the tree
    free: np.ndarray  # (n,) uint32 inner nodes not in use
    state: np.ndarray  # (2,) uint32 root; number of free inner nodes
    margin: np.ndarray  # (1,) by which leaves are larger than their elements on each side, in sizes of these
    stack: np.ndarray  # (2 n + 2, 2) uint32 nodes still to be looked at
    changes: np.ndarray  # (1,) int64 insertions so far


def new_tree(count: int, margin: float = 0.1) -> BoxTree:
    """Empty tree for ``count`` elements."""
    n = check_count("tree", "count", count, least=1, most=2**30)
    share = check_number("tree", "margin", margin, "1", least=0)
    free = np.arange(2 * n - 1, n - 1, -1, dtype=np.uint32)
    return BoxTree(
        np.zeros(2 * n, TREE_NODE).view(np.recarray),
        np.full(2 * n, NONE),
        np.zeros(2 * n, dtype=np.uint8),
        free,
        np.array([NONE, n], dtype=np.uint32),
        np.array([share]),
        np.zeros((2 * n + 2, 2), dtype=np.uint32),
        np.zeros(1, dtype=np.int64),
    )


@helper
def within_far(a):
    """Box with all ends between -FAR and FAR."""
    return Bounds(
        min(max(a.x, -FAR), FAR),
        min(max(a.y, -FAR), FAR),
        min(max(a.z, -FAR), FAR),
        min(max(a.x_high, -FAR), FAR),
        min(max(a.y_high, -FAR), FAR),
        min(max(a.z_high, -FAR), FAR),
    )


@helper
def fattened(a, margin):
    """Box larger on each side by ``margin`` of its greatest finite size."""
    x, y, z = a.x_high - a.x, a.y_high - a.y, a.z_high - a.z
    size = max(x if x < FAR else 0.0, y if y < FAR else 0.0, z if z < FAR else 0.0)
    e = margin * size
    return within_far(Bounds(a.x - e, a.y - e, a.z - e, a.x_high + e, a.y_high + e, a.z_high + e))


@helper
def node_box(tree, i):
    """Box of a node as a value."""
    e = tree.node[i]
    return Bounds(e.x, e.y, e.z, e.x_high, e.y_high, e.z_high)


@helper
def put_node_box(tree, i, a):
    """Store the box of a node."""
    e = tree.node[i]
    e.x, e.y, e.z, e.x_high, e.y_high, e.z_high = a.x, a.y, a.z, a.x_high, a.y_high, a.z_high


@helper
def push_root(tree):
    """Begin to descend: how many nodes are on the stack, none if the tree is empty."""
    if tree.state[ROOT] == NONE:
        return 0
    tree.stack[0, 0] = tree.state[ROOT]
    return 1


@helper
def is_leaf(tree, node):
    """Whether a node is an element."""
    return node < tree.free.shape[0]


@routine
def refresh(tree, boxes, filter_):
    """Bring the tree up to the boxes: who came is inserted, who went removed, who left his leaf inserted anew."""
    for i in range(boxes.shape[0]):
        there, moves = present(filter_, boxes, i), np.uint32(filter_.element[i].role == MOVING)
        if tree.used[i] == 1:
            if there and tree.node[i].moving == moves and node_box(tree, i).holds(within_far(get_box(boxes, i))):
                continue
            remove(tree, np.uint32(i))
        if there:
            put_node_box(tree, i, fattened(get_box(boxes, i), tree.margin[0] if moves == 1 else 0.0))
            tree.node[i].moving = moves
            insert(tree, np.uint32(i))


@routine
def insert(tree, leaf):
    """Join a leaf, whose box is set, to the node beside which the surfaces grow least."""
    tree.used[leaf], tree.node[leaf].height = 1, 0
    tree.changes[0] += 1
    if tree.state[ROOT] == NONE:
        tree.state[ROOT], tree.parent[leaf] = leaf, NONE
        return
    sibling = best_sibling(tree, node_box(tree, leaf))
    tree.state[FREE] -= np.uint32(1)
    node, parent = tree.free[tree.state[FREE]], tree.parent[sibling]
    tree.used[node] = 1
    tree.parent[node], tree.node[node].left, tree.node[node].right = parent, sibling, leaf
    tree.parent[sibling], tree.parent[leaf] = node, node
    put_child(tree, parent, sibling, node)
    refit(tree, node)


@helper
def best_sibling(tree, box):
    """Node beside which a box costs least, going down as long as that is cheaper than to stay.

    A new parent here costs the area around both. A box that goes further down makes this node grow by what it
    must to hold it, and costs at least its child's growth, or a new parent there if the child is a leaf.
    """
    node = tree.state[ROOT]
    while not is_leaf(tree, node):
        here = node_box(tree, node)
        joined = here.around(box).half_area()
        growth = joined - here.half_area()
        left, right = tree.node[node].left, tree.node[node].right
        cost_left, cost_right = growth + child_cost(tree, left, box), growth + child_cost(tree, right, box)
        if joined <= min(cost_left, cost_right):
            break
        node = left if cost_left <= cost_right else right
    return node


@helper
def child_cost(tree, node, box):
    """Least area that a box adds at or below a node."""
    here = node_box(tree, node)
    joined = here.around(box).half_area()
    return joined if is_leaf(tree, node) else joined - here.half_area()


@routine
def remove(tree, leaf):
    """Take a leaf out; its sibling takes the place of their parent."""
    parent = tree.parent[leaf]
    tree.used[leaf] = 0
    if parent == NONE:
        tree.state[ROOT] = NONE
        return
    sibling = tree.node[parent].left if tree.node[parent].right == leaf else tree.node[parent].right
    above = tree.parent[parent]
    tree.parent[sibling] = above
    put_child(tree, above, parent, sibling)
    tree.used[parent] = 0
    tree.free[tree.state[FREE]] = parent
    tree.state[FREE] += np.uint32(1)
    refit(tree, above)


@helper
def put_child(tree, parent, old, new):
    """Put a new child in place of an old one; without a parent it is the root."""
    if parent == NONE:
        tree.state[ROOT] = new
    elif tree.node[parent].left == old:
        tree.node[parent].left = new
    else:
        tree.node[parent].right = new


@routine
def refit(tree, node):
    """Renew boxes, heights and flags from a node up to the root, turning where it helps."""
    while node != NONE:
        enclose(tree, node)
        turn(tree, node)
        node = tree.parent[node]


@helper
def enclose(tree, node):
    """Node from its children."""
    left, right = tree.node[node].left, tree.node[node].right
    put_node_box(tree, node, node_box(tree, left).around(node_box(tree, right)))
    tree.node[node].height = max(tree.node[left].height, tree.node[right].height) + np.uint32(1)
    tree.node[node].moving = tree.node[left].moving | tree.node[right].moving


@helper
def turn(tree, node):
    """Let a child change places with a child of its sibling, the best of four such turns if one helps."""
    left, right = tree.node[node].left, tree.node[node].right
    child, other, best = NONE, NONE, math.inf
    if not is_leaf(tree, right):
        k, gain = better_turn(tree, node, left, right)
        if gain < best:
            child, other, best = left, k, gain
    if not is_leaf(tree, left):
        k, gain = better_turn(tree, node, right, left)
        if gain < best:
            child, other, best = right, k, gain
    if best < math.inf:
        swap(tree, node, child, other)


@helper
def better_turn(tree, node, child, sibling):
    """Which child of the sibling to change with ``child``, and the area it costs; infinite if it does not help."""
    a, b = tree.node[sibling].left, tree.node[sibling].right
    here = node_box(tree, sibling).half_area()
    cost_a = node_box(tree, b).around(node_box(tree, child)).half_area() - here  # a goes up, b stays
    cost_b = node_box(tree, a).around(node_box(tree, child)).half_area() - here
    taller = a if tree.node[a].height > tree.node[b].height else b
    deep = tree.node[sibling].height > tree.node[child].height + np.uint32(2)
    if deep:  # on one side: the taller one goes up if that is not dear
        cost = cost_a if taller == a else cost_b
        if cost <= EVEN * node_box(tree, node).half_area():
            return taller, cost
    if min(cost_a, cost_b) < 0.0:
        return (a, cost_a) if cost_a <= cost_b else (b, cost_b)
    return a, math.inf


@helper
def swap(tree, node, child, grandchild):
    """Change places of a child of the node and a grandchild below the other child."""
    sibling = tree.parent[grandchild]
    put_child(tree, node, child, grandchild)
    put_child(tree, sibling, grandchild, child)
    tree.parent[grandchild], tree.parent[child] = node, sibling
    enclose(tree, sibling)
    enclose(tree, node)
