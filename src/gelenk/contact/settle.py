"""Contacts and rows of a step solved heap by heap: Newton's method where its factor is small, sweeps elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.compile import Team, helper, routine
from gelenk.contact.alternate import alternate
from gelenk.contact.assemble import begin_contacts, set_friction
from gelenk.contact.block import COUNT, SLIDES, STICKS, SWEEPS, TURNS, WEAKENED
from gelenk.contact.conjugate import sweep_on
from gelenk.contact.heaps import FOUND, FRESH, HEAPS, STALE, UNUSED, USED, find_heaps
from gelenk.contact.newton import FINE, gather_changes, polish, sweep_all, whole_residual
from gelenk.contact.newton_points import recall_solution, store_solution
from gelenk.contact.newton_rows import are_plain, begin_all_rows
from gelenk.contact.options import MOST_SWEEPS, NEWTON_STEPS, SLOW, TOLERANCE
from gelenk.contact.slabs import batch_heap
from gelenk.contact.sweep import change_at, contact_residual, sweep_contacts
from gelenk.contact.sweep_lanes import residual_in_lanes, sweep_in_lanes
from gelenk.contact.teams import (
    BEGIN,
    RUNNER,
    SETTLE_HEAP,
    SLIDE,
    TASKS,
    THREADS,
    contact_samples,
    piece,
    pieces,
    share_out,
)
from gelenk.contact.turn import ask_turn_anew
from gelenk.math.vec3 import triple
from gelenk.model.builder import Builder
from gelenk.rows.assemble import new_rows, row_rate
from gelenk.solvers.solver import clear_change

FEW = 2  # sweeps before Newton's method
REST = 1e-4  # of the tolerance: a residual that counts as none
ALTERNATIONS, FEW_ALTERNATIONS = 500, 100  # most turns of alternating directions, with joints and without
SMALL = 32  # bodies
FARTHER = 4.0  # times that without impulses: a residual of those of the last step that is not worth while
WORTH = 400  # contacts for which it is worth while to wake another thread


@routine
def settle(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts and rows together; 1 if that is the solution, which it always is where there are no rows.

    What slipped slides, and its heap is solved once more.
    """
    contacts = stages.contacts
    clear_change(bodies)
    if contacts.heaps.number[FOUND] == UNUSED:
        contacts.heaps.number[FOUND] = USED
    else:
        find_heaps(contacts, contacts.number[COUNT], joints, rows, rows.counts[0], bodies.inv_mass)
    begin_all_rows(joints, bodies, rows)
    settle_heaps(contacts, joints, rows, masses, state, bodies)
    if heaps_slide(contacts, bodies):
        settle_heaps(contacts, joints, rows, masses, state, bodies)
    return note_heaps(contacts)


@routine
def begin_heaps(contacts, joints, rows, masses, state, bodies):
    """Let the impulses to start from act, and find the heaps at the same time where no row can tie bodies later on."""
    team = contacts.team
    if joints.row.shape[0] > 0 or contacts.number[COUNT] < WORTH:
        begin_contacts(contacts, bodies)
        return
    task = team[TASKS + BEGIN]
    share_heaps(team[RUNNER], team[THREADS], task, 0, 2, contacts, joints, rows, masses, state, bodies)


@routine
def begin_part(part, contacts, joints, rows, masses, state, bodies):
    """Either of the two."""
    if part == 0:
        begin_contacts(contacts, bodies)
    else:
        find_heaps(contacts, contacts.number[COUNT], joints, rows, 0, bodies.inv_mass)
        contacts.heaps.number[FOUND] = UNUSED
    return np.int64(0)


@routine
def settle_heaps(contacts, joints, rows, masses, state, bodies):
    """Heaps that are not solved yet: Newton's method for all of them side by side, then sweeps for those it left."""
    heaps, team = contacts.heaps, contacts.team
    runner = team[RUNNER] if contacts.number[COUNT] > WORTH else 0
    task, count = team[TASKS + SETTLE_HEAP], heaps.number[HEAPS]
    share_heaps(runner, team[THREADS], task, 0, count, contacts, joints, rows, masses, state, bodies)
    for g in range(heaps.number[HEAPS]):
        heap = heaps.item[g]
        if heap.solved == 0 and heap.row_first == heap.row_last:
            sweep_heap(contacts, heap, bodies)
            heap.solved = 1


@routine
def settle_part(g, contacts, joints, rows, masses, state, bodies):
    """Newton's method for one heap, unless it begins with its solution, as what rests does.

    An impulse that also stopped what moved a little is no solution for the next step, which would move as much the
    other way. So a heap is calm, and may be left as it is, only if it began the step that was last solved with as good
    as its solution.
    """
    heap, steps, tolerance = contacts.heaps.item[g], int(contacts.options[NEWTON_STEPS]), contacts.options[TOLERANCE]
    plain = heap.solved == 0 and are_plain(contacts, heap, joints)
    if plain and heap.factors == 1 and steps > 0:
        heap.residual, calm = whole_residual(contacts, heap, joints, rows, bodies), contacts.sky.calm
        rests = heap.residual <= REST * tolerance
        if not rests or calm[heap.start] == 0:
            calm[heap.start] = 1 if rests else 0
            if not rests:
                begin_without(contacts, heap, joints, rows, bodies)
            for m in range(FEW):
                sweep_all(contacts, heap, joints, rows, bodies, m % 2 == 1)
            heap.residual = polish(contacts, heap, joints, rows, masses, state, bodies, steps, tolerance)
            if heap.residual > tolerance:
                heap.residual = insist(contacts, heap, joints, rows, masses, state, bodies, steps, tolerance)
        heap.solved = 1 if heap.residual <= tolerance else 0
    return np.int64(0)


@routine
def begin_without(contacts, heap, joints, rows, bodies):
    """Begin without impulses where those of the last step lead much farther away from the solution.

    They do where points have changed between heavy bodies and light ones: these would begin at huge velocities, in
    whose round-off the solution is lost.
    """
    warm = heap.residual
    store_solution(contacts, heap, bodies)
    for i in range(heap.point_first, heap.point_last):
        c, x = contacts.contact[contacts.heaps.points[i]], contacts.turn[contacts.heaps.points[i]]
        for j in range(3):
            c.p[j] = x.p[j] = 0.0
    gather_changes(contacts, heap, joints, rows, bodies)
    heap.residual = whole_residual(contacts, heap, joints, rows, bodies)
    if FARTHER * heap.residual < warm:
        start_from(contacts, heap, joints, rows, bodies)
    else:
        heap.residual = warm
        recall_solution(contacts, heap, bodies)


@routine
def start_from(contacts, heap, joints, rows, bodies):
    """The impulses as they stand, and what they do to the velocities, are those that the step begins with."""
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c, x = contacts.contact[k], contacts.turn[k]
        u = change_at(bodies.dV, c)
        n, t = triple(c.n), triple(c.t)
        c.ask[0] -= n @ u + c.soft * (c.p[0] - c.before)
        c.ask[1], c.ask[2] = c.ask[1] - t @ u, c.ask[2] - n.cross(t) @ u
        c.before = c.p[0]
        if contacts.number[TURNS] > 0:
            ask_turn_anew(bodies, c, x)
        for j in range(3):
            c.start[j], x.start[j] = c.p[j], x.p[j]
    for m in range(heap.row_first, heap.row_last):
        r = contacts.heaps.rows[m]
        number = rows.number[r]
        number.ask -= row_rate(joints, rows.J, bodies.dV, r) + number.soft * (number.p - number.before)
        number.before = number.p
    for i in range(heap.first, heap.last):
        node = contacts.sky.node[i]
        for j in range(6):
            bodies.V[node, j] += bodies.dV[node, j]
            bodies.dV[node, j] = 0.0


@helper
def begins_anew(contacts, heap):
    """Whether no point begins with an impulse: a heap that is there for the first time."""
    known = 0
    for i in range(heap.point_first, heap.point_last):
        known += 1 if contacts.contact[contacts.heaps.points[i]].start[0] > 0.0 else 0
    return known == 0


@routine
def insist(contacts, heap, joints, rows, masses, state, bodies, steps, tolerance):
    """Alternating directions, and Newton's method from what they lead to; or anew if that is worse. The residual.

    They pay where sweeps would not do: with joints, in a heap that is there for the first time, and in a small one.
    """
    before, tied = heap.residual, heap.row_first < heap.row_last
    if not tied and heap.last - heap.first > SMALL and not begins_anew(contacts, heap):
        return before
    alternate(
        contacts, heap, joints, rows, masses, bodies, ALTERNATIONS if tied else FEW_ALTERNATIONS, FINE * tolerance
    )
    gather_changes(contacts, heap, joints, rows, bodies)
    now = polish(contacts, heap, joints, rows, masses, state, bodies, steps, tolerance)
    if now < before:
        return now
    begin_again(contacts, heap, rows)
    gather_changes(contacts, heap, joints, rows, bodies)
    return whole_residual(contacts, heap, joints, rows, bodies)


@helper
def begin_again(contacts, heap, rows):
    """Impulses as they were at the start of the step."""
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        c.p[0], c.p[1], c.p[2] = c.start[0], c.start[1], c.start[2]
    for n in range(heap.row_first, heap.row_last):
        rows.number[contacts.heaps.rows[n]].p = rows.number[contacts.heaps.rows[n]].before


@routine
def sweep_heap(contacts, heap, bodies):
    """Sweeps, in lanes where that is worth while."""
    most = int(contacts.options[MOST_SWEEPS])
    if heap.in_lanes == FRESH or batch_heap(contacts, heap, bodies):
        sweep_in_lanes(contacts, heap, bodies, most)
        heap.residual = residual_in_lanes(contacts, heap, bodies)
    else:
        sweep_on(contacts, heap, bodies, most)
        heap.residual = contact_residual(bodies, contacts, heap)


@helper
def note_heaps(contacts):
    """Figures of all heaps; 1 if all are solved."""
    solved, worst, most = np.int64(1), 0.0, np.int64(0)
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        solved, worst, most = min(solved, heap.solved), max(worst, heap.residual), max(most, heap.sweeps)
    contacts.figures[3] = worst
    contacts.number[SWEEPS] += most
    return solved


@routine
def sweep(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Once forth and once back over the contacts of heaps that are not solved; the largest change is in the figures.

    When little changes, points that slipped slide, and if that weakens them it is not over yet.
    """
    contacts, largest = stages.contacts, 0.0
    clear_change(bodies)
    heaps_of_points(contacts, joints, rows, bodies)
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        if heap.solved == 0:
            sweep_contacts(bodies, contacts, heap, False)
            change = sweep_contacts(bodies, contacts, heap, True)
            steady = change <= max(0.1 * contacts.options[SLOW], contacts.options[TOLERANCE])
            if steady and let_slide(contacts, heap, bodies):
                change = max(change, 2.0 * contacts.options[TOLERANCE])
            largest = max(largest, change)
    contacts.figures[3] = largest
    contacts.number[SWEEPS] += 2
    return contacts.number[COUNT]


@routine
def measure(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """How far contacts are from their laws with the velocities as they stand, in the figures; they have been asked."""
    contacts, worst = stages.contacts, 0.0
    clear_change(bodies)
    heaps_of_points(contacts, joints, rows, bodies)
    for g in range(contacts.heaps.number[HEAPS]):
        worst = max(worst, contact_residual(bodies, contacts, contacts.heaps.item[g]))
    contacts.figures[3] = worst
    return contacts.number[COUNT]


@helper
def heaps_of_points(contacts, joints, rows, bodies):
    """Heaps by contacts alone, where those of this step are not known yet."""
    if contacts.heaps.number[FOUND] == 0:
        find_heaps(contacts, contacts.number[COUNT], joints, rows, 0, bodies.inv_mass)


@routine
def heaps_slide(contacts, bodies):
    """Let points slide; heaps in which that changes anything are not solved any more. Whether there are any."""
    found = False
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        if heap.solved == 1 and let_slide(contacts, heap, bodies):
            heap.solved, heap.in_lanes = 0, STALE if heap.in_lanes == FRESH else 0
            found = True
    return found


@routine
def points_slide(contacts, joints, rows, bodies):
    """Let points of all heaps slide; whether that weakens any of them."""
    heaps_of_points(contacts, joints, rows, bodies)
    found = False
    for g in range(contacts.heaps.number[HEAPS]):
        found = let_slide(contacts, contacts.heaps.item[g], bodies) or found
    return found


@routine
def let_slide(contacts, heap, bodies):
    """Points that were to stick, and move with all the friction they can have, slide (impulse-dynamics 4.9).

    Whether that weakens any of them.
    """
    contacts.number[WEAKENED] = 0
    share_out(contacts, heap, bodies, SLIDE, 0, pieces(heap.point_last - heap.point_first), 0.0, 0)
    return contacts.number[WEAKENED] == 1


@routine
def slide_part(part, contacts, bodies, heap, x, back):
    """Some points of a heap. Parts write the same number where they note that one is weakened."""
    begin = contacts.heaps.item[heap].point_first
    first, last = piece(contacts.heaps.item[heap].point_last - begin, part)
    for i in range(begin + first, begin + last):
        c = contacts.contact[contacts.heaps.points[i]]
        law = contacts.law[c.law[0], c.law[1]]
        if c.state == STICKS and c.p[0] > 0.0:
            a, b = c.along * c.p[0], c.across * c.p[0]
            x, y = c.p[1] * b, c.p[2] * a
            n, t, u = triple(c.n), triple(c.t), change_at(bodies.dV, c)
            u_t, u_s = t @ u - c.ask[1], n.cross(t) @ u - c.ask[2]
            if x * x + y * y >= 0.999 * a * a * b * b and max(abs(u_t), abs(u_s)) > contacts.options[SLOW]:
                c.state = SLIDES
                set_friction(contacts, c)
                if law.static_friction > law.friction or law.static_across > law.friction_across:
                    contacts.number[WEAKENED] = 1
    return np.int64(0)


def _samples() -> tuple[Any, ...]:
    """Arguments of the work on a heap, for the compiler."""
    model = Builder().build()
    contacts, bodies = contact_samples()
    joints = model.wired.joints
    return contacts, joints, new_rows(joints), model.system.masses, model.initial_state(), bodies


heap_team = Team(_samples, 6)
share_heaps = heap_team.share
