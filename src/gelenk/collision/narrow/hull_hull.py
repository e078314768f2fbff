"""Hull against hull: V-Clip with what the pair remembers, and the contact region (H-63..H-71, I-087, I-091)."""

from __future__ import annotations

import numpy as np

from gelenk.collision.clip import KEPT
from gelenk.collision.hull_manifold import CORNERS, hull_hull
from gelenk.collision.vclip_features import NONE, VERTEX, climb, feature, vertex_of
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3


@routine
def hull_hull_pair(A, B, r, margin, tables, memory, work, out):
    """Contact points of two hulls, the number of them; ``work.clip`` is a :class:`ClipSpace`."""
    if still_apart(A, B, r, margin, tables.hulls, tables.hulls, memory):
        return 0
    return hull_hull(A, B, r, margin, tables.hulls, memory, work.clip, CORNERS, min(KEPT, out.shape[0]), out)


@helper
def still_apart(A, B, r, margin, one, two, memory):
    """Whether planes across the shortest way of an earlier step, with the hulls apart, still leave the margin free.

    With the unit vector n the distance is at least  min over B of n . b  -  max over A of n . a.
    """
    n = Vec3(memory.guess[0], memory.guess[1], memory.guess[2])
    pair = memory.features
    if n @ n == 0.0 or pair[0] == NONE:
        return False
    n_A, n_B = A.R.tdot(n), B.R.tdot(-n)
    a = climb(one, vertex_of(one, np.int64(pair[0])), n_A)
    b = climb(two, vertex_of(two, np.int64(pair[1])), n_B)
    if n @ r - n_B @ get3(two.vertex, b) - n_A @ get3(one.vertex, a) > margin:
        pair[0], pair[1] = feature(VERTEX, a), feature(VERTEX, b)
        return True
    return False
