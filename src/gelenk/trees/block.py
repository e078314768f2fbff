"""A model as a tree, and what one evaluation computes of it: arrays of links and of degrees of freedom.

A *link* is a body with the one joint that ties it to its parent; parents come before children. All vectors are in world
axes. The reference point of a link is N, the origin of its own joint frame, and d leads from N to the centre of mass C:
joints are simplest there, and nothing is lost far from the origin of the world.

A *column* is what one velocity u_k does to the link beyond its parent: the velocity of N and the angular velocity for
u_k = 1. Columns of all links together are the motion subspaces of the joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.geometry.curve_eval import Curves
from gelenk.rows.block import records
from gelenk.state import State, like_state

LINK = np.dtype(
    [
        ("node", "u4"),  # body or particle that it moves
        ("parent", "u4"),  # link, or NONE if it is held by the world or a static body
        ("stem", "u4"),  # node of the parent
        ("kind", "u4"),  # see gelenk.trees.kind_table
        ("back", "u4"),  # 1 if the link is side a of its joint and the parent side b
        ("q", "u4"),  # first of its coordinates
        ("u", "u4"),  # first of its velocities
        ("last", "u4"),  # and the end of them
        ("turns", "u4"),  # coordinate of the model whose memory counts its turns, or NONE; on a curve, the first
        ("turns_y", "u4"),  # of the second angle of a universal joint; on a curve, the end of its coordinates
        ("table", "u4"),  # curve of a joint along one
        ("spare", "u4"),
        ("lead", "f8"),  # advance of a screw [m/rad]
        ("r_a", "f8", (3,)),  # centre of mass to the joint frame on either side, body axes [m]
        ("r_b", "f8", (3,)),
        ("q_a", "f8", (4,)),  # axes of the joint frame in the body
        ("q_b", "f8", (4,)),
    ]
)
# a row that the tree takes in: its guide, the coordinate it acts on, and  value of the row = scale q
INNER = np.dtype([("row", "u4"), ("guide", "u4"), ("q", "u4"), ("u", "u4"), ("scale", "f8")])
PIECE = np.dtype([("link", "u4"), ("link_last", "u4"), ("u", "u4"), ("u_last", "u4")])  # links and their velocities
MOVING = np.dtype(
    [
        ("p_N", "f8", (3,)),  # reference point [m]
        ("d", "f8", (3,)),  # N to C
        ("r", "f8", (3,)),  # N of the parent to N
        ("v_N", "f8", (3,)),  # velocities
        ("w", "f8", (3,)),
        ("c_N", "f8", (3,)),  # acceleration beyond that of the parent as a rigid body, for u' = 0
        ("c_w", "f8", (3,)),
        ("f", "f8", (3,)),  # bias force, or force through the joint [N]
        ("n", "f8", (3,)),  # and its moment about N [N m]
        ("a_N", "f8", (3,)),  # accelerations
        ("a_w", "f8", (3,)),
        ("A", "f8", (9,)),  # articulated inertia [[A, B^T], [B, C]] of (velocity of N, angular velocity)
        ("B", "f8", (9,)),
        ("C", "f8", (9,)),
    ]
)
COLUMN = np.dtype(
    [
        ("v", "f8", (3,)),  # column: velocity of N
        ("w", "f8", (3,)),  # and angular velocity, for u_k = 1
        ("f", "f8", (3,)),  # inertia times column
        ("n", "f8", (3,)),
        ("inv", "f8"),  # 1 / (column . inertia . column)
        ("rest", "f8"),  # generalised force that is left
    ]
)


class Tree(NamedTuple):
    """The links of a model, and where their numbers are."""

    link: np.ndarray  # (n,) LINK
    of_u: np.ndarray  # (nu,) uint32 link of each velocity
    of_link: np.ndarray  # (n,) uint32 piece of each link
    piece: np.ndarray  # (pieces,) PIECE trees that rows tie together, or one
    sizes: np.ndarray  # (3,) int64: numbers q, numbers u, links
    driven: np.ndarray  # (nu,) uint32 1 for velocities that are given (B-09)
    led: np.ndarray  # (L,) INNER given motions
    sprung: np.ndarray  # (S,) INNER springs and dampers in joints
    curves: Curves  # of the model


class TreeWork(NamedTuple):
    """One evaluation at (q, u)."""

    q: np.ndarray  # (nq,)
    u: np.ndarray  # (nu,)
    du: np.ndarray  # (nu,) u' of free joints; given for driven ones
    tau: np.ndarray  # (nu,) generalised forces
    extra: np.ndarray  # (nu,) what is added to the inertia of each velocity
    moving: np.ndarray  # (n,) MOVING
    column: np.ndarray  # (nu,) COLUMN
    at: State  # bodies where (q, u) puts them, for force laws


def new_tree_work(tree: Tree, state: State) -> TreeWork:
    """Space for one evaluation; static bodies are where ``state`` has them."""
    nq, nu, n = (int(size) for size in tree.sizes)
    at = like_state(state)
    at.flat[:] = state.flat
    du, tau, extra = np.zeros((3, nu))
    return TreeWork(np.zeros(nq), np.zeros(nu), du, tau, extra, records(MOVING, n), records(COLUMN, nu), at)
