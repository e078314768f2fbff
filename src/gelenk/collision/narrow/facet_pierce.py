"""Where sides of one triangle pass through another one (I-093).

A side from p to q passes through the plane of a triangle at  p + s e,  s = h_p / (h_p - h_q) |q - p|,  h the heights of
its ends over the plane. Closed surfaces that do this overlap. Sides that only touch, within round-off, tell that they
may overlap.
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.facet_normal import corner_of
from gelenk.collision.narrow.surface_inside import is_over
from gelenk.collision.solid import FIELD
from gelenk.compile import helper, routine

MAY_OVERLAP = 0  # places in ``SurfaceWork.inside``
COUNT_A = 1
COUNT_B = 2
COUNT_PIERCING = 3


@helper
def put_piercing(surface, which, t, k, s, inward):
    """Note a side that goes through the other surface; if there is no room, half of those noted go."""
    rows, count = surface.pierce, surface.inside[COUNT_PIERCING]
    if count == rows.shape[0]:
        for i in range(count // 2):
            for j in range(5):
                rows[i, j] = rows[2 * i, j]
        count = count // 2
    rows[count, 0], rows[count, 1], rows[count, 2] = which, float(t), float(k)
    rows[count, 3], rows[count, 4] = s, inward
    surface.inside[COUNT_PIERCING] = np.int64(count + 1)


@helper
def comes_first(p, q):
    """Whether a side is looked at in this direction: the triangles beside it run along it in opposite ones."""
    if p.x != q.x:
        return p.x < q.x
    return p.y < q.y if p.y != q.y else p.z < q.z


@helper
def has_rim(X, tables):
    """Whether a surface ends somewhere, so that sides may have one triangle alone."""
    return X.kind == FIELD or tables.meshes.mesh[X.table].closed == 0


@helper
def sides_through(F, G, t, which, has_rim, slack, surface):
    """Sides of F, triangle t of one surface, that pass through or touch G, a triangle of the other."""
    for k in range(3):
        p, q = corner_of(F, k), corner_of(F, (k + 1) % 3)
        if has_rim or comes_first(p, q):
            a, b = (p - G.p) @ G.n, (q - G.p) @ G.n
            if min(a, b) <= slack and max(a, b) >= -slack:
                if max(abs(a), abs(b)) <= slack:
                    surface.inside[MAY_OVERLAP] = 1
                else:
                    share = min(max(a / (a - b), 0.0), 1.0)
                    if is_over(G, p + (q - p) * share, slack):
                        surface.inside[MAY_OVERLAP] = 1
                        if a * b < 0.0:
                            put_piercing(surface, which, t, k, share * (q - p).norm(), 1.0 if a > 0.0 else -1.0)


@routine
def pierce(F, G, t, u, q, tables, surface):
    """Look for sides of F, triangle t of A, that go through G, triangle u of B, and the other way round."""
    sides_through(F, G, t, 0.0, has_rim(q.A, tables), q.slack, surface)
    sides_through(G, F, u, 1.0, has_rim(q.B, tables), q.slack, surface)
