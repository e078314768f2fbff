"""The next way out of an overlap, from a direction near to it, and whether it is known to be the shortest (V-25).

From step to step, and where solids overlap by little, the normal is nearly known. Put apart along it by somewhat more
than their depth, the cores have a nearest way whose direction m is a better one. Over a surface of curvature 1/R its
error shrinks by  depth / R  a step, over a face to nothing. Two bounds tell how good it is:

    q <= depth <= h(m),     h(m) the overlap along m, q the radius of a ball (:mod:`gelenk.collision.inscribed`)
"""

from __future__ import annotations

import math

from gelenk.collision.closest import across_unit
from gelenk.collision.gjk import ROUND_OFF, difference_point, gjk, gjk_on, gjk_start
from gelenk.collision.inscribed import room
from gelenk.collision.kinks import side_kink
from gelenk.collision.near_proof import nothing_far
from gelenk.collision.near_way import Way, near_way
from gelenk.collision.wrap import allowed_gap
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, get3, put3

POLISHED = 1e-12  # gain of depth, or gap of the bounds, part of the sizes, that is worth no further step
MOST_STEPS = 20
FEW_SEARCHES = 8  # for a direction that is only to be better
CIRCLE = 96  # directions looked at around a side: closer than lines are looked for (:mod:`gelenk.collision.kinks`)
MARGIN = 1e-3  # of the sizes: how far apart cores are put


@routine
def follow(A, B, r, d, n, a, hulls, work, scale):
    """Follow the direction n, along which the cores overlap by -d, to the next way out.

    Two steps tell the factor by which the error shrinks; then the limit of the sequence is tried. What is returned
    comes from one step, so that the point belongs to the normal.
    """
    allowed = allowed_gap(A, B, -d, scale)
    last, gap, start = Vec3(0.0, 0.0, 0.0), -d, n
    for _ in range(MOST_STEPS):
        apart = MARGIN * scale - 1.1 * d
        v, a_v, count, _ = gjk(A, B, r + start * apart, start, hulls, work)
        if count == 4:
            break
        size = v.norm()
        m = v * (1.0 / size)
        d_m = size - apart * (m @ start)
        gain = d_m - d
        if gain < -ROUND_OFF * scale:
            break
        step, b = m - start, a_v + v - start * apart
        d, n, a, start = d_m, m, a_v, m
        if d > 0.0:  # apart after all
            break
        in_a, in_b = room(A, hulls, b, n), room(B, hulls, a - r, -n)
        gap = -d - max(in_a, in_b)
        if in_a > in_b and gap <= allowed:  # the ball around b touches the surface of A here
            a = b - n * d
        # a ball proves where the points are; else both cores were put aside along the old direction, too
        settled = (gap <= allowed and max(in_a, in_b) > 0.0) or step.norm() * apart <= POLISHED * scale
        if settled and (gap <= POLISHED * scale or gain <= POLISHED * scale):
            break
        factor = (step @ last) / (last @ last) if last @ last > 0.0 else 0.0
        last = step
        if 0.0 < factor < 1.0:
            m = n + step * (factor / (1.0 - factor))
            m = m * (1.0 / m.norm())
            w, _ = difference_point(A, B, r, hulls, work.near, m)
            if m @ w > d:
                start, last = m, Vec3(0.0, 0.0, 0.0)
    work.bound[0] = max(gap, 0.0)
    return Way(d, n, a, d <= 0.0 and gap <= allowed, 0.0)


@helper
def polish(A, B, r, d, n, a, hulls, work, scale):
    """Better depth, normal and point of A from those of a polytope; its bound stays as it was."""
    bound = work.bound[0]
    out = follow(A, B, r, d, n, a, hulls, work, scale)
    work.bound[0] = bound
    return out.d, out.n, out.a


@routine
def step_apart(A, B, r, way, hulls, work):
    """A better direction than that of a way out: the one in which the cores, put apart along it, are nearest."""
    apart = MARGIN * (r.norm() + way.a.norm()) - 1.1 * way.d
    v, a, count, scale = gjk_start(A, B, r + way.n * apart, way.n, math.inf, hulls, work)
    v, a, count, _ = gjk_on(A, B, r + way.n * apart, v, a, count, scale, math.inf, FEW_SEARCHES, hulls, work)
    size = v.norm()
    return v * (1.0 / size) if size > 0.0 else way.n


@routine
def around_sides(A, B, r, k, c, best, hulls, work):
    """The best way near any direction of the circle n . k = c, which looks along the side of a solid, or ``best``."""
    s = across_unit(k)
    t, radius = k.cross(s), math.sqrt(1.0 - c * c)
    before, at, n_at = -math.inf, -math.inf, k
    for i in range(CIRCLE + 2):
        angle = 2.0 * math.pi * i / CIRCLE
        n = k * c + (s * math.cos(angle) + t * math.sin(angle)) * radius
        w, _ = difference_point(A, B, r, hulls, work.near, n)
        d = n @ w
        if at >= before and at >= d and i > 1:
            way = near_way(A, B, r, n_at, math.inf, nothing_far(), hulls, work)
            if way.d > best.d:
                best = way
        before, at, n_at = at, d, n
    return best


@routine
def around(A, B, r, best, hulls, work):
    """The best way around the sides of round solids, or ``best``.

    A small solid deep in a large one has as many ways out as the side of the large one has lines, nearly all of the
    same length; a polytope would need that many faces.
    """
    p, q = side_kink(A), side_kink(B)
    if p.k @ p.k > 0.0:
        best = around_sides(A, B, r, p.k, p.c, best, hulls, work)
    if q.k @ q.k > 0.0:
        best = around_sides(A, B, r, q.k, -q.c, best, hulls, work)
    return best


@helper
def move_simplex(work, source, target):
    """Copy the four rows of a simplex to another place."""
    for i in range(4):
        put3(work.w, target + i, get3(work.w, source + i))
        put3(work.a, target + i, get3(work.a, source + i))
