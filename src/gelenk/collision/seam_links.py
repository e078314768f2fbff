"""Which moving colliders touch several still ones, so that there may be a seam (:mod:`gelenk.collision.seams`).

Colliders that touch fewer than two still ones, or only with one normal, have none; to find that out takes next to
nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.manifold import NONE, new_memory, new_points
from gelenk.collision.query.nearest_rows import new_feet, new_nearest_rows
from gelenk.collision.solid import PLANE
from gelenk.compile import helper
from gelenk.math.vec3 import Vec3

ALIKE = 1e-7  # normals that differ less are one
BOUNDED, ENDLESS = 1, 2


class Seams(NamedTuple):
    """Which colliders are still, and scratch."""

    still: np.ndarray  # (n,) uint32 part of the surroundings: BOUNDED, or ENDLESS for a plane; 0: moves
    head: np.ndarray  # (n,) uint32 last pair of a moving collider with a still one that has points, or NONE
    after: np.ndarray  # (pairs,) uint32 the one before of the same moving collider
    mark: np.ndarray  # (points,) uint32 EXPOSED, COVERED or GONE; between steps none is GONE
    turned_first: np.ndarray  # (pairs,) uint32 where the turned points of a pair begin
    turned_count: np.ndarray  # (pairs,) uint32 how many there are; 0 between steps
    turned: np.ndarray  # (points,) POINT
    spare: np.ndarray  # (points,) POINT
    memory: np.ndarray  # (1,) MEMORY
    foot: np.ndarray  # (1,) FOOT
    nearest: np.ndarray  # (KINDS,) addresses, see gelenk.collision.query.nearest_rows
    address: np.ndarray  # (1,) of the rule; 0 until it is compiled


def new_seams(still: Any, kinds: Any, pairs: int, points: int) -> Seams:
    """Scratch for contacts of this size; ``still``: (n,) whether colliders of these kinds are surroundings."""
    return Seams(
        np.where(still, np.where(np.asarray(kinds) == PLANE, ENDLESS, BOUNDED), 0).astype(np.uint32),
        np.full(len(still), NONE, np.uint32),
        np.zeros(pairs, np.uint32),
        np.zeros(points, np.uint32),
        np.zeros(pairs, np.uint32),
        np.zeros(pairs, np.uint32),
        new_points(points),
        new_points(points),
        new_memory(1),
        new_feet(),
        new_nearest_rows(),
        np.zeros(1, np.int64),
    )


@helper
def still_one(pair, seams):
    """The collider of a pair that belongs to the surroundings, and the way of its outward normal along n: 1 or -1."""
    return (np.int64(pair.a), 1.0) if seams.still[pair.a] > 0 else (np.int64(pair.b), -1.0)


@helper
def outward(point, way):
    """Normal of a point outward of the still collider."""
    return Vec3(point.n[0], point.n[1], point.n[2]) * way


@helper
def place_on(point, way):
    """Where a point is on the still collider, from its centre."""
    return Vec3(point.a[0], point.a[1], point.a[2]) if way > 0.0 else Vec3(point.b[0], point.b[1], point.b[2])


@helper
def unlink_all(seams):
    """Begin a step."""
    for i in range(seams.head.shape[0]):
        seams.head[i] = NONE


@helper
def link_pair(seams, pair, k):
    """Note that pair k, which has points, is one of a moving collider and a still one, if it is."""
    a, b = seams.still[pair.a] > 0, seams.still[pair.b] > 0
    if a != b:
        i = pair.b if a else pair.a
        seams.after[k], seams.head[i] = seams.head[i], k


@helper
def count_seams(contacts, seams):
    """How many moving colliders may be at a seam; the others are forgotten."""
    found = 0
    for i in range(seams.head.shape[0]):
        if seams.head[i] != NONE:
            if seams.after[seams.head[i]] != NONE and has_seam(contacts, seams, i):
                found += 1
            else:
                seams.head[i] = NONE
    return found


@helper
def has_seam(contacts, seams, i):
    """Whether the points of a collider at still ones have more than one normal, and not all of these are planes.

    Two planes with different normals lie side by side nowhere.
    """
    side, k = contacts.tally[0].now, np.int64(seams.head[i])
    bounded, several, n = False, False, Vec3(0.0, 0.0, 0.0)
    while k != NONE:
        pair = contacts.pair[side, k]
        s, way = still_one(pair, seams)
        bounded = bounded or seams.still[s] == BOUNDED
        if n @ n == 0.0:
            n = outward(contacts.contact[pair.first], way)
        for j in range(pair.first, pair.first + pair.count):
            w = outward(contacts.contact[j], way) - n
            several = several or w @ w > ALIKE * ALIKE
        k = np.int64(seams.after[k])
    return bounded and several
