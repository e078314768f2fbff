"""Directions: what an impulse along a row or at a contact does to a tree (B-22, bobsleigh 3.7).

A direction w is the generalised force of a unit impulse. Its velocity is w.u, and an impulse p changes the velocities
by z p with  z = M^-1 w.  Both are kept over the velocities of the one or two pieces of the model that it acts on, its
*spans*. A piece is a tree, or several that rows tie together; it has its links and velocities in one place.

    w_k = v_k.f + w_k.(t + r x f)     over the joints between the root and the link, r from N of the joint to the force

z comes from the factors of the articulated-body recursion: inward along the way to the root, outward through the tree
(:mod:`gelenk.trees.respond`).
Velocities of driven joints are part of u and of w.u, but nothing changes them: z is zero there (B-22: offsets chi).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.math.vec3 import triple
from gelenk.rows.block import NONE, records
from gelenk.trees.block import Tree
from gelenk.trees.respond import Four, new_four, respond_all

MOST_SPANS = 2
DIRECTION = np.dtype(
    [
        ("piece", "u4", (MOST_SPANS,)),  # of each span
        ("spans", "u4"),
        ("spare", "u4"),
        ("at", "i8"),  # where its numbers begin in w and z
        ("diag", "f8"),  # w.z
    ]
)


class Directions(NamedTuple):
    """All directions of a step."""

    link_of: np.ndarray  # (nodes,) uint32 link of each node, or NONE if it is static
    direction: np.ndarray  # (D,) DIRECTION
    w: np.ndarray  # (S,)
    z: np.ndarray  # (S,)
    used: np.ndarray  # (2,) int64 directions and numbers in use
    felt: np.ndarray  # (1 + nu,) time that was counted in [s], impulse of contacts along each velocity since its start
    four: Four


def new_directions(tree: Tree, nodes: int, directions: int, numbers: int) -> Directions:
    """Space for so many directions with so many numbers in all."""
    link_of = np.full(nodes, NONE, np.uint32)
    link_of[tree.link["node"]] = np.arange(len(tree.link), dtype=np.uint32)
    return Directions(
        link_of,
        records(DIRECTION, directions),
        np.zeros(numbers),
        np.zeros(numbers),
        np.zeros(2, np.int64),
        np.zeros(1 + int(tree.sizes[1])),
        new_four(len(tree.link), int(tree.sizes[1])),
    )


@helper
def begin_direction(tree, directions, a, b):
    """A new direction over the pieces of one or two links, all zero; its number."""
    k = directions.used[0]
    x = directions.direction[k]
    x.spans, x.at = 0, directions.used[1]
    for link in (a, b):
        if link != NONE and (x.spans == 0 or x.piece[0] != tree.of_link[link]):
            x.piece[x.spans] = tree.of_link[link]
            x.spans += 1
    last = x.at
    for s in range(x.spans):
        last += length_of(tree.piece[x.piece[s]])
    for m in range(x.at, last):
        directions.w[m] = 0.0
    directions.used[0], directions.used[1] = k + 1, last
    return k


@helper
def length_of(piece):
    """Velocities of a piece."""
    return int(piece.u_last) - int(piece.u)


@helper
def place_in(tree, x, link):
    """Where velocity 0 would be in the numbers of a direction, for those of the piece of a link."""
    if x.piece[0] == tree.of_link[link]:
        return x.at - int(tree.piece[x.piece[0]].u)
    return x.at + length_of(tree.piece[x.piece[0]]) - int(tree.piece[x.piece[1]].u)


@routine
def add_force(tree, work, directions, k, link, p_W, f, t):
    """Add a force f at a point and a couple t on a link to direction k."""
    x = directions.direction[k]
    to = place_in(tree, x, link)
    at = link
    while at != NONE:
        joint = tree.link[at]
        n = t + (p_W - triple(work.moving[at].p_N)).cross(f)
        for i in range(joint.u, joint.last):
            directions.w[to + i] += triple(work.column[i].v) @ f + triple(work.column[i].w) @ n
        at = joint.parent


@routine
def add_point(tree, work, directions, k, link, p_W, n, t, s):
    """Add forces n, t, s at one point of a link to the directions k, k + 1, k + 2:  w_i = (v_i + w_i x r).f."""
    x = directions.direction[k]
    to = place_in(tree, x, link)
    step = np.int64(directions.direction[k + 1].at) - np.int64(x.at)
    at = link
    while at != NONE:
        joint, r = tree.link[at], p_W - triple(work.moving[at].p_N)
        for i in range(joint.u, joint.last):
            v = triple(work.column[i].v) + triple(work.column[i].w).cross(r)
            directions.w[to + i] += v @ n
            directions.w[to + step + i] += v @ t
            directions.w[to + 2 * step + i] += v @ s
        at = joint.parent


@helper
def end_direction(tree, work, directions, k):
    """Response  z = M^-1 w  and  w.z  of direction k, by the factors that the accelerations left."""
    respond_all(tree, work, directions, k, k + 1)


@routine
def silence(tree, directions, k):
    """Direction k does nothing: joints hold all that it would move, and what is left of it is round-off."""
    x = directions.direction[k]
    last = x.at
    for s in range(x.spans):
        last += length_of(tree.piece[x.piece[s]])
    for i in range(x.at, last):
        directions.w[i] = directions.z[i] = 0.0
    x.diag = 0.0


@routine
def rate_along(tree, directions, k, u):
    """W.u of direction k."""
    x = directions.direction[k]
    at, s = x.at, 0.0
    for m in range(x.spans):
        piece = tree.piece[x.piece[m]]
        for i in range(piece.u, piece.u_last):
            s += directions.w[at] * u[i]
            at += 1
    return s


@routine
def push_along(tree, directions, k, u, p):
    """U += z p  of direction k."""
    x = directions.direction[k]
    at = x.at
    for m in range(x.spans):
        piece = tree.piece[x.piece[m]]
        for i in range(piece.u, piece.u_last):
            u[i] += directions.z[at] * p
            at += 1


@helper
def feel_along(tree, directions, k, p):
    """Count in an impulse p along direction k:  felt += w p."""
    x = directions.direction[k]
    at = x.at
    for m in range(x.spans if p != 0.0 else 0):
        piece = tree.piece[x.piece[m]]
        for i in range(piece.u, piece.u_last):
            directions.felt[1 + i] += directions.w[at] * p
            at += 1


@routine
def coupling(tree, directions, j, k):
    """W_j.z_k  of two directions."""
    x, y = directions.direction[j], directions.direction[k]
    s, at = 0.0, x.at
    for m in range(x.spans):
        piece = tree.piece[x.piece[m]]
        size, other = length_of(piece), y.at
        for q in range(y.spans):
            theirs = tree.piece[y.piece[q]]
            if y.piece[q] == x.piece[m]:
                for i in range(size):
                    s += directions.w[at + i] * directions.z[other + i]
            other += length_of(theirs)
        at += size
    return s
