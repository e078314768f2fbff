"""Convex solids of a scene with their motion, each from a pose at a time of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.checks import check_count
from gelenk.collision.motion import Motion, Spin, mover_of, pose_after, spin_of
from gelenk.collision.solid import Solid
from gelenk.compile import helper, routine
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3, put3


class SweptSolids(NamedTuple):
    """Convex solids of a scene with their motion; each pose holds at a time of its own."""

    kind: np.ndarray  # (n,) int64
    table: np.ndarray  # (n,) int64
    R: np.ndarray  # (n, 3, 3) shape axes to world axes at the time t; of a triangle its corners
    size: np.ndarray  # (n, 3) [m]
    p: np.ndarray  # (n, 3) centre at the time t [m]
    v: np.ndarray  # (n, 3) of the centre of rotation [m/s]
    w: np.ndarray  # (n, 3) [rad/s]
    arm: np.ndarray  # (n, 3) centre of rotation to centre of the shape at the time t [m]
    t: np.ndarray  # (n,) [s]
    room: np.ndarray  # (n, 8) rate, axis, reach, low, high, ball of ``Spin``; kept by ``set_room``


def new_swept_solids(count: int) -> SweptSolids:
    """Space for so many."""
    n = check_count("swept solids", "count", count, least=1, most=2**31)
    kind, vectors = np.zeros(n, np.int64), [np.zeros((n, 3)) for _ in range(5)]
    size, p, v, w, arm = vectors
    R = np.tile(np.eye(3), (n, 1, 1))
    return SweptSolids(kind, np.zeros_like(kind), R, size, p, v, w, arm, np.zeros(n), np.zeros((n, 8)))


@helper
def get_motion(solids, i):
    """Motion of element i from its own time on."""
    return Motion(get3(solids.v, i), get3(solids.w, i), get3(solids.arm, i))


@helper
def get_solid(solids, i):
    """Element i at its own time."""
    return Solid(solids.kind[i], solids.table[i], get33(solids.R, i), get3(solids.size, i))


@routine
def set_room(solids, i, hulls):
    """Room that element i needs to move; after every change of its motion, pose or size."""
    spin, room = spin_of(get_solid(solids, i), get_motion(solids, i), hulls), solids.room
    room[i, 0], room[i, 1], room[i, 2], room[i, 3] = spin.rate, spin.axis.x, spin.axis.y, spin.axis.z
    room[i, 4], room[i, 5], room[i, 6], room[i, 7] = spin.reach, spin.low, spin.high, spin.ball


@routine
def get_mover(solids, i):
    """Element i as a value."""
    room = solids.room
    axis = Vec3(room[i, 1], room[i, 2], room[i, 3])
    spin = Spin(room[i, 0], axis, room[i, 4], room[i, 5], room[i, 6], room[i, 7])
    return mover_of(get_solid(solids, i), get_motion(solids, i), spin)


@routine
def bring_to(solids, i, t):
    """Move element i on to the time t, from which a new motion of it can begin."""
    solid, way, arm = pose_after(get_solid(solids, i), get_motion(solids, i), t - solids.t[i])
    put3(solids.R[i], 0, Vec3(solid.R.xx, solid.R.xy, solid.R.xz))
    put3(solids.R[i], 1, Vec3(solid.R.yx, solid.R.yy, solid.R.yz))
    put3(solids.R[i], 2, Vec3(solid.R.zx, solid.R.zy, solid.R.zz))
    put3(solids.p, i, get3(solids.p, i) + way)
    put3(solids.arm, i, arm)
    solids.t[i] = t


@helper
def centre_way(solids, i, j):
    """Centre of i to centre of j, each at its own time."""
    return get3(solids.p, j) - get3(solids.p, i)
