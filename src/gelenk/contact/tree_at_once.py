"""All impacts of a step at once: Moreau's rule with Newton's law as printed (B-28, bobsleigh 3.8).

Every closed contact and stop of the middle of the step takes part, from the velocities of its start.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, IMPACTS, ROUNDS
from gelenk.contact.options import SLOP
from gelenk.contact.tree_meeting import begin_impact, end_impacts, settle_impacts
from gelenk.contact.tree_stops import acts, begin_stop, speed_to_stop
from gelenk.trees.directions import push_along, rate_along


@routine
def meet_at_once(contacts, tree, directions, mine, rows, meet, u, h):
    """Moreau's rule with Newton's law: all closed contacts in the middle of the step, from the velocities of its start.

    ``start`` holds these, ``u`` those with forces; impulses change both.
    """
    hit, speed = 0, 0.0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        contacts.time[k] = math.inf
        if c.bounces == 0 or c.d > contacts.options[SLOP]:
            continue
        rate = rate_along(tree, directions, meet.place[k], meet.start)
        if rate < 0.0:
            begin_impact(contacts, tree, directions, k, meet.place[k], meet.start, 0.5 * h)
            contacts.time[k] = 0.5 * h
            speed, hit = max(speed, -rate), hit + 1
    for s in range(meet.stop.shape[0]):
        x = meet.stop[s]
        if x.e > 0.0 and is_closed_stop(contacts, directions, mine, x):
            rate = speed_to_stop(tree, directions, mine, x, meet.start)
            speed, hit = max(speed, -rate), hit + (1 if rate < 0.0 else 0)
    if hit == 0:
        return
    take_closed(contacts, tree, directions, mine, meet, h)
    contacts.number[ROUNDS] += 1
    contacts.number[IMPACTS] += hit
    settle_impacts(contacts, tree, directions, mine, meet, meet.start, speed)
    end_impacts(contacts, tree, directions, mine, rows, meet, meet.start)
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf:
            for i in range(3):
                push_along(tree, directions, meet.place[k] + i, u, contacts.contact[k].p[i])
    for s in range(meet.stop.shape[0]):
        x = meet.stop[s]
        if x.time < math.inf:
            push_along(tree, directions, mine.place[x.row], u, x.side * x.p)


@helper
def is_closed_stop(contacts, directions, mine, x):
    """Whether a stop is reached in the middle of the step."""
    return acts(directions, mine, x) and x.gap <= contacts.options[SLOP]


@helper
def take_closed(contacts, tree, directions, mine, meet, h):
    """All other closed contacts and stops take part in an impact too: those at rest must not close, others may part."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        law = contacts.law[c.law[0], c.law[1]]
        soft = law.stiffness > 0.0 or law.damping > 0.0
        if contacts.time[k] == math.inf and c.d <= contacts.options[SLOP] and not soft:
            begin_impact(contacts, tree, directions, k, meet.place[k], meet.start, 0.5 * h)
            contacts.time[k] = 0.5 * h
    for s in range(meet.stop.shape[0]):
        x = meet.stop[s]
        if is_closed_stop(contacts, directions, mine, x):
            begin_stop(tree, directions, mine, x, meet.start)
            x.time = 0.5 * h
