"""Meshes and height fields against each other (V-20, V-21, I-091).

Every triangle of B near A is looked up in A by its box; each pair of triangles gives points
(:mod:`gelenk.collision.narrow.facet_facet`). Of points that undo the overlap of one place in several ways the
shallowest stays.

Depths are those of single places: of a corner below a face, of a face below a face, of a side below a side, and none
beyond half of the thinner one of the two, since what lies deeper may be on its way out on the far side. So shallow
overlaps come apart by the points given; of deep ones, with no corner and no crossing of sides less deep than that,
nothing is found. Apart, the least distance is exact to round-off.
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.narrow.facet_facet import facet_facet, turned
from gelenk.collision.narrow.facet_tips import corner_to_corner, corner_to_side
from gelenk.collision.narrow.surface_choice import TAKEN, TWIN, row3, write_points
from gelenk.collision.solid import FIELD
from gelenk.collision.surface import surface_bounds, surface_facet, surface_in_box
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

SHEET = 1e-6  # of its size: a mesh thinner than this is a sheet and has no far side


@helper
def thickness(solid, box):
    """Depth up to which what overlaps a surface is on its way in rather than out on the other side: half of it."""
    x, y, z = box.x_high - box.x, box.y_high - box.y, box.z_high - box.z
    most, least = max(x, y, z), min(x, y, z)
    return 0.5 * (most if solid.kind == FIELD or least <= SHEET * most else least)


@helper
def grown_box(p, q, s, way):
    """Box around three points, grown."""
    return Bounds(
        min(p.x, q.x, s.x) - way,
        min(p.y, q.y, s.y) - way,
        min(p.z, q.z, s.z) - way,
        max(p.x, q.x, s.x) + way,
        max(p.y, q.y, s.y) + way,
        max(p.z, q.z, s.z) + way,
    )


@helper
def box_gap(F, G):
    """Widest gap along an axis between the boxes around two facets: a lower bound of their distance."""
    x = gap(min(F.p.x, F.q.x, F.s.x), max(F.p.x, F.q.x, F.s.x), min(G.p.x, G.q.x, G.s.x), max(G.p.x, G.q.x, G.s.x))
    y = gap(min(F.p.y, F.q.y, F.s.y), max(F.p.y, F.q.y, F.s.y), min(G.p.y, G.q.y, G.s.y), max(G.p.y, G.q.y, G.s.y))
    z = gap(min(F.p.z, F.q.z, F.s.z), max(F.p.z, F.q.z, F.s.z), min(G.p.z, G.q.z, G.s.z), max(G.p.z, G.q.z, G.s.z))
    return max(x, y, z)


@helper
def gap(low, high, other_low, other_high):
    """From one range of numbers to another."""
    return max(other_low - high, low - other_high)


@helper
def turned_box(box, R, c, way):
    """Box around a box that was turned by R and moved by c, grown."""
    x, y, z = 0.5 * (box.x_high - box.x), 0.5 * (box.y_high - box.y), 0.5 * (box.z_high - box.z)
    m = R @ Vec3(box.x + x, box.y + y, box.z + z) + c
    u = abs(R.xx) * x + abs(R.xy) * y + abs(R.xz) * z + way
    v = abs(R.yx) * x + abs(R.yy) * y + abs(R.yz) * z + way
    w = abs(R.zx) * x + abs(R.zy) * y + abs(R.zz) * z + way
    return Bounds(m.x - u, m.y - v, m.z - w, m.x + u, m.y + v, m.z + w)


@routine
def keep_shallowest(surface, slack):
    """Leave out points that share their place on one of the bodies with a shallower one that overlaps too."""
    for i in range(surface.counts[1]):
        mine = surface.pool[i]
        if mine.d < 0.0:
            a = row3(mine.a)
            b = a + row3(mine.n) * mine.d
            for j in range(surface.counts[1]):
                other = surface.pool[j]
                if mine.d < other.d <= 0.0 and other.d - mine.d > slack:
                    w = row3(other.a) - a
                    v = row3(other.a) + row3(other.n) * other.d - b
                    if w.norm() <= slack or v.norm() <= slack:
                        mine.b[0] = TAKEN
                        break


@routine
def surface_surface(A, B, r, margin, tables, memory, work, out):
    """Points of two surfaces, at most ``len(out)``; groups of one direction have up to four."""
    surface = work.surface
    R, c = A.R.transposed().times(B.R), A.R.tdot(r)
    box_a, box_b = surface_bounds(A, tables), surface_bounds(B, tables)
    reach = min(thickness(A, box_a), thickness(B, box_b))
    scale = min(
        Vec3(box_a.x_high - box_a.x, box_a.y_high - box_a.y, box_a.z_high - box_a.z).norm(),
        Vec3(box_b.x_high - box_b.x, box_b.y_high - box_b.y, box_b.z_high - box_b.z).norm(),
    )
    grown = reach + margin + 1e-12 * (scale + c.norm())
    surface.counts[0] = surface.counts[1] = surface.counts[2] = surface.counts[3] = 0
    near_a = turned_box(box_a, R.transposed(), -R.tdot(c), grown)
    room = surface.found.shape[0]
    count_b = surface_in_box(B, tables, near_a, surface.found_b)
    surface.counts[3] = max(count_b - room, 0)
    for j in range(min(count_b, room)):
        u = np.int64(surface.found_b[j])
        G = turned(surface_facet(B, tables, u), R, c)
        count_a = surface_in_box(A, tables, grown_box(G.p, G.q, G.s, grown), surface.found)
        surface.counts[3] += max(count_a - room, 0)
        for i in range(min(count_a, room)):
            t = np.int64(surface.found[i])
            F = surface_facet(A, tables, t)
            facet_facet(F, G, t, u, margin, reach, surface, scale)
            if margin > 0.0 and (F.tips != 0 or G.tips != 0) and box_gap(F, G) <= margin:
                corner_to_corner(A, B, R, F, G, t, u, margin, tables, surface)
                corner_to_side(A, B, R, F, G, t, u, margin, tables, surface)
    keep_shallowest(surface, TWIN * scale)
    return write_points(surface, scale, A, r, out)
