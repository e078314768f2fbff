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
from gelenk.contact.block import COUNT, SLIDES, STICKS, SWEEPS, ContactSet
from gelenk.contact.conjugate import sweep_on
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
from gelenk.contact.newton import polish
from gelenk.contact.options import MOST_SWEEPS, NEWTON_STEPS, SLOW, TOLERANCE
from gelenk.contact.separate import separate
from gelenk.contact.skyline import order_bodies
from gelenk.contact.space import POINTS_ROOM, READY, TAKEN, Space, detect
from gelenk.contact.sweep import change_at, contact_residual, sweep_contacts, triple
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


@routine
def find(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Where bodies touch or will in this step, and all impacts; READY, or what is missing to find it."""
    space, contacts = stages.space, stages.contacts
    missing = detect(space, state, h)
    if missing != READY:
        return missing
    fetch_bodies(masses, state, bodies)
    acceleration(masses, state, loads, bodies, contacts)
    if take_contacts(space, contacts, state, bodies, h) > contacts.contact.shape[0]:
        space.number[TAKEN] = 1  # the pairs are those of this step still
        return POINTS_ROOM
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
    ask_contacts(stages.contacts, bodies, h)
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
    """Contacts alone: some sweeps, Newton's method where it helps, and sweeps until little changes.

    What slipped slides, and is solved once more.
    """
    contacts = stages.contacts
    clear_change(bodies)
    solve_contacts(contacts, masses, state, bodies)
    if let_slide(contacts, bodies):
        solve_contacts(contacts, masses, state, bodies)
    contacts.figures[3] = contact_residual(bodies, contacts)
    return contacts.number[COUNT]


@routine
def solve_contacts(contacts, masses, state, bodies):
    """Sweeps, with Newton's method after the first few."""
    tolerance, steps = contacts.options[TOLERANCE], int(contacts.options[NEWTON_STEPS])
    most = int(contacts.options[MOST_SWEEPS])
    small = steps > 0 and order_bodies(contacts.sky, contacts.contact, contacts.number[COUNT], bodies.inv_mass)
    if small:
        sweep_on(contacts, bodies, FEW)
        if polish(contacts, masses, state, bodies, steps, tolerance):
            return
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
