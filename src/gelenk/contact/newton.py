"""Newton's method for all contacts at once, where sweeps are slow: towers, walls, arches (V-50).

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
from gelenk.contact.block import COUNT, SWEEPS
from gelenk.contact.newton_points import (
    OUT,
    SLIDING,
    STICKING,
    add_point_impulses,
    add_points,
    begin_matrix,
    full_friction,
    recall_solution,
    set_point_goals,
    store_solution,
    take_point_goals,
    turn_inertia,
)
from gelenk.contact.newton_rows import (
    add_row_impulses,
    add_rows,
    change_row_sets,
    find_row_sets,
    hash_rows,
    heap_scale,
    keep_row_impulses,
    recall_row_impulses,
    set_row_goals,
    sweep_joint_rows,
    take_row_goals,
)
from gelenk.contact.skyline import BODIES, FACTORED, factor, solve_factor
from gelenk.contact.sweep import change_at, contact_residual, sweep_contacts, triple
from gelenk.solvers.solver import residual

WEIGHT = 1e6  # W over the largest mass
SEARCHES = 10  # of sets and of friction in a step
FINE = 1e-2  # of the tolerance: it costs little to come so close, and a tower sways by many times the residual
SETTLED = 1e-9  # change of the friction of points that slide, share of their pressure
EDGE = 1e-12  # [m/s] by which a point must near to press
FEW = 16  # points that may change their sets without end, as those of a small heap do before they settle
CALMER = 0.75  # of the changes before; the sets of a heap that rests settle faster


@routine
def polish(contacts, joints, rows, masses, state, bodies, steps, tolerance):
    """Newton's method, until it comes much closer than the tolerance; whether it met it.

    A step that does not help is taken back: one with the factor of the last step is tried with its own.
    """
    sky = contacts.sky
    turn_inertia(contacts, masses, state)
    best, kept = whole_residual(contacts, joints, rows, bodies), sky.number[FACTORED]
    for _ in range(steps):
        store_solution(contacts, bodies)
        keep_row_impulses(contacts, rows)
        old = find_sets(contacts, joints, rows, bodies) == kept  # the factor of the last step may do
        if search_sets(sky, contacts, joints, rows, masses, bodies):
            take_point_goals(contacts, bodies)
            take_row_goals(contacts, joints, bodies, rows)
            sweep_all(contacts, joints, rows, bodies, False)
            sweep_all(contacts, joints, rows, bodies, True)
            now = whole_residual(contacts, joints, rows, bodies)
        else:
            now = math.inf
        if now < best:
            best = now
            if best <= FINE * tolerance:
                break
            continue
        recall_solution(contacts, bodies)
        recall_row_impulses(contacts, rows)
        if not old:
            break
        kept = sky.number[FACTORED] = 0
    return best <= tolerance


@helper
def whole_residual(contacts, joints, rows, bodies):
    """The larger one of contacts and rows [m/s] or [rad/s]."""
    return max(contact_residual(bodies, contacts), residual(joints, bodies, rows))


@helper
def sweep_all(contacts, joints, rows, bodies, back):
    """Rows and contacts once, each for itself."""
    contacts.number[SWEEPS] += 1
    sweep_joint_rows(joints, bodies, rows, back)
    sweep_contacts(bodies, contacts, back)


@routine
def search_sets(sky, contacts, joints, rows, masses, bodies):
    """Velocities dV and goals of the impulses for the sets; the sets by these, and so on until they stay the same.

    Whether the velocities are finite. If the sets do not come to rest, the last ones are taken. Where many points
    change, and hardly fewer than before, it is given up: in a heap that falls in, such a search has led nowhere.
    """
    mass, inertia = heap_scale(sky, masses)
    W, I = WEIGHT * mass, WEIGHT * inertia  # noqa: E741
    sets, changes = hash_rows(contacts, rows, hash_sets(contacts)), contacts.number[COUNT]
    for _ in range(SEARCHES):
        if sets != sky.number[FACTORED]:
            begin_matrix(sky, contacts, masses)
            add_points(sky, contacts, W)
            add_rows(sky, contacts, joints, rows, W, I)
            factor(sky)
            sky.number[FACTORED] = sets
        clear_side(sky)
        add_point_impulses(sky, contacts, W)
        add_row_impulses(sky, contacts, joints, rows, W, I)
        solve_factor(sky)
        if not take_velocities(sky, bodies):
            return False
        change = set_point_goals(contacts, bodies, W)
        set_row_goals(contacts, joints, bodies, rows, W, I)
        earlier, changes = changes, change_sets(contacts, bodies)
        change_row_sets(contacts, joints, bodies, rows)
        before, sets = sets, hash_rows(contacts, rows, hash_sets(contacts))
        if sets == before and change <= SETTLED:
            break
        if changes > FEW and changes > CALMER * earlier:
            return False
    return True


@helper
def clear_side(sky):
    """No right-hand side yet."""
    for i in range(sky.number[BODIES]):
        for k in range(6):
            sky.x[i, k] = 0.0


@helper
def take_velocities(sky, bodies):
    """The solution as dV of the bodies; whether it is finite."""
    good = True
    for i in range(sky.number[BODIES]):
        for k in range(6):
            bodies.dV[sky.node[i], k] = sky.x[i, k]
            good = good and abs(sky.x[i, k]) < math.inf
    return good


@helper
def hash_sets(contacts):
    """A number that tells sets apart, never 0."""
    sets = np.int64(1)
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        sets = (sets * 1000003 + np.int64(c.mode) + 4 * np.int64(c.a) + 16 * np.int64(c.b)) & 0x7FFFFFFFF
    return sets + 1


@routine
def change_sets(contacts, bodies):
    """Sets by the goals: points that would pull part, points beyond their friction slide, points that near press.

    Points that slide along their friction instead of against it stick. Returns how many changed.
    """
    changes = 0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        was = c.mode
        n, t = triple(c.n), triple(c.t)
        u = change_at(bodies.dV, c)
        if c.mode == OUT:
            c.mode = STICKING if n @ u < c.ask[0] - EDGE else OUT
        elif c.goal[0] <= 0.0:
            c.mode = OUT
        elif c.mode == STICKING:
            a, b = c.along * c.goal[0], c.across * c.goal[0]
            x, y = c.goal[1] * b, c.goal[2] * a
            if x * x + y * y > a * a * b * b:
                c.mode = SLIDING
                c.goal[1], c.goal[2] = full_friction(c, c.goal[0], c.goal[1], c.goal[2])
        else:
            along = c.goal[1] * (t @ u - c.ask[1]) + c.goal[2] * (n.cross(t) @ u - c.ask[2])
            c.mode = STICKING if along > 0.0 else SLIDING
        if c.mode != was:
            changes += 1
    return changes


@routine
def find_sets(contacts, joints, rows, bodies):
    """Which points part, slide or stick, by impulses and velocities as they stand; a number that tells sets apart."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
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
    find_row_sets(contacts, joints, bodies, rows)
    return hash_rows(contacts, rows, hash_sets(contacts))
