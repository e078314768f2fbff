"""Seams of surroundings made of several colliders: floors of boxes, tiles, meshes or fields side by side (V-20, I-093).

A solid that overlaps two tiles may leave the second one sideways, although the first one is there. Its normal n at the
point p of the tile is none of both together. It would be one if a ball that touches the tile at p were free of others:

    n is a normal of a set X at p  <=>  dist(p + h n, X) = h  for some h > 0

(a proximal normal: F. H. Clarke, Yu. S. Ledyaev, R. J. Stern, P. R. Wolenski, Nonsmooth Analysis and Control Theory
(1998), 1.1). A manifold, that is all points of a pair with one normal, is *covered* if at some of its points the ball
of radius h is not free of the other still colliders that the moving one touches, and at the rest it is not free of the
tile itself: those have their normal from the others.

Covered manifolds go where the tile is *flush* with another one: the nearest place of the surface of all, up from p, is
on both. There the points of the moving solid over the tangent plane take their place, as far as they lie over the tile.
In the corner of a floor and a wall, or at a step, nothing is flush and all stays.

h is a small share of the moving solid: gaps and steps smaller than that do not catch either, larger ones do.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.broad.bounds import get_box
from gelenk.collision.closest import perpendicular
from gelenk.collision.collider import centre_of, reach_of, solid_of, vector
from gelenk.collision.manifold import NONE, forget, put_point, swap_sides
from gelenk.collision.mesh_nearest import squared_distance
from gelenk.collision.pair_table import collide
from gelenk.collision.query.nearest_rows import run_nearest
from gelenk.collision.seam_links import still_one
from gelenk.collision.solid import PLANE, Solid
from gelenk.compile import helper, routine
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, get3

SHARE = 1e-3  # radius of the ball, of the smallest side of the box around the moving collider
FREE = 1e-6  # of the radius: so much nearer than the radius is not free
SLIGHT = 1e-6  # tilt of a normal that does not count
TURNS = 3  # in the search for the tangent plane: a flat floor takes two
ABOVE = 4.0  # radii over the surface from which the tangent plane is seen


@helper
def smallest_side(colliders, i):
    """Of the box around a collider, without its margin and its way."""
    b, m, w = get_box(colliders.box, i), colliders.item[i].margin + colliders.turn[i], get3(colliders.way, i)
    return min(b.x_high - b.x - abs(w.x), b.y_high - b.y - abs(w.y), b.z_high - b.z - abs(w.z)) - 2.0 * m


@helper
def nearest_on(colliders, tables, seams, t, x):
    """Signed distance, nearest point and normal of collider t; x and the point from its centre."""
    if colliders.item[t].kind == PLANE:  # it takes no longer than the way to it
        R = colliders.place[t].R
        n = Vec3(R[0, 2], R[1, 2], R[2, 2])
        return n @ x, x - n * (n @ x), n
    foot = seams.foot[0]
    run_nearest(seams.nearest[colliders.item[t].kind], solid_of(colliders, t), tables, x, foot)
    return foot.d, vector(foot.q), vector(foot.n)


@helper
def is_free(colliders, tables, seams, t, p, n, h):
    """Whether the ball of radius h at p + n h is free of collider t; p from its centre.

    A tilt between n and the normal of a plane brings that nearer by h tilt^2 / 2 only, but moves the foot by h tilt.
    """
    d, q, _ = nearest_on(colliders, tables, seams, t, p + n * h)
    aside = (q - p).norm()
    slightly = SLIGHT * h < aside < 2.0 * math.sqrt(FREE) * h
    return d > h * (1.0 + FREE) or (d >= h * (1.0 - FREE) and not slightly)


@helper
def is_covered(colliders, tables, contacts, seams, i, but, p, n, h):
    """Whether a still collider that i touches, but that of pair ``but``, is in the ball at p, from the centre of i."""
    side, k, centre = contacts.tally[0].now, np.int64(seams.head[i]), centre_of(colliders, i)
    while k != NONE:
        if k != but:
            t, _ = still_one(contacts.pair[side, k], seams)
            near = squared_distance(centre + p + n * h, get_box(colliders.box, t)) <= h * h
            if near and not is_free(colliders, tables, seams, t, centre - centre_of(colliders, t) + p, n, h):
                return True
        k = np.int64(seams.after[k])
    return False


@routine
def nearest_of_all(colliders, tables, contacts, seams, i, x, h):
    """Signed distance, point and normal of the nearest still collider that i touches; x and the point from its centre.

    And how many of them are at most h away.
    """
    side, k = contacts.tally[0].now, np.int64(seams.head[i])
    nearest, foot, normal, near = math.inf, x, x, 0
    while k != NONE:
        t, _ = still_one(contacts.pair[side, k], seams)
        c = centre_of(colliders, t) - centre_of(colliders, i)
        d, q, n = nearest_on(colliders, tables, seams, t, x - c)
        near += 1 if abs(d) <= h else 0
        if d < nearest:
            nearest, foot, normal = d, q + c, n
        k = np.int64(seams.after[k])
    return nearest, foot, normal, near


@routine
def tangent_plane(colliders, tables, contacts, seams, i, s, p, h):
    """Whether collider s is flush with another one up from p; the place on the surface and the normal there.

    First the way up is that from the nearest place to the middle of i. Up from p, half of the size of i, the nearest
    place tells the next way up and how deep p is, so that it is seen from ABOVE h over the surface then.
    """
    b = get_box(colliders.box, i)
    middle = Vec3(0.5 * (b.x + b.x_high), 0.5 * (b.y + b.y_high), 0.5 * (b.z + b.z_high)) - centre_of(colliders, i)
    up = 0.5 * smallest_side(colliders, i)
    d, q, m, _ = nearest_of_all(colliders, tables, contacts, seams, i, middle, h)
    for _ in range(TURNS):
        d, q, m, _ = nearest_of_all(colliders, tables, contacts, seams, i, p + m * up, h)
        up = max(up - d, 0.0) + ABOVE * h
    off, _, _ = nearest_on(colliders, tables, seams, s, q - (centre_of(colliders, s) - centre_of(colliders, i)))
    _, _, _, near = nearest_of_all(colliders, tables, contacts, seams, i, q, h)
    return d > 0.0 and abs(off) <= h and near > 1, q, m


@routine
def turned_points(colliders, tables, work, contacts, seams, i, s, way, q, m, h, out):
    """Points of collider i over the plane through q with the normal m that lie over the still collider s: their number.

    Those of a mesh that reaches around the surroundings lie in none of them and do not count.
    """
    u = perpendicular(m)
    v = m.cross(u)
    plane = Solid(PLANE, 0, Mat3(u.x, v.x, m.x, u.y, v.y, m.y, u.z, v.z, m.z), Vec3(0.0, 0.0, 0.0))
    c = centre_of(colliders, s) - centre_of(colliders, i)
    margin = reach_of(colliders, i, s)
    forget(seams.memory[0])
    count, kept = collide(plane, solid_of(colliders, i), -q, margin, tables, seams.memory[0], work, out), 0
    for j in range(count):
        on_plane, d, name = q + vector(out[j].a), out[j].d, out[j].feature_b
        off, _, _ = nearest_on(colliders, tables, seams, s, on_plane - c)
        within, _, _, _ = nearest_of_all(colliders, tables, contacts, seams, i, on_plane + m * min(d, 0.0), h)
        if abs(off) <= h and within <= h:
            put_point(out, kept, on_plane - c, -c, m, d, 0, name)
            if way < 0.0:
                swap_sides(out[kept])
            kept += 1
    return kept
