"""A step of trees in minimal coordinates (B-30, bobsleigh 3.9 and 4.9); see :mod:`gelenk.methods.moreau_tree`."""

from __future__ import annotations

from gelenk.compile import routine
from gelenk.contact.stages import FINISH
from gelenk.integrators.scheme import step
from gelenk.methods.contact_stage import contact_stage
from gelenk.methods.moreau_forces import evaluate_tree, go_on
from gelenk.methods.moreau_meet import find_tree_contacts, meet_contacts
from gelenk.methods.moreau_rows import begin_loops, leave_rows, place_rows, solve_rows
from gelenk.methods.moreau_work import END, HAS_ROWS, MIDDLE, ORDER, MoreauTreeWork, copy_to
from gelenk.methods.tree_books import count_work
from gelenk.methods.tree_reactions import tree_reactions
from gelenk.trees.closing import close_loops
from gelenk.trees.inner import lead_accelerations, lead_places, lead_rates
from gelenk.trees.kinematics import kinematics, move_all, rates_all, read_state, write_state
from gelenk.trees.past_stops import put_back


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
    if put_back(tree, work.directions, work.mine, work.joints, work.rows, work.meet.fix, now.u, h, work.scratch_u):
        move_all(tree, now.q, work.scratch_u, 1.0)
    lead_places(tree, given, now.q, END)
    if work.mine.closing.shape[0] > 0:
        close_loops(tree, now, work.directions, work.mine, work.joints, work.memory, work.now, work.scratch_u)
    return True


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
