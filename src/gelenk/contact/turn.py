"""Rolling and torsional friction: couples of a contact that resist turning (V-84).

The law of a pair gives two arms [m]. At a point with the normal impulse p_n the couple q, which acts on b, and -q on a,
has

    |q_n| <= torsional p_n          about the normal
    |q_t| <= rolling p_n            about axes in the tangent plane, a disc

and opposes the angular velocity of b against a,  w = w_b - w_a,  in its direction: the most there is while bodies turn
against each other, and what keeps them still where it suffices. Only contacts whose law has an arm carry couples.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, TURNS
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, triple
from gelenk.rows.sets import prox_disc, prox_interval


@helper
def in_world(c, q):
    """A vector along n, t, n x t of a contact in world axes."""
    n, t = triple(c.n), triple(c.t)
    return n * q.x + t * q.y + n.cross(t) * q.z


@helper
def turn_at(dV, c):
    """Angular velocity of b against a along n, t, n x t."""
    a, b = c.a, c.b
    w = Vec3(dV[b, 3] - dV[a, 3], dV[b, 4] - dV[a, 4], dV[b, 5] - dV[a, 5])
    n, t = triple(c.n), triple(c.t)
    return Vec3(n @ w, t @ w, n.cross(t) @ w)


@helper
def turn_pair(bodies, dV, c, q):
    """Let a couple q, along n, t, n x t, act on b and -q on a:  dw = I^-1 q."""
    a, b, q_W = c.a, c.b, in_world(c, q)
    w = get33(bodies.inv_inertia_W, b) @ q_W
    dV[b, 3] += w.x
    dV[b, 4] += w.y
    dV[b, 5] += w.z
    w = get33(bodies.inv_inertia_W, a) @ q_W
    dV[a, 3] -= w.x
    dV[a, 4] -= w.y
    dV[a, 5] -= w.z


@routine
def take_turn(contacts, bodies, k):
    """Arms of contact k and the answer of its bodies to couples; no couple yet."""
    c, x = contacts.contact[k], contacts.turn[k]
    law = contacts.law[c.law[0], c.law[1]]
    x.on, x.rolling, x.torsional = 0, law.rolling, law.torsional
    if law.rolling == 0.0 and law.torsional == 0.0:
        return
    respond_turn(bodies, c, x)
    for j in range(3):
        x.p[j] = x.ask[j] = 0.0
    if x.top > 0.0 and x.G[0] > 0.0:
        x.on = 1


@routine
def laws_with_arms(contacts):
    """How many laws let contacts carry couples."""
    arms = 0
    for i in range(contacts.law.shape[0]):
        for j in range(contacts.law.shape[1]):
            arms += 1 if contacts.law[i, j].rolling > 0.0 or contacts.law[i, j].torsional > 0.0 else 0
    return arms


@routine
def count_couples(contacts):
    """How many contacts carry couples."""
    count = 0
    for k in range(contacts.number[COUNT]):
        count += 1 if contacts.turn[k].on == 1 else 0
    return count


@helper
def respond_turn(bodies, c, x):
    """G of a contact, and the larger eigenvalue of its tangent part."""
    n, t = triple(c.n), triple(c.t)
    s = n.cross(t)
    x.G[0], x.G[1], x.G[2] = spin(bodies, c, n, n), spin(bodies, c, n, t), spin(bodies, c, n, s)
    x.G[3], x.G[4], x.G[5] = spin(bodies, c, t, t), spin(bodies, c, t, s), spin(bodies, c, s, s)
    mean, half = 0.5 * (x.G[3] + x.G[5]), 0.5 * (x.G[3] - x.G[5])
    x.top = mean + math.sqrt(half * half + x.G[4] * x.G[4])


@helper
def spin(bodies, c, d, e):
    """Angular velocity about e of b against a by a unit couple about d."""
    return e @ (get33(bodies.inv_inertia_W, c.a) @ d) + e @ (get33(bodies.inv_inertia_W, c.b) @ d)


@routine
def warm_turn(contacts, k, couple, h):
    """Begin with the couple of the last step, world axes [N m], within the bounds of now."""
    c, x = contacts.contact[k], contacts.turn[k]
    if x.on == 1:
        n, t, q = triple(c.n), triple(c.t), couple * h
        x.p[0] = prox_interval(q @ n, -x.torsional * c.p[0], x.torsional * c.p[0])
        x.p[1], x.p[2] = prox_disc(q @ t, q @ n.cross(t), x.rolling * c.p[0])


@routine
def begin_turns(contacts, bodies):
    """Let the couples to start from act."""
    if contacts.number[TURNS] > 0:
        for k in range(contacts.number[COUNT]):
            if contacts.turn[k].on == 1:
                turn_pair(bodies, bodies.V, contacts.contact[k], triple(contacts.turn[k].p))


@routine
def ask_turns(contacts, bodies):
    """Nothing is to turn:  w' = 0."""
    if contacts.number[TURNS] == 0:
        return
    for k in range(contacts.number[COUNT]):
        x = contacts.turn[k]
        if x.on == 1:
            w = turn_at(bodies.V, contacts.contact[k])
            x.ask[0], x.ask[1], x.ask[2] = -w.x, -w.y, -w.z
            for j in range(3):
                x.start[j] = x.p[j]


@helper
def ask_turn_anew(bodies, c, x):
    """What is missing once the changes dV are part of the velocities."""
    w = turn_at(bodies.dV, c)
    x.ask[0], x.ask[1], x.ask[2] = x.ask[0] - w.x, x.ask[1] - w.y, x.ask[2] - w.z


@routine
def settle_turn(bodies, dV, c, x):
    """New couple of a contact, the rest as it stands: first about the normal, then in the tangent plane.

    q_n <- prox(q_n - w_n / G_nn),   and in the plane what stops the turning if the disc holds it, else

        q_t <- prox( q_t - w_t / top )

    Returns the largest change of the angular velocity [rad/s].
    """
    if x.on == 0:
        return 0.0
    w = turn_at(dV, c)
    w_n, w_t, w_s = w.x - x.ask[0], w.y - x.ask[1], w.z - x.ask[2]
    bound = x.torsional * c.p[0]
    q_n = prox_interval(x.p[0] - w_n / x.G[0], -bound, bound)
    d_n = q_n - x.p[0]
    w_t, w_s = w_t + x.G[1] * d_n, w_s + x.G[2] * d_n
    q_t, q_s = 0.0, 0.0
    bound = x.rolling * c.p[0]
    if bound > 0.0:
        det = x.G[3] * x.G[5] - x.G[4] * x.G[4]
        q_t = x.p[1] - (x.G[5] * w_t - x.G[4] * w_s) / det
        q_s = x.p[2] - (x.G[3] * w_s - x.G[4] * w_t) / det
        if q_t * q_t + q_s * q_s > bound * bound:
            q_t, q_s = prox_disc(x.p[1] - w_t / x.top, x.p[2] - w_s / x.top, bound)
    d_t, d_s = q_t - x.p[1], q_s - x.p[2]
    x.p[0], x.p[1], x.p[2] = q_n, q_t, q_s
    if d_n != 0.0 or d_t != 0.0 or d_s != 0.0:
        turn_pair(bodies, dV, c, Vec3(d_n, d_t, d_s))
    return max(abs(d_n) * x.G[0], max(abs(d_t), abs(d_s)) * x.top)


@routine
def turn_residual(bodies, c, x):
    """How far the couple of a contact is from its law, as :func:`gelenk.solvers.solver.residual` measures [rad/s]."""
    if x.on == 0:
        return 0.0
    w = turn_at(bodies.dV, c)
    bound = x.torsional * c.p[0]
    q = prox_interval(x.p[0] - (w.x - x.ask[0]) / x.G[0], -bound, bound)
    q_t, q_s = prox_disc(x.p[1] - (w.y - x.ask[1]) / x.top, x.p[2] - (w.z - x.ask[2]) / x.top, x.rolling * c.p[0])
    return max(abs(x.p[0] - q) * x.G[0], math.hypot(x.p[1] - q_t, x.p[2] - q_s) * x.top)


@helper
def bound_turn(c, x):
    """A couple within the bounds of the normal impulse of now."""
    if x.on == 1:
        x.p[0] = prox_interval(x.p[0], -x.torsional * c.p[0], x.torsional * c.p[0])
        x.p[1], x.p[2] = prox_disc(x.p[1], x.p[2], x.rolling * c.p[0])


@helper
def couple_since(x):
    """What a couple has grown by since the solver began."""
    return Vec3(x.p[0] - x.start[0], x.p[1] - x.start[1], x.p[2] - x.start[2])


@routine
def begin_turn_impact(contacts, bodies, k, t):
    """Couples of an impact begin anew; what the step is to start from is put by."""
    c, x = contacts.contact[k], contacts.turn[k]
    if x.on == 1:
        respond_turn(bodies, c, x)  # the normal may have turned
        w = turn_at(bodies.V, c) + turn_at(contacts.load, c) * t
        x.ask[0], x.ask[1], x.ask[2] = -w.x, -w.y, -w.z
        for j in range(3):
            x.spare_p[j], x.p[j] = x.p[j], 0.0


@helper
def turn_work(bodies, c, x):
    """Work of a couple in an impact,  1/2 q . (w + w')."""
    if x.on == 0:
        return 0.0
    return triple(x.p) @ (turn_at(bodies.dV, c) * 0.5 - triple(x.ask))


@helper
def end_turn_impact(x):
    """Back to the couple that the step starts from."""
    if x.on == 1:
        for j in range(3):
            x.p[j] = x.spare_p[j]
