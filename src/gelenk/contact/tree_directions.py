"""Directions of contacts of a tree: what impulses along the normal and two tangents do (B-22, bobsleigh 3.7)."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.meeting import FIRST, SECOND
from gelenk.math.vec3 import get3, triple
from gelenk.rows.block import NONE
from gelenk.trees.directions import add_force, add_point, begin_direction, coupling, end_direction, silence
from gelenk.trees.equal_rows import NOTHING, constrain
from gelenk.trees.kinematics import store
from gelenk.trees.respond import respond_all
from gelenk.trees.rows import HELD

LITTLE = 1e-9  # of its matrix, added so that it has an inverse; it steers iterations and not their end


@routine
def contact_directions(tree, work, directions, mine, c, loose, x_a, x_b):
    """The three directions of a contact, one after the other, and its matrix K; an impulse acts on b at x_b and on a

    at x_a. ``loose`` is the largest answer of the two bodies by themselves. Returns where the first direction is.
    """
    k = begin_contact(tree, work, directions, c, x_a, x_b)
    respond_all(tree, work, directions, k, k + 3)
    end_contact(tree, directions, mine, c, loose, k)
    return k


@helper
def begin_contact(tree, work, directions, c, x_a, x_b):
    """The generalised forces of a contact; returns where the first direction is."""
    n, t = triple(c.n), triple(c.t)
    s = n.cross(t)
    a, b = directions.link_of[c.a], directions.link_of[c.b]
    k = begin_direction(tree, directions, a, b)
    begin_direction(tree, directions, a, b)
    begin_direction(tree, directions, a, b)
    if a != NONE:
        add_point(tree, work, directions, k, a, x_a, -n, -t, -s)
    if b != NONE:
        add_point(tree, work, directions, k, b, x_b, n, t, s)
    return k


@helper
def end_contact(tree, directions, mine, c, loose, k):
    """The matrix K of a contact, once the responses of its directions are known."""
    for i in range(3):
        end_one(tree, directions, mine, k + i, loose)
    c.K[0], c.K[3] = directions.direction[k].diag, directions.direction[k + 1].diag
    c.K[5] = directions.direction[k + 2].diag
    c.K[1], c.K[2] = coupling(tree, directions, k, k + 1), coupling(tree, directions, k, k + 2)
    c.K[4] = coupling(tree, directions, k + 1, k + 2)
    c.top = largest_of(c.K[3], c.K[4], c.K[5])
    c.K[3], c.K[5] = c.K[3] + LITTLE * c.top, c.K[5] + LITTLE * c.top  # joints may let it move along one tangent alone


@helper
def add_direction(tree, work, directions, mine, c, x_a, x_b, force, torque, loose):
    """One more direction with its response: a unit impulse or couple on b at x_b, against a at x_a."""
    a, b = directions.link_of[c.a], directions.link_of[c.b]
    k = begin_direction(tree, directions, a, b)
    if a != NONE:
        add_force(tree, work, directions, k, a, x_a, -force, -torque)
    if b != NONE:
        add_force(tree, work, directions, k, b, x_b, force, torque)
    end_direction(tree, work, directions, k)
    end_one(tree, directions, mine, k, loose)


@helper
def end_one(tree, directions, mine, k, loose):
    """What rows beside the tree hold of a response is taken out. It is silent where joints leave nothing of it that is

    above the round-off of ``loose``.
    """
    before = directions.direction[k].diag
    constrain(tree, directions, mine, k)
    if directions.direction[k].diag <= max(NOTHING * loose, HELD * before if mine.sizes[0] > 0 else 0.0):
        silence(tree, directions, k)


@helper
def largest_of(tt, ts, ss):
    """The larger eigenvalue of  [[tt, ts], [ts, ss]]."""
    mean, half = 0.5 * (tt + ss), 0.5 * (tt - ss)
    return mean + math.sqrt(half * half + ts * ts)


@routine
def directions_at_rest(contacts, tree, work, directions, mine, loose, place):
    """Directions of all contacts with the points where they were found; where the first of each is, to ``place``."""
    first = directions.used[0]
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        x_a, x_b = get3(work.at.p_WC, c.a) + triple(c.r_a), get3(work.at.p_WC, c.b) + triple(c.r_b)
        place[k] = begin_contact(tree, work, directions, c, x_a, x_b)
    respond_all(tree, work, directions, first, directions.used[0])
    for k in range(contacts.number[COUNT]):
        end_contact(tree, directions, mine, contacts.contact[k], loose[k], place[k])


@helper
def directions_of_meeting(tree, work, directions, mine, c, loose, since):
    """Directions of an impact that comes ``since`` after the points were found: both bodies have one point there.

    Much as for bodies (:mod:`gelenk.contact.meeting`): the centre of a ball goes with its body and the point stays
    below it, two balls meet on the line of their centres; other points move along the normal as their body turns, and
    the common one lies half-way between them.
    """
    n = triple(c.n)
    o_a, o_b = n * c.radius[0], n * -c.radius[1]
    at_a, at_b = get3(work.at.p_WC, c.a), get3(work.at.p_WC, c.b)
    if c.balls == FIRST or c.balls == FIRST + SECOND:
        x_a = at_a + with_body(directions, work, c.a, triple(c.r_a) - o_a, since)
    else:
        x_a = at_a + along_normal(directions, work, c.a, triple(c.r_a), n, since)
    if c.balls == SECOND or c.balls == FIRST + SECOND:
        x_b = at_b + with_body(directions, work, c.b, triple(c.r_b) - o_b, since)
    else:
        x_b = at_b + along_normal(directions, work, c.b, triple(c.r_b), n, since)
    if c.balls == FIRST + SECOND:
        turn_normal(c, x_a, x_b)
        n = triple(c.n)
    if c.balls == FIRST or c.balls == FIRST + SECOND:
        x_a = x_a + n * c.radius[0]
    if c.balls == SECOND or c.balls == FIRST + SECOND:
        x_b = x_b - n * c.radius[1]
    share = 0.5
    if directions.link_of[c.a] == NONE or directions.link_of[c.b] == NONE:
        share = 1.0 if directions.link_of[c.a] == NONE else 0.0
    elif c.balls == FIRST or c.balls == SECOND:
        share = 1.0 if c.balls == SECOND else 0.0
    x = x_a + (x_b - x_a) * share
    return contact_directions(tree, work, directions, mine, c, loose, x, x)


@helper
def turn_normal(c, o_a, o_b):
    """The normal of two balls along the line of their centres, and the first tangent across it."""
    line, t = o_b - o_a, triple(c.t)
    size = line.norm()
    if size > 0.0:
        n = line * (1.0 / size)
        t = t - n * (t @ n)
        store(c.n, n)
        store(c.t, t * (1.0 / t.norm()))


@helper
def with_body(directions, work, node, r, t):
    """The arm r a time t later, turned with its body:  r + t w x r."""
    link = directions.link_of[node]
    if link == NONE:
        return r
    return r + triple(work.moving[link].w).cross(r) * t


@helper
def along_normal(directions, work, node, r, n, t):
    """The arm r a time t later, moved along n as its body turns:  r + n (t n . (w x r))."""
    return r + n * (n @ (with_body(directions, work, node, r, t) - r))
