"""Lasting contacts of a step of a tree with the rows beside it: sweeps, helped by Newton's method (B-23..B-31)."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.assemble import set_friction
from gelenk.contact.block import COUNT, SLIDES, STICKS, SWEEPS
from gelenk.contact.impacts import resting_speed
from gelenk.contact.options import MOST_SWEEPS, NEWTON_STEPS, SLOP, SLOW
from gelenk.contact.reservoir import at_rim
from gelenk.contact.tree_dense import add_rates, settle_dense
from gelenk.contact.tree_groups import NO, find_groups, item_of
from gelenk.contact.tree_meeting import EARLY
from gelenk.contact.tree_newton import gather, keep_best, newton_step, take_best
from gelenk.contact.tree_overlaps import real_gap
from gelenk.contact.tree_residual import group_residual, residual
from gelenk.contact.tree_turn import begin_couple, has_couple, settle_with_couple
from gelenk.contact.turn import end_turn_impact
from gelenk.trees.bounded_rows import settle_row, sweep_rows
from gelenk.trees.directions import push_along, rate_along

RELATIVE, ABSOLUTE, SIMULTANEOUS = range(3)  # numbers of the method
PATIENCE = 20  # sweeps before Newton's method


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
