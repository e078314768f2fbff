"""Each bound on the time for which a plane between two solids stays free against sampled distances (V-06)."""

import numpy as np
import pytest
from convex_samples import find, hull_table, in_columns, random_pairs, tables_with
from swept_samples import distance_at, random_motions

from gelenk import compile as compiler
from gelenk.collision.batch import motion_of, side_of
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.motion import make_mover
from gelenk.collision.safe_time import all_turns_time, carried_time, safe_time
from gelenk.collision.sight import from_other_side, look
from gelenk.compile import kernel
from gelenk.math.vec3 import Vec3, get3

pytestmark = pytest.mark.proof

COUNT = 2000 if compiler.ENABLED else 60
MOST, LEFT = 5.0, 1e-7


@kernel
def bounds(pairs, motions, tables, work, out):
    for i in range(pairs.r.shape[0]):
        hulls = tables.hulls
        A_moves = make_mover(side_of(pairs, i, 0), motion_of(motions, i, 0), hulls)
        B_moves = make_mover(side_of(pairs, i, 1), motion_of(motions, i, 1), hulls)
        sight = look(A_moves, B_moves, get3(pairs.r, i), 0.0, 0.0, Vec3(0.0, 0.0, 0.0), hulls, work)
        if sight.d > 4.0 * LEFT:
            over, near = from_other_side(sight), work.near
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
    bounds(in_columns(pairs), motions, tables_with(hulls), new_convex_work(), out)
    free = np.minimum(out[:, which], MOST)
    says = free > 0
    assert says.sum() > COUNT // 10
    for part in np.linspace(0.05, 1.0, 20):
        assert (distance_at(pairs, motions, part * free, hulls)[says] > 0.9 * LEFT).all()
