"""Contacts of trees in minimal coordinates: normal-cone inclusions, solved by projections (B-22..B-31, V-50).

Every contact has three directions in the velocities u of the tree, along its normal and two tangents, with  g = w.u
their velocities and  u += z P  what an impulse does. The laws are inclusions on the velocities of the end of the step,

    g_n >= -d/h,  P_n >= 0,  one of them an equality        P_t in the disc or ellipse mu P_n, against g_t at its rim

and are solved one contact after the other, P <- prox(P - r (g - wanted)), until no impulse changes (bobsleigh 4.8).
The gap d is that of the middle of the step, q_M. From there to the middle of the next one the contact moves by h g, so
a gap that is closed stays closed without any correction, and one that is open is closed and not passed.

Impacts (B-28): a contact with restitution that is closed and comes on faster than it can rest leaves with
g_n = -e g_n of before. By default only contacts that come on take part, and what they set in motion is looked at anew,
so that an impact passes from body to body (:mod:`gelenk.contact.impacts` tells why); ``simultaneous`` takes all closed
contacts at once, as Moreau's rule with Newton's law does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gelenk.compile import Plug, helper, routine
from gelenk.contact.assemble import set_friction
from gelenk.contact.block import COUNT, DROPPED, FED, IMPACTS, LEFT, ROUNDS, SLIDES, STICKS, SWEEPS
from gelenk.contact.options import CORRECTIONS, MOST_ROUNDS, MOST_SWEEPS, NEWTON_STEPS, SHARE, SLOP, SLOW, SPEED
from gelenk.contact.setup import new_stages
from gelenk.contact.sweep import friction
from gelenk.contact.tree_newton import gather, keep_best, new_tree_newton, newton_step, take_best
from gelenk.math.vec3 import Vec3, get3, put3, triple
from gelenk.model.builder import Builder
from gelenk.rows.assemble import new_rows
from gelenk.rows.block import NONE
from gelenk.rows.sets import prox_ellipse
from gelenk.trees.block import new_tree_work
from gelenk.trees.build import plan_tree
from gelenk.trees.directions import (
    add_force,
    begin_direction,
    coupling,
    end_direction,
    new_directions,
    push_along,
    rate_along,
    silence,
)
from gelenk.trees.rows import HELD, NOTHING, answer, constrain, new_tree_rows, sweep_rows

RELATIVE, ABSOLUTE, SIMULTANEOUS = range(3)  # numbers of the method
IMPACT_SWEEPS = 1000  # most in one impact
PATIENCE = 20  # sweeps before Newton's method
LITTLE = 1e-9  # of its matrix, added so that it has an inverse; it steers iterations and not their end
SMALL = 1e-13  # of the speeds: changes in a sweep of an impact that do not count


@routine
def tree_contacts(stages, tree, work, directions, mine, joints, rows, newton, before, u, push, numbers, h):
    """All contacts of a step, with the rows beside the tree: impacts, what lasts, and overlaps. Returns 0."""
    contacts, first = stages.contacts, directions.used[0]
    count = contacts.number[COUNT]
    for k in range(count):
        contact_directions(tree, work, directions, mine, contacts.contact[k])
    if count > 0 and meet_all(contacts, tree, directions, mine, rows, before, u, numbers, first, h):
        contacts.number[LEFT] += 1
    begin_lasting(contacts, tree, directions, u, first, h)
    swept = settle_lasting(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first)
    if slides(contacts, tree, directions, u, first):
        swept += settle_lasting(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first)
    contacts.number[SWEEPS] += swept
    for k in range(count):
        for i in range(3):
            answer(mine, rows, first + 3 * k + i, contacts.contact[k].p[i])
    contacts.figures[3] = residual(contacts, tree, directions, u, first)
    push_apart(contacts, tree, directions, push, first, h)
    return np.int64(0)


@helper
def contact_directions(tree, work, directions, mine, c):
    """The three directions of a contact, one after the other, and its matrix K."""
    n, t = triple(c.n), triple(c.t)
    a, b = directions.link_of[c.a], directions.link_of[c.b]
    loose = max(c.K[0], c.K[3], c.K[5])  # of the two bodies by themselves
    x_a, x_b = get3(work.at.p_WC, c.a) + triple(c.r_a), get3(work.at.p_WC, c.b) + triple(c.r_b)
    none = Vec3(0.0, 0.0, 0.0)
    for i in range(3):
        e = n if i == 0 else t if i == 1 else n.cross(t)
        k = begin_direction(tree, directions, a, b)
        if a != NONE:
            add_force(tree, work, directions, k, a, x_a, -e, none)
        if b != NONE:
            add_force(tree, work, directions, k, b, x_b, e, none)
        end_direction(tree, work, directions, k)
        before = directions.direction[k].diag
        constrain(tree, directions, mine, k)
        if directions.direction[k].diag <= max(NOTHING * loose, HELD * before if mine.sizes[0] > 0 else 0.0):
            silence(tree, directions, k)
    k = directions.used[0] - 3
    c.K[0], c.K[3] = directions.direction[k].diag, directions.direction[k + 1].diag
    c.K[5] = directions.direction[k + 2].diag
    c.K[1], c.K[2] = coupling(tree, directions, k, k + 1), coupling(tree, directions, k, k + 2)
    c.K[4] = coupling(tree, directions, k + 1, k + 2)
    mean, half = 0.5 * (c.K[3] + c.K[5]), 0.5 * (c.K[3] - c.K[5])
    c.top = mean + math.sqrt(half * half + c.K[4] * c.K[4])
    c.K[3], c.K[5] = c.K[3] + LITTLE * c.top, c.K[5] + LITTLE * c.top  # joints may let it move along one tangent alone


# --- impacts ----------------------------------------------------------------------------------------------------------


@routine
def meet_all(contacts, tree, directions, mine, rows, before, u, numbers, first, h):
    """Impacts of closed contacts with restitution, round by round; whether any is left when the rounds are over.

    ``before`` holds the velocities of the start of the step, ``u`` those with forces; impulses change both.
    """
    for _ in range(int(contacts.options[MOST_ROUNDS])):
        hit, speed = 0, 0.0
        for k in range(contacts.number[COUNT]):
            c = contacts.contact[k]
            contacts.time[k] = math.inf
            if c.bounces == 0 or c.d > contacts.options[SLOP]:
                continue
            rate = rate_along(tree, directions, first + 3 * k, before)
            if rate < -resting_speed(contacts, c, h) or (numbers[SIMULTANEOUS] == 1.0 and rate < 0.0):
                begin_impact(contacts, tree, directions, k, first + 3 * k, before, h)
                speed, hit = max(speed, -rate), hit + 1
        if hit == 0:
            return False
        if numbers[SIMULTANEOUS] == 1.0:
            take_closed(contacts, tree, directions, first, before, h)
        contacts.number[ROUNDS] += 1
        contacts.number[IMPACTS] += hit
        for _ in range(IMPACT_SWEEPS):
            largest = 0.0
            for k in range(contacts.number[COUNT]):
                if contacts.time[k] == 0.0:
                    c = contacts.contact[k]
                    largest = max(largest, settle_point(c, tree, directions, before, first + 3 * k))
            if largest <= SMALL * speed:
                break
        end_impacts(contacts, tree, directions, mine, rows, before, u, first)
        if numbers[SIMULTANEOUS] == 1.0:
            return False
    for k in range(contacts.number[COUNT]):
        contacts.number[DROPPED] += 1 if contacts.time[k] == 0.0 else 0
    return True


@helper
def resting_speed(contacts, c, h):
    """Speed below which nothing bounces: what forces do in two steps."""
    a = max(get3(contacts.load, c.a).norm(), get3(contacts.load, c.b).norm())
    return 2.0 * h * a + contacts.options[SLOW]


@helper
def take_closed(contacts, tree, directions, first, before, h):
    """All other closed contacts take part in an impact too: those that rest must not close, those that part may."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        law = contacts.law[c.law[0], c.law[1]]
        soft = law.stiffness > 0.0 or law.damping > 0.0
        if contacts.time[k] == math.inf and c.d <= contacts.options[SLOP] and not soft:
            begin_impact(contacts, tree, directions, k, first + 3 * k, before, h)


@helper
def begin_impact(contacts, tree, directions, n, k, before, h):
    """What an impact of contact n asks for: Newton's law along the normal, no sliding along the tangents.

    The impulse that the contact is to start from in the step is put by; ``goal`` holds the velocities of before.
    """
    c = contacts.contact[n]
    law = contacts.law[c.law[0], c.law[1]]
    contacts.time[n] = 0.0
    if c.hit != 1:
        put3(contacts.struck, n, Vec3(0.0, 0.0, 0.0))
        contacts.struck[n, 3], contacts.struck[n, 4] = max(0.0, -rate_along(tree, directions, k, before)), 0.5 * h
        c.spare_p[0], c.spare_p[1], c.spare_p[2] = c.p[0], c.p[1], c.p[2]
    for i in range(3):
        c.goal[i] = rate_along(tree, directions, k + i, before)
        c.p[i] = c.ask[i] = 0.0
    c.ask[0] = -law.restitution * c.goal[0]
    c.soft, c.along, c.across, c.hit = 0.0, law.friction, law.friction_across, 1


@routine
def end_impacts(contacts, tree, directions, mine, rows, before, u, first):
    """Let the impulses of a round act on the velocities with forces too, and note them and their work,

    1/2 P.(g + g'),  what they took and what they fed.
    """
    work, size = 0.0, 0.0
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] == math.inf:
            continue
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        put3(contacts.struck, k, get3(contacts.struck, k) + n * c.p[0] + t * c.p[1] + n.cross(t) * c.p[2])
        for i in range(3):
            push_along(tree, directions, first + 3 * k + i, u, c.p[i])
            answer(mine, rows, first + 3 * k + i, c.p[i])
            after = rate_along(tree, directions, first + 3 * k + i, before)
            work += 0.5 * c.p[i] * (c.goal[i] + after)
            size += 0.5 * abs(c.p[i] * c.goal[i])
    contacts.figures[0] -= min(work, 0.0)
    if work > 1e-9 * size:
        contacts.figures[1] += work
        contacts.number[FED] += 1


# --- lasting contacts -------------------------------------------------------------------------------------------------


@routine
def begin_lasting(contacts, tree, directions, u, first, h):
    """What lasting contacts ask for, and the impulses of the last step to begin with.

    Gaps that close within the step take part at once, but not those of contacts that will bounce there: they would be
    braked before their impact. A soft contact is as everywhere (:func:`gelenk.contact.assemble.ask_points`).
    """
    contacts.figures[2] = 0.0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        law, slop = contacts.law[c.law[0], c.law[1]], contacts.options[SLOP]
        if c.hit == 1:
            c.p[0], c.p[1], c.p[2] = c.spare_p[0], c.spare_p[1], c.spare_p[2]
        contacts.figures[2] = max(contacts.figures[2], -c.d)
        rate = rate_along(tree, directions, first + 3 * k, u)
        contacts.time[k], c.soft = 0.0, 0.0
        c.ask[0] = -c.d / h if c.d > slop else 0.0
        c.ask[1] = c.ask[2] = 0.0
        if law.stiffness > 0.0 or law.damping > 0.0:
            s = h * law.stiffness + law.damping
            c.soft, c.ask[0] = 1.0 / (h * s), -c.d * law.stiffness / s
        elif c.bounces == 1 and c.d > slop and rate < -resting_speed(contacts, c, h):
            contacts.time[k] = math.inf
        if c.hit != 1:
            set_friction(contacts, c)
        if contacts.time[k] == math.inf or not c.p[0] > 0.0:
            c.p[0] = c.p[1] = c.p[2] = 0.0
        for i in range(3):
            if c.p[i] != 0.0:
                push_along(tree, directions, first + 3 * k + i, u, c.p[i])


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
        c = contacts.contact[k]
        x, y, z = c.p[0], c.p[1], c.p[2]
        settle_point(c, tree, directions, u, first + 3 * k)
        moving = moving or changes(x, c.p[0], numbers)
        moving = moving or changes(y, c.p[1], numbers) or changes(z, c.p[2], numbers)
    return moving


@routine
def newton_lasting(contacts, tree, directions, mine, joints, rows, newton, u, numbers, first):
    """Newton's method with a sweep after each step; leaves the impulses with the least residual."""
    n = gather(contacts, tree, directions, mine, joints, rows, first, newton)
    if n == 0:
        return
    best = residual(contacts, tree, directions, u, first)
    keep_best(contacts, rows, newton, n)
    for _ in range(int(contacts.options[NEWTON_STEPS])):
        if not newton_step(contacts, tree, directions, rows, u, newton, n):
            break
        moving = sweep_lasting(contacts, tree, directions, mine, joints, rows, u, numbers, first, False)
        left = residual(contacts, tree, directions, u, first)
        if left < best:
            best = left
            keep_best(contacts, rows, newton, n)
        if not moving:
            break
    take_best(contacts, tree, directions, rows, u, newton, n)


@helper
def changes(old, new, numbers):
    """The stopping test of the thesis, for one component."""
    return abs(new - old) >= numbers[RELATIVE] * abs(new) + numbers[ABSOLUTE]


@helper
def settle_point(c, tree, directions, u, k):
    """One contact, the others as they stand: normal first, then friction; returns the largest change of a velocity."""
    if not c.K[0] + c.soft > 0.0:
        return 0.0
    rate = rate_along(tree, directions, k, u)
    wish = c.p[0] + (c.ask[0] - rate - c.soft * c.p[0]) / (c.K[0] + c.soft)
    d_n = max(0.0, wish) - c.p[0]
    if d_n != 0.0:
        push_along(tree, directions, k, u, d_n)
        c.p[0] += d_n
    if not c.top > 0.0:
        return abs(d_n) * c.K[0]
    u_t, u_s = rate_along(tree, directions, k + 1, u) - c.ask[1], rate_along(tree, directions, k + 2, u) - c.ask[2]
    x, y = friction(c, c.p[0], c.p[1], c.p[2], u_t, u_s)
    d_t, d_s = x - c.p[1], y - c.p[2]
    if d_t != 0.0 or d_s != 0.0:
        push_along(tree, directions, k + 1, u, d_t)
        push_along(tree, directions, k + 2, u, d_s)
        c.p[1], c.p[2] = x, y
    return max(abs(d_n) * c.K[0], max(abs(d_t), abs(d_s)) * c.top)


@routine
def slides(contacts, tree, directions, u, first):
    """Contacts that were to stick and move with all the friction they can have, slide; whether that weakens any."""
    found = False
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        law = contacts.law[c.law[0], c.law[1]]
        if c.state != STICKS or not c.p[0] > 0.0:
            continue
        a, b = c.along * c.p[0], c.across * c.p[0]
        x, y = c.p[1] * b, c.p[2] * a
        u_t, u_s = (
            rate_along(tree, directions, first + 3 * k + 1, u),
            rate_along(tree, directions, first + 3 * k + 2, u),
        )
        if x * x + y * y >= 0.999 * a * a * b * b and max(abs(u_t), abs(u_s)) > contacts.options[SLOW]:
            c.state = SLIDES
            set_friction(contacts, c)
            found = found or law.static_friction > law.friction or law.static_across > law.friction_across
    return found


@routine
def push_apart(contacts, tree, directions, push, first, h):
    """Velocities with which overlaps are taken out,  g_n >= share (-d)/h,  up to a speed (V-56, bobsleigh 8.9).

    Coordinates are shifted by them once; they are no velocities of the bodies, so that no energy of motion comes of it.
    """
    for i in range(push.shape[0]):
        push[i] = 0.0
    share, most, slop = contacts.options[SHARE], contacts.options[SPEED], contacts.options[SLOP]
    deep = 0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        c.last[0] = 0.0
        hard = c.soft == 0.0 and c.K[0] > 0.0
        c.last[1] = min(share * (-c.d - slop) / h, most) if hard and c.d < -slop else -max(c.d, 0.0) / h
        deep += 1 if c.last[1] > 0.0 else 0
    for _ in range(int(contacts.options[CORRECTIONS]) if deep > 0 else 0):
        for k in range(contacts.number[COUNT]):
            c = contacts.contact[k]
            if c.soft == 0.0 and c.K[0] > 0.0:
                wish = c.last[0] + (c.last[1] - rate_along(tree, directions, first + 3 * k, push)) / c.K[0]
                change = max(0.0, wish) - c.last[0]
                if change != 0.0:
                    push_along(tree, directions, first + 3 * k, push, change)
                    c.last[0] += change


@routine
def residual(contacts, tree, directions, u, first):
    """How far lasting contacts are from their laws [m/s]."""
    worst = 0.0
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] < math.inf:
            worst = max(worst, residual_of(contacts.contact[k], tree, directions, u, first + 3 * k))
    return worst


@helper
def residual_of(c, tree, directions, u, k):
    """How far a contact is from its law [m/s], as :func:`gelenk.contact.sweep.point_residual` measures it."""
    D = c.K[0] + c.soft
    if not min(D, c.top) > 0.0:
        return 0.0
    wish = c.p[0] + (c.ask[0] - rate_along(tree, directions, k, u) - c.soft * c.p[0]) / D
    normal = abs(c.p[0] - max(0.0, wish)) * D
    u_t, u_s = rate_along(tree, directions, k + 1, u), rate_along(tree, directions, k + 2, u)
    x, y = prox_ellipse(c.p[1] - u_t / c.top, c.p[2] - u_s / c.top, c.along * c.p[0], c.across * c.p[0])
    return max(normal, math.hypot(c.p[1] - x, c.p[2] - y) * c.top)


def _samples() -> tuple[Any, ...]:
    """Arguments, for the compiler."""
    model = Builder().build()
    state, joints = model.initial_state(), model.wired.joints
    tree = plan_tree(model).tree
    work, rows = new_tree_work(tree, state), new_rows(joints)
    directions, mine = new_directions(tree, 1, 1, 1), new_tree_rows(joints, set())
    numbers = [np.zeros(1) for _ in range(4)]
    return new_stages(model, None), tree, work, directions, mine, joints, rows, new_tree_newton(1), *numbers, 1e-3


tree_plug = Plug(_samples, 13)
run_tree_contacts = tree_plug.call
