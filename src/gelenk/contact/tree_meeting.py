"""Impacts of a step of a tree: what is kept of them, and the laws of those that happen together (B-28).

    g_n' >= -e g_n,  P_n >= 0        g_t' = -e_t g_t  within the friction of the pair        stops: as g_n

all others as they stand, one after the other until nothing changes. Their work is  1/2 P.(g + g').
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, FED
from gelenk.contact.tree_stops import end_stop, new_stops, settle_stop
from gelenk.contact.tree_turn import (
    answer_couple,
    couple_work,
    has_couple,
    note_couple,
    put_couple_by,
    settle_with_couple,
)
from gelenk.math.vec3 import get3, put3, triple
from gelenk.rows.block import Joints
from gelenk.trees.block import Tree
from gelenk.trees.directions import rate_along
from gelenk.trees.equal_rows import answer

SWEEPS = 1000  # most in one impact
SMALL = 1e-13  # of the speeds: changes in a sweep of an impact that do not count
FIRST, MOVED, ROUND, EARLY = range(4)  # numbers of TreeMeeting
LAST, NEXT = range(2)  # times of a clock


class TreeMeeting(NamedTuple):
    """What impacts make of a step."""

    start: np.ndarray  # (nu,) velocities that the step goes from: those of before, or as if it had always flown so
    inertia: np.ndarray  # (nu,) velocities that its inertia forces belong to
    change: np.ndarray  # (nu,) accelerations, loops included
    way: np.ndarray  # (nu,) by which places of the middle have moved since gaps were known
    fix: np.ndarray  # (nu,) the last part of it, since rows were placed
    clock: np.ndarray  # (pieces, 2) times of the last impact of a piece and of its next one, or infinite [s]
    loose: np.ndarray  # (contacts,) largest answer of the two bodies of a contact by themselves [1/kg]
    place: np.ndarray  # (contacts,) int64 its first direction
    given: np.ndarray  # (rows,) impulses of rows in impacts: those without bounds, and stops
    stop: Any  # (stops,) STOP, see gelenk.contact.tree_stops
    number: np.ndarray  # (4,) int64 first direction of contacts, whether places have moved, rounds of this step, and
    # whether contacts are those of its start


def new_tree_meeting(tree: Tree, contacts: int, joints: Joints) -> TreeMeeting:
    """Space for the impacts of a tree."""
    nu = int(tree.sizes[1])
    start, inertia, change, way, fix = np.zeros((5, nu))
    clock, loose, place = np.zeros((len(tree.piece), 2)), np.zeros(contacts), np.zeros(contacts, np.int64)
    given, stop = np.zeros(len(joints.row)), new_stops(joints)
    return TreeMeeting(start, inertia, change, way, fix, clock, loose, place, given, stop, np.zeros(4, np.int64))


@helper
def settle_impacts(contacts, tree, directions, mine, meet, u, speed):
    """Sweeps over the impacts of a round until nothing changes."""
    for _ in range(SWEEPS):
        largest = 0.0
        for k in range(contacts.number[COUNT]):
            if contacts.time[k] < math.inf:
                c, x, on = contacts.contact[k], contacts.turn[k], has_couple(contacts, k)
                largest = max(largest, settle_with_couple(c, x, on, tree, directions, u, meet.place[k]))
        for s in range(meet.stop.shape[0]):
            if meet.stop[s].time < math.inf:
                largest = max(largest, settle_stop(tree, directions, mine, meet.stop[s], u))
        if largest <= SMALL * speed:
            return


@helper
def begin_impact(contacts, tree, directions, n, k, u, t):
    """What an impact of contact n asks for: Newton's law, g' = -e g, along the normal and the tangents (B-28).

    The impulse that the contact is to start from in the step is put by; ``goal`` holds the velocities of before.
    """
    c = contacts.contact[n]
    law = contacts.law[c.law[0], c.law[1]]
    if has_couple(contacts, n):
        put_couple_by(contacts.turn[n], c.hit != 1)
    if c.hit != 1:
        for i in range(contacts.struck.shape[1]):
            contacts.struck[n, i] = 0.0
        contacts.struck[n, 3], contacts.struck[n, 4] = max(0.0, -rate_along(tree, directions, k, u)), t
        c.spare_p[0], c.spare_p[1], c.spare_p[2] = c.p[0], c.p[1], c.p[2]
    for i in range(3):
        c.goal[i] = rate_along(tree, directions, k + i, u)
        c.p[i] = c.ask[i] = 0.0
    c.ask[0] = -law.restitution * c.goal[0]
    c.ask[1], c.ask[2] = -law.slip_restitution * c.goal[1], -law.slip_restitution * c.goal[2]
    c.soft, c.along, c.across, c.hit = 0.0, law.friction, law.friction_across, 1


@routine
def end_impacts(contacts, tree, directions, mine, rows, meet, u):
    """Note the impulses of a round and their work,  1/2 P.(g + g'),  what they took and what they fed."""
    work, size = 0.0, 0.0
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] == math.inf:
            continue
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        put3(contacts.struck, k, get3(contacts.struck, k) + n * c.p[0] + t * c.p[1] + n.cross(t) * c.p[2])
        for i in range(3):
            answer(mine, rows, meet.place[k] + i, c.p[i])
            after = rate_along(tree, directions, meet.place[k] + i, u)
            work += 0.5 * c.p[i] * (c.goal[i] + after)
            size += 0.5 * abs(c.p[i] * c.goal[i])
        if has_couple(contacts, k):
            answer_couple(contacts.turn[k], mine, rows)
            note_couple(contacts, k)
            work += couple_work(contacts.turn[k], tree, directions, u)
    for s in range(meet.stop.shape[0]):
        x = meet.stop[s]
        if x.time < math.inf:
            work += end_stop(tree, directions, mine, rows, x, u, meet.given)
            size += 0.5 * abs(x.p * x.before)
    contacts.figures[0] -= min(work, 0.0)
    if work > 1e-9 * size:
        contacts.figures[1] += work
        contacts.number[FED] += 1
