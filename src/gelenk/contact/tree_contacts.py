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

import math
from typing import Any

import numpy as np

from gelenk.compile import Plug, helper, routine
from gelenk.contact.assemble import set_friction
from gelenk.contact.block import COUNT, SLIDES, STICKS, SWEEPS
from gelenk.contact.impacts import resting_speed
from gelenk.contact.options import CORRECTIONS, MOST_SWEEPS, NEWTON_STEPS, SHARE, SLOP, SLOW, SPEED
from gelenk.contact.reservoir import at_rim, prox_friction
from gelenk.contact.setup import new_stages
from gelenk.contact.tree_at_once import meet_at_once
from gelenk.contact.tree_dense import add_rates, gather_dense, part_dense, settle_dense
from gelenk.contact.tree_groups import NO, find_groups, item_of
from gelenk.contact.tree_impacts import find_directions, last_clock, next_meetings, resolve_meetings
from gelenk.contact.tree_meeting import EARLY, FIRST, new_tree_meeting
from gelenk.contact.tree_newton import gather, keep_best, new_tree_newton, newton_step, take_best
from gelenk.contact.tree_start import tree_back, tree_doubts, tree_forget
from gelenk.contact.tree_turn import answer_couple, begin_couple, couple_residual, has_couple, settle_with_couple
from gelenk.contact.turn import end_turn_impact
from gelenk.math.vec3 import Vec3, get3, triple
from gelenk.model.builder import Builder
from gelenk.rows.assemble import new_rows
from gelenk.trees.block import new_tree_work
from gelenk.trees.bounded_rows import row_residual, settle_row, sweep_rows
from gelenk.trees.build import plan_tree
from gelenk.trees.directions import feel_along, new_directions, push_along, rate_along
from gelenk.trees.equal_rows import answer
from gelenk.trees.rows import new_tree_rows

RELATIVE, ABSOLUTE, SIMULTANEOUS = range(3)  # numbers of the method
PATIENCE = 20  # sweeps before Newton's method


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


# --- lasting contacts -------------------------------------------------------------------------------------------------


@routine
def begin_lasting(contacts, tree, directions, dense, meet, u, numbers, first, h):
    """What lasting contacts ask for, and the impulses of the last step to begin with: on u, or on the velocities of

    contacts alone where these are solved at once.

    Gaps that close within the step take part at once, but not those of contacts that will bounce there: they would be
    braked before their impact. A soft contact is as everywhere (:func:`gelenk.contact.assemble.ask_points`).
    """
    contacts.figures[2] = 0.0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        law, slop = contacts.law[c.law[0], c.law[1]], contacts.options[SLOP]
        if c.hit == 1:
            c.p[0], c.p[1], c.p[2] = c.spare_p[0], c.spare_p[1], c.spare_p[2]
            if has_couple(contacts, k):
                end_turn_impact(contacts.turn[k])
        if meet.number[EARLY] == 0:  # else the middle is none
            contacts.figures[2] = max(contacts.figures[2], -real_gap(c, tree, directions, meet, first + 3 * k, h))
        rate = dense.rate[3 * k] if dense.number[0] == 1 else rate_along(tree, directions, first + 3 * k, u)
        contacts.time[k], c.soft = 0.0, 0.0
        c.ask[0] = -c.d / h if c.d > slop else 0.0
        c.ask[1] = c.ask[2] = 0.0
        at_end = c.d + 0.5 * h * rate
        apart = c.d > slop if numbers[SIMULTANEOUS] == 1.0 else at_end > 0.0  # impacts come in the middle or any time
        if law.stiffness > 0.0 or law.damping > 0.0:
            s = h * law.stiffness + law.damping
            c.soft, c.ask[0] = 1.0 / (h * s), -c.d * law.stiffness / s
        elif c.bounces == 1 and apart and rate < -resting_speed(contacts, c, h):
            contacts.time[k] = math.inf
        if c.hit != 1:
            set_friction(contacts, c)
        if contacts.time[k] == math.inf or not c.p[0] > 0.0:
            c.p[0] = c.p[1] = c.p[2] = 0.0
        if dense.number[0] == 1:
            add_rates(dense, c, k, contacts.number[COUNT])
        else:
            let_act(c, tree, directions, u, first + 3 * k)
        if has_couple(contacts, k):
            begin_couple(c, contacts.turn[k], tree, directions, u, contacts.time[k] < math.inf)


@helper
def let_act(c, tree, directions, u, k):
    """Let the impulse of a contact act."""
    for i in range(3):
        if c.p[i] != 0.0:
            push_along(tree, directions, k + i, u, c.p[i])


@helper
def real_gap(c, tree, directions, meet, k, h):
    """Distance in the middle of the step, or at the last impact if that was later: before it the middle is none."""
    later = last_clock(directions, meet, k) - 0.5 * h
    return c.d + later * rate_along(tree, directions, k, meet.start) if later > 0.0 else c.d


@routine
def settle_all(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first, acting):
    """All lasting contacts and rows with bounds: at once if they are few, else by sweeps.

    ``acting`` says whether u holds what impulses of contacts do already; it does afterwards.
    """
    if newton.dense.number[0] == 1:
        steps = settle_dense(contacts, tree, directions, newton.dense, u, numbers, first, acting)
        if steps > 0:
            contacts.number[SWEEPS] += steps
            contacts.figures[3] = newton.dense.figures[0]
            return
    for k in range(0 if acting else contacts.number[COUNT]):
        let_act(contacts.contact[k], tree, directions, u, first + 3 * k)
    contacts.number[SWEEPS] += settle_lasting(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first)
    contacts.figures[3] = residual(contacts, tree, directions, mine, joints, rows, u, first)


@routine
def settle_lasting(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first):
    """Sweeps until no impulse changes by more than  e_r |P| + e_a  (B-31), helped by Newton's method where that takes

    long; returns how many.
    """
    for m in range(int(contacts.options[MOST_SWEEPS])):
        if not sweep_lasting(contacts, tree, directions, mine, joints, rows, u, numbers, first, m % 2 == 1):
            return m + 1
        if m + 1 == PATIENCE and contacts.options[NEWTON_STEPS] > 0.0:
            newton_lasting(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first)
    return int(contacts.options[MOST_SWEEPS])


@routine
def sweep_lasting(contacts, tree, directions, mine, joints, rows, u, numbers, first, back):
    """Every row and contact once; whether an impulse changes."""
    moving = sweep_rows(tree, directions, mine, joints, rows, u) > numbers[RELATIVE]
    for i in range(contacts.number[COUNT]):
        k = contacts.number[COUNT] - 1 - i if back else i
        if contacts.time[k] == math.inf:
            continue
        moving = settle_contact(contacts, k, tree, directions, u, numbers, first) or moving
    return moving


@helper
def settle_contact(contacts, k, tree, directions, u, numbers, first):
    """One contact, with its couple; whether an impulse changes."""
    c, couples = contacts.contact[k], has_couple(contacts, k)
    x, y, z = c.p[0], c.p[1], c.p[2]
    turned = settle_with_couple(c, contacts.turn[k], couples, tree, directions, u, first + 3 * k)
    moving = couples and turned > numbers[RELATIVE]
    return moving or changes(x, c.p[0], numbers) or changes(y, c.p[1], numbers) or changes(z, c.p[2], numbers)


@routine
def newton_lasting(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first):
    """Newton's method for each group by itself."""
    find_groups(contacts, tree, directions, mine, first, newton.groups)
    for group in range(tree.piece.shape[0]):
        if newton.groups.head[group] != NO:
            newton_group(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first, group)


@routine
def newton_group(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first, group):
    """Newton's method with a sweep after each step, for a group that has not settled; leaves the impulses with the

    least residual.
    """
    if not sweep_group(contacts, tree, directions, mine, joints, rows, newton.groups, u, numbers, first, group):
        return
    if not gather(contacts, tree, directions, mine, joints, group, first, newton):
        return
    best = group_residual(contacts, tree, directions, mine, joints, rows, newton.groups, u, first, group)
    keep_best(contacts, rows, newton)
    for _ in range(int(contacts.options[NEWTON_STEPS])):
        if not newton_step(contacts, tree, directions, rows, u, newton):
            break
        moving = sweep_group(contacts, tree, directions, mine, joints, rows, newton.groups, u, numbers, first, group)
        left = group_residual(contacts, tree, directions, mine, joints, rows, newton.groups, u, first, group)
        if left < best:
            best = left
            keep_best(contacts, rows, newton)
        if not moving:
            break
    take_best(contacts, tree, directions, rows, u, newton)


@routine
def sweep_group(contacts, tree, directions, mine, joints, rows, groups, u, numbers, first, group):
    """Every row and contact of a group once; whether an impulse changes."""
    moving, i = False, groups.head[group]
    while i != NO:
        is_row, k = item_of(mine, i)
        if is_row:
            moving = settle_row(tree, directions, mine, joints, rows, k, u) > numbers[RELATIVE] or moving
        else:
            moving = settle_contact(contacts, k, tree, directions, u, numbers, first) or moving
        i = groups.next[i]
    return moving


@routine
def group_residual(contacts, tree, directions, mine, joints, rows, groups, u, first, group):
    """How far contacts and rows of a group are from their laws [m/s], [rad/s]."""
    worst, i = 0.0, groups.head[group]
    while i != NO:
        is_row, k = item_of(mine, i)
        if is_row:
            worst = max(worst, row_residual(tree, directions, mine, joints, rows, k, u))
        else:
            worst = max(worst, contact_residual(contacts, k, tree, directions, u, first))
        i = groups.next[i]
    return worst


@helper
def changes(old, new, numbers):
    """The stopping test of the thesis, for one component."""
    return abs(new - old) >= numbers[RELATIVE] * abs(new) + numbers[ABSOLUTE]


@routine
def slides(contacts, tree, directions, u, first):
    """Contacts that were to stick and move with all the friction they can have, slide; whether that weakens any."""
    found = False
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        law = contacts.law[c.law[0], c.law[1]]
        if c.state != STICKS or not c.p[0] > 0.0:
            continue
        u_t, u_s = (
            rate_along(tree, directions, first + 3 * k + 1, u),
            rate_along(tree, directions, first + 3 * k + 2, u),
        )
        if at_rim(c, c.p[1], c.p[2]) and max(abs(u_t), abs(u_s)) > contacts.options[SLOW]:
            c.state = SLIDES
            set_friction(contacts, c)
            found = found or law.static_friction > law.friction or law.static_across > law.friction_across
    return found


@routine
def push_apart(contacts, tree, directions, dense, meet, push, first, h):
    """Velocities with which overlaps are taken out,  g_n >= share (-d)/h,  up to a speed (V-56, bobsleigh 8.9).

    Coordinates are shifted by them once; they are no velocities of the bodies, so that no energy of motion comes of it.
    """
    for i in range(push.shape[0]):
        push[i] = 0.0
    share, most, slop = contacts.options[SHARE], contacts.options[SPEED], contacts.options[SLOP]
    if meet.number[EARLY] == 1:
        share, most = 1.0, math.inf  # it stops where it met, and not where it would have been in the middle
    deep = 0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        c.last[0] = 0.0
        hard, d = c.soft == 0.0 and c.K[0] > 0.0, real_gap(c, tree, directions, meet, first + 3 * k, h)
        c.last[1] = min(share * (-d - slop) / h, most) if hard and d < -slop else -max(d, 0.0) / h
        deep += 1 if c.last[1] > 0.0 else 0
    sweeps = int(contacts.options[CORRECTIONS]) if deep > 0 else 0
    if dense.number[0] == 1 and sweeps > 0:
        part_dense(contacts, tree, directions, dense, push, first, sweeps)
        sweeps = 0
    for _ in range(sweeps):
        for k in range(contacts.number[COUNT]):
            c = contacts.contact[k]
            if c.soft == 0.0 and c.K[0] > 0.0:
                wish = c.last[0] + (c.last[1] - rate_along(tree, directions, first + 3 * k, push)) / c.K[0]
                change = max(0.0, wish) - c.last[0]
                if change != 0.0:
                    push_along(tree, directions, first + 3 * k, push, change)
                    c.last[0] += change
    for k in range(contacts.number[COUNT] if meet.number[EARLY] == 1 else 0):
        contacts.contact[k].d = max(contacts.contact[k].d, 0.0)


@routine
def residual(contacts, tree, directions, mine, joints, rows, u, first):
    """How far lasting contacts and rows with bounds are from their laws [m/s], [rad/s]."""
    worst = 0.0
    for n in range(mine.sizes[1]):
        worst = max(worst, row_residual(tree, directions, mine, joints, rows, mine.other[n], u))
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf:
            worst = max(worst, contact_residual(contacts, k, tree, directions, u, first))
    return worst


@helper
def contact_residual(contacts, k, tree, directions, u, first):
    """How far a contact and its couples are from their laws [m/s], [rad/s]."""
    left = residual_of(contacts.contact[k], tree, directions, u, first + 3 * k)
    if has_couple(contacts, k):
        left = max(left, couple_residual(contacts.contact[k], contacts.turn[k], tree, directions, u))
    return left


@helper
def residual_of(c, tree, directions, u, k):
    """How far a contact is from its law [m/s], as :func:`gelenk.contact.sweep.point_residual` measures it."""
    D = c.K[0] + c.soft
    if not min(D, c.top) > 0.0:
        return 0.0
    wish = c.p[0] + (c.ask[0] - rate_along(tree, directions, k, u) - c.soft * c.p[0]) / D
    normal = abs(c.p[0] - max(0.0, wish)) * D
    u_t, u_s = rate_along(tree, directions, k + 1, u), rate_along(tree, directions, k + 2, u)
    x, y = prox_friction(c, c.p[0], c.p[1] - u_t / c.top, c.p[2] - u_s / c.top)
    return max(normal, math.hypot(c.p[1] - x, c.p[2] - y) * c.top)


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
