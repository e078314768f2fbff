"""Contacts of a step of a tree, found, and the impacts among them, each at its own time (B-28, B-29)."""

from __future__ import annotations

from gelenk.compile import routine
from gelenk.contact.tree_contacts import BACK, DOUBTS, FORGET, IMPACTS, MEETINGS
from gelenk.contact.tree_impacts import begin_meeting, restart
from gelenk.contact.tree_meeting import EARLY
from gelenk.methods.contact_stage import find_contacts
from gelenk.methods.moreau_forces import evaluate_tree, go_on
from gelenk.methods.moreau_rows import call_contacts, place_rows
from gelenk.methods.moreau_work import END, MIDDLE, copy_to
from gelenk.trees.articulated import accelerations
from gelenk.trees.closing import slips_of_restart
from gelenk.trees.inner import lead_accelerations, lead_places, lead_rates
from gelenk.trees.kinematics import kinematics


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
