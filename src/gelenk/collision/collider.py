"""Everything that can touch, as an array, and where it is: the first stage of detection (V-10)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.solid import Solid
from gelenk.compile import helper, kernel, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import Mat3, rotation
from gelenk.math.vec3 import Vec3, get3

COLLIDER = np.dtype(
    [
        ("kind", "i8"),  # see gelenk.collision.solid
        ("table", "i8"),
        ("node", "u4"),  # body it is fixed to
        ("part", "u4"),  # which part of the body
        ("piece", "u4"),  # which piece of the part: a compound has several
        ("lengths", "f8", (3,)),  # what the size of its kind is [m]
        ("p_CS", "f8", (3,)),  # centre of mass of the body to centre of the shape, body axes [m]
        ("R_BS", "f8", (3, 3)),  # shape axes to body axes
        ("margin", "f8"),  # half of the distance up to which contacts are reported [m]
    ]
)
PLACE = np.dtype([("p", "f8", (3,)), ("R", "f8", (3, 3))])  # centre of the shape [m] and its axes, world


class Colliders(NamedTuple):
    """Shapes fixed to bodies, and where they are now."""

    item: np.ndarray  # (n,) COLLIDER
    place: np.ndarray  # (n,) PLACE
    box: np.ndarray  # (n, 6) bounds with margin, world axes [m]
    way: np.ndarray  # (n, 3) where the centre goes until the end of the step, world axes [m]; zero outside of a step
    turn: np.ndarray  # (n,) most that a point of it moves beside that by turning [m]


def new_colliders(item: np.ndarray) -> Colliders:
    """Room for where they are; they rest."""
    n = len(item)
    place = np.zeros(n, PLACE).view(np.recarray)
    return Colliders(item, place, np.zeros((n, 6)), np.zeros((n, 3)), np.zeros(n))


@helper
def vector(a):
    """Three numbers of a record as a value."""
    return Vec3(a[0], a[1], a[2])


@helper
def matrix(A):
    """Nine numbers of a record as a value."""
    return Mat3(A[0, 0], A[0, 1], A[0, 2], A[1, 0], A[1, 1], A[1, 2], A[2, 0], A[2, 1], A[2, 2])


@helper
def solid_of(colliders, i):
    """Collider i as pair routines and queries see it."""
    item = colliders.item[i]
    return Solid(int(item.kind), int(item.table), matrix(colliders.place[i].R), vector(item.lengths))


@helper
def centre_of(colliders, i):
    """Centre of collider i, world [m]."""
    return vector(colliders.place[i].p)


@helper
def reach_of(colliders, i, j):
    """Distance up to which contacts of two are reported [m]: their margins, and what a step brings them nearer."""
    way = get3(colliders.way, j) - get3(colliders.way, i)
    return colliders.item[i].margin + colliders.item[j].margin + way.norm() + colliders.turn[i] + colliders.turn[j]


@kernel
def place_colliders(colliders, tables, state):
    """Where every collider is; see :func:`place_all`."""
    place_all(colliders, tables, state)


@routine
def place_all(colliders, tables, state):
    """Where every collider is:  p_WS = p_WC + R_WB p_CS,  R_WS = R_WB R_BS,  and its box.

    The box holds the collider on its way through the step and is grown by its margin.
    """
    for i in range(colliders.item.shape[0]):
        item, place = colliders.item[i], colliders.place[i]
        R_WB = rotation(get4(state.q_WB, item.node))
        p, R = get3(state.p_WC, item.node) + R_WB @ vector(item.p_CS), R_WB.times(matrix(item.R_BS))
        place.p[0], place.p[1], place.p[2] = p.x, p.y, p.z
        place.R[0, 0], place.R[0, 1], place.R[0, 2] = R.xx, R.xy, R.xz
        place.R[1, 0], place.R[1, 1], place.R[1, 2] = R.yx, R.yy, R.yz
        place.R[2, 0], place.R[2, 1], place.R[2, 2] = R.zx, R.zy, R.zz
        b, m, w = solid_bounds(solid_of(colliders, i), tables), item.margin + colliders.turn[i], get3(colliders.way, i)
        colliders.box[i, 0], colliders.box[i, 3] = p.x + b.x - m + min(w.x, 0.0), p.x + b.x_high + m + max(w.x, 0.0)
        colliders.box[i, 1], colliders.box[i, 4] = p.y + b.y - m + min(w.y, 0.0), p.y + b.y_high + m + max(w.y, 0.0)
        colliders.box[i, 2], colliders.box[i, 5] = p.z + b.z - m + min(w.z, 0.0), p.z + b.z_high + m + max(w.z, 0.0)
