"""Impacts of trees, each at its own time within the step (B-28, B-29).

A step of Moreau's goes from velocities u of its start with the accelerations a of its middle. So within it, a tree is
at  q(t) = q_M (+) ((t - h/2) u + t^2/2 a)  with  u(t) = u + t a,  and the gap of a contact with  g = w.u  is

    gap(t) = d + (t - h/2) w.u + t^2/2 w.a          d in the middle, less what a does until then

At the time t of an impact, the tree is put where it is then, and the impulses there, with its masses there, change u(t)
to u'. With the accelerations a' that belong to u' it goes on as if it had always flown so: from the velocities and with
the middle

    u <- u' - t a'          q_M <- q(t) (+) ((h/2 - t) u' + (t^2/2 - t h/2) a)

So what is left of the step is a step as any other, forces before the impact are those of the old velocities and those
after it of the new ones, and each impact errs by h^2 in energy and place; flights under constant forces are exact.
What an impact sets in motion is looked at anew, from the time of that impact on; so it passes from body to body
(:mod:`gelenk.contact.impacts` tells why all at once would be wrong). Pieces of the model that nothing ties each have
their own time.

What an impact asks for: :mod:`gelenk.contact.tree_meeting`; all at once: :mod:`gelenk.contact.tree_at_once`.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, DROPPED, IMPACTS, LEFT, ROUNDS
from gelenk.contact.impacts import SAME, any_bounces, resting_speed, time_of_impact
from gelenk.contact.options import MOST_ROUNDS
from gelenk.contact.tree_directions import directions_at_rest, directions_of_meeting
from gelenk.contact.tree_meeting import (
    EARLY,
    FIRST,
    LAST,
    MOVED,
    NEXT,
    ROUND,
    begin_impact,
    end_impacts,
    settle_impacts,
)
from gelenk.contact.tree_stops import acts, begin_stop, find_stops, resting_speed_of_stop, speed_to_stop
from gelenk.contact.tree_turn import couple_directions, find_couples, has_couple
from gelenk.trees.directions import rate_along
from gelenk.trees.kinematics import move_piece


@routine
def begin_meeting(contacts, meet, h):
    """No impact yet in this step. Contacts of its start have moved until the middle."""
    meet.number[MOVED], meet.number[ROUND] = meet.number[EARLY], 0
    for i in range(meet.way.shape[0]):
        meet.way[i] = 0.5 * h * meet.start[i]
        meet.fix[i] = 0.0
    for p in range(meet.clock.shape[0]):
        meet.clock[p, LAST], meet.clock[p, NEXT] = 0.0, math.inf
    for r in range(meet.given.shape[0]):
        meet.given[r] = 0.0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        meet.loose[k] = max(c.K[0], c.K[3], c.K[5])


@routine
def next_meetings(contacts, tree, work, directions, mine, rows, meet, u, h):
    """Directions of all contacts, and the next impacts: whether there are any, and their pieces where they are then.

    ``u`` holds the velocities with forces; it gets those of now, as ``work.u``.
    """
    find_directions(contacts, tree, work, directions, mine, rows, meet)
    if meet.stop.shape[0] == 0 and not any_bounces(contacts):
        return False
    for i in range(u.shape[0]):
        meet.change[i] = (u[i] - meet.start[i]) / h
    if not choose_meetings(contacts, tree, directions, mine, meet, h):
        return False
    if meet.number[ROUND] >= contacts.options[MOST_ROUNDS]:
        leave_meetings(contacts, meet)
        return False
    meet.number[ROUND] += 1
    contacts.number[ROUNDS] += 1
    go_to_meetings(contacts, tree, work, directions, meet, u, h)
    return True


@routine
def find_directions(contacts, tree, work, directions, mine, rows, meet):
    """Directions of all contacts, and gaps of the middle as it is now, of stops too."""
    meet.number[FIRST] = directions.used[0]
    directions_at_rest(contacts, tree, work, directions, mine, meet.loose, meet.place)
    for k in range(contacts.number[COUNT]):
        if meet.number[MOVED] == 1:
            contacts.contact[k].d += rate_along(tree, directions, meet.place[k], meet.way)
    meet.number[MOVED] = 0
    find_stops(tree, directions, mine, rows, meet.stop, meet.fix)
    find_couples(contacts, tree, work, directions, mine)


@helper
def choose_meetings(contacts, tree, directions, mine, meet, h):
    """Times of the next impacts, of those that are first for both of their pieces; whether there are any."""
    forget_clocks(meet)
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        contacts.time[k] = next_meeting(contacts, c, tree, directions, meet, meet.place[k], h)
        set_clocks(directions, meet, meet.place[k], contacts.time[k])
    for s in range(meet.stop.shape[0]):
        x = meet.stop[s]
        x.time = next_stop(contacts, tree, directions, mine, meet, x, h)
        set_clocks(directions, meet, mine.place[x.row], x.time)
    for k in range(contacts.number[COUNT]):
        contacts.time[k] = if_first(directions, meet, meet.place[k], contacts.time[k], h)
    for s in range(meet.stop.shape[0]):
        meet.stop[s].time = if_first(directions, meet, mine.place[meet.stop[s].row], meet.stop[s].time, h)
    found = False
    forget_clocks(meet)
    for k in range(contacts.number[COUNT]):
        found = found or contacts.time[k] < math.inf
        set_clocks(directions, meet, meet.place[k], contacts.time[k])
    for s in range(meet.stop.shape[0]):
        found = found or meet.stop[s].time < math.inf
        set_clocks(directions, meet, mine.place[meet.stop[s].row], meet.stop[s].time)
    return found


@helper
def forget_clocks(meet):
    """No piece has an impact to come."""
    for p in range(meet.clock.shape[0]):
        meet.clock[p, NEXT] = math.inf


@helper
def set_clocks(directions, meet, k, t):
    """Pieces of direction k have an impact at time t, if that is finite, or before it."""
    if t < math.inf:
        x = directions.direction[k]
        for s in range(x.spans):
            meet.clock[x.piece[s], NEXT] = min(meet.clock[x.piece[s], NEXT], t)


@helper
def if_first(directions, meet, k, t, h):
    """Time t, or infinite if a piece of direction k has an impact before."""
    if t < math.inf:
        x = directions.direction[k]
        for s in range(x.spans):
            if t > meet.clock[x.piece[s], NEXT] + SAME * h:
                return math.inf
    return t


@helper
def next_stop(contacts, tree, directions, mine, meet, x, h):
    """When a stop is met next, faster than it can rest; infinite if not within the step."""
    if x.e == 0.0 or not acts(directions, mine, x):
        return math.inf
    begin = last_clock(directions, meet, mine.place[x.row])
    rate = speed_to_stop(tree, directions, mine, x, meet.start)
    bent = speed_to_stop(tree, directions, mine, x, meet.change)
    rest = resting_speed_of_stop(contacts, bent, h)
    return time_of_impact(0.5 * bent, rate, x.gap - 0.5 * h * rate, begin, rest, h)


@helper
def next_meeting(contacts, c, tree, directions, meet, k, h):
    """When a contact meets next, faster than it can rest; infinite if not within the step."""
    if c.bounces == 0 or not directions.direction[k].diag > 0.0:
        return math.inf
    begin = last_clock(directions, meet, k)
    rate, bent = rate_along(tree, directions, k, meet.start), rate_along(tree, directions, k, meet.change)
    return time_of_impact(0.5 * bent, rate, c.d - 0.5 * h * rate, begin, resting_speed(contacts, c, h), h)


@helper
def last_clock(directions, meet, k):
    """Time of the last impact that the pieces of a direction had in this step."""
    x, last = directions.direction[k], 0.0
    for s in range(x.spans):
        last = max(last, meet.clock[x.piece[s], LAST])
    return last


@helper
def go_to_meetings(contacts, tree, work, directions, meet, u, h):
    """Pieces that meet, where and as fast as they are then; the others as they were."""
    for i in range(u.shape[0]):
        u[i], meet.way[i] = meet.inertia[i], 0.0
    for p in range(tree.piece.shape[0]):
        t = meet.clock[p, NEXT]
        if t == math.inf:
            continue
        for i in range(tree.piece[p].u, tree.piece[p].u_last):
            u[i] = meet.start[i] + t * meet.change[i]
            meet.way[i] = (t - 0.5 * h) * meet.start[i] + 0.5 * t * t * meet.change[i]
        move_piece(tree, p, work.q, meet.way)
    for k in range(contacts.number[COUNT]):
        contacts.contact[k].d += rate_along(tree, directions, meet.place[k], meet.way)


@routine
def resolve_meetings(contacts, tree, work, directions, mine, rows, meet, u, h):
    """Impacts that are first: impulses of all of them, and the middle as if their pieces had always flown as after."""
    hit, speed = 0, 0.0
    for k in range(contacts.number[COUNT]):
        t = contacts.time[k]
        if t == math.inf:
            continue
        c = contacts.contact[k]
        at = directions_of_meeting(tree, work, directions, mine, c, meet.loose[k], t - 0.5 * h)
        meet.place[k] = at
        if has_couple(contacts, k):
            couple_directions(tree, work, directions, mine, c, contacts.turn[k])
        begin_impact(contacts, tree, directions, k, at, u, t)
        speed, hit = max(speed, -c.goal[0]), hit + 1
    for s in range(meet.stop.shape[0]):
        if meet.stop[s].time < math.inf:
            begin_stop(tree, directions, mine, meet.stop[s], u)
            speed, hit = max(speed, -meet.stop[s].before), hit + 1
    contacts.number[IMPACTS] += hit
    settle_impacts(contacts, tree, directions, mine, meet, u, speed)
    end_impacts(contacts, tree, directions, mine, rows, meet, u)
    for i in range(u.shape[0]):
        meet.way[i] = 0.0
    for p in range(tree.piece.shape[0]):
        t = meet.clock[p, NEXT]
        if t == math.inf:
            continue
        for i in range(tree.piece[p].u, tree.piece[p].u_last):
            meet.start[i] = meet.inertia[i] = u[i]
            meet.way[i] = (0.5 * h - t) * u[i] + 0.5 * t * (t - h) * meet.change[i]
        move_piece(tree, p, work.q, meet.way)
        meet.clock[p, LAST] = t
    meet.number[MOVED] = 1


@routine
def restart(tree, meet, q, u, h):
    """Velocities that the step goes from, once those with the new forces are known:  u' - t a'  and  u' + (h - t) a';

    and the middle that belongs to them, (t^2/2 - t h/2) (a' - a)  away.
    """
    for p in range(tree.piece.shape[0]):
        t = meet.clock[p, NEXT]
        if t == math.inf:
            for i in range(tree.piece[p].u, tree.piece[p].u_last):
                meet.fix[i] = 0.0
            continue
        for i in range(tree.piece[p].u, tree.piece[p].u_last):
            a = (u[i] - meet.start[i]) / h
            meet.fix[i] = 0.5 * t * (t - h) * (a - meet.change[i])
            meet.way[i] += meet.fix[i]
            meet.start[i] -= t * a
            u[i] -= t * a
        move_piece(tree, p, q, meet.fix)


@routine
def leave_meetings(contacts, meet):
    """Impacts that are left when the rounds are over: they meet without restitution."""
    contacts.number[LEFT] += 1
    for k in range(contacts.number[COUNT]):
        contacts.number[DROPPED] += 1 if contacts.time[k] < math.inf else 0
    for s in range(meet.stop.shape[0]):
        contacts.number[DROPPED] += 1 if meet.stop[s].time < math.inf else 0
