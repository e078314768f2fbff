"""Closed segments as contacts of a step, behind those that general collision finds (B-19 to B-22)."""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.collision.closest import perpendicular
from gelenk.compile import helper, routine
from gelenk.contact.assemble import point_matrix, set_friction
from gelenk.contact.block import COUNT, SLIDES, STEP, STICKS
from gelenk.contact.events import LISTENS, put_event
from gelenk.contact.options import SLOW, WARM
from gelenk.contact.reservoir import take_reservoir
from gelenk.contact.segment_block import AT, CLOSED, LOSSES, LOST
from gelenk.contact.segment_ground import look, put_triple
from gelenk.contact.sweep import change_at
from gelenk.math.quat import get4
from gelenk.math.rotation import Mat3, rotation
from gelenk.math.vec3 import Vec3, get3, put3, triple
from gelenk.rows.block import NONE

STUCK = 3  # place in the memory of a segment, behind its force


@routine
def take_segments(sets, contacts, memory, masses, state, bodies, h):
    """Look at all segments, and add to the contacts those that are closed or can be within the step, in their order."""
    sets.number[AT] = contacts.number[COUNT]
    for n in range(sets.set.shape[0]):
        own = sets.set[n]
        R_WB, p_WC = rotation(get4(state.q_WB, own.node)), get3(state.p_WC, own.node)
        place_mesh(own, state)
        R_WM, p_WM = matrix_of(own.R_WM), triple(own.p_WM)
        p_MC = R_WM.tdot(p_WC - p_WM)
        for i in range(own.first, own.last):
            mine = sets.segment[i]
            was = mine.state
            d_W = R_WB @ triple(mine.way)
            r_W = R_WB @ triple(mine.p_CD)
            v_W = velocity_at(bodies.V, own.node, r_W)
            look(sets, n, i, p_MC + R_WM.tdot(r_W), R_WM.tdot(d_W), R_WM.tdot(v_W) * h)
            if mine.state == CLOSED:
                j = contacts.number[COUNT]
                contacts.number[COUNT] = j + 1
                take_segment(sets, contacts, memory, state, bodies, n, i, j, p_WM + R_WM @ triple(mine.point), d_W, h)
            else:
                put3(memory, i, Vec3(0.0, 0.0, 0.0))
                memory[i, STUCK] = 0.0
                sets.number[LOSSES] += 1 if mine.state == LOST and was != LOST else 0


@helper
def velocity_at(V, node, r):
    """Velocity of a point of a body, world axes:  v + w x r."""
    return Vec3(V[node, 0], V[node, 1], V[node, 2]) + Vec3(V[node, 3], V[node, 4], V[node, 5]).cross(r)


@helper
def place_mesh(own, state):
    """Where the mesh of a set is:  p_WM = p_WG + R_WG p_GM,  R_WM = R_WG R_GM;  the ground may be moved by hand."""
    R_WG, m = rotation(get4(state.q_WB, own.ground)), matrix_of(own.R_GM)
    put_triple(own.p_WM, get3(state.p_WC, own.ground) + R_WG @ triple(own.p_GM))
    R, out = R_WG.times(m), own.R_WM
    out[0], out[1], out[2] = R.xx, R.xy, R.xz
    out[3], out[4], out[5] = R.yx, R.yy, R.yz
    out[6], out[7], out[8] = R.zx, R.zy, R.zz


@helper
def matrix_of(m):
    """Nine numbers as a matrix."""
    return Mat3(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])


@routine
def take_segment(sets, contacts, memory, state, bodies, n, i, j, x, d, h):
    """Segment i as contact j at the crossing x with its way d, world axes; it begins with its impulse of the last step.

    Its gap is that of D below the plane that touches the ground at the crossing.
    """
    own, mine, c = sets.set[n], sets.segment[i], contacts.contact[j]
    e = matrix_of(own.R_WM) @ triple(mine.n)
    c.a, c.b, c.pair, c.known, c.hit = own.ground, own.node, NONE, NONE, 0
    c.collider_a = contacts.material.shape[0] + 2 * n  # behind the colliders, see gelenk.contact.report
    c.collider_b = c.collider_a + 1
    put_triple(c.x, x)
    put_triple(c.n, e)
    put_triple(c.r_a, x - get3(state.p_WC, own.ground))
    put_triple(c.r_b, x - get3(state.p_WC, own.node))
    put_triple(c.t, segment_tangent(own, rotation(get4(state.q_WB, own.node)), e))
    c.d, c.feature_a, c.feature_b = -mine.s * (d @ e), mine.t, i - own.first
    c.law[0] = c.law[1] = own.law
    law = contacts.law[own.law, own.law]
    c.bounces, c.balls = 1 if max(law.restitution, law.slip_restitution) > 0.0 else 0, 0
    c.radius[0] = c.radius[1] = c.soft = c.least = c.when = 0.0
    take_reservoir(c, law, h)
    contacts.ends[j, 0], contacts.ends[j, 1] = c.a, c.b
    contacts.turn[j].on = 0
    point_matrix(bodies, c)
    warm_segment(get3(memory, i), c, h * contacts.options[WARM])
    c.state = STICKS
    if memory[i, STUCK] != 1.0 + STICKS:
        u = change_at(bodies.V, c)
        u = u - e * (e @ u)
        c.state = STICKS if u.norm() < h * get3(contacts.load, c.b).norm() + contacts.options[SLOW] else SLIDES
    set_friction(contacts, c)


@helper
def segment_tangent(own, R_WB, n):
    """First tangent: across the axis that the body brings,  t = a x n,  or any (B-21)."""
    if own.has_axis == 1:
        t = (R_WB @ triple(own.axis)).cross(n)
        size = t.norm()
        if size > 1e-6:  # an axis that stands up on the ground has no direction in it
            return t * (1.0 / size)
    return perpendicular(n)


@helper
def warm_segment(force, c, h):
    """Impulse of the same segment in the last step, in the axes of now."""
    f, n, t = force * h, triple(c.n), triple(c.t)
    c.p[0] = max(0.0, f @ n)
    c.p[1] = c.p[2] = 0.0
    if c.p[0] > 0.0:
        c.p[1], c.p[2] = f @ t, f @ n.cross(t)


@routine
def keep_segments(sets, contacts, memory, events, h):
    """What segments leave to the next step, as a part of the state, and which sets began or ended to touch."""
    j = sets.number[AT]
    for n in range(sets.set.shape[0]):
        own = sets.set[n]
        own.was, own.touch = own.touch, 0
        first, total, after, speed = j, Vec3(0.0, 0.0, 0.0), math.inf, 0.0
        for i in range(own.first, own.last):
            mine = sets.segment[i]
            if mine.state != CLOSED:
                continue
            c = contacts.contact[j]
            e, t = triple(c.n), triple(c.t)
            p = e * c.p[0] + t * c.p[1] + e.cross(t) * c.p[2]
            put3(memory, i, p * (1.0 / h))
            memory[i, STUCK] = 1.0 + c.state if c.p[0] > 0.0 else 0.0
            total = total + p
            if c.hit == 1:
                total, after = total + get3(contacts.struck, j), min(after, contacts.struck[j, 4])
                speed = max(speed, contacts.struck[j, 3])
            if c.hit == 1 or c.p[0] > 0.0:
                own.touch = 1
            j += 1
        if events.number[LISTENS] == 1 and own.touch != own.was:
            note_set(events, contacts, n, own, total, speed, after if first < j and after < math.inf else 0.0)


class Ends(NamedTuple):
    """Two colliders."""

    a: int
    b: int


@helper
def note_set(events, contacts, n, own, total, speed, after):
    """A set began or ended to touch."""
    pair = Ends(contacts.material.shape[0] + 2 * n, contacts.material.shape[0] + 2 * n + 1)
    event = put_event(events, contacts.number[STEP], pair, 1 if own.touch == 1 else -1)
    if own.touch == 1:
        event.after, event.speed = after, speed
        put_triple(event.impulse, total)
