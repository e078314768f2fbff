"""Micro-collisions: lasting contact as a series of small impacts (V-46), to compare with contact that is solved.

Nothing ever rests. A point that meets slowly, or overlaps and does not part, leaves with the speed that lifts its body
by a small given height against the forces, and all points of a step meet in the order of time:

    u_n' = max(e |u_n|, w),     w = sqrt(2 a lift),     a the larger acceleration of the two bodies by forces

Between impacts bodies fly, for 2 w / a each time. So the mean force is that of the load, by the balance of momentum,
and friction within Coulomb's cone for each impulse is so on average. Where a point moves slowly along the surface too,
its tangent velocity is turned round if friction suffices: stopped, it would slide down a slope in every flight and
never come back.

It needs no system of equations, and it is **unstable for stacks**: in a tower each impact below disturbs those above,
so it jitters, and creeps. It knows loose bodies alone, no joints.
Source: virtual-worlds 4.32.   Test: tests/contact/test_micro_collisions.py
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.assemble import set_friction
from gelenk.contact.block import COUNT, DROPPED, IMPACTS, LEFT, ROUNDS, SLIDES, STICKS
from gelenk.contact.events import note_events
from gelenk.contact.impacts import (
    SAME,
    begin_impact,
    choose_first,
    leave_impacts,
    meet,
    no_impacts,
    note_approach,
    note_energy,
)
from gelenk.contact.meeting import meet_at
from gelenk.contact.options import LIFT, MOST_ROUNDS, ContactOptions
from gelenk.contact.points_team import keep_contacts
from gelenk.contact.separate import separate
from gelenk.contact.settle import heaps_of_points
from gelenk.contact.setup import stage_plug
from gelenk.contact.space_block import READY
from gelenk.contact.stages import ASK, BEGIN, FIND, FINISH, SETTLE, ContactStages, find_points, fly_on, take_velocities
from gelenk.contact.sweep import change_at
from gelenk.contact.turn import begin_turn_impact
from gelenk.errors import InputError
from gelenk.math.vec3 import get3, triple
from gelenk.model.model import Model
from gelenk.progress import compiling
from gelenk.solvers.solver import clear_change

TOUCH = 1e-12  # [m] a gap that is none
CLOSED = 1.0  # of a lift: a gap that is as good as none
STILL = 1e-6  # of the speed of a lift, or [m/s]: a rate that is none where no force presses


@routine
def find_micro(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Where bodies touch or will in this step, and all of its impacts; READY, or what is missing to find it."""
    missing = find_points(stages, masses, state, loads, bodies, h)
    if missing != READY:
        return missing
    contacts = stages.contacts
    no_impacts(contacts)
    for k in range(contacts.number[COUNT]):
        c, x = contacts.contact[k], contacts.turn[k]
        c.bounces = 1
        for j in range(3):
            c.p[j] = x.p[j] = 0.0
    rounds, most, more = 0, int(contacts.options[MOST_ROUNDS]), find_next(contacts, bodies, h)
    while more and rounds < most:
        one_round(contacts, joints, memory, state, bodies, rows, h)
        rounds, more = rounds + 1, find_next(contacts, bodies, h)
    if more:
        contacts.number[LEFT] += 1
        for k in range(contacts.number[COUNT]):
            contacts.number[DROPPED] += 1 if contacts.time[k] < math.inf else 0
    if rounds > 0:
        take_velocities(masses, state, bodies)
    return READY


@routine
def find_next(contacts, bodies, h):
    """Time of the next impact of every contact, and which are first; whether there is any."""
    for k in range(contacts.number[COUNT]):
        contacts.time[k] = time_of(contacts, bodies, contacts.contact[k], h)
    found = choose_first(contacts, bodies, False, h)
    if found:
        join_in(contacts, bodies, h)
    return found


@routine
def join_in(contacts, bodies, h):
    """Points of bodies that meet now come along if they are as good as closed and closing.

    Else noise would decide which corner of a face comes first, and each would throw the body onto the next one.
    """
    now, clock = contacts.touched, contacts.clock
    for i in range(now.shape[0]):
        now[i] = 0 if bodies.inv_mass[i] > 0.0 else 1
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf:
            now[contacts.contact[k].a] = now[contacts.contact[k].b] = 1
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        if contacts.time[k] == math.inf and now[c.a] == 1 and now[c.b] == 1:
            t, other = min(clock[c.a, 1], clock[c.b, 1]), max(clock[c.a, 1], clock[c.b, 1])
            if other == math.inf or other <= t + SAME * h:
                A, B, C = gap_in_time(contacts, bodies, c)
                if C + t * (B + t * A) <= CLOSED * contacts.options[LIFT] and B + 2.0 * t * A < 0.0:
                    contacts.time[k] = t


@helper
def lift_speed(contacts, c):
    """Speed that lifts a body by the given height against what forces do to it."""
    a = max(get3(contacts.load, c.a).norm(), get3(contacts.load, c.b).norm())
    return math.sqrt(2.0 * a * contacts.options[LIFT])


@helper
def gap_in_time(contacts, bodies, c):
    """The gap of a contact at time t of the step is  A t^2 + B t + C."""
    n = triple(c.n)
    C = c.d + n @ change_at(contacts.shift, c)
    return 0.5 * (n @ change_at(contacts.load, c)), n @ change_at(bodies.V, c), C


@helper
def time_of(contacts, bodies, c, h):
    """When a contact meets next; infinite if not within the step.

    The gap is A t^2 + B t + C. Where it comes down to zero,  t = 2 C / (root - B) = -(root + B) / 2 A  with  root^2 =
    B^2 - 4 A C;  where a body cannot leave an overlap, it meets at the top of its flight,  t = -B / 2 A.
    """
    A, B, C = gap_in_time(contacts, bodies, c)
    begin = max(contacts.clock[c.a, 0], contacts.clock[c.b, 0])
    gap, rate = C + begin * (B + begin * A), B + 2.0 * begin * A
    still = STILL * min(1.0, lift_speed(contacts, c)) if A < 0.0 else -STILL
    if gap <= TOUCH and rate <= still:
        return begin
    square, t = B * B - 4.0 * A * C, math.inf
    root = math.sqrt(max(0.0, square))
    if A < 0.0 and (square > 0.0 or gap <= TOUCH):
        t = -(root + B) / (2.0 * A)
    elif square > 0.0 and B < 0.0:
        t = 2.0 * C / (root - B)
    return t if begin < t <= h else math.inf


@routine
def one_round(contacts, joints, memory, state, bodies, rows, h):
    """Solve the impacts that are first together."""
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf:
            meet_at(contacts, bodies, state.p_WC, contacts.contact[k], contacts.time[k])
            note_approach(contacts, bodies, k)
            begin_impact(contacts, bodies, contacts.contact[k], contacts.time[k], False)
            ask_lift(contacts, bodies, contacts.contact[k], contacts.time[k])
            begin_turn_impact(contacts, bodies, k, contacts.time[k])
            contacts.number[IMPACTS] += 1
    clear_change(bodies)
    meet(contacts, joints, memory, bodies, rows)
    note_energy(contacts, bodies)
    leave_impacts(contacts, bodies, h)
    contacts.number[ROUNDS] += 1


@helper
def ask_lift(contacts, bodies, c, t):
    """What an impact asks for beside its restitution: the speed of a lift, and slow sliding turned round."""
    n, w = triple(c.n), lift_speed(contacts, c)
    u = change_at(bodies.V, c) + change_at(contacts.load, c) * t
    u_n = n @ u
    c.state = SLIDES
    if c.ask[0] + u_n <= w:
        c.ask[0] = w - u_n
        if (u - n * u_n).norm() <= 2.0 * w and -u_n <= 2.0 * w:
            c.state = STICKS
            c.ask[1], c.ask[2] = 2.0 * c.ask[1], 2.0 * c.ask[2]
            set_friction(contacts, c)


@routine
def nothing(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """There is nothing left to solve; 1 since that is the solution."""
    clear_change(bodies)
    stages.contacts.figures[3] = 0.0
    return np.int64(1)


@routine
def finish_micro(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Overlaps, events, the way beside the velocities; the impulses of the step are its contact forces."""
    contacts = stages.contacts
    for i in range(contacts.touched.shape[0]):
        contacts.touched[i] = 0
    heaps_of_points(contacts, joints, rows, bodies)
    separate(contacts, bodies, h)
    note_events(stages.events, stages.space.found, contacts)
    fly_on(contacts, h)
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        if c.hit == 1:
            n, s, p = triple(c.n), triple(c.t), get3(contacts.struck, k)
            c.p[0], c.p[1], c.p[2] = max(0.0, p @ n), p @ s, p @ n.cross(s)
    keep_contacts(stages.space, contacts, state, bodies, h)
    return contacts.number[COUNT]


PLACES = {FIND: find_micro, BEGIN: nothing, ASK: nothing, SETTLE: nothing, FINISH: finish_micro}


def with_micro(stages: ContactStages, model: Model, options: ContactOptions | None) -> ContactStages:
    """The stages, with those of micro-collisions in their places if there are any."""
    if options is None or options.lift is None or not stages.address[0]:
        return stages
    check_micro(model, stages.contacts.law)
    with compiling("micro-collisions"):
        for place, stage in PLACES.items():
            stages.address[place] = stage_plug.address(stage)
    return stages


def check_micro(model: Model, law: Any) -> None:
    """Refuse what micro-collisions do not know."""
    use = "Leave lift=None, which solves contacts with all else at once."
    if len(model.wired.joints.row):
        raise InputError("ContactOptions", "lift in a model with joints", "loose bodies alone", use)
    if (law["stiffness"] > 0.0).any() or (law["damping"] > 0.0).any():
        raise InputError("ContactOptions", "lift with a soft material", "hard materials alone", use)
