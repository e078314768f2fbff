"""Moving convex pairs for tests: one compiled loop over many, and their poses written a second time."""

import numpy as np
from convex_samples import find, in_columns, tables_with
from scipy.spatial.transform import Rotation

from gelenk.collision.batch import ManyImpacts, ManyMotions, impact_many, motion_of, side_of
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.motion import make_mover, speed_along
from gelenk.compile import kernel
from gelenk.math.vec3 import get3


@kernel
def closing_bounds(pairs, motions, n, tables, out):
    """Bound on the speed along n of solid A of every pair."""
    for i in range(n.shape[0]):
        mover = make_mover(side_of(pairs, i, 0), motion_of(motions, i, 0), tables.hulls)
        out[i] = speed_along(mover, get3(n, i))


def still(count):
    """No motion of so many pairs."""
    return ManyMotions(np.zeros((count, 2, 3)), np.zeros((count, 2, 3)), np.zeros((count, 2, 3)))


def meet(pairs, motions, t_end=1.0, gap=0.0, hulls=None):
    """Impacts of all pairs."""
    count = len(pairs)
    out = ManyImpacts(np.zeros(count), np.zeros(count), *np.zeros((3, count, 3)))
    t_end, gap = np.broadcast_to(t_end, count).astype(float), np.broadcast_to(gap, count).astype(float)
    impact_many(in_columns(pairs), motions, t_end, gap, tables_with(hulls), new_convex_work(), out)
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
    return ManyMotions(*(np.ascontiguousarray(f[:, ::-1]) for f in motions))
