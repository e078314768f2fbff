"""Each bound on the time for which a plane between two solids stays free against sampled distances (V-06)."""

import numpy as np
import pytest
from convex_samples import find, hull_table, random_pairs
from swept_samples import PAIR, SweptTables, distance_at, random_motions

from gelenk import compile as compiler
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.motion import Motion, make_mover
from gelenk.collision.safe_time import all_turns_time, carried_time, safe_time
from gelenk.collision.sight import from_other_side, look
from gelenk.collision.solid import Solid
from gelenk.compile import kernel
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3

COUNT = 2000 if compiler.ENABLED else 60
MOST, LEFT = 5.0, 1e-7


@kernel
def bounds(kind, table, R, size, r, motions, tables, work, out):
    for i in range(r.shape[0]):
        A = Solid(kind[i, 0], table[i, 0], get33(R[i], 0), get3(size[i], 0))
        B = Solid(kind[i, 1], table[i, 1], get33(R[i], 1), get3(size[i], 1))
        motion_A = Motion(get3(motions.v[i], 0), get3(motions.w[i], 0), get3(motions.arm[i], 0))
        motion_B = Motion(get3(motions.v[i], 1), get3(motions.w[i], 1), get3(motions.arm[i], 1))
        A_moves, B_moves = make_mover(A, motion_A, tables.hulls), make_mover(B, motion_B, tables.hulls)
        sight = look(A_moves, B_moves, get3(r, i), 0.0, 0.0, Vec3(0.0, 0.0, 0.0), tables.hulls, work)
        if sight.d > 4.0 * LEFT:
            over, near, hulls = from_other_side(sight), work.near, tables.hulls
            out[i, 0] = safe_time(A_moves, B_moves, sight, 4.0 * LEFT, MOST, hulls, work)
            out[i, 1] = all_turns_time(A_moves, B_moves, sight, LEFT)
            if A_moves.spin.rate > 0.0:
                out[i, 2] = carried_time(A_moves, B_moves, sight, LEFT, 2.0 * LEFT, MOST, hulls, near, 1)
            if B_moves.spin.rate > 0.0:
                out[i, 3] = carried_time(B_moves, A_moves, over, LEFT, 2.0 * LEFT, MOST, hulls, near, 0)


@pytest.mark.parametrize("which", [0, 1, 2, 3], ids=["longest", "all turns", "carried by A", "carried by B"])
def test_solids_stay_apart_for_so_long(which):
    rng = np.random.default_rng(which)
    hulls = hull_table([0.5 * rng.normal(size=(10, 3)) for _ in range(4)])
    pairs = random_pairs(rng, COUNT, rng.integers(0, 8, (COUNT, 2)), 4, far=(1.0, 2.0, 3.0))
    start = find(pairs, hulls)  # bring them close, so that speeds count and not only bounds on accelerations
    apart = (start.d > 0) & (rng.random(COUNT) < 0.8)
    pairs["r"] -= start.n * np.where(apart, start.d - start.d * 10.0 ** rng.uniform(-4, -1, COUNT), 0.0)[:, None]
    motions = random_motions(rng, pairs, spin=5.0)
    motions.arm[:] *= rng.choice([1.0, 10.0], (COUNT, 1, 1))
    out = np.zeros((COUNT, 4))
    parts = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    bounds(*parts, motions, SweptTables(hulls), new_convex_work(), out)
    free = np.minimum(out[:, which], MOST)
    says = free > 0
    assert says.sum() > COUNT // 10
    for part in np.linspace(0.05, 1.0, 20):
        assert (distance_at(pairs, motions, part * free, hulls)[says] > 0.9 * LEFT).all()
