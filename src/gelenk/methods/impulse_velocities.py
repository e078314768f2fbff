"""Velocities in Impulse: what fits them to joints, stops and drives at the end of the step (I-029)."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.methods.impulse_work import VELOCITY, VELOCITY_TOLERANCE, late
from gelenk.methods.remember import reactions, remember
from gelenk.methods.spring_halves import second_half
from gelenk.rows.assemble import row_rate
from gelenk.rows.block import DRIVE, PUSH, SERVO, SPRING
from gelenk.rows.conditions import velocity_conditions
from gelenk.solvers.solver import apply_change, prepare, residual, solve


@routine
def correct_velocities(work, system, state, h):
    """Impulses at the end of the step that make velocities fit: joints, stops, motors, springs (I-029).

    Returns whether the factors are not those that the next step begins with.
    """
    joints, rows, bodies, memory = work.joints, work.rows, work.bodies, work.memory
    for r in range(joints.row.shape[0]):
        mode, x = joints.row[r].mode, rows.number[r]
        if mode != PUSH:
            work.before[r] = x.p
        x.p = work.before[r] if driven(mode) else 0.0
    velocity_conditions(joints, memory, work.at, bodies, rows, h, 0.0, False)
    for r in range(joints.equalities[0], joints.row.shape[0]):
        if joints.row[r].mode == SPRING:
            second_half(joints, memory, work.at, bodies, rows, r, h)
    left_out = work.options[VELOCITY] == 0 and leave_joints_out(rows)
    prepare(work.solver, joints, system.masses, state, bodies, rows)
    for n in range(max(work.options[VELOCITY], 1 if left_out else 0)):
        if n > 0:
            for m in range(rows.counts[0]):
                x = rows.number[rows.active[m]]
                x.ask = x.want - row_rate(joints, rows.J, bodies.V, rows.active[m]) - x.soft * x.p
        solve(work.solver, joints, bodies, rows)
        work.figures[0] = residual(joints, bodies, rows)
        apply_change(bodies)
        if work.figures[0] <= work.numbers[VELOCITY_TOLERANCE] or late(work.numbers, 1.0):
            break
    work.figures[1] = max(work.figures[1], work.figures[0])
    for r in range(joints.row.shape[0]):
        if driven(joints.row[r].mode):
            memory.impulse[r] = rows.number[r].p / h
        else:
            rows.number[r].p += work.before[r]
            memory.impulse[r] = 0.5 * rows.number[r].p / h
    remember(joints, memory, work.at, rows, h)
    return reactions(joints, memory, work.at) > 0 or left_out


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
    """Whether a row is a motor, brake or servo, whose bounds are those of both halves together."""
    return mode in (DRIVE, SERVO, PUSH)
