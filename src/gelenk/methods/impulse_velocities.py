"""Velocities in Impulse: what fits them to joints, stops and drives at the end of the step (I-029)."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.methods.impulse_work import VELOCITY, VELOCITY_TOLERANCE, late
from gelenk.methods.remember import (
    add_reactions,
    break_joints,
    clear_reactions,
    remember_forces,
    remember_places,
)
from gelenk.methods.spring_halves import reckon_springs, second_half
from gelenk.rows.assemble import jacobian_rows, row_error, row_rate
from gelenk.rows.block import DRIVE, LED, LIMIT, PUSH, SERVO
from gelenk.rows.conditions import clear_rows, is_spring, push_motors, velocity_rows
from gelenk.solvers.solver import apply_change, prepare, residual, solve


@routine
def correct_velocities(work, system, state, h):
    """Impulses at the end of the step that make velocities fit: joints, stops, motors, springs (I-029).

    Returns whether the factors are not those that the next step begins with.
    """
    joints, rows, bodies = work.joints, work.rows, work.bodies
    conditions(work, state, h)
    left_out = work.options[VELOCITY] == 0 and leave_joints_out(rows)
    prepare(work.solver, joints, system.masses, state, bodies, rows)
    fit_joints(work, max(work.options[VELOCITY], 1 if left_out else 0), False)
    work.figures[1] = max(work.figures[1], work.figures[0])
    return leave_behind(work, h) > 0 or left_out


@routine
def fit_joints(work, most, anew):
    """At most so many corrections; ``anew`` if velocities have changed since the rows asked for theirs."""
    joints, rows, bodies = work.joints, work.rows, work.bodies
    for n in range(most):
        if n > 0 or anew:
            for m in range(rows.counts[0]):
                x = rows.number[rows.active[m]]
                x.ask = x.want - row_rate(joints, rows.J, bodies.V, rows.active[m]) - x.soft * x.p
        solve(work.solver, joints, bodies, rows)
        work.figures[0] = residual(joints, bodies, rows)
        apply_change(bodies)
        if work.figures[0] <= work.numbers[VELOCITY_TOLERANCE] or late(work.numbers, 1.0):
            break


@routine
def conditions(work, state, h):
    """Rows of the end of the step and what they ask of its velocities; impulses of the flight are put by."""
    joints, rows, bodies, memory, at = work.joints, work.rows, work.bodies, work.memory, work.at
    m, n = joints.equalities[0], joints.row.shape[0]
    jacobian_rows(joints, state, at, rows, m, n)
    for r in range(m, n):
        mode, x = joints.row[r].mode, rows.number[r]
        if mode != PUSH:
            work.before[r] = x.p
        x.p = work.before[r] if driven(mode) else 0.0
    clear_rows(rows)
    push_motors(joints, memory, bodies, rows, h)
    for s in range(joints.strip.shape[0] - 1):
        here, end = joints.strip[s], joints.strip[s + 1]
        for r in range(here.row, end.row):
            work.before[r], rows.number[r].p = rows.number[r].p, 0.0
        jacobian_rows(joints, state, at, rows, here.row, end.row)
        velocity_rows(joints, memory, at, bodies, rows, h, 0.0, 0.0, here.row, end.row)
    velocity_rows(joints, memory, at, bodies, rows, h, 0.0, 0.0, m, n)
    reckon_springs(joints, bodies, rows, work.load, h)
    for r in range(m, n):
        if is_spring(joints.row[r]):
            second_half(joints, memory, at, bodies, rows, work.load, r, h)
        elif joints.row[r].mode == LIMIT:  # may take back what it gave for the place, or a body would bounce off
            x = rows.number[r]
            x.lo, x.hi = x.lo - max(work.before[r], 0.0), x.hi - min(work.before[r], 0.0)


@routine
def leave_behind(work, h):
    """Impulses of both halves to the memory of the state, and rows as the next step begins; how many joints broke."""
    joints, rows, memory, at = work.joints, work.rows, work.memory, work.at
    for s in range(joints.strip.shape[0] - 1):
        here, end = joints.strip[s], joints.strip[s + 1]
        sum_halves(work, h, here.row, end.row)
        remember_places(joints, memory, at, here.pair, end.pair)
        remember_forces(joints, memory, rows, h, here.row, end.row)
        clear_reactions(joints, memory, here.joint, end.joint)
        add_reactions(joints, memory, at, here.row, end.row)
        for r in range(here.row, end.row):
            x = rows.number[r]
            x.p, x.begin = 0.0, 0.0 if joints.row[r].gain > 0.0 else row_error(joints, at, r)
    m, n = joints.equalities[0], joints.row.shape[0]
    sum_halves(work, h, m, n)
    remember_forces(joints, memory, rows, h, m, n)
    add_reactions(joints, memory, at, m, n)
    return break_joints(joints, memory)


@helper
def sum_halves(work, h, first, last):
    """Impulses of the flight and of its end together. A step that begins with them takes half."""
    for r in range(first, last):
        x = work.rows.number[r]
        if driven(work.joints.row[r].mode):
            work.memory.impulse[r] = x.p / h
        else:
            x.p += work.before[r]
            work.memory.impulse[r] = 0.5 * x.p / h


@routine
def leave_joints_out(rows):
    """Only stops and drives take part, which act through velocities (I-009); False if there are none."""
    joints, count = rows.counts[1], rows.counts[0] - rows.counts[1]
    if count == 0:
        return False
    for n in range(count):
        rows.active[n] = rows.active[joints + n]
    rows.counts[0], rows.counts[1] = count, 0
    return True


@helper
def driven(mode):
    """Whether a row is a motor, brake, servo or guide, whose bounds are those of both halves together."""
    return mode in (DRIVE, SERVO, PUSH, LED)
