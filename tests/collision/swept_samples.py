"""Moving convex pairs for tests: one compiled loop over many, and their poses written a second time."""

from typing import NamedTuple

import numpy as np
from convex_samples import CUBE, PAIR, find, hull_table
from scipy.spatial.transform import Rotation

from gelenk.collision.gjk import new_convex_work
from gelenk.collision.impact_time import impact_time
from gelenk.collision.motion import Motion, make_mover, speed_along
from gelenk.collision.solid import Hulls, Solid
from gelenk.compile import kernel
from gelenk.math.rotation import get33
from gelenk.math.vec3 import get3, put3


class SweptTables(NamedTuple):
    """As the tables of a model, with hulls alone."""

    hulls: Hulls


class SweptMotions(NamedTuple):
    """Of both solids of many pairs."""

    v: np.ndarray  # (n, 2, 3)
    w: np.ndarray
    arm: np.ndarray


class Impacts(NamedTuple):
    t: np.ndarray
    d: np.ndarray
    n: np.ndarray
    a: np.ndarray
    b: np.ndarray


@kernel
def impacts(kind, table, R, size, r, motions, t_end, gap, tables, work, out):
    for i in range(r.shape[0]):
        A = Solid(kind[i, 0], table[i, 0], get33(R[i], 0), get3(size[i], 0))
        B = Solid(kind[i, 1], table[i, 1], get33(R[i], 1), get3(size[i], 1))
        motion_A = Motion(get3(motions.v[i], 0), get3(motions.w[i], 0), get3(motions.arm[i], 0))
        motion_B = Motion(get3(motions.v[i], 1), get3(motions.w[i], 1), get3(motions.arm[i], 1))
        impact = impact_time(A, motion_A, B, motion_B, get3(r, i), t_end[i], gap[i], tables, work)
        out.t[i], out.d[i] = impact.t, impact.d
        put3(out.n, i, impact.n)
        put3(out.a, i, impact.a)
        put3(out.b, i, impact.b)


@kernel
def closing_bounds(kind, table, R, size, motions, n, tables, out):
    """Bound on the speed along n of solid A of every pair."""
    for i in range(n.shape[0]):
        A = Solid(kind[i, 0], table[i, 0], get33(R[i], 0), get3(size[i], 0))
        motion = Motion(get3(motions.v[i], 0), get3(motions.w[i], 0), get3(motions.arm[i], 0))
        out[i] = speed_along(make_mover(A, motion, tables.hulls), get3(n, i))


def still(count):
    """No motion of so many pairs."""
    return SweptMotions(np.zeros((count, 2, 3)), np.zeros((count, 2, 3)), np.zeros((count, 2, 3)))


def meet(pairs, motions, t_end=1.0, gap=0.0, hulls=None):
    """Impacts of all pairs."""
    count = len(pairs)
    out = Impacts(np.zeros(count), np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3)))
    parts = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    t_end, gap = np.broadcast_to(t_end, count).astype(float), np.broadcast_to(gap, count).astype(float)
    impacts(*parts, motions, t_end, gap, SweptTables(hulls or hull_table([CUBE])), new_convex_work(), out)
    return out


def at_time(pairs, motions, t):
    """Pairs as they are at the time t, one number or one for each pair."""
    t = np.broadcast_to(t, len(pairs))
    later = pairs.copy()
    centre = np.zeros((2, len(pairs), 3))
    for side in range(2):
        turn = Rotation.from_rotvec(motions.w[:, side] * t[:, None]).as_matrix()
        later["R"][:, side] = turn @ pairs["R"][:, side]
        arm = motions.arm[:, side]
        centre[side] = motions.v[:, side] * t[:, None] + np.einsum("nij,nj->ni", turn, arm) - arm
    later["r"] += centre[1] - centre[0]
    return later


def distance_at(pairs, motions, t, hulls=None):
    """Signed distances at the time t, of pairs without a plane."""
    return find(at_time(pairs, motions, t), hulls).d


def random_motions(rng, pairs, speed=2.0, spin=3.0, aim=1.0):
    """B flies at A, more or less, both turn about centres off those of the shapes."""
    count = len(pairs)
    m = still(count)
    m.v[:] = rng.normal(size=(count, 2, 3)) * 0.3 * speed
    m.v[:, 1] -= aim * speed * pairs["r"] / np.linalg.norm(pairs["r"], axis=1)[:, None]
    m.w[:] = rng.normal(size=(count, 2, 3)) * spin * rng.choice([0.0, 1.0, 1.0], (count, 2, 1))
    m.arm[:] = rng.normal(size=(count, 2, 3)) * 0.2
    return m


def swap_sides(motions):
    return SweptMotions(*(np.ascontiguousarray(f[:, ::-1]) for f in motions))
