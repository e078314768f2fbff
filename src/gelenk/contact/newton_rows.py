"""Rows of joints, stops and motors in Newton's method: solved with the contacts at once.

A row asks for  J dV + (c/h) dp = ask  with an impulse between two bounds. Held rows add  w J^T J  to the matrix, as
contacts do; a row at a bound gives just that impulse. Rows that share a ball or an ellipse are left to their solver.
"""

from __future__ import annotations

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.skyline import row_block
from gelenk.rows.assemble import kick_row, respond, row_rate
from gelenk.rows.block import BOX, NONE
from gelenk.rows.sets import prox_interval
from gelenk.solvers.solver import nudged, row_residual

HELD, LOW, HIGH = 0, 1, 2


@routine
def are_plain(contacts, heap, joints):
    """Whether all rows of a heap have bounds of their own, as Newton's method takes them."""
    odd = 0
    for n in range(heap.row_first, heap.row_last):
        odd += 1 if joints.row[contacts.heaps.rows[n]].set != BOX else 0
    return odd == 0


@helper
def begin_row(joints, bodies, rows, r):
    """Make a row ready; whether it has bounds of its own."""
    if joints.row[r].set != BOX:
        return False
    respond(joints, bodies, rows, r)
    rows.number[r].before = rows.number[r].p
    return True


@routine
def begin_all_rows(joints, bodies, rows):
    """Make all active rows ready; whether all have bounds of their own."""
    plain = True
    for n in range(rows.counts[0]):
        plain = begin_row(joints, bodies, rows, rows.active[n]) and plain
    return plain


@routine
def find_row_sets(contacts, heap, joints, bodies, rows):
    """Which rows are held and which are at a bound, by impulses and velocities as they stand."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        x = rows.number[r]
        p = nudged(joints, bodies, rows, r, x.diag + x.soft)
        contacts.row_mode[r] = LOW if p <= x.lo else (HIGH if p >= x.hi else HELD)


@routine
def change_row_sets(contacts, heap, joints, bodies, rows):
    """Held rows whose goal is beyond a bound go to it; rows at a bound that would rather give less are held."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        x, goal, mode = rows.number[r], contacts.row_goal[r], contacts.row_mode[r]
        if mode == HELD:
            contacts.row_mode[r] = LOW if goal < x.lo else (HIGH if goal > x.hi else HELD)
        else:
            lack = x.ask - row_rate(joints, rows.J, bodies.dV, r) - x.soft * (goal - x.before)
            if (mode == LOW and lack > 0.0) or (mode == HIGH and lack < 0.0):
                contacts.row_mode[r] = HELD


@helper
def hash_rows(contacts, heap, rows, sets):
    """Go on with a number that tells sets apart."""
    for n in range(heap.row_first, heap.row_last):
        r = np.int64(contacts.heaps.rows[n])
        sets = (sets * 1000003 + np.int64(contacts.row_mode[r]) + 4 * r) & 0x7FFFFFFFF
    return sets


@helper
def row_weight(joints, rows, r, mass, inertia):
    """W of a row: large against the masses, or the moments of inertia where it is about turns alone."""
    x = rows.number[r]
    return 1.0 / x.soft if x.soft > 0.0 else weight_by_kind(joints, rows, r, mass, inertia)


@helper
def weight_by_kind(joints, rows, r, mass, inertia):
    """The one of a row about ways, or the other of a row about turns alone."""
    J, e = rows.J, joints.row[r].entry_first
    turns = J[e, 0] == 0.0 and J[e, 1] == 0.0 and J[e, 2] == 0.0
    return inertia if turns else mass


@helper
def row_wish(contacts, joints, rows, r, mass, inertia):
    """The impulse that goes with dV = 0."""
    x, mode = rows.number[r], contacts.row_mode[r]
    if mode == LOW:
        return x.lo
    if mode == HIGH:
        return x.hi
    if x.soft > 0.0:
        return x.before + x.ask / x.soft
    return x.p + row_weight(joints, rows, r, mass, inertia) * x.ask


@routine
def add_rows(sky, contacts, heap, joints, rows, mass, inertia):
    """Add  w J^T J  of all held rows."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        if contacts.row_mode[r] == HELD:
            add_row_block(sky, joints, rows, r, row_weight(joints, rows, r, mass, inertia))


@routine
def add_row_block(sky, joints, rows, r, w):
    """Add  w J^T J  of one row."""
    row = joints.row[r]
    for e in range(row.entry_first, row.entry_last):
        i = sky.place[joints.body[e]]
        for f in range(row.entry_first, row.entry_last):
            j = sky.place[joints.body[f]]
            if j <= i and i != NONE:
                B = sky.block[row_block(sky, np.int64(i), np.int64(j))]
                for a in range(6):
                    s = w * rows.J[e, a]
                    for b in range(6):
                        B[a, b] += s * rows.J[f, b]


@routine
def add_row_impulses(sky, contacts, heap, joints, rows, mass, inertia):
    """Right-hand side  J^T (q - p_start)  of all rows."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        add_row_impulse(
            sky, joints, rows, r, row_wish(contacts, joints, rows, r, mass, inertia) - rows.number[r].before
        )


@helper
def add_row_impulse(sky, joints, rows, r, q):
    """X += J^T q  of one row."""
    row = joints.row[r]
    for e in range(row.entry_first, row.entry_last):
        i = sky.place[joints.body[e]]
        if i != NONE:
            for a in range(6):
                sky.x[i, a] += q * rows.J[e, a]


@routine
def set_row_goals(contacts, heap, joints, bodies, rows, mass, inertia):
    """Impulses that go with dV,  q - w J dV  of held rows."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        goal = row_wish(contacts, joints, rows, r, mass, inertia)
        if contacts.row_mode[r] == HELD:
            goal -= row_weight(joints, rows, r, mass, inertia) * row_rate(joints, rows.J, bodies.dV, r)
        contacts.row_goal[r] = goal


@routine
def take_row_goals(contacts, heap, joints, bodies, rows):
    """Impulses at their goals, within their bounds, and what they do to dV."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        x = rows.number[r]
        x.p = prox_interval(contacts.row_goal[r], x.lo, x.hi)
        kick_row(joints, bodies, rows.J, bodies.dV, r, x.p - x.before)


@helper
def add_row_changes(contacts, heap, joints, bodies, rows):
    """DV += M^-1 J^T (p - before)."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        kick_row(joints, bodies, rows.J, bodies.dV, r, rows.number[r].p - rows.number[r].before)


@routine
def sweep_joint_rows(contacts, heap, joints, bodies, rows, back):
    """Every row once with the others as they stand."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[heap.row_first + heap.row_last - 1 - n if back else n]
        x = rows.number[r]
        d = x.diag + x.soft
        if d > 0.0:
            p = prox_interval(nudged(joints, bodies, rows, r, d), x.lo, x.hi)
            kick_row(joints, bodies, rows.J, bodies.dV, r, p - x.p)
            x.p = p


@routine
def rows_residual(contacts, heap, joints, bodies, rows):
    """The largest of the rows of a heap [m/s] or [rad/s]."""
    worst = 0.0
    for n in range(heap.row_first, heap.row_last):
        worst = max(worst, row_residual(joints, bodies, rows, contacts.heaps.rows[n]))
    return worst


@helper
def keep_row_impulses(contacts, heap, rows):
    """Remember impulses."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        contacts.row_last[r] = rows.number[r].p


@helper
def recall_row_impulses(contacts, heap, rows):
    """Go back to what was remembered."""
    for n in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[n]
        rows.number[r].p = contacts.row_last[r]


@routine
def heap_scale(sky, heap, masses):
    """Largest mass [kg] and largest moment of inertia [kg m^2] of the bodies of a heap."""
    mass, inertia = 0.0, 0.0
    for k in range(heap.first, heap.last):
        i = sky.node[k]
        mass = max(mass, masses.mass[i])
        if i < masses.inertia_B.shape[0]:
            for a in range(3):
                inertia = max(inertia, masses.inertia_B[i, a, a])
    return mass, inertia if inertia > 0.0 else mass
