"""The stages of contact in a step, each compiled by itself when a model with shapes needs it, and called by address.

All take the same arguments, so that a method without contact carries no more than a jump that it does not take.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import routine
from gelenk.contact.assemble import (
    acceleration,
    choose_friction,
    start_speeds,
)
from gelenk.contact.block import COUNT, ContactSet
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
from gelenk.contact.heaps import FOUND
from gelenk.contact.impacts import any_bounces, resolve_impacts
from gelenk.contact.levels import Levels
from gelenk.contact.meeting import meet_at_rest
from gelenk.contact.pivot_block import PivotWork
from gelenk.contact.points_team import ask_contacts, keep_contacts, take_contacts, touch_bodies
from gelenk.contact.segment_block import SegmentSets
from gelenk.contact.segment_contacts import keep_segments, take_segments
from gelenk.contact.separate import separate
from gelenk.contact.settle import begin_heaps, heaps_of_points, measure, settle, sweep
from gelenk.contact.space import detect
from gelenk.contact.space_block import EVENTS_ROOM, POINTS_ROOM, READY, TAKEN, Space
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, put3
from gelenk.rows.assemble import fetch_bodies

FIND, BEGIN, ASK, SWEEP, SETTLE, FINISH, SHIFT = range(7)
BEGIN_FLIGHT, ASK_FLIGHT, END_FLIGHT, BEGIN_END, ASK_END, KEEP_HALVES, PUSH_APART, MEASURE = range(7, 15)


class ContactStages(NamedTuple):
    """Contact in a step: the shapes, the contacts, and where its stages are; all 0 in a model without shapes."""

    address: np.ndarray  # (15,) int64
    space: Space
    contacts: ContactSet
    events: ContactEvents
    levels: Levels
    pivot: PivotWork
    segments: SegmentSets


@routine
def find(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Where bodies touch or will in this step, and all impacts; READY, or what is missing to find it."""
    missing, contacts = find_points(stages, masses, state, loads, bodies, h), stages.contacts
    if missing != READY:
        return missing
    if resolve_impacts(contacts, joints, memory, state, bodies, rows, h) > 0:
        take_velocities(masses, state, bodies)
    if any_bounces(contacts):
        meet_at_rest(contacts, bodies, state.p_WC)
        choose_friction(contacts, bodies, 0, contacts.number[COUNT], h)
    return READY


@routine
def find_alone(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Where bodies touch or will in this step, without impacts; READY, or what is missing to find it."""
    missing = find_points(stages, masses, state, loads, bodies, h)
    if missing == READY:
        take_segments(stages.segments, stages.contacts, memory.segment, masses, state, bodies, h)
    return missing


@routine
def find_points(stages, masses, state, loads, bodies, h):
    """Where bodies touch or will in this step; READY, or what is missing to find it."""
    space, contacts = stages.space, stages.contacts
    contacts.heaps.number[FOUND] = 0
    missing = detect(space, state, h)
    if missing != READY:
        return missing
    if space.found.tally[0].points > contacts.contact.shape[0]:
        space.number[TAKEN] = 1  # the pairs are those of this step still
        return POINTS_ROOM
    if not has_room(stages.events, space.found, stages.segments.set.shape[0]):
        space.number[TAKEN] = 1
        return EVENTS_ROOM
    fetch_bodies(masses, state, bodies)
    acceleration(masses, state, loads, bodies, contacts)
    start_speeds(bodies, contacts)
    take_contacts(space, contacts, state, bodies, h)
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
    begin_heaps(stages.contacts, joints, rows, masses, state, bodies)
    return stages.contacts.number[COUNT]


@routine
def ask(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What contacts lack of the velocities as they are now."""
    ask_contacts(stages.contacts, bodies, h, True)
    return stages.contacts.number[COUNT]


@routine
def finish(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """After the velocities are known: overlaps, what the next step begins with, and the way beside the velocities."""
    contacts = stages.contacts
    for i in range(contacts.touched.shape[0]):
        contacts.touched[i] = contacts.tied[i]
    touch_bodies(contacts, bodies)
    heaps_of_points(contacts, joints, rows, bodies)
    separate(contacts, bodies, h)
    note_events(stages.events, stages.space.found, contacts)
    keep_contacts(stages.space, contacts, state, bodies, h)
    fly_on(contacts, h)
    return stages.contacts.number[COUNT]


@routine
def fly_on(contacts, h):
    """The way beside that of the velocities; what nothing pushed flies as under constant forces.

    x' = x + h V' - h^2/2 a
    """
    for i in range(contacts.shift.shape[0]):
        free = 0.5 * h * h if contacts.touched[i] == 0 else 0.0
        for k in range(6):
            contacts.shift[i, k] += h * contacts.push[i, k]
            if k < 3:
                contacts.shift[i, k] -= free * contacts.load[i, k]


@routine
def shift(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Move the bodies by their shifts, after the way of the step; momentum and angular momentum stay."""
    move_by(masses, state, stages.contacts.shift, 1.0)
    return stages.contacts.number[COUNT]


@routine
def keep(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What the next step begins with, and who touches whom."""
    note_events(stages.events, stages.space.found, stages.contacts)
    keep_segments(stages.segments, stages.contacts, memory.segment, stages.events, h)
    keep_contacts(stages.space, stages.contacts, state, bodies, h)
    return stages.contacts.number[COUNT]


# those that both methods need, those of RowStepping, those of Impulse
COMMON = (FIND, SWEEP, SETTLE, SHIFT)
WHOLE, HALVES = (*COMMON, BEGIN, ASK, FINISH, MEASURE), (*COMMON, *range(BEGIN_FLIGHT, PUSH_APART + 1))
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
    measure,
)
