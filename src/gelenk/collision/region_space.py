"""Room for the contact region of two solids, and how these are seen along the normal (I-091)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.facing import FacingSpace, facing_space
from gelenk.collision.solid import Hulls
from gelenk.compile import helper
from gelenk.math.vec3 import Vec3, get3


class RegionSpace(NamedTuple):
    """Room for the region of one pair at a time."""

    facing: FacingSpace
    x: (
        np.ndarray
    )  # (2, k) corners in the plane across n, from the closest point of A, turn by turn read and written [m]
    y: np.ndarray
    side: np.ndarray  # (2, k) side that begins at the corner: number k of A, or -1 - k of B
    low: np.ndarray  # (k,) height of the point of A [m]
    d: np.ndarray  # (k,) distance [m]
    spread: np.ndarray  # (k,) square of the way to the nearest point chosen; negative: not a candidate [m^2]
    feature: np.ndarray  # (k, 2)


def region_space(hulls: Hulls) -> RegionSpace:
    """Room for the largest faces of a table: clipping adds at most one corner a side."""
    faces = facing_space(hulls)
    room = 2 * faces.p.shape[1] + 2
    return RegionSpace(
        faces,
        np.zeros((2, room)),
        np.zeros((2, room)),
        np.zeros((2, room), np.int64),
        np.zeros(room),
        np.zeros(room),
        np.zeros(room),
        np.zeros((room, 2), np.int64),
    )


class View(NamedTuple):
    """How two solids are seen: along n, from the closest point of A."""

    n: Vec3
    s: Vec3  # axes across n
    t: Vec3
    from_a: Vec3  # to the centres of A and B
    from_b: Vec3


@helper
def seen(view, space, which, i):
    """Corner i of A or B, from the closest point of A."""
    return get3(space.facing.p[which], i) + (view.from_a if which == 0 else view.from_b)


@helper
def height(view, foot, normal, x, y):
    """Of a plane over the place (x, y), along n."""
    return ((foot - view.s * x - view.t * y) @ normal) / (view.n @ normal)


@helper
def put_place(space, k, x, y, low, high, feature_a, feature_b):
    """Candidate k."""
    space.x[0, k], space.y[0, k], space.low[k], space.d[k] = x, y, low, high - low
    space.feature[k, 0], space.feature[k, 1] = feature_a, feature_b
