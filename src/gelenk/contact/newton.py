"""Newton's method for all contacts of a heap at once, where sweeps are slow: towers, walls, arches (V-50).

Which points press and which stick is taken from the impulses as they stand. With that, the impulses follow from

    p = q - W J dV,        M dV = J^T (p - p_start)        =>    (M + J^T W J) dV = J^T (q - p_start)

the step of the augmented Lagrangian: W is so large that one step meets the conditions but for a millionth, and q is the
impulse of now plus W times what is asked for; points that slide keep their friction, points that part have none. What
comes out is taken only if the residual of the problem is smaller with it; sweeps before and after it find the sets.
Rows of joints, stops and motors are solved with the contacts (:mod:`gelenk.contact.newton_rows`).

Source: P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods,
CMAME 92 (1991).
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.newton_points import (
    OUT,
    SLIDING,
    STICKING,
    add_point_impulses,
    add_points,
    apply_points,
    begin_matrix,
    clear_side,
    full_friction,
    recall_solution,
    set_point_goals,
    store_solution,
    take_point_goals,
    take_velocities,
    turn_inertia,
)
from gelenk.contact.newton_rows import (
    add_row_changes,
    add_row_impulses,
    add_rows,
    change_row_sets,
    find_row_sets,
    hash_rows,
    heap_scale,
    keep_row_impulses,
    recall_row_impulses,
    rows_residual,
    set_row_goals,
    sweep_joint_rows,
    take_row_goals,
)
from gelenk.contact.options import TOLERANCE
from gelenk.contact.skyline import factor, solve_factor
from gelenk.contact.sweep import change_at, contact_residual, sweep_contacts
from gelenk.math.vec3 import triple
from gelenk.rows.sets import prox_ellipse

WEIGHT = 1e6  # W over the largest mass
SEARCHES = 10  # of sets and of friction in a step
FINE = 1e-2  # of the tolerance: it costs little to come so close, and a tower sways by many times the residual
SETTLED = 1e-9  # change of the friction of points that slide, share of their pressure
EDGE = 1e-4  # of the tolerance: what a point must be wrong by to change its set
LEAST_EDGE = 1e-13  # [m/s] what noise can be
FEW, SHARE = 16, 0.05  # points, and share of all, that may change their sets without end before these settle
CALMER = 0.75  # of the changes two searches before; the sets of a heap that rests settle faster


@routine
def polish(contacts, heap, joints, rows, masses, state, bodies, steps, tolerance):
    """Newton's method, until it comes much closer than the tolerance; returns the residual.

    A step that does not help is taken back: one with the factor of the last step is tried with its own.
    """
    sky = contacts.sky
    turn_inertia(contacts, heap, masses, state)
    best, kept = whole_residual(contacts, heap, joints, rows, bodies), sky.factored[heap.start]
    for _ in range(steps):
        store_solution(contacts, heap, bodies)
        keep_row_impulses(contacts, heap, rows)
        old = find_sets(contacts, heap, joints, rows, bodies) == kept  # the factor of the last step may do
        if search_sets(sky, contacts, heap, joints, rows, masses, bodies):
            take_point_goals(contacts, heap, bodies)
            take_row_goals(contacts, heap, joints, bodies, rows)
            sweep_all(contacts, heap, joints, rows, bodies, False)
            sweep_all(contacts, heap, joints, rows, bodies, True)
            now = whole_residual(contacts, heap, joints, rows, bodies)
        else:
            now = math.inf
        if now < best:
            best = now
            if best <= FINE * tolerance:
                break
            continue
        recall_solution(contacts, heap, bodies)
        recall_row_impulses(contacts, heap, rows)
        if not old:
            break
        kept = sky.factored[heap.start] = 0
    gather_changes(contacts, heap, joints, rows, bodies)
    return best


@routine
def gather_changes(contacts, heap, joints, rows, bodies):
    """DV anew from the impulses: wrong sets may have led through huge ones, whose round-off is no one's momentum."""
    apply_points(contacts, heap, bodies)
    add_row_changes(contacts, heap, joints, bodies, rows)


@helper
def whole_residual(contacts, heap, joints, rows, bodies):
    """The larger one of the contacts and rows of a heap [m/s] or [rad/s]."""
    return max(contact_residual(bodies, contacts, heap), rows_residual(contacts, heap, joints, bodies, rows))


@helper
def sweep_all(contacts, heap, joints, rows, bodies, back):
    """Rows and contacts of a heap once, each for itself."""
    sweep_joint_rows(contacts, heap, joints, bodies, rows, back)
    sweep_contacts(bodies, contacts, heap, back)


@routine
def search_sets(sky, contacts, heap, joints, rows, masses, bodies):
    """Velocities dV and goals of the impulses for the sets; the sets by these, and so on until they stay the same.

    Whether the velocities are finite. If the sets do not come to rest, the last ones are taken. Where many points
    change, and hardly fewer than two searches before, it is given up: in a heap that falls in, such a search has led
    nowhere.
    """
    mass, inertia = heap_scale(sky, heap, masses)
    W, I = WEIGHT * mass, WEIGHT * inertia  # noqa: E741
    sets, count = hash_rows(contacts, heap, rows, hash_sets(contacts, heap)), heap.point_last - heap.point_first
    earlier, changes, many = 2 * count, 2 * count, max(float(FEW), SHARE * count)
    for _ in range(SEARCHES):
        if sets != sky.factored[heap.start]:
            begin_matrix(sky, contacts, heap, masses)
            add_points(sky, contacts, heap, W)
            add_rows(sky, contacts, heap, joints, rows, W, I)
            factor(sky, heap.first, heap.last)
            sky.factored[heap.start] = sets
        clear_side(sky, heap)
        add_point_impulses(sky, contacts, heap, W)
        add_row_impulses(sky, contacts, heap, joints, rows, W, I)
        solve_factor(sky, heap.first, heap.last)
        if not take_velocities(sky, heap, bodies):
            return False
        change = set_point_goals(contacts, heap, bodies, W)
        set_row_goals(contacts, heap, joints, bodies, rows, W, I)
        before_that, earlier, changes = earlier, changes, change_sets(contacts, heap, bodies)
        change_row_sets(contacts, heap, joints, bodies, rows)
        before, sets = sets, hash_rows(contacts, heap, rows, hash_sets(contacts, heap))
        if sets == before and change <= SETTLED:
            break
        if changes > many and changes > CALMER * before_that:
            return False
    return True


@helper
def hash_sets(contacts, heap):
    """A number that tells sets apart, never 0."""
    sets = np.int64(1)
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        sets = (sets * 1000003 + np.int64(c.a)) & 0x7FFFFFFFF
        sets = (sets * 1000003 + 4 * np.int64(c.b) + np.int64(c.mode)) & 0x7FFFFFFFF
    return sets + 1


@routine
def change_sets(contacts, heap, bodies):
    """Sets by the goals: points that would pull part, points beyond their friction slide, points that near press.

    Points that slide along their friction instead of against it stick. What is less than noise changes nothing: a wall
    has many points that bear nothing, and one that was in its set may stay. Returns how many changed.
    """
    changes, edge = 0, max(EDGE * contacts.options[TOLERANCE], LEAST_EDGE)
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        was = c.mode
        n, t = triple(c.n), triple(c.t)
        u = change_at(bodies.dV, c)
        if c.mode == OUT:
            c.mode = STICKING if n @ u < c.ask[0] - edge else OUT
        elif c.goal[0] * c.K[0] <= -edge:
            c.mode = OUT
        elif c.mode == STICKING:
            a, b = c.along * max(c.goal[0], 0.0), c.across * max(c.goal[0], 0.0)
            x, y = prox_ellipse(c.goal[1], c.goal[2], a, b)
            if max(abs(c.goal[1] - x), abs(c.goal[2] - y)) * c.top > edge:
                c.mode = SLIDING
                c.goal[1], c.goal[2] = full_friction(c, c.goal[0], c.goal[1], c.goal[2])
        else:
            u_t, u_s = t @ u - c.ask[1], n.cross(t) @ u - c.ask[2]
            along = c.goal[1] * u_t + c.goal[2] * u_s
            c.mode = STICKING if along > 0.0 and max(abs(u_t), abs(u_s)) > edge else SLIDING
        if c.mode != was:
            changes += 1
    return changes


@routine
def find_sets(contacts, heap, joints, rows, bodies):
    """Which points part, slide or stick, by impulses and velocities as they stand; a number that tells sets apart."""
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        n, t = triple(c.n), triple(c.t)
        u = change_at(bodies.dV, c)
        p_n = c.p[0] + (c.ask[0] - n @ u - c.soft * (c.p[0] - c.before)) / (c.K[0] + c.soft)
        c.mode = OUT
        if p_n > 0.0:
            x, y = c.p[1] - (t @ u - c.ask[1]) / c.top, c.p[2] - (n.cross(t) @ u - c.ask[2]) / c.top
            a, b = c.along * p_n, c.across * p_n
            c.mode = STICKING
            if x * x * b * b + y * y * a * a >= a * a * b * b:
                c.mode = SLIDING
                c.goal[1], c.goal[2] = full_friction(c, p_n, x, y)
    find_row_sets(contacts, heap, joints, bodies, rows)
    return hash_rows(contacts, heap, rows, hash_sets(contacts, heap))
