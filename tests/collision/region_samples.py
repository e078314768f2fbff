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


def inside(pairs, side, x, hulls):
    """Which points x, from the centre of A, lie in the whole solid; never in a triangle. Written a second time."""
    out = np.zeros(len(pairs), bool)
    x = x - side * pairs["r"]
    for i, p in enumerate(pairs):
        kind, s = p["kind"][side], p["size"][side]
        u = p["R"][side].T @ x[i]
        flat = np.hypot(u[0], u[1])
        if kind == 0:
            out[i] = u @ u <= s[0] ** 2
        elif kind == 1:
            out[i] = (np.abs(u) <= s).all()
        elif kind == 2:
            out[i] = np.hypot(flat, max(abs(u[2]) - s[2], 0.0)) <= s[0]
        elif kind == 3:
            out[i] = flat <= s[0] and abs(u[2]) <= s[2]
        elif kind == 4:
            out[i] = 0 <= u[2] <= s[2] and flat <= s[0] * (1 - u[2] / s[2])
        elif kind == 5:
            out[i] = np.sum((u / s) ** 2) <= 1
        elif kind == 6:
            h = hulls.hull[p["table"][side]]
            faces = hulls.face[h["face_first"] : h["face_last"]]
            out[i] = (faces["n"] @ u <= faces["d"]).all()
    return out
