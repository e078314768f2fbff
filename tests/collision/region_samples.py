"""Contact regions for tests: one compiled loop over many pairs, and what every region keeps."""

import numpy as np
from convex_samples import features, in_columns, reach, tables_with

from gelenk.collision.batch import collide_many
from gelenk.collision.manifold import MOST, POINT, new_memory
from gelenk.collision.narrow.convex_convex import convex_convex, convex_single
from gelenk.collision.tables import new_narrow_work


def regions(pairs, hulls=None, margin=np.inf, memory=None, single=False):
    """Points of every pair, a list of arrays."""
    pairs = np.atleast_1d(pairs)
    tables = tables_with(hulls, convex_single if single else convex_convex)
    memory = new_memory(len(pairs)) if memory is None else memory
    out, counts = np.zeros((len(pairs), MOST), POINT).view(np.recarray), np.zeros(len(pairs), np.int64)
    collide_many(in_columns(pairs), float(margin), tables, memory, new_narrow_work(tables), out, counts)
    return [o[:k] for o, k in zip(out, counts, strict=True)]


def deepest(found):
    """Signed distances of the pairs; infinite where there is no point."""
    return np.array([p.d.min() if len(p) else np.inf for p in found])


def check_region(pair, points, hulls, margin, on_surface, tol):
    """Both points on one line along n; within the margin; each on its solid; no two with the same features."""
    assert 1 <= len(points) <= MOST
    assert np.argmin(points.d) == 0 or points.d[0] <= points.d.min() + tol
    names = {(int(p.feature_a), int(p.feature_b)) for p in points}
    assert len(names) == len(points)
    for p in points:
        assert abs(np.linalg.norm(p.n) - 1) < 1e-12
        np.testing.assert_allclose(pair["r"] + p.b - p.a, p.d * p.n, atol=tol)
        assert p.d <= margin
        for side, x, sign in ((0, p.a, 1), (1, p.b, -1)):
            vertices = features(hulls, pair["table"][side])[0] if pair["kind"][side] == 6 else None
            top = reach(pair["kind"][side], pair["size"][side], pair["R"][side], sign * p.n, vertices)
            assert sign * p.n @ x <= top + on_surface
