"""Many questions in one compiled call: contacts, distances and impacts of pairs; rays, nearest points, boxes of solids.

No body, no broad phase: for samples, measurements and tables. Row i of each argument belongs together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.epa import distance_from
from gelenk.collision.gjk import NOWHERE
from gelenk.collision.impact_time import impact_time
from gelenk.collision.motion import Motion
from gelenk.collision.pair_table import collide
from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.query.nearest import nearest_on_solid
from gelenk.collision.query.ray import ray_solid
from gelenk.collision.solid import Solid
from gelenk.compile import helper, kernel
from gelenk.math.rotation import get33
from gelenk.math.vec3 import get3, put3


class ManySolids(NamedTuple):
    """Solids, see :class:`gelenk.collision.solid.Solid`."""

    kind: np.ndarray  # (n,) int64
    table: np.ndarray  # (n,) int64
    R: np.ndarray  # (n, 3, 3) shape to world
    size: np.ndarray  # (n, 3) [m]


class ManyPairs(NamedTuple):
    """Pairs of solids, A and then B."""

    kind: np.ndarray  # (n, 2) int64
    table: np.ndarray  # (n, 2) int64
    R: np.ndarray  # (n, 2, 3, 3) shape to world
    size: np.ndarray  # (n, 2, 3) [m]
    r: np.ndarray  # (n, 3) centre of A to centre of B [m]


class ManyMotions(NamedTuple):
    """Motions of both solids of pairs, see :class:`gelenk.collision.motion.Motion`."""

    v: np.ndarray  # (n, 2, 3) [m/s]
    w: np.ndarray  # (n, 2, 3) [rad/s]
    arm: np.ndarray  # (n, 2, 3) [m]


class ManyDistances(NamedTuple):
    """Of pairs of convex solids."""

    d: np.ndarray  # (n,) signed distance [m]
    n: np.ndarray  # (n, 3) unit normal from A to B
    a: np.ndarray  # (n, 3) centre of A to its point [m]
    bound: np.ndarray  # (n,) by how much a depth may be too large [m]


class ManyImpacts(NamedTuple):
    """First contacts of pairs that move, see :class:`gelenk.collision.impact_time.Impact`."""

    t: np.ndarray  # (n,) [s], infinite: none
    d: np.ndarray  # (n,) [m]
    n: np.ndarray  # (n, 3)
    a: np.ndarray  # (n, 3) [m]
    b: np.ndarray  # (n, 3) [m]


@helper
def one_solid(solids, i):
    """Solid i."""
    return Solid(solids.kind[i], solids.table[i], get33(solids.R, i), get3(solids.size, i))


@helper
def side_of(pairs, i, side):
    """A (side 0) or B (side 1) of pair i."""
    return Solid(pairs.kind[i, side], pairs.table[i, side], get33(pairs.R[i], side), get3(pairs.size[i], side))


@helper
def motion_of(motions, i, side):
    """Motion of A (side 0) or B (side 1) of pair i."""
    return Motion(get3(motions.v[i], side), get3(motions.w[i], side), get3(motions.arm[i], side))


@kernel
def collide_many(pairs, margin, tables, memory, work, out, count_out):
    """Points of every pair within ``margin`` [m], by the table: ``count_out[i]`` of them in ``out[i]``."""
    for i in range(pairs.r.shape[0]):
        A, B = side_of(pairs, i, 0), side_of(pairs, i, 1)
        count_out[i] = collide(A, B, get3(pairs.r, i), margin, tables, memory[i], work, out[i])


@kernel
def distance_many(pairs, guess, climbing, hulls, work, found_out):
    """Signed distance of every pair of convex solids, with a guess of its normal or zero.

    ``climbing``: hulls are climbed from where the pair before it ended. ``work``: a ConvexWork.
    """
    for i in range(pairs.r.shape[0]):
        A, B, r, n = side_of(pairs, i, 0), side_of(pairs, i, 1), get3(pairs.r, i), get3(guess, i)
        if not climbing:
            work.near[0] = work.near[1] = NOWHERE
        d, n, a = distance_from(A, B, r, n, hulls, work)
        found_out.d[i], found_out.bound[i] = d, work.bound[0]
        put3(found_out.n, i, n)
        put3(found_out.a, i, a)


@kernel
def impact_many(pairs, motions, t_end, gap, tables, work, found_out):
    """When every pair of convex solids meets until ``t_end[i]`` [s], found to ``gap[i]`` [m] (V-06).

    ``work``: a ConvexWork.
    """
    for i in range(pairs.r.shape[0]):
        A, B, r = side_of(pairs, i, 0), side_of(pairs, i, 1), get3(pairs.r, i)
        moved_A, moved_B = motion_of(motions, i, 0), motion_of(motions, i, 1)
        impact = impact_time(A, moved_A, B, moved_B, r, t_end[i], gap[i], tables, work)
        found_out.t[i], found_out.d[i] = impact.t, impact.d
        put3(found_out.n, i, impact.n)
        put3(found_out.a, i, impact.a)
        put3(found_out.b, i, impact.b)


@kernel
def ray_many(solids, tables, start, direction, length, s_out, n_out):
    """One ray on each solid, from its centre: how far, in lengths of the direction, and the normal there."""
    for i in range(start.shape[0]):
        s_out[i], n = ray_solid(one_solid(solids, i), tables, get3(start, i), get3(direction, i), length[i])
        put3(n_out, i, n)


@kernel
def nearest_many(solids, tables, p, d_out, q_out, n_out):
    """Nearest point of each solid to one point, both from its centre: signed distance, point, normal."""
    for i in range(p.shape[0]):
        d_out[i], q, n = nearest_on_solid(one_solid(solids, i), tables, get3(p, i))
        put3(q_out, i, q)
        put3(n_out, i, n)


@kernel
def bounds_many(solids, tables, box_out):
    """Box of each solid about its centre, world axes: three low sides, three high sides [m]."""
    for i in range(solids.table.shape[0]):
        b = solid_bounds(one_solid(solids, i), tables)
        box_out[i, 0], box_out[i, 1], box_out[i, 2] = b.x, b.y, b.z
        box_out[i, 3], box_out[i, 4], box_out[i, 5] = b.x_high, b.y_high, b.z_high
