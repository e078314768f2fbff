"""Positions in Impulse: impulses from the errors that joints would have at the end of the step (I-025 to I-028)."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.methods.flight import fly
from gelenk.methods.impulse_work import CAP, POSITION, TOLERANCE, WARM, late
from gelenk.methods.spring_halves import first_half, reckon_springs
from gelenk.rows.assemble import (
    count_turns,
    evaluate_pairs,
    is_broken,
    jacobian,
    kick_row,
    row_error,
    target_of,
)
from gelenk.rows.block import DRIVE, LED, NONE, PUSH, SERVO
from gelenk.rows.conditions import clear_rows, is_spring, position_rows, servo_speed
from gelenk.solvers.solver import apply_change, clear_change, prepare, solve

STRIDE = 0.2  # [m] or [rad] that a torn joint is closed by in a step


@routine
def correct_positions(work, system, state, h):
    """Impulses at the start of the step until no joint would be open by more than the tolerance at its end (I-028)."""
    torn = begin_positions(work, system, state, h)
    worst = close_joints(work, system, state, h, torn)
    end_positions(work, worst, torn)


@routine
def begin_positions(work, system, state, h):
    """Goals of joints, and what motors and joints begin with; returns what is torn."""
    torn = begin_joints(work, h)
    begin_motors(work, h)
    return torn


@routine
def close_joints(work, system, state, h, torn):
    """Corrections until no joint would be open; returns what is left.

    Springs are solved for once at least: in a short step they change places by less than the tolerance, and must act.
    """
    joints, rows, bodies = work.joints, work.rows, work.bodies
    worst = preview(work, system, state, h)
    if work.options[WARM] == 1 and worst > work.numbers[TOLERANCE]:
        take_back(work)
        worst = preview(work, system, state, h)
    fresh, last = work.ready[0] == 1, math.inf
    due = springs_act(joints, rows)
    for _ in range(work.options[POSITION]):
        if (worst <= work.numbers[TOLERANCE] and not due) or late(work.numbers, 0.7):
            break
        if worst > last and work.numbers[CAP] == math.inf:
            if torn > 0.0:  # too long a step of Newton's: go back half of it
                halve_change(bodies, rows)
                worst = preview(work, system, state, h)
                continue
            jacobian(joints, work.next, work.at, rows)  # turned too far: push along the rows of the end (8.2, 33)
            fresh = False
            work.counts[2] += 1
        if not fresh:
            prepare(work.solver, joints, system.masses, state, bodies, rows)
            fresh = True
        solve(work.solver, joints, bodies, rows)
        if work.numbers[CAP] < math.inf:
            cap_impulses(work)
        apply_change(bodies)
        due = False
        work.counts[1] += 1
        last, worst = worst, preview(work, system, state, h)
    return worst


@helper
def springs_act(joints, rows):
    """Whether a spring takes part."""
    act = False
    for n in range(rows.counts[1], rows.counts[0]):
        act = act or is_spring(joints.row[rows.active[n]])
    return act


@helper
def end_positions(work, worst, torn):
    """Count the step, and tell what it left open."""
    work.counts[0] += 1
    work.figures[2], work.figures[4] = worst + torn, torn
    work.figures[3] = max(work.figures[3], work.figures[2])


@routine
def preview(work, system, state, h):
    """Fly on a copy; what the rows would still lack at its end, and the largest error of a joint (I-025)."""
    joints, memory, at, rows, worst = work.joints, work.memory, work.at, work.rows, 0.0
    clear_rows(rows)
    for s in range(joints.strip.shape[0] - 1):
        here, end = joints.strip[s], joints.strip[s + 1]
        fly(system.masses, state, work.bodies.V, h, work.next, here.node, end.node)
        evaluate_pairs(joints, memory, work.next, at, here.pair, end.pair)
        count_turns(joints, memory, work.bodies.V, h, at, here.pair, end.pair)
        worst = max(worst, position_rows(joints, memory, at, rows, h, True, here.row, end.row))
    others = position_rows(joints, memory, at, rows, h, True, joints.equalities[0], joints.row.shape[0])
    return math.sqrt(max(worst, others))


@routine
def begin_drives(work, h):
    """What motors, servos and springs have to know of the start of the step: places and rates, before any impulse."""
    joints, rows, bodies, memory = work.joints, work.rows, work.bodies, work.memory
    reckon_springs(joints, bodies, rows, work.load, h)
    for r in range(joints.equalities[0], joints.row.shape[0]):
        row, x = joints.row[r], rows.number[r]
        if is_spring(row):
            first_half(joints, memory, work.at, bodies, rows, work.load, r, h)
        elif row.mode == DRIVE or row.mode == SERVO:
            x.begin, x.want = row_error(joints, work.at, r), target_of(row, memory)
            if row.mode == SERVO:
                x.want = servo_speed(row, memory, r, x.begin, h)
        elif row.mode == LED:
            x.begin, x.want = row_error(joints, work.at, r), rows.given[row.guide].pace


@helper
def begin_joints(work, h):
    """Goals of joints, and their impulses of the last step if they begin with them (I-111).

    Where the step before has left all joints closed there is nothing to do: ``leave_behind`` has put impulses and goals
    back to zero. Returns what is torn.
    """
    joints, rows, bodies, memory = work.joints, work.rows, work.bodies, work.memory
    closed = work.figures[4] == 0.0 and work.figures[2] <= 0.5 * STRIDE
    if work.ready[0] == 1 and closed and work.options[WARM] == 0:
        return 0.0
    torn = set_goals(joints, memory, work.at, rows)
    if work.options[WARM] == 1:
        for r in range(joints.equalities[0]):
            row, x = joints.row[r], rows.number[r]
            if row.plain == 1 and row.gain > 0.0 and not is_broken(row, memory):
                x.p = h * memory.impulse[r]
                kick_row(joints, bodies, rows.J, bodies.V, r, x.p)
    return torn


@routine
def begin_motors(work, h):
    """Force motors give half of their impulse; the other half comes with the velocities at the end, as with forces."""
    joints, rows, bodies, memory = work.joints, work.rows, work.bodies, work.memory
    for r in range(joints.equalities[0], joints.row.shape[0]):
        row, x = joints.row[r], rows.number[r]
        x.p = work.before[r] = 0.0
        if row.mode == PUSH and not is_broken(row, memory):
            work.before[r] = 0.5 * h * target_of(row, memory)
            kick_row(joints, bodies, rows.J, bodies.V, r, work.before[r])


@routine
def take_back(work):
    """Begin with no impulses instead, where those of the last step do not lead to the tolerance.

    Only a guess that needs no correction is worth keeping. In a closed loop of bodies impulses that hold each other
    have no effect while the directions stay, so nothing would take them back as they turn.
    """
    joints, rows, bodies = work.joints, work.rows, work.bodies
    for r in range(joints.row.shape[0]):
        x = rows.number[r]
        if joints.row[r].plain == 1 and x.p != 0.0:
            kick_row(joints, bodies, rows.J, bodies.V, r, -x.p)
            x.p = 0.0


@routine
def set_goals(joints, memory, now, rows):
    """What may be left of a torn joint at the end of the step (I-110): its error less STRIDE; returns the largest.

    The whole way at once would turn a body by more than the row of a joint can see. Goals are zero for closed joints,
    and for gears of rates what they are off by. All begin without impulse.
    """
    square, owner, first, worst = 0.0, NONE, 0, 0.0
    for r in range(joints.equalities[0]):
        row, x = joints.row[r], rows.number[r]
        e = 0.0 if is_broken(row, memory) else row_error(joints, now, r)
        if row.owner != owner or owner == NONE:
            square, owner, first = 0.0, row.owner, r
        square += e * e if row.gain > 0.0 else 0.0
        x.p, x.begin = 0.0, e
        if r + 1 == joints.equalities[0] or joints.row[r + 1].owner != owner or owner == NONE:
            size = math.sqrt(square)
            left = max(0.0, 1.0 - STRIDE / size) if size > 0.0 else 0.0
            for k in range(first, r + 1):
                rows.number[k].begin *= left if joints.row[k].gain > 0.0 else 1.0
            worst = max(worst, left * size)
    return worst


@routine
def halve_change(bodies, rows):
    """Take back half of what the last solve changed."""
    for n in range(rows.counts[0]):
        x = rows.number[rows.active[n]]
        x.p = 0.5 * (x.p + x.before)
    for i in range(bodies.dV.shape[0]):
        for k in range(6):
            bodies.dV[i, k] *= 0.5
            bodies.V[i, k] -= bodies.dV[i, k]


@routine
def cap_impulses(work):
    """No joint gives more than the cap in one step (I-109):  s <- cap s / |s|,  s its impulses of this step."""
    joints, rows, bodies, strain, cap = work.joints, work.rows, work.bodies, work.strain, work.numbers[CAP]
    for j in range(strain.shape[0]):
        strain[j] = 0.0
    for n in range(rows.counts[0]):
        r = rows.active[n]
        if joints.row[r].owner != NONE:
            strain[joints.row[r].owner] += rows.number[r].p * rows.number[r].p
    clear_change(bodies)
    for n in range(rows.counts[0]):
        r = rows.active[n]
        x, j = rows.number[r], joints.row[r].owner
        if j != NONE and strain[j] > cap * cap:
            x.p *= cap / math.sqrt(strain[j])
        kick_row(joints, bodies, rows.J, bodies.dV, r, x.p - x.before)
