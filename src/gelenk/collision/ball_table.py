"""Trees of balls of a model in one table, and the search down a tree within a budget (V-22, V-23)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper
from gelenk.geometry.ball_tree import BallTree
from gelenk.math.vec3 import Vec3

STACK = 64  # seven siblings left at each of seven levels, and eight children
DEPTH_LIMIT, BUDGET = 7, 4096  # levels to go down at most; tests of balls for a pair at most


class BallTrees(NamedTuple):
    """Nodes of all trees. Indices count over the whole table."""

    root: np.ndarray  # (t,) uint32 first node of each tree
    ball: np.ndarray  # (n, 4) centre and radius, shape axes [m]
    reach: np.ndarray  # (n,) radius that holds the balls of all nodes below [m]
    child_first: np.ndarray  # (n,) uint32
    child_last: np.ndarray  # (n,) uint32; as child_first where there is no child
    level: np.ndarray  # (n,) uint32, 0 at the root
    stack: np.ndarray  # (STACK,) uint32 scratch of one query at a time: nodes still to be looked at


class BallWork(NamedTuple):
    """Scratch of one pair at a time."""

    limits: np.ndarray  # (2,) int64: deepest level to use, and how many balls may be tested
    queue: np.ndarray  # (q, 2) uint32 nodes of A and B to look at; the second is 0 where B is no tree
    gap: np.ndarray  # (q,) distance of the balls of these nodes [m]
    found: np.ndarray  # (q,) uint32 places in the queue whose balls may touch
    place: np.ndarray  # (q, 3) where these balls are [m], to spread what is kept
    spare: np.ndarray  # (q,) how far each is from what is kept already [m^2]


def pack_balls(trees: Sequence[BallTree]) -> BallTrees:
    """All trees one after the other; ``Solid.table`` is the place in the sequence."""
    root = np.cumsum([0, *(len(tree.ball) for tree in trees)])
    empty4, empty, none = np.zeros((0, 4)), np.zeros(0), np.zeros(0, np.uint32)
    levels = [np.searchsorted(tree.level_first[1:], np.arange(len(tree.ball)), side="right") for tree in trees]
    return BallTrees(
        root[:-1].astype(np.uint32),
        np.concatenate([empty4, *(tree.ball for tree in trees)]),
        np.concatenate([empty, *(tree.reach for tree in trees)]),
        np.concatenate([none, *((tree.first + start).astype(np.uint32) for tree, start in zip(trees, root))]),
        np.concatenate([none, *((tree.last + start).astype(np.uint32) for tree, start in zip(trees, root))]),
        np.concatenate([none, *(level.astype(np.uint32) for level in levels)]),
        np.zeros(STACK, np.uint32),
    )


def new_ball_work(budget: int = BUDGET, level: int = DEPTH_LIMIT) -> BallWork:
    """Scratch for ``budget`` tests a pair: a search that would need more stays at the level it has reached.

    Counted in tests and not in seconds, so that results are the same on every machine.
    """
    size = budget + 64
    return BallWork(
        np.array([level, budget], np.int64),
        np.zeros((size, 2), np.uint32),
        np.zeros(size),
        np.zeros(size, np.uint32),
        np.zeros((size, 3)),
        np.zeros(size),
    )


@helper
def ball_centre(balls, node):
    """Centre of a ball, shape axes."""
    return Vec3(balls.ball[node, 0], balls.ball[node, 1], balls.ball[node, 2])


@helper
def is_last(balls, node, work):
    """Whether the search goes no deeper here."""
    return balls.child_first[node] == balls.child_last[node] or balls.level[node] >= work.limits[0]


@helper
def pick_spread(work, found, k, kept):
    """The next of ``found`` candidates to keep: first the deepest, then each time the one farthest from those kept.

    ``kept`` is the one picked last, whose distance is taken into account now. Ties go to the deeper.
    """
    best, most = 0, -1.0
    if k == 0:
        for c in range(found):
            work.spare[c] = np.inf
            if c == 0 or work.gap[work.found[c]] < work.gap[work.found[best]]:
                best = c
        return best
    for c in range(found):
        x = work.place[c, 0] - work.place[kept, 0]
        y = work.place[c, 1] - work.place[kept, 1]
        z = work.place[c, 2] - work.place[kept, 2]
        work.spare[c] = min(work.spare[c], x * x + y * y + z * z)
        tie = work.spare[c] == most and work.gap[work.found[c]] < work.gap[work.found[best]]
        if work.spare[c] > most or tie:
            best, most = c, work.spare[c]
    return best
