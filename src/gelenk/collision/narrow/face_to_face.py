"""Two facets that look at each other and are nearly parallel: what they have in common, and its normal (V-20, I-093).

A body that tilts on a floor touches it with an edge or a corner, and the normal is that of the floor. So the face that
*carries* the other one gives the normal: at the place where the two come nearest, the other one has a side that bends
or a corner that stands out, and the carrier has none. If both have one, or neither, the carrier is the one with fewer
of them around it, then the larger one; between equals the normal is half way between both. Nothing of this depends on
which of the two comes first. Axes of the surface A.
"""

from __future__ import annotations

import math

from gelenk.collision.facet_normal import corner_of, is_bent, side_of
from gelenk.collision.narrow.facet_contact import FACE, SAME, cut_to_triangle, feature_of
from gelenk.collision.narrow.point_pool import NEAR, put_surface_point
from gelenk.compile import helper, routine

PARALLEL = 1.0 - 1e-14  # cosine between normals from which on either is as good
EQUAL = 1.0 + 1e-9  # factor between areas that are the same
CARRIES_A = 1
CARRIES_B = -1
NEITHER = 0


@helper
def frame_of(F, n):
    """Two directions u, v at right angles to n, u along the first side of a facet as far as it can be."""
    u = (F.q - F.p).cross(n)
    size = u.norm()
    v = u * (-1.0 / size if size > 0.0 else 0.0)
    return v.cross(n), v


@routine
def common_region(F, G, n, scale, surface):
    """What two facets have in common, seen along n: which polygon it is, and how many corners it has.

    Heights are the gap along n from the plane of F to that of G:  n_F . (x - p) / n_F . n,  x on G.
    """
    u, v = frame_of(F, n)
    for i in range(3):
        x = corner_of(G, i) - F.p
        row = surface.polygon[0, i]
        row[0], row[1], row[2], row[3] = x @ u, x @ v, (x @ F.n) / (n @ F.n), float(i)
    return cut_to_triangle(surface, 3, F, u, v, 1e-12 * scale)


@helper
def stands_out(F, first, second):
    """Whether a line or corner of a facet can touch: numbers of two of its sides, the second from that corner on, or
    -1 for what is not a side of it.
    """
    found = first >= 0 and second >= 0 and F.tips & (1 << max(second, 0)) != 0
    for k in range(3):
        if k in (first, second):
            found = found or is_bent(side_of(F, k))
    return found


@helper
def count_features(F):
    """How many sides of a facet bend, and how many of its corners stand out."""
    count = (F.tips & 1) + ((F.tips >> 1) & 1) + ((F.tips >> 2) & 1)
    for k in range(3):
        count += 1 if is_bent(side_of(F, k)) else 0
    return count


@helper
def larger(F, G):
    """Which of two facets has the larger face."""
    f, g = (F.q - F.p).cross(F.s - F.p).norm(), (G.q - G.p).cross(G.s - G.p).norm()
    return CARRIES_A if f > EQUAL * g else (CARRIES_B if g > EQUAL * f else NEITHER)


@routine
def carrier(F, G, which, count, scale, surface):
    """Which facet carries the other one: CARRIES_A, CARRIES_B or NEITHER. All lowest corners of the region count."""
    polygon, least = surface.polygon[which], math.inf
    for i in range(count):
        least = min(least, polygon[i, 2])
    on_f = on_g = False
    for i in range(count):
        if polygon[i, 2] <= least + SAME * scale:
            here, before = int(polygon[i, 3]), int(polygon[i - 1 if i > 0 else count - 1, 3])
            # corners go round as those of G do, and so backward along F
            of_f, of_g = stands_out(F, -1 - here, -1 - before), stands_out(G, before, here)
            on_f, on_g = on_f or (of_g and not of_f), on_g or (of_f and not of_g)
    if on_f != on_g:
        return CARRIES_A if on_f else CARRIES_B
    f, g = count_features(F), count_features(G)
    if f != g:
        return CARRIES_A if f < g else CARRIES_B
    return larger(F, G)


@helper
def put_region(F, t, u, n, which, count, q, surface):
    """Points of a region: its corners, along n from the plane of F on."""
    a, b = frame_of(F, n)
    for i in range(count):
        x, y, d = surface.polygon[which, i, 0], surface.polygon[which, i, 1], surface.polygon[which, i, 2]
        if -q.slack <= d <= q.margin:
            p = a * x + b * y
            p = F.p + p - n * ((p @ F.n) / (n @ F.n))
            put_surface_point(surface, p, n, d, feature_of(t, FACE), feature_of(u, FACE), NEAR)


@routine
def face_to_face(F, G, t, u, q, surface):
    """Points of facets F, number t of A, and G, number u of B, whose normals are nearly opposite."""
    n = F.n
    if F.n @ G.n > -PARALLEL:
        n = F.n - G.n
        n = n * (1.0 / n.norm())
        which, count = common_region(F, G, n, q.scale, surface)
        if count == 0:
            return
        of = carrier(F, G, which, count, q.scale, surface)
        n = F.n if of == CARRIES_A else (-G.n if of == CARRIES_B else n)
    which, count = common_region(F, G, n, q.scale, surface)
    put_region(F, t, u, n, which, count, q, surface)
