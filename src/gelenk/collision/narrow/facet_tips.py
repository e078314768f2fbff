"""Corners of two surfaces that are apart: corner to corner, and corner to side (V-20, I-093).

The normal is the way from one to the other. A corner may have it if along it no triangle around the corner rises above
it, a side if it is on its arc. Overlapping surfaces touch so at single instants only; there other places count.
"""

from __future__ import annotations

from gelenk.collision.facet_normal import corner_of, in_arc, side_of
from gelenk.collision.narrow.facet_contact import SIDE, TIP, feature_of
from gelenk.collision.narrow.facet_facet import is_seen, is_top
from gelenk.collision.narrow.point_pool import NEAR, put_surface_point
from gelenk.collision.surface import surface_face
from gelenk.compile import routine

LEAN = 1e-9  # angle by which a normal may leave an arc, or a side rise above its corner


@routine
def corner_to_corner(A, B, R, F, G, t, u, margin, tables, surface):
    """Points of corners of F, number t of A, and of G, number u of B; axes of A."""
    own = surface_face(B, tables, u)
    for i in range(3):
        for j in range(3):
            w = corner_of(G, j) - corner_of(F, i)
            d = w.norm()
            if F.tips & (1 << i) and G.tips & (1 << j) and 0.0 < d <= margin:
                m = w * (1.0 / d)
                top = is_top(A, tables, corner_of(F, i), m, surface.unsettled)
                if top and is_top(B, tables, corner_of(own, j), -R.tdot(m), surface.unsettled):
                    put_surface_point(
                        surface, corner_of(F, i), m, d, feature_of(t, TIP + i), feature_of(u, TIP + j), NEAR
                    )


@routine
def corner_to_side(A, B, R, F, G, t, u, margin, tables, surface):
    """Points of corners of one and sides of the other."""
    own = surface_face(B, tables, u)
    for i in range(3):
        a = side_of(F, i)
        for j in range(3):
            b = side_of(G, j)
            p, q = corner_of(F, i), corner_of(G, j)
            x = (p - b.start) @ b.e
            w = b.start + b.e * x - p
            d = w.norm()
            if F.tips & (1 << i) and is_seen(b) and 0.0 < x < b.length and 0.0 < d <= margin:
                m = w * (1.0 / d)
                if in_arc(b, -m, LEAN) and is_top(A, tables, p, m, surface.unsettled):
                    put_surface_point(surface, p, m, d, feature_of(t, TIP + i), feature_of(u, SIDE + j), NEAR)
            x = (q - a.start) @ a.e
            w = q - a.start - a.e * x
            d = w.norm()
            if G.tips & (1 << j) and is_seen(a) and 0.0 < x < a.length and 0.0 < d <= margin:
                m = w * (1.0 / d)
                if in_arc(a, m, LEAN) and is_top(B, tables, corner_of(own, j), -R.tdot(m), surface.unsettled):
                    put_surface_point(
                        surface, a.start + a.e * x, m, d, feature_of(t, SIDE + i), feature_of(u, TIP + j), NEAR
                    )
