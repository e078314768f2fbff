"""Contact of two facets, each a piece of the boundary of a solid (V-20, I-093).

Facets that look at each other may touch face to face, a corner of one over the face of the other, or side to side. The
normal is that of the face, or  e x f  of the two sides, which must lie on the arcs of both. Depths beyond ``reach`` do
not count: what lies deeper than that belongs to the far side of the other solid. Axes of the surface A.
"""

from __future__ import annotations

from gelenk.collision.facet import Facet
from gelenk.collision.facet_normal import corner_of, in_arc, is_bent, side_of
from gelenk.collision.narrow.facet_contact import FACE, FLAT, SIDE, TIP, cut_to_triangle, feature_of, put_pool
from gelenk.compile import helper, routine

RISE = 1e-9  # by which a side of a corner may fall and the corner is still the lowest
LEAN = 1e-6  # angle by which a normal may leave an arc
PARALLEL = 1e-9  # sine between sides that do not cross


@helper
def is_over(F, x, slack):
    """Whether a point lies over or under a facet."""
    for k in range(3):
        start, end = (F.p, F.q) if k == 0 else ((F.q, F.s) if k == 1 else (F.s, F.p))
        o = (end - start).cross(F.n)
        if (x - start) @ o > slack * o.norm():
            return False
    return True


@helper
def is_lowest(G, k, n):
    """Whether corner k of a facet is a tip whose sides do not fall along n."""
    if not G.tips & (1 << k):
        return False
    p, q, s = (G.p, G.q, G.s) if k == 0 else ((G.q, G.s, G.p) if k == 1 else (G.s, G.p, G.q))
    e, f = q - p, s - p
    return e @ n >= -RISE * e.norm() and f @ n >= -RISE * f.norm()


@helper
def face_to_face(F, G, t, u, margin, reach, surface, scale):
    """Points of two nearly parallel facets: what they have in common, seen along the normal of F."""
    n = F.n
    e = F.q - F.p
    a = e * (1.0 / e.norm())
    b = n.cross(a)
    for i in range(3):
        x = corner_of(G, i) - F.p
        row = surface.polygon[0, i]
        row[0], row[1], row[2], row[3] = x @ a, x @ b, x @ n, float(i)
    which, count = cut_to_triangle(surface, 3, F, a, b, 1e-12 * scale)
    for i in range(count):
        x, y, d = surface.polygon[which, i, 0], surface.polygon[which, i, 1], surface.polygon[which, i, 2]
        if -reach <= d <= margin:
            put_pool(surface, F.p + a * x + b * y, n, d, feature_of(t, FACE), feature_of(u, FACE))


@helper
def corners_over_faces(F, G, t, u, margin, reach, surface, scale):
    """Corners of G over the face of F, and of F over that of G."""
    slack = 1e-12 * scale
    for k in range(3):
        x = corner_of(G, k)
        d = (x - F.p) @ F.n
        if -reach <= d <= margin and is_lowest(G, k, F.n) and is_over(F, x, slack):
            put_pool(surface, x - F.n * d, F.n, d, feature_of(t, FACE), feature_of(u, TIP + k))
        x = corner_of(F, k)
        d = (x - G.p) @ G.n
        if -reach <= d <= margin and is_lowest(F, k, G.n) and is_over(G, x, slack):
            put_pool(surface, x, -G.n, d, feature_of(t, TIP + k), feature_of(u, FACE))


@helper
def sides_across(F, G, t, u, margin, reach, surface):
    """Sides of both that cross, seen along the normal of both."""
    for i in range(3):
        a = side_of(F, i)
        if is_bent(a):
            for j in range(3):
                b = side_of(G, j)
                m = a.e.cross(b.e)
                size = m.norm()
                if is_bent(b) and size > PARALLEL:
                    m = m * (1.0 / size)
                    m = m if in_arc(a, m, LEAN) and in_arc(b, -m, LEAN) else -m
                    w = b.start - a.start
                    d = w @ m
                    x, y = (w.cross(b.e) @ m) / (a.e.cross(b.e) @ m), (w.cross(a.e) @ m) / (a.e.cross(b.e) @ m)
                    inside = 0.0 <= x <= a.length and 0.0 <= y <= b.length
                    if inside and -reach <= d <= margin and in_arc(a, m, LEAN) and in_arc(b, -m, LEAN):
                        put_pool(surface, a.start + a.e * x, m, d, feature_of(t, SIDE + i), feature_of(u, SIDE + j))


@routine
def facet_facet(F, G, t, u, margin, reach, surface, scale):
    """Points of facet F, number t, and G, number u, in the pool."""
    facing = F.n @ G.n
    if facing < -FLAT:
        face_to_face(F, G, t, u, margin, reach, surface, scale)
    elif facing < 1.0 - FLAT:
        corners_over_faces(F, G, t, u, margin, reach, surface, scale)
    sides_across(F, G, t, u, margin, reach, surface)


@helper
def turned(G, R, c):
    """A facet in other axes."""
    return Facet(R @ G.p + c, R @ G.q + c, R @ G.s + c, R @ G.n, R @ G.n_pq, R @ G.n_qs, R @ G.n_sp, G.tips)
