"""Rows and contacts of a step of a tree: placed, solved, and what they leave behind (B-18, B-31, V-52)."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.converged import judge_step
from gelenk.contact.tree_contacts import LASTING, run_tree_contacts
from gelenk.contact.tree_lasting import RELATIVE, SIMULTANEOUS
from gelenk.contact.tree_stops import hold_stops_back
from gelenk.methods.moreau_work import BESIDE, SWEEPS
from gelenk.methods.remember import add_reactions, break_joints, clear_reactions, remember_forces, remember_places
from gelenk.methods.tree_reactions import load_by_contacts, load_by_rows
from gelenk.rows.assemble import evaluate, fetch_bodies, jacobian
from gelenk.rows.block import SERVO
from gelenk.rows.conditions import REACH, clear_rows, velocity_rows
from gelenk.trees.bounded_rows import sweep_rows
from gelenk.trees.closing import find_slips
from gelenk.trees.directions import push_along, rate_along
from gelenk.trees.equal_rows import answer, equal_residual, meet_equal
from gelenk.trees.past_stops import stop_what_is_past
from gelenk.trees.rows import tree_rows


@helper
def begin_loops(work, masses, state):
    """Rates of what loops hold at the start of the step."""
    if work.mine.closing.shape[0] > 0:
        find_slips(work.mine, masses, work.joints, work.memory, state, work.now, work.bodies, work.rows, 1.0)


@routine
def place_rows(work, masses, h):
    """Loops, gears, limits, motors, springs: their directions, and those without bounds solved."""
    joints, memory, rows, mine, at, u = work.joints, work.memory, work.rows, work.mine, work.work.at, work.work.u
    work.directions.used[0] = work.directions.used[1] = 0
    if work.options[BESIDE] == 0:
        return
    fetch_bodies(masses, at, work.bodies)
    evaluate(joints, memory, at, work.now)
    jacobian(joints, at, work.now, rows)
    clear_rows(rows)
    for r in range(joints.row.shape[0]):
        rows.number[r].p = 0.0
    velocity_rows(joints, memory, work.now, work.bodies, rows, h, 1.0, REACH, 0, joints.row.shape[0])
    stop_what_is_past(joints, rows)
    tree_rows(work.tree, work.work, work.directions, mine, joints, memory, work.bodies, rows, work.meet.start, u, h)


@routine
def solve_rows(work, h, last):
    """Rows with bounds, and at last contacts: their impulses, and what they do to velocities."""
    rows, mine, meet, u = work.rows, work.mine, work.meet, work.work.u
    if meet.stop.shape[0] > 0:
        contacts, at_once = work.contact.contacts, work.numbers[SIMULTANEOUS] == 1.0
        hold_stops_back(contacts, work.tree, work.directions, mine, rows, meet, u, at_once, last, h)
    begin_rows(work, h)
    if work.tree_address[0] != 0 and last:
        call_contacts(work, LASTING, h)
        work.figures[0] = work.contact.contacts.figures[3]
        judge_step(work.contact.contacts, work.figures[0], h)
    else:
        sweep_alone(work)
    for n in range(mine.sizes[1]):
        answer(mine, rows, mine.place[mine.other[n]], rows.number[mine.other[n]].p)
    meet_equal(work.tree, work.directions, mine, rows, u)
    work.figures[0] = max(work.figures[0], equal_residual(work.tree, work.directions, mine, rows, u))
    if work.tree_address[0] != 0 and last:
        for r in range(work.meet.given.shape[0]):
            rows.number[r].p += work.meet.given[r]
    work.figures[1] = max(work.figures[0], work.figures[1])


@helper
def sweep_alone(work):
    """Rows with bounds in a step without contacts."""
    work.figures[0] = 0.0
    for _ in range(work.options[SWEEPS] if work.mine.sizes[1] > 0 else 0):
        work.figures[0] = sweep_rows(work.tree, work.directions, work.mine, work.joints, work.rows, work.work.u)
        if work.figures[0] <= work.numbers[RELATIVE]:
            break


@helper
def call_contacts(work, stage, h):
    """One stage of contact."""
    return run_tree_contacts(
        work.tree_address[stage],
        work.contact,
        work.tree,
        work.work,
        work.directions,
        work.mine,
        work.joints,
        work.rows,
        work.newton,
        work.meet,
        work.sum_u,
        work.numbers,
        h,
    )


@helper
def begin_rows(work, h):
    """Rows with bounds begin with their impulses of the last step."""
    joints, rows, mine, u = work.joints, work.rows, work.mine, work.work.u
    for n in range(mine.sizes[1]):
        r = mine.other[n]
        x, k = rows.number[r], joints.row[r].gain
        x.p = min(max(h * work.memory.impulse[r] / (1.0 + k), x.lo), x.hi)
        push_along(work.tree, work.directions, mine.place[r], u, x.p)


@helper
def leave_rows(work, h):
    """Forces for sensors, reactions of joints that are no part of the tree, impulses to start from."""
    if work.options[BESIDE] == 1:
        leave_beside(work, h)
    if work.tree_address[0] != 0:
        load_by_contacts(work, h)


@routine
def leave_beside(work, h):
    """The same of rows beside the tree."""
    joints, memory, rows, now = work.joints, work.memory, work.rows, work.now
    for r in range(joints.equalities[0], joints.row.shape[0]):
        if joints.row[r].mode == SERVO and work.mine.place[r] >= 0:
            rows.number[r].error += h * rate_along(work.tree, work.directions, work.mine.place[r], work.work.u)
    remember_places(joints, memory, now, 0, joints.pair.shape[0])
    remember_forces(joints, memory, rows, h, 0, joints.row.shape[0])
    clear_reactions(joints, memory, 0, joints.joint.shape[0])
    add_reactions(joints, memory, now, 0, joints.row.shape[0])
    break_joints(joints, memory)
    for r in range(joints.row.shape[0]):
        memory.impulse[r] = (rows.number[r].p - work.meet.given[r]) / h
    load_by_rows(work, rows, h)
