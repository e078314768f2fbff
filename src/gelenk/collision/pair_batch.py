"""Many pairs of solids of two kinds in one compiled call, as they move from frame to frame."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.collision.epa import convex_distance
from gelenk.collision.manifold import forget
from gelenk.collision.pair_table import collide
from gelenk.collision.solid import PLANE, Solid, core_support, rounding
from gelenk.compile import helper, kernel
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3, put3


class PairSet(NamedTuple):
    """n pairs of two kinds in k frames, world axes."""

    kinds: np.ndarray  # (2,) of A and B
    table: np.ndarray  # (n, 2) places in the tables
    size: np.ndarray  # (n, 2, 3) [m]
    R_A: np.ndarray  # (n, 3, 3) shape to world
    R_B: np.ndarray  # (k, n, 3, 3)
    r: np.ndarray  # (k, n, 3) centre of A to centre of B [m]


@helper
def solids(pairs, f, i):
    """Pair i of frame f."""
    A = Solid(pairs.kinds[0], pairs.table[i, 0], get33(pairs.R_A, i), get3(pairs.size[i], 0))
    B = Solid(pairs.kinds[1], pairs.table[i, 1], get33(pairs.R_B[f], i), get3(pairs.size[i], 1))
    return A, B, get3(pairs.r[f], i)


@kernel
def collide_pairs(pairs, order, margin, cold, tables, memory, work, out, count_out, d_out):
    """Contacts of all pairs, frame after frame; how many, and the least distance. ``cold`` forgets before each call."""
    for k in range(order.shape[0]):
        f = order[k]
        for i in range(pairs.r.shape[1]):
            if cold:
                forget(memory[i])
            A, B, r = solids(pairs, f, i)
            count = collide(A, B, r, margin, tables, memory[i], work, out)
            d = math.inf
            for j in range(count):
                d = min(d, out[j].d)
            count_out[f, i], d_out[f, i] = count, d


@kernel
def find_references(pairs, tables, work, d_out, n_out):
    """Signed distance along the normal of a search that remembers nothing, by support mappings."""
    for f in range(pairs.r.shape[0]):
        for i in range(pairs.r.shape[1]):
            A, B, r = solids(pairs, f, i)
            if A.kind == PLANE:
                n = Vec3(A.R.xz, A.R.yz, A.R.zz)
                d = 0.0
            else:
                _, n, _ = convex_distance(A, B, r, Vec3(0.0, 0.0, 0.0), tables.hulls, work.convex)
                d = -(n @ core_support(A, tables.hulls, n)) - rounding(A)
            d_out[f, i] = d + n @ r + n @ core_support(B, tables.hulls, -n) - rounding(B)
            put3(n_out[f], i, n)
