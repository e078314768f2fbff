"""Sides of one surface that pass through the other, and the points they give (V-20, I-093).

Within the other solid such a side runs along a *chord*. If a side of the other one lies beyond it, both come apart
along the normal of both,  e x f.  And if nothing else is found, the middle of the longest way out of all chords shows
that the surfaces overlap.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.broad.bounds import box_of_segment
from gelenk.collision.facet_normal import is_bent, side_of
from gelenk.collision.narrow.facet_contact import FACE, SIDE, feature_of
from gelenk.collision.narrow.facet_facet import crossing, turned
from gelenk.collision.narrow.facet_pierce import COUNT_PIERCING
from gelenk.collision.narrow.point_pool import SIDES, put_surface_point
from gelenk.collision.narrow.surface_inside import is_within, nearest_on_surface, ray_surface, to_a, to_b
from gelenk.collision.surface import surface_facet, surface_in_box
from gelenk.compile import routine

SHARP = 0.95  # cosine of the bend of sides that are looked at in any case: 18 degrees
WIDE = 2.0  # a side beyond a chord is looked for up to so many times the depth of the chord
SHIFT = 1e-9  # of the size: by which a ray starts beside the triangle it comes from


@routine
def chord_of(i, q, tables, surface):
    """Ends of the chord of piercing side i within the other surface, axes of that one, and how deep it is there."""
    row = surface.pierce[i]
    of_a = row[0] == 0.0
    X, Y = (q.A, q.B) if of_a else (q.B, q.A)
    side = side_of(surface_facet(X, tables, np.int64(row[1])), np.int64(row[2]))
    s, inward = row[3], row[4]
    rest = side.length - s if inward > 0.0 else s
    x, e = side.start + side.e * s, side.e * inward
    x, e = (to_b(q, x), q.R.tdot(e)) if of_a else (to_a(q, x), q.R @ e)
    shift = SHIFT * q.scale
    h, _, _ = ray_surface(Y, tables, x + e * shift, e, max(rest - shift, 0.0))
    length = min(h + shift, rest)
    y = x + e * length
    middle = (x + y) * 0.5
    depth, _, _ = nearest_on_surface(Y, tables, middle, math.inf)
    if h == math.inf:
        end, _, _ = nearest_on_surface(Y, tables, y, math.inf)
        depth = max(depth, end)
    return x, y, depth


@routine
def is_way_out(Y, tables, p, end, depth, q):
    """Whether p is inside Y and no place of its surface is nearer than those beside ``end``, at most ``depth`` away.

    The foot of p on a face beside a side through ``end`` and p see ``end`` and each other under a right angle at most.
    """
    _, foot, _ = nearest_on_surface(Y, tables, p, depth * 1.000001 + q.slack)
    near = (foot - end).norm() <= depth * 1.000001 + q.slack
    return near and is_within(Y, tables, p, q.sheet)


@routine
def put_sides(a, b, feature_a, feature_b, q, tables, surface):
    """The point of a side of A and one of B, axes of A, if they cross and overlap."""
    found, d, m, x = crossing(a, b)
    if found and -q.limit <= d < -q.slack:
        y = x + m * d
        if is_way_out(q.B, tables, to_b(q, x), to_b(q, y), -d, q) and is_way_out(q.A, tables, y, x, -d, q):
            put_surface_point(surface, x, m, d, feature_a, feature_b, SIDES)


@routine
def sides_beyond(number, q, tables, surface):
    """Points of a piercing side with sides of the other surface."""
    row = surface.pierce[number]
    of_a, t, k = row[0] == 0.0, np.int64(row[1]), np.int64(row[2])
    x, y, depth = chord_of(number, q, tables, surface)
    Y = q.B if of_a else q.A
    box = box_of_segment(x, y, WIDE * depth + q.slack)
    count = surface_in_box(Y, tables, box, surface.unsettled)
    for j in range(min(count, surface.unsettled.shape[0])):
        u = np.int64(surface.unsettled[j])
        other = surface_facet(Y, tables, u)
        if of_a:
            other = turned(other, q.R, q.c)
            a = side_of(surface_facet(q.A, tables, t), k)
            for i in range(3):
                b = side_of(other, i)
                if is_bent(b):
                    put_sides(a, b, feature_of(t, SIDE + k), feature_of(u, SIDE + i), q, tables, surface)
        else:
            b = side_of(turned(surface_facet(q.B, tables, t), q.R, q.c), k)
            for i in range(3):
                a = side_of(other, i)
                if is_bent(a):
                    put_sides(a, b, feature_of(u, SIDE + i), feature_of(t, SIDE + k), q, tables, surface)


@routine
def put_piercing_sides(blunt_too, q, tables, surface):
    """Points of all piercing sides that bend outward; sharp ones alone, unless blunt ones are asked for too."""
    for i in range(surface.inside[COUNT_PIERCING]):
        row = surface.pierce[i]
        X = q.A if row[0] == 0.0 else q.B
        side = side_of(surface_facet(X, tables, np.int64(row[1])), np.int64(row[2]))
        if is_bent(side) and (blunt_too or side.c < SHARP):
            sides_beyond(i, q, tables, surface)


@routine
def put_witness(q, tables, surface):
    """The deepest middle of a chord with its nearest way out, which shows that the surfaces overlap."""
    best, deepest = -1, 0.0
    for i in range(surface.inside[COUNT_PIERCING]):
        x, y, _ = chord_of(i, q, tables, surface)
        Y = q.B if surface.pierce[i, 0] == 0.0 else q.A
        depth, _, _ = nearest_on_surface(Y, tables, (x + y) * 0.5, math.inf)
        if depth > deepest:
            best, deepest = i, depth
    if best < 0 or (deepest <= q.slack and surface.counts[1] > 0):  # they touch, and are told so already
        return
    x, y, _ = chord_of(best, q, tables, surface)
    row, middle = surface.pierce[best], (x + y) * 0.5
    t, k = np.int64(row[1]), np.int64(row[2])
    Y = q.B if row[0] == 0.0 else q.A
    depth, foot, u = nearest_on_surface(Y, tables, middle, math.inf)
    n = (foot - middle) * (1.0 / depth) if depth > q.slack else surface_facet(Y, tables, u).n
    if row[0] == 0.0:
        feature_a, feature_b = feature_of(t, SIDE + k), feature_of(u, FACE)
        put_surface_point(surface, to_a(q, middle), -(q.R @ n), -depth, feature_a, feature_b, SIDES)
    else:
        put_surface_point(surface, foot, n, -depth, feature_of(u, FACE), feature_of(t, SIDE + k), SIDES)
