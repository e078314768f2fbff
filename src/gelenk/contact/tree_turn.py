"""Rolling and torsional friction in trees (B-94): couples of a contact that resist turning, bounded by its pressure.

The law is that of :mod:`gelenk.contact.turn`. In a tree a unit couple about the normal or a tangent is one more
direction w, with  w.u  the angular velocity of b against a about it and  u += z q  what a couple q does; three of them
for each contact whose law has an arm, after those of all impulses.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, TURNS
from gelenk.contact.reservoir import settle_friction
from gelenk.contact.tree_directions import LITTLE, add_direction, largest_of
from gelenk.contact.turn import in_world
from gelenk.math.vec3 import Vec3, get3, triple
from gelenk.rows.sets import prox_disc, prox_interval
from gelenk.trees.directions import coupling, push_along, rate_along
from gelenk.trees.equal_rows import answer

PASSES = 4  # over a point and its couples in a sweep


@routine
def find_couples(contacts, tree, work, directions, mine):
    """Directions of the couples of all contacts that have any."""
    if contacts.number[TURNS] > 0:
        for k in range(contacts.number[COUNT]):
            if has_couple(contacts, k):
                couple_directions(tree, work, directions, mine, contacts.contact[k], contacts.turn[k])


@routine
def couple_directions(tree, work, directions, mine, c, x):
    """The three directions of the couples of a contact, from ``x.spare`` on, and its matrix G."""
    n, t, none = triple(c.n), triple(c.t), Vec3(0.0, 0.0, 0.0)
    p_a, p_b = get3(work.at.p_WC, c.a), get3(work.at.p_WC, c.b)
    loose = max(x.G[0], x.G[3], x.G[5])
    for i in range(3):
        e = n if i == 0 else t if i == 1 else n.cross(t)
        add_direction(tree, work, directions, mine, c, p_a, p_b, none, e, loose)
    k = directions.used[0] - 3
    x.spare = k
    x.G[0], x.G[3] = directions.direction[k].diag, directions.direction[k + 1].diag
    x.G[5], x.G[4] = directions.direction[k + 2].diag, coupling(tree, directions, k + 1, k + 2)
    x.top = largest_of(x.G[3], x.G[4], x.G[5])
    x.G[3], x.G[5] = x.G[3] + LITTLE * x.top, x.G[5] + LITTLE * x.top  # joints may let it turn about one tangent alone


@routine
def settle_couple(c, x, tree, directions, u):
    """New couple of a contact, the rest as it stands (:func:`gelenk.contact.turn.settle_turn`)."""
    k, largest = np.int64(x.spare), 0.0
    if x.G[0] > 0.0:
        bound = x.torsional * c.p[0]
        q = prox_interval(x.p[0] - rate_along(tree, directions, k, u) / x.G[0], -bound, bound)
        if q != x.p[0]:
            push_along(tree, directions, k, u, q - x.p[0])
            largest = abs(q - x.p[0]) * x.G[0]
            x.p[0] = q
    if not x.top > 0.0:
        return largest
    bound = x.rolling * c.p[0]
    w_t, w_s = rate_along(tree, directions, k + 1, u), rate_along(tree, directions, k + 2, u)
    det = x.G[3] * x.G[5] - x.G[4] * x.G[4]
    q_t = x.p[1] - (x.G[5] * w_t - x.G[4] * w_s) / det
    q_s = x.p[2] - (x.G[3] * w_s - x.G[4] * w_t) / det
    if q_t * q_t + q_s * q_s > bound * bound:
        q_t, q_s = prox_disc(x.p[1] - w_t / x.top, x.p[2] - w_s / x.top, bound)
    d_t, d_s = q_t - x.p[1], q_s - x.p[2]
    if d_t != 0.0 or d_s != 0.0:
        push_along(tree, directions, k + 1, u, d_t)
        push_along(tree, directions, k + 2, u, d_s)
        x.p[1], x.p[2] = q_t, q_s
    return max(largest, max(abs(d_t), abs(d_s)) * x.top)


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
    x, y = settle_friction(c, c.p[0], c.p[1], c.p[2], u_t, u_s)
    d_t, d_s = x - c.p[1], y - c.p[2]
    if d_t != 0.0 or d_s != 0.0:
        push_along(tree, directions, k + 1, u, d_t)
        push_along(tree, directions, k + 2, u, d_s)
        c.p[1], c.p[2] = x, y
    return max(abs(d_n) * c.K[0], max(abs(d_t), abs(d_s)) * c.top)


@routine
def settle_with_couple(c, x, on, tree, directions, u, k):
    """Solve one point with its couples, which answer to each other; returns the largest change of a velocity."""
    largest = settle_point(c, tree, directions, u, k)
    for _ in range(PASSES if on else 0):
        turned = settle_couple(c, x, tree, directions, u)
        largest = max(largest, turned)
        if turned == 0.0:
            break
        largest = max(largest, settle_point(c, tree, directions, u, k))
    return largest


@helper
def has_couple(contacts, k):
    """Whether contact k carries couples."""
    return contacts.number[TURNS] > 0 and contacts.turn[k].on == 1


@helper
def couple_residual(c, x, tree, directions, u):
    """How far the couple of a contact is from its law [rad/s]."""
    k, worst = np.int64(x.spare), 0.0
    if x.G[0] > 0.0:
        bound = x.torsional * c.p[0]
        q = prox_interval(x.p[0] - rate_along(tree, directions, k, u) / x.G[0], -bound, bound)
        worst = abs(q - x.p[0]) * x.G[0]
    if not x.top > 0.0:
        return worst
    w_t, w_s = rate_along(tree, directions, k + 1, u), rate_along(tree, directions, k + 2, u)
    q_t, q_s = prox_disc(x.p[1] - w_t / x.top, x.p[2] - w_s / x.top, x.rolling * c.p[0])
    return max(worst, math.hypot(x.p[1] - q_t, x.p[2] - q_s) * x.top)


@helper
def begin_couple(c, x, tree, directions, u, lasts):
    """Let the couple to start from act, if the contact presses."""
    for i in range(3):
        if not lasts or not c.p[0] > 0.0:
            x.p[i] = 0.0
        if x.p[i] != 0.0:
            push_along(tree, directions, np.int64(x.spare) + i, u, x.p[i])


@helper
def answer_couple(x, mine, rows):
    """Count in what rows without bounds gave against a couple."""
    for i in range(3):
        answer(mine, rows, np.int64(x.spare) + i, x.p[i])


@helper
def note_couple(contacts, k):
    """Add the couple of an impact to what the contact was struck with."""
    q = in_world(contacts.contact[k], triple(contacts.turn[k].p))
    contacts.struck[k, 5] += q.x
    contacts.struck[k, 6] += q.y
    contacts.struck[k, 7] += q.z


@helper
def struck_couple(contacts, k):
    """Couple on b of the impacts of a step, world axes [N m s]."""
    return Vec3(contacts.struck[k, 5], contacts.struck[k, 6], contacts.struck[k, 7])


@helper
def put_couple_by(x, first):
    """Couples of an impact begin anew; what the step is to start from is put by at the first one."""
    for i in range(3):
        if first:
            x.spare_p[i] = x.p[i]
        x.p[i] = 0.0


@helper
def couple_work(x, tree, directions, u):
    """Work of a couple in an impact,  1/2 q . (w + w')  with  w = w' - G q."""
    k, work = np.int64(x.spare), 0.0
    for i in range(3):
        change = 0.0
        for j in range(3):
            change += coupling(tree, directions, k + i, k + j) * x.p[j]
        work += x.p[i] * (rate_along(tree, directions, k + i, u) - 0.5 * change)
    return work
