"""Impacts: contacts that meet faster than they can rest, one after the other in time (I-094..I-098, V-35..V-40).

Within a step a body flies with its velocity V of the start and the acceleration a of its forces, so the gap of a
contact is

    gap(t) = d + J shift + t J V + t^2/2 J a

An impact at time t changes V by dV. The body goes on as if it had always had the new velocity, from a place shifted by
-t dV: then it is at time t where it was. So an impact is a change of V and of the shift, and gaps after it have the
same form. The impulse acts at the point that both bodies have in common at that time, which keeps angular momentum
(:mod:`gelenk.contact.meeting`). Contacts whose impact comes first for both of their bodies are solved together; what
this sets in motion is looked at anew, until nothing meets any more. So an impact passes through a row of touching balls
one by one, as it does in nature, and not through all at once.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, DROPPED, FED, IMPACTS, LEFT, ROUNDS
from gelenk.contact.meeting import meet_at
from gelenk.contact.options import IMPACT_LAW, MOST_ROUNDS, NEWTON, SLOW, STRONGE
from gelenk.contact.stronge import energetic_impact
from gelenk.contact.sweep import change_at, settle_with_turn
from gelenk.contact.turn import begin_turn_impact, end_turn_impact, turn_work
from gelenk.math.vec3 import Vec3, get3, put3, triple
from gelenk.rows.assemble import is_broken, kick_row, respond, row_rate
from gelenk.solvers.solver import clear_change

SAME = 1e-9  # of a step: impacts no farther apart in time are one
SWEEPS = 1000  # most in one impact
SMALL = 1e-13  # of the speeds: changes in a sweep that do not count
ALONE = 2  # what ``bounces`` is for a contact whose impact of this round is over


@routine
def resolve_impacts(contacts, joints, memory, state, bodies, rows, h):
    """All impacts of a step; velocities and shifts after them. Returns how many contacts took part."""
    no_impacts(contacts)
    if not any_bounces(contacts):
        return 0
    ready, total = False, 0
    for _ in range(int(contacts.options[MOST_ROUNDS])):
        if not find_first(contacts, bodies, joints.row.shape[0] > 0, h):
            return total
        if not ready:
            for r in range(joints.equalities[0]):
                respond(joints, bodies, rows, r)
            ready = True
        total += one_round(contacts, joints, memory, state, bodies, rows, h)
        contacts.number[ROUNDS] += 1
    if find_first(contacts, bodies, joints.row.shape[0] > 0, h):
        contacts.number[LEFT] += 1
        for k in range(contacts.number[COUNT]):
            contacts.number[DROPPED] += 1 if contacts.time[k] < math.inf else 0
    return total


@helper
def no_impacts(contacts):
    """Nothing has met in this step yet."""
    for i in range(contacts.shift.shape[0]):
        contacts.clock[i, 0] = 0.0
        for k in range(6):
            contacts.shift[i, k] = 0.0


@helper
def any_bounces(contacts):
    """Whether any contact has a coefficient of restitution."""
    laws, found = 0, 0
    if contacts.number[COUNT] < contacts.law.size:
        laws = 1  # fewer to look at
    for i in range(0 if laws > 0 else contacts.law.shape[0]):
        for j in range(contacts.law.shape[1]):
            law = contacts.law[i, j]
            laws += 1 if law.restitution > 0.0 or law.slip_restitution > 0.0 else 0
    if laws > 0:
        for k in range(contacts.number[COUNT]):
            found += contacts.contact[k].bounces
    return found > 0


@routine
def find_first(contacts, bodies, tied, h):
    """Time of the next impact of every contact, and which are first; whether there is any."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        contacts.time[k] = next_impact(contacts, bodies, c, h) if c.bounces == 1 else math.inf
    return choose_first(contacts, bodies, tied, h)


@routine
def choose_first(contacts, bodies, tied, h):
    """For every body the time of its first impact, and later ones left out; whether there is any.

    Where joints tie bodies, an impact of one is felt by all: then only the first of all counts.
    """
    count, first = contacts.number[COUNT], math.inf
    for i in range(contacts.clock.shape[0]):
        contacts.clock[i, 1] = math.inf
    for k in range(count):
        c = contacts.contact[k]
        if contacts.time[k] < math.inf:
            first = min(first, contacts.time[k])
            for i in (c.a, c.b):
                if bodies.inv_mass[i] > 0.0:
                    contacts.clock[i, 1] = min(contacts.clock[i, 1], contacts.time[k])
    if first == math.inf:
        return False
    for k in range(count):
        c, most = contacts.contact[k], first
        if not tied:
            most = math.inf
            for i in (c.a, c.b):
                if bodies.inv_mass[i] > 0.0:
                    most = min(most, contacts.clock[i, 1])
        if contacts.time[k] > most + SAME * h:
            contacts.time[k] = math.inf
    return True


@helper
def next_impact(contacts, bodies, c, h):
    """When a contact meets next, faster than it can rest; infinite if not within the step.

    The gap is A t^2 + B t + C; where it comes down to zero,  t = 2 C / (root - B)  with  root^2 = B^2 - 4 A C,  and its
    rate there is -root. A rate within what forces do in two steps is no impact (trap 13 of impulse-dynamics 8.2).
    """
    n = triple(c.n)
    A, B = 0.5 * (n @ change_at(contacts.load, c)), n @ change_at(bodies.V, c)
    C = c.d + n @ change_at(contacts.shift, c)
    begin = max(contacts.clock[c.a, 0], contacts.clock[c.b, 0])
    return time_of_impact(A, B, C, begin, resting_speed(contacts, c, h), h)


@helper
def resting_speed(contacts, c, h):
    """Speed below which nothing bounces: what forces do in two steps."""
    a = max(get3(contacts.load, c.a).norm(), get3(contacts.load, c.b).norm())
    return 2.0 * h * a + contacts.options[SLOW]


@helper
def time_of_impact(A, B, C, begin, rest, h):
    """When  A t^2 + B t + C  comes down to zero from ``begin`` on, faster than ``rest``; infinite if not by h."""
    gap, rate = C + begin * (B + begin * A), B + 2.0 * begin * A
    if gap <= 1e-12 and rate < -rest:
        return begin
    square = B * B - 4.0 * A * C
    if square <= rest * rest:
        return math.inf
    root = math.sqrt(square)
    if root - B == 0.0:
        return math.inf
    t = 2.0 * C / (root - B)
    return t if begin < t <= h else math.inf


@routine
def one_round(contacts, joints, memory, state, bodies, rows, h):
    """Solve the impacts that are first, together with the joints (I-097); returns how many there are."""
    count, hit = contacts.number[COUNT], 0
    poisson = contacts.options[IMPACT_LAW] != NEWTON
    for k in range(count):
        if contacts.time[k] < math.inf:
            meet_at(contacts, bodies, state.p_WC, contacts.contact[k], contacts.time[k])
            note_approach(contacts, bodies, k)
            begin_impact(contacts, bodies, contacts.contact[k], contacts.time[k], poisson)
            begin_turn_impact(contacts, bodies, k, contacts.time[k])
            hit += 1
    clear_change(bodies)
    if contacts.options[IMPACT_LAW] == STRONGE:
        meet_alone(contacts, bodies)
    meet(contacts, joints, memory, bodies, rows)
    if poisson:
        for k in range(count):
            if meets_others(contacts, k):
                c = contacts.contact[k]
                c.least = (1.0 + contacts.law[c.law[0], c.law[1]].restitution) * c.p[0]
        meet(contacts, joints, memory, bodies, rows)
    note_energy(contacts, bodies)
    contacts.number[IMPACTS] += hit
    leave_impacts(contacts, bodies, h)
    return hit


@helper
def note_approach(contacts, bodies, k):
    """How fast and when a contact met first in this step."""
    c, t = contacts.contact[k], contacts.time[k]
    if c.hit != 1:
        put3(contacts.struck, k, Vec3(0.0, 0.0, 0.0))
        u = change_at(bodies.V, c) + change_at(contacts.load, c) * t
        contacts.struck[k, 3], contacts.struck[k, 4] = -(triple(c.n) @ u), t


@helper
def begin_impact(contacts, bodies, c, t, poisson):
    """What an impact asks for: Newton's law  u_n' = -e u_n  (I-096, V-36), or a stop first (Poisson, V-37); friction,

    which turns slip round by its own coefficient,  u_t' = -e_t u_t,  as far as it reaches (B-28).

    The impulse that the contact is to start from in the step is put by.
    """
    law = contacts.law[c.law[0], c.law[1]]
    n, s = triple(c.n), triple(c.t)
    u = change_at(bodies.V, c) + change_at(contacts.load, c) * t
    e, slip = 0.0 if poisson else law.restitution, 1.0 + law.slip_restitution
    c.spare_p[0], c.spare_p[1], c.spare_p[2] = c.p[0], c.p[1], c.p[2]
    c.p[0] = c.p[1] = c.p[2] = c.least = c.before = 0.0
    c.ask[0], c.ask[1], c.ask[2] = -(1.0 + e) * (n @ u), -slip * (s @ u), -slip * (n.cross(s) @ u)
    c.soft, c.along, c.across, c.hit = 0.0, law.friction, law.friction_across, 1


@routine
def meet_alone(contacts, bodies):
    """Stronge's law (V-38) for impacts whose bodies have no other one now and hang in no joint."""
    for i in range(contacts.touched.shape[0]):
        contacts.touched[i] = contacts.tied[i]
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf:
            c = contacts.contact[k]
            for i in (c.a, c.b):
                if bodies.inv_mass[i] > 0.0:
                    contacts.touched[i] += 1
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf and contacts.turn[k].on == 0:
            c = contacts.contact[k]
            a, b = bodies.inv_mass[c.a] > 0.0, bodies.inv_mass[c.b] > 0.0
            if (contacts.touched[c.a] == 1 or not a) and (contacts.touched[c.b] == 1 or not b):
                energetic_impact(bodies, c, contacts.law[c.law[0], c.law[1]].restitution)
                c.bounces = ALONE


@helper
def meets_others(contacts, k):
    """Whether contact k has an impact now that is not over yet."""
    return contacts.time[k] < math.inf and contacts.contact[k].bounces != ALONE


@routine
def meet(contacts, joints, memory, bodies, rows):
    """Sweep over impacts and joints until nothing changes; the changes of velocity are left in dV."""
    count, speed = contacts.number[COUNT], 0.0
    for k in range(count):
        if meets_others(contacts, k):
            c = contacts.contact[k]
            speed = max(speed, abs(c.ask[0]), abs(c.ask[1]), abs(c.ask[2]))
    for m in range(SWEEPS):
        largest, back = 0.0, m % 2 == 1
        for i in range(count):
            k = count - 1 - i if back else i
            if meets_others(contacts, k):
                largest = max(largest, settle_with_turn(bodies, bodies.dV, contacts.contact[k], contacts.turn[k]))
        for r in range(joints.equalities[0]):
            if not is_broken(joints.row[r], memory):
                largest = max(largest, hold_row(joints, bodies, rows, r))
        if largest <= SMALL * speed:
            break


@helper
def hold_row(joints, bodies, rows, r):
    """Let a joint take no part of the change of velocity:  J dV = 0; returns what it was."""
    rate, diag = row_rate(joints, rows.J, bodies.dV, r), rows.number[r].diag
    if diag <= 0.0:
        return 0.0
    kick_row(joints, bodies, rows.J, bodies.dV, r, -rate / diag)
    return abs(rate)


@routine
def note_energy(contacts, bodies):
    """Work of the impulses,  1/2 p . (u + u'),  what they took and, where a law does not forbid it, what they fed.

    Impacts of different bodies on what is at rest are judged one by one, all others of a round together. ``push`` is
    free here, and holds the sums.
    """
    sums = contacts.push
    for i in range(sums.shape[0]):
        sums[i, 0] = sums[i, 1] = 0.0
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf:
            c = contacts.contact[k]
            n, s = triple(c.n), triple(c.t)
            u = change_at(bodies.V, c) + change_at(contacts.load, c) * contacts.time[k]
            p, i = n * c.p[0] + s * c.p[1] + n.cross(s) * c.p[2], whose(bodies, contacts.tied, c)
            sums[i, 0] += p @ (u + change_at(bodies.dV, c) * 0.5) + turn_work(bodies, c, contacts.turn[k])
            sums[i, 1] += 0.5 * abs(p @ u)
    for i in range(sums.shape[0]):
        work = sums[i, 0]
        contacts.figures[0] -= min(work, 0.0)
        if work > 1e-9 * sums[i, 1]:
            contacts.figures[1] += work
            contacts.number[FED] += 1


@helper
def whose(bodies, tied, c):
    """The one body that an impact moves; the world if it moves two or hangs in a joint."""
    if bodies.inv_mass[c.a] == 0.0 and tied[c.b] == 0:
        return c.b
    return c.a if bodies.inv_mass[c.b] == 0.0 and tied[c.a] == 0 else 0 * c.a


@routine
def leave_impacts(contacts, bodies, h):
    """New velocities, and places as if they had always been so:  V += dV,  shift -= t dV."""
    count, first = contacts.number[COUNT], math.inf
    for k in range(count):
        first = min(first, contacts.time[k])
    for i in range(contacts.shift.shape[0]):
        moved = False
        for j in range(6):
            moved = moved or bodies.dV[i, j] != 0.0
        if not moved or bodies.inv_mass[i] == 0.0:
            continue
        t = contacts.clock[i, 1] if contacts.clock[i, 1] <= h else first  # a joint lets it feel the impact of another
        contacts.clock[i, 0] = max(t, contacts.clock[i, 0])
        for j in range(6):
            bodies.V[i, j] += bodies.dV[i, j]
            contacts.shift[i, j] -= t * bodies.dV[i, j]
    for k in range(count):
        if contacts.time[k] < math.inf:
            c = contacts.contact[k]
            n, s = triple(c.n), triple(c.t)
            put3(contacts.struck, k, get3(contacts.struck, k) + n * c.p[0] + s * c.p[1] + n.cross(s) * c.p[2])
            c.p[0], c.p[1], c.p[2] = c.spare_p[0], c.spare_p[1], c.spare_p[2]
            c.least, c.bounces = 0.0, 1
            end_turn_impact(contacts.turn[k])
