"""The stages of contact in a step, each compiled by itself when a model with shapes needs it, and called by address.

All take the same arguments, so that a method without contact carries no more than a jump that it does not take.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import routine
from gelenk.contact.assemble import (
    acceleration,
    ask_contacts,
    begin_contacts,
    choose_friction,
    keep_contacts,
    set_friction,
    take_contacts,
    touch_bodies,
)
from gelenk.contact.block import COUNT, SLIDES, STICKS, SWEEPS, TURNS, ContactSet
from gelenk.contact.conjugate import sweep_on
from gelenk.contact.events import ContactEvents, has_room, note_events
from gelenk.contact.halves import (
    ask_end,
    ask_flight,
    begin_end,
    begin_flight,
    end_flight,
    keep_halves,
    move_by,
    push_apart,
)
from gelenk.contact.impacts import resolve_impacts
from gelenk.contact.lanes import READY as IN_LANES
from gelenk.contact.lanes import batch_contacts
from gelenk.contact.levels import Levels
from gelenk.contact.newton import polish, sweep_all, whole_residual
from gelenk.contact.newton_rows import begin_rows
from gelenk.contact.options import MOST_SWEEPS, NEWTON_STEPS, SLOW, TOLERANCE
from gelenk.contact.pivot_block import PivotWork
from gelenk.contact.separate import separate
from gelenk.contact.skyline import order_bodies
from gelenk.contact.space import EVENTS_ROOM, POINTS_ROOM, READY, TAKEN, Space, detect
from gelenk.contact.sweep import change_at, sweep_contacts, triple
from gelenk.contact.sweep_lanes import residual_in_lanes, sweep_in_lanes
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, put3
from gelenk.rows.assemble import fetch_bodies
from gelenk.solvers.solver import clear_change

FEW = 2  # sweeps before Newton's method
FIND, BEGIN, ASK, SWEEP, SETTLE, FINISH, SHIFT = range(7)
BEGIN_FLIGHT, ASK_FLIGHT, END_FLIGHT, BEGIN_END, ASK_END, KEEP_HALVES, PUSH_APART = range(7, 14)


class ContactStages(NamedTuple):
    """Contact in a step: the shapes, the contacts, and where its stages are; all 0 in a model without shapes."""

    address: np.ndarray  # (14,) int64
    tied: np.ndarray  # (n,) uint32 1 for nodes at joints
    space: Space
    contacts: ContactSet
    events: ContactEvents
    levels: Levels
    pivot: PivotWork


@routine
def find(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Where bodies touch or will in this step, and all impacts; READY, or what is missing to find it."""
    space, contacts = stages.space, stages.contacts
    contacts.lanes.number[IN_LANES] = 0
    missing = detect(space, state, h)
    if missing != READY:
        return missing
    if space.found.tally[0].points > contacts.contact.shape[0]:
        space.number[TAKEN] = 1  # the pairs are those of this step still
        return POINTS_ROOM
    if not has_room(stages.events, space.found):
        space.number[TAKEN] = 1
        return EVENTS_ROOM
    fetch_bodies(masses, state, bodies)
    acceleration(masses, state, loads, bodies, contacts)
    take_contacts(space, contacts, state, bodies, h)
    if resolve_impacts(contacts, stages.tied, joints, memory, bodies, rows, h) > 0:
        take_velocities(masses, state, bodies)
    choose_friction(contacts, bodies, h, contacts.options[SLOW])
    return READY


@routine
def take_velocities(masses, state, bodies):
    """Velocities of the bodies to the state, rotations in body axes."""
    for i in range(state.p_WC.shape[0]):
        put3(state.v_WC, i, Vec3(bodies.V[i, 0], bodies.V[i, 1], bodies.V[i, 2]))
    for i in range(state.q_WB.shape[0]):
        if masses.inv_mass[i] > 0.0:
            w = Vec3(bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5])
            put3(state.w_WB_B, i, rotation(get4(state.q_WB, i)).tdot(w))


@routine
def begin(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Let the impulses to start from act."""
    begin_contacts(stages.contacts, bodies, h)
    return stages.contacts.number[COUNT]


@routine
def ask(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What contacts lack of the velocities as they are now."""
    ask_contacts(stages.contacts, bodies, stages.tied, h, True)
    return stages.contacts.number[COUNT]


@routine
def sweep(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Once forth and once back over the contacts; the largest change is in the figures.

    When little changes, points that slipped slide, and if that weakens them it is not over yet.
    """
    contacts = stages.contacts
    clear_change(bodies)
    sweep_contacts(bodies, contacts, False)
    contacts.figures[3] = sweep_contacts(bodies, contacts, True)
    contacts.number[SWEEPS] += 2
    steady = contacts.figures[3] <= max(0.1 * contacts.options[SLOW], contacts.options[TOLERANCE])
    if steady and let_slide(contacts, bodies):
        contacts.figures[3] = max(contacts.figures[3], 2.0 * contacts.options[TOLERANCE])
    return stages.contacts.number[COUNT]


@routine
def settle(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts and rows together; whether that is the solution, which it always is where there are no rows.

    What slipped slides, and is solved once more.
    """
    contacts = stages.contacts
    clear_change(bodies)
    plain = begin_rows(joints, bodies, rows)
    solved = plain and solve_contacts(contacts, joints, rows, masses, state, bodies)
    if solved and let_slide(contacts, bodies):
        solved = solve_contacts(contacts, joints, rows, masses, state, bodies)
    if contacts.lanes.number[IN_LANES] == 1:  # then there are no rows
        contacts.figures[3] = residual_in_lanes(contacts.lanes)
    else:
        contacts.figures[3] = whole_residual(contacts, joints, rows, bodies)
    return np.int64(1) if solved else np.int64(0)


@routine
def solve_contacts(contacts, joints, rows, masses, state, bodies):
    """Newton's method after some sweeps; contacts without rows are swept until little changes where it fails."""
    tolerance, steps, tied = contacts.options[TOLERANCE], int(contacts.options[NEWTON_STEPS]), rows.counts[0] > 0
    contacts.lanes.number[IN_LANES] = 0
    if steps > 0 and order_bodies(
        contacts.sky, contacts.contact, contacts.number[COUNT], joints, rows, bodies.inv_mass
    ):
        for m in range(FEW):
            sweep_all(contacts, joints, rows, bodies, m % 2 == 1)
        if polish(contacts, joints, rows, masses, state, bodies, steps, tolerance):
            return True
    if tied:
        return False
    sweep_many(contacts, bodies, int(contacts.options[MOST_SWEEPS]))
    return True


@routine
def sweep_many(contacts, bodies, most):
    """Sweeps, in lanes where that is worth while."""
    plain = contacts.number[TURNS] == 0  # couples are swept one by one
    if plain and batch_contacts(contacts.lanes, contacts.contact, contacts.number[COUNT], bodies):
        sweep_in_lanes(contacts, bodies, most)
    else:
        sweep_on(contacts, bodies, most)


@routine
def let_slide(contacts, bodies):
    """Points that were to stick, and move with all the friction they can have, slide (impulse-dynamics 4.9)."""
    found = False
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        law = contacts.law[c.law[0], c.law[1]]
        if c.state == STICKS and c.p[0] > 0.0:
            a, b = c.along * c.p[0], c.across * c.p[0]
            x, y = c.p[1] * b, c.p[2] * a
            n, t, u = triple(c.n), triple(c.t), change_at(bodies.dV, c)
            u_t, u_s = t @ u - c.ask[1], n.cross(t) @ u - c.ask[2]
            if x * x + y * y >= 0.999 * a * a * b * b and max(abs(u_t), abs(u_s)) > contacts.options[SLOW]:
                c.state = SLIDES
                set_friction(contacts, c)
                found = found or law.static_friction > law.friction or law.static_across > law.friction_across
    return found


@routine
def finish(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """After the velocities are known: overlaps, what the next step begins with, and the way beside the velocities.

    A body that nothing pushed flies as under constant forces,  x' = x + h V' - h^2/2 a.
    """
    contacts = stages.contacts
    for i in range(contacts.touched.shape[0]):
        contacts.touched[i] = stages.tied[i]
    touch_bodies(contacts)
    separate(contacts, bodies, h)
    note_events(stages.events, stages.space.found, contacts)
    keep_contacts(stages.space, contacts, h)
    for i in range(contacts.shift.shape[0]):
        free = 0.5 * h * h if contacts.touched[i] == 0 else 0.0
        for k in range(6):
            contacts.shift[i, k] += h * contacts.push[i, k]
            if k < 3:
                contacts.shift[i, k] -= free * contacts.load[i, k]
    return stages.contacts.number[COUNT]


@routine
def shift(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Move the bodies by their shifts, after the way of the step; velocities in world axes stay."""
    move_by(masses, state, stages.contacts.shift, 1.0)
    return stages.contacts.number[COUNT]


# those that both methods need, those of RowStepping, those of Impulse
COMMON = (FIND, SWEEP, SETTLE, SHIFT)
WHOLE, HALVES = (*COMMON, BEGIN, ASK, FINISH), (*COMMON, *range(BEGIN_FLIGHT, PUSH_APART + 1))
STAGES = (
    find,
    begin,
    ask,
    sweep,
    settle,
    finish,
    shift,
    begin_flight,
    ask_flight,
    end_flight,
    begin_end,
    ask_end,
    keep_halves,
    push_apart,
)
