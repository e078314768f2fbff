"""Contacts and rows of a heap by alternating directions, where Newton's search for sets goes round in circles (V-50).

The velocities u of points and rows are kept apart from those of the bodies, and both are drawn together:

    (M + J^T W J) dV = J^T (p - p_start + W u)          bodies, all points and rows held as by dampers
    p' = prox( p - W (J dV - ask) )                     every point and row by itself, on its cone or interval
    u' = J dV + (p' - p) / W

Nothing has to be guessed, and one factor serves many turns. W is a multiple of the largest mass, or moment of inertia,
of the heap: raised while the two velocities are farther apart than the impulses still move the bodies, and lowered in
the opposite case. Rows without bounds have a large one of their own.

Source: S. Boyd et al., Distributed optimization and statistical learning via the alternating direction method of
multipliers (2011), sections 3.1 and 3.4; J. Carpentier, Q. Le Lidec, L. Montaut, From compliant to rigid contact
simulation (2024).
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import TURNS
from gelenk.contact.newton_points import add_couple, add_impulse, add_row, begin_matrix, clear_side, take_velocities
from gelenk.contact.newton_rows import add_row_block, add_row_impulse, heap_scale, weight_by_kind
from gelenk.contact.skyline import factor, solve_factor
from gelenk.contact.sweep import change_at
from gelenk.contact.turn import couple_since, in_world
from gelenk.math.vec3 import Vec3, triple
from gelenk.rows.assemble import row_rate
from gelenk.rows.sets import prox_ellipse, prox_interval

LOOK = 10  # turns between looks at W
STEP = 4.0  # W is made so many times larger or smaller
LATE = 5.0  # how much farther one of both is from its end than the other when W is changed
RIGID = 1e3  # W of rows without bounds, over the largest mass or moment of inertia


@routine
def alternate(contacts, heap, joints, rows, masses, bodies, most, tolerance):
    """At most so many turns, until both velocities agree, and impulses move no body by more, to the tolerance [m/s].

    Leaves the impulses, and dV as the last turn had it.
    """
    sky, share = contacts.sky, 1.0
    sky.factored[heap.start] = 0  # of Newton's method
    mass, inertia = heap_scale(sky, heap, masses)
    begin_velocities(contacts, heap, joints, rows, bodies)
    hold_all(contacts, heap, joints, rows, masses, share, mass, inertia)
    for m in range(most):
        drive_bodies(contacts, heap, joints, rows, share, mass, inertia)
        if not take_velocities(sky, heap, bodies):
            return
        one, two = take_points(contacts, heap, bodies, share * mass)
        three, four = take_rows(contacts, heap, joints, rows, bodies, share, mass, inertia)
        apart, moved = max(one, three), max(two, four)
        if max(apart, moved) <= tolerance:
            return
        if m % LOOK == LOOK - 1 and (apart > LATE * moved or moved > LATE * apart):
            share *= STEP if apart > moved else 1.0 / STEP
            hold_all(contacts, heap, joints, rows, masses, share, mass, inertia)


@helper
def begin_velocities(contacts, heap, joints, rows, bodies):
    """U = J dV  of all points, kept where sweeps have their trend, and of all rows."""
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        u = along_axes(c, change_at(bodies.dV, c))
        c.trend[0], c.trend[1], c.trend[2] = u.x, u.y, u.z
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        contacts.row_goal[r] = row_rate(joints, rows.J, bodies.dV, r)


@helper
def along_axes(c, u):
    """A vector along n, t and n x t of a contact."""
    n, t = triple(c.n), triple(c.t)
    return Vec3(n @ u, t @ u, n.cross(t) @ u)


@helper
def weight_of_row(joints, rows, r, share, mass, inertia):
    """W of a row."""
    x, w = rows.number[r], weight_by_kind(joints, rows, r, mass, inertia)
    return w * (RIGID if x.lo == -math.inf and x.hi == math.inf else share)


@routine
def hold_all(contacts, heap, joints, rows, masses, share, mass, inertia):
    """Factor of  M + J^T W J."""
    sky = contacts.sky
    begin_matrix(sky, contacts, heap, masses)
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        n, t = triple(c.n), triple(c.t)
        add_row(sky, c, n, share * mass)
        add_row(sky, c, t, share * mass)
        add_row(sky, c, n.cross(t), share * mass)
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        add_row_block(sky, joints, rows, r, weight_of_row(joints, rows, r, share, mass, inertia))
    factor(sky, heap.first, heap.last)


@routine
def drive_bodies(contacts, heap, joints, rows, share, mass, inertia):
    """Solve for dV."""
    sky = contacts.sky
    clear_side(sky, heap)
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c = contacts.contact[k]
        add_impulse(sky, c, triple(c.p) - triple(c.start) + triple(c.trend) * (share * mass))
        if contacts.number[TURNS] > 0 and contacts.turn[k].on == 1:
            add_couple(sky, c, in_world(c, couple_since(contacts.turn[k])))
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        x, w = rows.number[r], weight_of_row(joints, rows, r, share, mass, inertia)
        add_row_impulse(sky, joints, rows, r, x.p - x.before + w * contacts.row_goal[r])
    solve_factor(sky, heap.first, heap.last)


@routine
def take_points(contacts, heap, bodies, w):
    """New impulses and velocities of the points: how far these are from those of the bodies, and by what their change,

    times W, would move their own bodies [m/s].
    """
    apart, moved = 0.0, 0.0
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        p, before, soft = triple(c.p), triple(c.trend), w * c.soft
        u = along_axes(c, change_at(bodies.dV, c))
        p_n = max(c.least, (p.x - w * (u.x - c.ask[0]) + soft * c.before) / (1.0 + soft))
        p_t, p_s = p.y - w * (u.y - c.ask[1]), p.z - w * (u.z - c.ask[2])
        p_t, p_s = prox_ellipse(p_t, p_s, c.along * p_n, c.across * p_n)
        gap = (Vec3(p_n, p_t, p_s) - p) * (1.0 / w)
        new = u + gap
        apart, moved = max(apart, gap.norm()), max(moved, w * max(c.K[0], c.top) * (new - before).norm())
        c.p[0], c.p[1], c.p[2] = p_n, p_t, p_s
        c.trend[0], c.trend[1], c.trend[2] = new.x, new.y, new.z
    return apart, moved


@routine
def take_rows(contacts, heap, joints, rows, bodies, share, mass, inertia):
    """The same for rows."""
    apart, moved = 0.0, 0.0
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        x, w = rows.number[r], weight_of_row(joints, rows, r, share, mass, inertia)
        before, soft = contacts.row_goal[r], w * x.soft
        u = row_rate(joints, rows.J, bodies.dV, r)
        p = prox_interval((x.p - w * (u - x.ask) + soft * x.before) / (1.0 + soft), x.lo, x.hi)
        gap = (p - x.p) / w
        apart, moved = max(apart, abs(gap)), max(moved, w * x.diag * abs(u + gap - before))
        x.p, contacts.row_goal[r] = p, u + gap
    return apart, moved
