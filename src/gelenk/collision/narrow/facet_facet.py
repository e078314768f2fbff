"""Contact of two facets that do not overlap, each a piece of the boundary of a solid (V-20, I-093).

Facets that look at each other may touch face to face (:mod:`gelenk.collision.narrow.face_to_face`), a corner of one
over the face of the other, or side to side. The normal is that of the face, or  e x f  of the two sides, which must lie
on the arcs of both. Axes of the surface A.
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.facet import Facet
from gelenk.collision.facet_normal import corner_of, in_arc, is_bent, may_end, side_of
from gelenk.collision.narrow.facet_contact import FACE, SIDE, TIP, feature_of
from gelenk.collision.narrow.point_pool import NEAR, put_surface_point
from gelenk.collision.narrow.surface_convex import owns
from gelenk.collision.narrow.surface_inside import corner_place, is_over
from gelenk.collision.surface import surface_face, surface_in_box
from gelenk.compile import helper, routine

RISE = 1e-9  # sine by which a side may rise above its corner
LEAN = 1e-6  # angle by which a normal may leave an arc
PARALLEL = 1e-9  # sine between sides that do not cross


@routine
def is_top(A, tables, p, m, found):
    """Whether along m no triangle of A at its corner p rises above it, and one looks that way; axes of A."""
    outside = False
    for i in range(min(surface_in_box(A, tables, Bounds(p.x, p.y, p.z, p.x, p.y, p.z), found), found.shape[0])):
        F = surface_face(A, tables, np.int64(found[i]))
        for k in range(3):
            x = corner_of(F, k)
            if x.x == p.x and x.y == p.y and x.z == p.z:
                e, f = corner_of(F, (k + 1) % 3) - p, corner_of(F, (k + 2) % 3) - p
                if m @ e > RISE * e.norm() or m @ f > RISE * f.norm():
                    return False
                outside = outside or m @ F.n >= -RISE
    return outside


@helper
def is_seen(side):
    """Whether a side can touch, and is looked at from this facet: one of the two beside it."""
    return is_bent(side) and (owns(side) or may_end(side))


@helper
def touches_face(F, G, k, d, q):
    """Whether corner k of G, at the height d over F, is looked at and lies over F and near it."""
    return G.tips & (1 << k) and -q.slack <= d <= q.margin and is_over(F, corner_of(G, k), q.slack)


@routine
def corners_over_faces(F, G, t, u, q, tables, surface):
    """Corners of G over the face of F, and of F over that of G, beyond which nothing around them reaches."""
    for k in range(3):
        x = corner_of(G, k)
        d = (x - F.p) @ F.n
        own = corner_place(q.B, tables, u, k)
        if touches_face(F, G, k, d, q) and is_top(q.B, tables, own, -q.R.tdot(F.n), surface.unsettled):
            put_surface_point(surface, x - F.n * d, F.n, d, feature_of(t, FACE), feature_of(u, TIP + k), NEAR)
        x = corner_of(F, k)
        d = (x - G.p) @ G.n
        if touches_face(G, F, k, d, q) and is_top(q.A, tables, x, -G.n, surface.unsettled):
            put_surface_point(surface, x, -G.n, d, feature_of(t, TIP + k), feature_of(u, FACE), NEAR)


@helper
def crossing(a, b):
    """Whether two sides cross, seen along a normal of both, their distance, the normal from a to b, and the place on a.

    With  m = e x f  the places are  x = (w x f) . m / m . m  and  y = (w x e) . m / m . m,  w from start to start.
    """
    m = a.e.cross(b.e)
    size = m.norm()
    m = m * (1.0 / size if size > 0.0 else 0.0)
    m = m if in_arc(a, m, LEAN) and in_arc(b, -m, LEAN) else -m
    w = b.start - a.start
    across = a.e.cross(b.e) @ m
    across = across if size > PARALLEL else 1.0
    x, y = (w.cross(b.e) @ m) / across, (w.cross(a.e) @ m) / across
    inside = 0.0 <= x <= a.length and 0.0 <= y <= b.length
    found = size > PARALLEL and inside and in_arc(a, m, LEAN) and in_arc(b, -m, LEAN)
    return found, w @ m, m, a.start + a.e * x


@routine
def sides_across(F, G, t, u, q, surface):
    """Sides of both that cross, seen along the normal of both."""
    for i in range(3):
        a = side_of(F, i)
        if is_seen(a):
            for j in range(3):
                b = side_of(G, j)
                if is_seen(b):
                    found, d, m, x = crossing(a, b)
                    if found and -q.slack <= d <= q.margin:
                        put_surface_point(surface, x, m, d, feature_of(t, SIDE + i), feature_of(u, SIDE + j), NEAR)


@helper
def turned(G, R, c):
    """A facet in other axes."""
    return Facet(R @ G.p + c, R @ G.q + c, R @ G.s + c, R @ G.n, R @ G.n_pq, R @ G.n_qs, R @ G.n_sp, G.tips)
