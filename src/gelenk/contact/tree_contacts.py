"""Contacts of trees in minimal coordinates: normal-cone inclusions, solved by projections (B-22..B-31, V-50).

Every contact has three directions in the velocities u of the tree, along its normal and two tangents, with  g = w.u
their velocities and  u += z P  what an impulse does. The laws are inclusions on the velocities of the end of the step,

    g_n >= -d/h,  P_n >= 0,  one of them an equality        P_t in the disc or ellipse mu P_n, against g_t at its rim

and are solved one contact after the other, P <- prox(P - r (g - wanted)), until no impulse changes (bobsleigh 4.8).
The gap d is that of the middle of the step, q_M. From there to the middle of the next one the contact moves by h g, so
a gap that is closed stays closed without any correction, and one that is open is closed and not passed.

Impacts come first, each at its own time within the step (:mod:`gelenk.contact.tree_impacts`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.compile import Plug, helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.setup import new_stages
from gelenk.contact.tree_at_once import meet_at_once
from gelenk.contact.tree_dense import gather_dense
from gelenk.contact.tree_impacts import find_directions, next_meetings, resolve_meetings
from gelenk.contact.tree_lasting import SIMULTANEOUS, begin_lasting, settle_all, slides
from gelenk.contact.tree_meeting import FIRST, new_tree_meeting
from gelenk.contact.tree_newton import new_tree_newton
from gelenk.contact.tree_overlaps import push_apart
from gelenk.contact.tree_start import tree_back, tree_doubts, tree_forget
from gelenk.contact.tree_turn import answer_couple, has_couple, struck_couple
from gelenk.math.vec3 import Vec3, get3, triple
from gelenk.model.builder import Builder
from gelenk.rows.assemble import new_rows
from gelenk.trees.block import new_tree_work
from gelenk.trees.build import plan_tree
from gelenk.trees.directions import feel_along, new_directions
from gelenk.trees.equal_rows import answer
from gelenk.trees.rows import new_tree_rows


@routine
def tree_meetings(stages, tree, work, directions, mine, joints, rows, newton, meet, push, numbers, h):
    """Directions of all contacts; 1 if impacts come next, their pieces are where they are then, else 0."""
    if numbers[SIMULTANEOUS] == 1.0:
        find_directions(stages.contacts, tree, work, directions, mine, rows, meet)
        meet_at_once(stages.contacts, tree, directions, mine, rows, meet, work.u, h)
        return np.int64(0)
    more = next_meetings(stages.contacts, tree, work, directions, mine, rows, meet, work.u, h)
    return np.int64(1 if more else 0)


@routine
def tree_impacts(stages, tree, work, directions, mine, joints, rows, newton, meet, push, numbers, h):
    """The impacts that come next, with directions of where their pieces are. Returns how many."""
    resolve_meetings(stages.contacts, tree, work, directions, mine, rows, meet, work.u, h)
    return np.int64(0)


@routine
def tree_lasting(stages, tree, work, directions, mine, joints, rows, newton, meet, push, numbers, h):
    """All contacts after the impacts, with the rows beside the tree: what lasts, and overlaps. Returns 0."""
    contacts, first, u = stages.contacts, meet.number[FIRST], work.u
    gather_dense(contacts, tree, directions, mine, newton.dense, u, first)
    begin_lasting(contacts, tree, directions, newton.dense, meet, u, numbers, first, h)
    acting = newton.dense.number[0] == 0
    settle_all(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first, acting)
    if slides(contacts, tree, directions, u, first):
        settle_all(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first, True)
    for k in range(contacts.number[COUNT]):
        for i in range(3):
            answer(mine, rows, first + 3 * k + i, contacts.contact[k].p[i])
        if has_couple(contacts, k):
            answer_couple(contacts.turn[k], mine, rows)
    feel(contacts, tree, directions, first, h)
    push_apart(contacts, tree, directions, newton.dense, meet, push, first, h)
    return np.int64(0)


@routine
def feel(contacts, tree, directions, first, h):
    """Count in what contacts, impacts included, do along each velocity: sum of w P, with the time it took (B-32)."""
    directions.felt[0] += h
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        p = Vec3(c.p[0], c.p[1], c.p[2])
        if c.hit == 1:
            hit = get3(contacts.struck, k)
            p = p + Vec3(hit @ n, hit @ t, hit @ n.cross(t))
        feel_along(tree, directions, first + 3 * k, p.x)
        feel_along(tree, directions, first + 3 * k + 1, p.y)
        feel_along(tree, directions, first + 3 * k + 2, p.z)
        if has_couple(contacts, k):
            feel_couple(contacts, k, tree, directions)


@helper
def feel_couple(contacts, k, tree, directions):
    """The same of the couple of one contact."""
    c, x = contacts.contact[k], contacts.turn[k]
    n, t, hit = triple(c.n), triple(c.t), Vec3(0.0, 0.0, 0.0)
    if c.hit == 1:
        hit = struck_couple(contacts, k)
    feel_along(tree, directions, np.int64(x.spare), x.p[0] + hit @ n)
    feel_along(tree, directions, np.int64(x.spare) + 1, x.p[1] + hit @ t)
    feel_along(tree, directions, np.int64(x.spare) + 2, x.p[2] + hit @ n.cross(t))


def _samples() -> tuple[Any, ...]:
    """Arguments, for the compiler."""
    model = Builder().build()
    state, joints = model.initial_state(), model.wired.joints
    tree = plan_tree(model).tree
    work, rows = new_tree_work(tree, state), new_rows(joints)
    directions, mine = new_directions(tree, 1, 1, 1), new_tree_rows(joints, set())
    meet = new_tree_meeting(tree, 1, joints)
    more = new_tree_newton(1, 1, 0, 1), meet, np.zeros(1), np.zeros(1), 1e-3
    return new_stages(model, None), tree, work, directions, mine, joints, rows, *more


tree_plug = Plug(_samples, 12)
run_tree_contacts = tree_plug.call
TREE_STAGES = (tree_meetings, tree_impacts, tree_lasting, tree_doubts, tree_back, tree_forget)
MEETINGS, IMPACTS, LASTING, DOUBTS, BACK, FORGET = range(6)
