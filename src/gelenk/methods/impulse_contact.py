"""Contact in Impulse: impacts first, then lasting contacts together with the joints (impulse-dynamics 4.8, 4.9).

    impacts in rounds        velocities, and places as if they had always been so         I-094 to I-098
    flight                   contacts and position errors of joints in turn               I-099 to I-104
    end                      contacts and velocity errors of joints in turn

See :mod:`gelenk.contact.halves` for what contacts ask of the flight and of its end.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.block import IMPACTS
from gelenk.contact.converged import judge_step
from gelenk.contact.options import MOST_SWEEPS, TOLERANCE
from gelenk.contact.stages import (
    ASK_END,
    ASK_FLIGHT,
    BEGIN_END,
    BEGIN_FLIGHT,
    END_FLIGHT,
    KEEP_HALVES,
    SETTLE,
    SHIFT,
    SWEEP,
)
from gelenk.methods.contact_stage import contact_stage, find_contacts
from gelenk.methods.impulse_positions import begin_positions, close_joints, end_positions, preview
from gelenk.methods.impulse_velocities import conditions, fit_joints, leave_behind, leave_joints_out
from gelenk.methods.impulse_work import VELOCITY
from gelenk.rows.assemble import evaluate, fetch_bodies, jacobian
from gelenk.solvers.solver import apply_change, prepare


@helper
def has_contact(work):
    """Whether anything can touch."""
    return work.contact.address[0] != 0


@routine
def meet_and_shift(work, system, state, h):
    """Contacts of the step and all its impacts; the rows anew where an impact has moved bodies. False if room lacks."""
    before = work.contact.contacts.number[IMPACTS]
    if find_contacts(work, system.masses, state, h) != 0:
        return False
    if work.contact.contacts.number[IMPACTS] > before:
        contact_stage(work, system.masses, state, h, SHIFT)
        fetch_bodies(system.masses, state, work.bodies)
        evaluate(work.joints, work.memory, state, work.at)
        jacobian(work.joints, state, work.at, work.rows)
        work.ready[0] = 0
    return True


@routine
def fly_with_contacts(work, system, state, h):
    """Velocities of the flight that meet contacts and joints, which are solved in turn until little changes."""
    contacts, bodies = work.contact.contacts, work.bodies
    contact_stage(work, system.masses, state, h, BEGIN_FLIGHT)
    if work.joints.row.shape[0] == 0:
        contact_stage(work, system.masses, state, h, ASK_FLIGHT)
        contact_stage(work, system.masses, state, h, SETTLE)
        apply_change(bodies)
        preview(work, system, state, h)
    else:
        torn = begin_positions(work, system, state, h)
        worst = close_joints(work, system, state, h, torn)
        for _ in range(int(contacts.options[MOST_SWEEPS])):
            contact_stage(work, system.masses, state, h, ASK_FLIGHT)
            contact_stage(work, system.masses, state, h, SWEEP)
            apply_change(bodies)
            worst = close_joints(work, system, state, h, torn)
            if contacts.figures[3] <= contacts.options[TOLERANCE]:
                break
        end_positions(work, worst, torn)
    contact_stage(work, system.masses, state, h, END_FLIGHT)


@routine
def end_with_contacts(work, system, state, h):
    """Velocities of the end that fit contacts and joints; as :func:`correct_velocities` does for joints alone."""
    joints, rows, bodies, contacts = work.joints, work.rows, work.bodies, work.contact.contacts
    conditions(work, state, h)
    left_out = work.options[VELOCITY] == 0 and leave_joints_out(rows)
    prepare(work.solver, joints, system.masses, state, bodies, rows)
    contact_stage(work, system.masses, state, h, BEGIN_END)
    if rows.counts[0] == 0:
        contact_stage(work, system.masses, state, h, ASK_END)
        contact_stage(work, system.masses, state, h, SETTLE)
        apply_change(bodies)
        work.figures[0] = contacts.figures[3]
    else:
        most = max(work.options[VELOCITY], 1 if left_out else 0)
        for _ in range(int(contacts.options[MOST_SWEEPS])):
            contact_stage(work, system.masses, state, h, ASK_END)
            contact_stage(work, system.masses, state, h, SWEEP)
            apply_change(bodies)
            fit_joints(work, most, True)
            if contacts.figures[3] <= contacts.options[TOLERANCE]:
                break
        work.figures[0] = max(work.figures[0], contacts.figures[3])
    work.figures[1] = max(work.figures[1], work.figures[0])
    judge_step(contacts, work.figures[0], h)
    contact_stage(work, system.masses, state, h, KEEP_HALVES)
    return leave_behind(work, h) > 0 or left_out
