"""A step of trees in minimal coordinates (B-30, bobsleigh 3.9 and 4.9); see :mod:`gelenk.methods.moreau_tree`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.converged import judge_step
from gelenk.contact.stages import FINISH, ContactStages
from gelenk.contact.tree_contacts import (
    BACK,
    DOUBTS,
    FORGET,
    IMPACTS,
    LASTING,
    MEETINGS,
    RELATIVE,
    SIMULTANEOUS,
    run_tree_contacts,
)
from gelenk.contact.tree_impacts import begin_meeting, restart
from gelenk.contact.tree_meeting import EARLY, TreeMeeting
from gelenk.contact.tree_newton import TreeNewton
from gelenk.contact.tree_stops import hold_stops_back
from gelenk.integrators.scheme import applied_loads, step
from gelenk.methods.contact_stage import contact_stage, find_contacts
from gelenk.methods.remember import add_reactions, break_joints, clear_reactions, remember_forces, remember_places
from gelenk.methods.tree_books import TreeBooks, count_work
from gelenk.methods.tree_reactions import load_by_contacts, load_by_row, load_by_rows, tree_reactions
from gelenk.rows.assemble import (
    BodyWork,
    Coordinates,
    RowWork,
    evaluate,
    fetch_bodies,
    is_broken,
    jacobian,
    jacobian_rows,
    target_of,
)
from gelenk.rows.block import PUSH, SERVO, JointMemory, Joints
from gelenk.rows.conditions import REACH, clear_rows, velocity_rows
from gelenk.state import Loads
from gelenk.trees.articulated import accelerations
from gelenk.trees.block import Tree, TreeWork
from gelenk.trees.bounded_rows import sweep_rows
from gelenk.trees.closing import close_loops, find_slips, slips_of_restart
from gelenk.trees.directions import Directions, push_along, rate_along
from gelenk.trees.equal_rows import answer, equal_residual, meet_equal
from gelenk.trees.inner import lead_accelerations, lead_places, lead_rates, spring_forces
from gelenk.trees.kinematics import kinematics, move_all, rates_all, read_state, write_state
from gelenk.trees.rows import TreeRows, tree_rows

ORDER, SWEEPS, HAS_ROWS, PUSHES, BESIDE = range(5)  # of the options
MIDDLE, END = 1, 2  # of the step, see gelenk.rows.guides.GIVEN


class MoreauTreeWork(NamedTuple):
    """Scratch of one run."""

    tree: Tree
    work: TreeWork
    joints: Joints
    memory: JointMemory
    loads: Loads
    bodies: BodyWork
    now: Coordinates
    rows: RowWork
    mine: TreeRows
    directions: Directions
    joint_of: np.ndarray  # (links,) uint32 joint of the model of each link, or NONE
    owner_in_tree: np.ndarray  # (J,) uint32 1 for joints that are eliminated
    begin_q: np.ndarray  # (nq,) of the start of the step
    begin_u: np.ndarray  # (nu,)
    sum_u: np.ndarray  # (nu,) of Runge's stages; with contact, the velocities that take overlaps out
    sum_du: np.ndarray  # (nu,)
    scratch_u: np.ndarray  # (nu,)
    rate_u: np.ndarray  # (nu,) rates of coordinates in a stage of Runge's
    options: np.ndarray  # (5,) int64 order, most sweeps, whether there are rows or contacts, force motors, and rows or
    # coordinates that the tree does not keep by itself
    numbers: np.ndarray  # (3,) see gelenk.contact.tree_contacts
    figures: np.ndarray  # (2,) residual of the last step, largest since the start [m/s] or [rad/s]
    status: np.ndarray  # (3,) int64
    contact: ContactStages
    tree_address: np.ndarray  # (6,) int64 where contacts are solved, 0 without
    newton: TreeNewton
    meet: TreeMeeting
    books: TreeBooks


@step.register(MoreauTreeWork)
def _(work, system, state, t, h):
    """One step, from bodies to coordinates, through the step, and back to bodies (bobsleigh 4.9)."""
    read_state(work.tree, work.memory, state, work.work)
    copy_to(work.begin_u, work.work.u)
    if work.options[ORDER] == 4:
        runge_step(work, system, t, h)
    elif not midpoint_step(work, system, state, t, h):
        return  # the state is as it was, and the status says what is missing
    kinematics(work.tree, work.work)
    write_state(work.tree, work.work, work.memory, state)
    contact_stage(work, system.masses, work.work.at, h, FINISH)
    if work.books.on[0] == 1:
        count_work(work.books, work, system, h, work.options[ORDER])


@routine
def midpoint_step(work, system, state, t, h):
    """Moreau's midpoint rule (B-30):

        q_M = q + h/2 B u        u' = u + h a(q_M, u) + M^-1 (W p)        q' = q_M + h/2 B u'

    Without impulses, and where forces depend on positions alone, it has order 2. In most trees they depend on
    velocities too, by inertia; ``order`` 2 looks at them once more with the velocity of the middle, (u + u') / 2.
    Driven coordinates are where they have to be, in the middle and at the end.
    """
    tree, now = work.tree, work.work
    given = work.rows.given
    copy_to(work.begin_q, now.q)
    begin_loops(work, system.masses, state)
    move_all(tree, now.q, now.u, 0.5 * h)
    lead_places(tree, given, now.q, MIDDLE)
    copy_to(work.meet.start, work.begin_u)
    for left in range(work.options[ORDER] - 1, -1, -1):
        lead_rates(tree, given, now.u, MIDDLE)
        lead_accelerations(tree, given, now.du, MIDDLE)
        copy_to(work.meet.inertia, now.u)
        evaluate_tree(work, system, t + 0.5 * h, h)
        go_on(work, h)
        if work.options[HAS_ROWS] == 1:
            if left == 0 and find_tree_contacts(work, system.masses, h) != 0:
                return False
            place_rows(work, system.masses, h)
            if work.tree_address[0] != 0 and left == 0:
                meet_contacts(work, system, t, h)
            solve_rows(work, h, left == 0)
        if left > 0:
            for k in range(now.u.shape[0]):
                now.u[k] = 0.5 * (work.begin_u[k] + now.u[k])
    if work.options[HAS_ROWS] == 1:
        leave_rows(work, h)
        for k in range(now.u.shape[0]):
            now.du[k] = (now.u[k] - work.begin_u[k]) / h
        lead_accelerations(tree, given, now.du, MIDDLE)
    if work.joint_of.shape[0] > 0:
        tree_reactions(work, system.masses, h, work.options[ORDER])
    move_all(tree, now.q, now.u, 0.5 * h)
    if work.tree_address[0] != 0:
        move_all(tree, now.q, work.sum_u, h)
    lead_places(tree, given, now.q, END)
    if work.mine.closing.shape[0] > 0:
        close_loops(tree, now, work.directions, work.mine, work.joints, work.memory, work.now, work.scratch_u)
    return True


@helper
def begin_loops(work, masses, state):
    """Rates of what loops hold at the start of the step."""
    if work.mine.closing.shape[0] > 0:
        find_slips(work.mine, masses, work.joints, work.memory, state, work.now, work.bodies, work.rows, 1.0)


@routine
def find_tree_contacts(work, masses, h):
    """Where bodies touch in the middle of the step, or at its start if they are too fast for that

    (:mod:`gelenk.contact.tree_start`); what is missing to find them.
    """
    missing = find_contacts(work, masses, work.work.at, h)
    work.meet.number[EARLY] = 0
    if missing != 0 or work.tree_address[0] == 0 or call_contacts(work, DOUBTS, h) == 0:
        return missing
    work.meet.number[EARLY] = 1
    copy_to(work.scratch_u, work.work.u)
    go_back(work, masses, work.begin_u)
    call_contacts(work, BACK, h)
    missing = find_contacts(work, masses, work.work.at, h)
    if missing != 0:
        call_contacts(work, FORGET, h)
        return missing
    go_back(work, masses, work.meet.inertia)
    copy_to(work.work.u, work.scratch_u)
    return missing


@routine
def go_back(work, masses, u):
    """Bodies at the start of the step if they were in its middle, and the other way round."""
    now = work.work
    for i in range(now.q.shape[0]):
        now.q[i], work.begin_q[i] = work.begin_q[i], now.q[i]
    copy_to(now.u, u)
    kinematics(work.tree, now)
    accelerations(work.tree, masses, work.loads, now)


@routine
def evaluate_tree(work, system, t, h):
    """Accelerations u' at (q, u), by forces and springs in joints alone."""
    kinematics(work.tree, work.work)
    applied_loads(system, work.work.at, t, work.loads)
    if work.tree.sprung.shape[0] > 0:
        spring_forces(work.tree, work.joints, work.memory, work.work, work.meet.start, h, work.options[ORDER])
    if work.options[PUSHES] == 1:
        push_motors(work)
    accelerations(work.tree, system.masses, work.loads, work.work)


@routine
def push_motors(work):
    """Force motors as loads on both of their bodies."""
    joints, rows, at = work.joints, work.rows, work.work.at
    evaluate(joints, work.memory, at, work.now)
    for r in range(joints.equalities[0], joints.row.shape[0]):
        if joints.row[r].mode == PUSH and not is_broken(joints.row[r], work.memory):
            jacobian_rows(joints, at, work.now, rows, r, r + 1)
            load_by_row(work, rows, r, target_of(joints.row[r], work.memory))


@helper
def go_on(work, h):
    """Velocities of the end by forces alone."""
    for k in range(work.work.u.shape[0]):
        work.work.u[k] = work.meet.start[k] + h * work.work.du[k]
    lead_rates(work.tree, work.rows.given, work.work.u, END)


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
    tree_rows(work.tree, work.work, work.directions, mine, joints, memory, work.bodies, rows, work.meet.start, u, h)


@routine
def meet_contacts(work, system, t, h):
    """Impacts, each at its own time (:mod:`gelenk.contact.tree_impacts`); what is left is a step from after them."""
    tree, now, meet, rows = work.tree, work.work, work.meet, work.rows
    begin_meeting(work.contact.contacts, meet, h)
    while call_contacts(work, MEETINGS, h) == 1:
        kinematics(tree, now)
        for k in range(now.u.shape[0]):
            now.extra[k] = 0.0  # an impact is too short for springs
            work.scratch_u[k] = now.u[k]
        accelerations(tree, system.masses, work.loads, now)
        place_rows(work, system.masses, h)
        copy_to(now.u, work.scratch_u)
        for r in range(meet.given.shape[0]):
            rows.number[r].p = 0.0
        call_contacts(work, IMPACTS, h)
        for r in range(meet.given.shape[0]):
            meet.given[r] += rows.number[r].p
        if work.mine.closing.shape[0] > 0:
            parts = work.joints, work.memory, work.now, work.bodies, rows
            slips_of_restart(work.mine, tree, now, system.masses, *parts, meet, work.begin_q, h)
        lead_places(tree, rows.given, now.q, MIDDLE)
        lead_accelerations(tree, rows.given, now.du, MIDDLE)
        evaluate_tree(work, system, t + 0.5 * h, h)
        go_on(work, h)
        place_rows(work, system.masses, h)
        restart(tree, meet, now.q, now.u, h)
        lead_rates(tree, rows.given, now.u, END)


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


@routine
def runge_step(work, system, t, h):
    """The classical Runge-Kutta scheme of order 4 on coordinates and velocities, for smooth motion.

    Turns in space are summed as vectors from the start of the step, with rates that allow for their order.
    """
    tree, now, turn = work.tree, work.work, work.scratch_u
    copy_to(work.begin_q, now.q)
    for k in range(now.u.shape[0]):
        work.sum_u[k] = work.sum_du[k] = turn[k] = 0.0
    for m in range(4):
        weight, k = 1.0 / 6.0 if m == 0 or m == 3 else 1.0 / 3.0, (m + 1) // 2
        lead_places(tree, work.rows.given, now.q, k)
        lead_rates(tree, work.rows.given, now.u, k)
        lead_accelerations(tree, work.rows.given, now.du, k)
        evaluate_tree(work, system, t + 0.5 * k * h, h)
        ahead = h if m == 2 else 0.5 * h
        rates_all(tree, now.u, turn, work.rate_u)
        for k in range(now.u.shape[0]):
            work.sum_u[k] += weight * work.rate_u[k]
            work.sum_du[k] += weight * now.du[k]
        if m == 2 and work.joint_of.shape[0] > 0:
            tree_reactions(work, system.masses, h, 4)
        if m < 3:
            copy_to(now.q, work.begin_q)
            move_all(tree, now.q, work.rate_u, ahead)
            for k in range(now.u.shape[0]):
                now.u[k] = work.begin_u[k] + ahead * now.du[k]
                turn[k] = ahead * work.rate_u[k]
    for k in range(now.u.shape[0]):
        now.u[k] = work.begin_u[k] + h * work.sum_du[k]
    copy_to(now.q, work.begin_q)
    move_all(tree, now.q, work.sum_u, h)
    lead_rates(tree, work.rows.given, now.u, END)
    lead_places(tree, work.rows.given, now.q, END)


@helper
def copy_to(out, a):
    """Copy numbers."""
    for k in range(a.shape[0]):
        out[k] = a[k]
