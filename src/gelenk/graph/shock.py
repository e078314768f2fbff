"""Shock propagation: rows of contacts whose lower body does not feel all of them (V-99; virtual-worlds 3.14, 4.9).

With i the body nearer to the ground, j the other, n from i to j and g the unit vector of gravity, the normal row is

    uncompromising   J_i = 0                                  J_j = (n, r_j x n)        friction likewise
    optimised        J_i = -(n - (n.g) g, r_i x n)            J_j = (n, r_j x n)        friction as ever

in place of J_i = -(n, r_i x n), and this J is used everywhere: in J V, in J M^-1 J^T, and in M^-1 J^T p. So Newton's
third law does not hold, on purpose: load is not passed on downwards (trap T-20). Couples of rolling act on both.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.assemble import point_matrix
from gelenk.contact.block import COUNT, SWEEPS, TURNS
from gelenk.contact.options import MOST_SWEEPS, TOLERANCE
from gelenk.contact.points_team import ask_contacts
from gelenk.contact.sweep import change_at, friction, push_pair
from gelenk.contact.turn import begin_turns, settle_turn
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, triple

BOTH, A, B = range(3)  # which body is the lower one


@helper
def lower_of(levels, c):
    """The body of a contact that is nearer to the ground, or BOTH if they are as near."""
    a, b = levels.length[c.a], levels.length[c.b]
    if a == b:
        return BOTH
    return A if a < b else B


@helper
def velocity_of(V, node, r):
    """V + w x r  of a body at a point."""
    return Vec3(V[node, 0], V[node, 1], V[node, 2]) + Vec3(V[node, 3], V[node, 4], V[node, 5]).cross(r)


@helper
def rate_above(V, c, low):
    """J V of all three rows without the lower body, along n, t, n x t."""
    n, t = triple(c.n), triple(c.t)
    u = velocity_of(V, c.b, triple(c.r_b)) if low == A else -velocity_of(V, c.a, triple(c.r_a))
    return Vec3(n @ u, t @ u, n.cross(t) @ u)


@helper
def rate_eased(V, c, low, down):
    """J V without what the lower body does along gravity in the normal row:  n.u + (n.g) (g.v_a)  if it is a."""
    n, t, u = triple(c.n), triple(c.t), change_at(V, c)
    i, sign = (c.a, 1.0) if low == A else (c.b, -1.0)
    g_v = down.x * V[i, 0] + down.y * V[i, 1] + down.z * V[i, 2]
    return Vec3(n @ u + sign * (n @ down) * g_v, t @ u, n.cross(t) @ u)


@helper
def rate_of(V, c, levels, hard):
    """J V of a contact along n, t, n x t."""
    low = lower_of(levels, c)
    if low == BOTH:
        n, t, u = triple(c.n), triple(c.t), change_at(V, c)
        return Vec3(n @ u, t @ u, n.cross(t) @ u)
    return rate_above(V, c, low) if hard else rate_eased(V, c, low, triple(levels.down))


@helper
def push_one(bodies, V, c, low, p):
    """Let an impulse act on the upper body alone."""
    i, q, r = (c.b, p, triple(c.r_b)) if low == A else (c.a, -p, triple(c.r_a))
    s, w = bodies.inv_mass[i], get33(bodies.inv_inertia_W, i) @ r.cross(q)
    V[i, 0] += s * q.x
    V[i, 1] += s * q.y
    V[i, 2] += s * q.z
    V[i, 3] += w.x
    V[i, 4] += w.y
    V[i, 5] += w.z


@helper
def push_shock(bodies, V, c, levels, hard, p):
    """M^-1 J^T p  for an impulse along n, t, n x t."""
    low, n, t = lower_of(levels, c), triple(c.n), triple(c.t)
    f = n * p.x + t * p.y + n.cross(t) * p.z
    if low == BOTH:
        push_pair(bodies, V, c, f)
    elif hard:
        push_one(bodies, V, c, low, f)
    else:
        push_pair(bodies, V, c, f)
        down = triple(levels.down)
        i, sign = (c.a, 1.0) if low == A else (c.b, -1.0)
        s = sign * bodies.inv_mass[i] * (n @ down) * p.x
        V[i, 0] += s * down.x
        V[i, 1] += s * down.y
        V[i, 2] += s * down.z


@helper
def matrix_above(bodies, c, low):
    """J M^-1 J^T  of the upper body alone."""
    i, r = (c.b, triple(c.r_b)) if low == A else (c.a, triple(c.r_a))
    n, t, s, A_W = triple(c.n), triple(c.t), bodies.inv_mass[i], get33(bodies.inv_inertia_W, i)
    x, y, z = r.cross(n), r.cross(t), r.cross(n.cross(t))
    c.K[0], c.K[1], c.K[2] = s + x @ (A_W @ x), x @ (A_W @ y), x @ (A_W @ z)
    c.K[3], c.K[4], c.K[5] = s + y @ (A_W @ y), y @ (A_W @ z), s + z @ (A_W @ z)
    mean, half = 0.5 * (c.K[3] + c.K[5]), 0.5 * (c.K[3] - c.K[5])
    c.top = mean + math.sqrt(half * half + c.K[4] * c.K[4])


@helper
def matrix_shock(bodies, c, levels, hard):
    """J M^-1 J^T  of a contact, in the place of that of both bodies."""
    low = lower_of(levels, c)
    if low != BOTH and hard:
        matrix_above(bodies, c, low)
    elif low != BOTH:
        n, t, down = triple(c.n), triple(c.t), triple(levels.down)
        s = bodies.inv_mass[c.a if low == A else c.b] * (n @ down)
        c.K[0] -= s * (n @ down)
        c.K[1] -= s * (t @ down)
        c.K[2] -= s * (n.cross(t) @ down)


@routine
def begin_shock(levels, contacts, bodies, hard):
    """Matrices of the rows, and the impulses to start from."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        point_matrix(bodies, c)
        matrix_shock(bodies, c, levels, hard)
        if c.p[0] > 0.0:
            push_shock(bodies, bodies.V, c, levels, hard, triple(c.p))
    begin_turns(contacts, bodies)


@routine
def ask_shock(levels, contacts, bodies, h, hard):
    """What contacts lack, as in :func:`gelenk.contact.points_team.ask_contacts`, with the rates of these rows."""
    ask_contacts(contacts, bodies, h, True)
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t, u = triple(c.n), triple(c.t), change_at(bodies.V, c)
        rate = rate_of(bodies.V, c, levels, hard)
        c.ask[0] += n @ u - rate.x
        c.ask[1] += t @ u - rate.y
        c.ask[2] += n.cross(t) @ u - rate.z


@routine
def settle_shock(levels, bodies, dV, c, hard):
    """Solve one point, as :func:`gelenk.contact.sweep.settle_contact` does; the largest change of its velocity."""
    u = rate_of(dV, c, levels, hard)
    x, y, z = c.p[0], c.p[1], c.p[2]
    p_n = max(c.least, x + (c.ask[0] - u.x - c.soft * (x - c.before)) / (c.K[0] + c.soft))
    d_n = p_n - x
    p_t, p_s = friction(c, p_n, y, z, u.y - c.ask[1] + c.K[1] * d_n, u.z - c.ask[2] + c.K[2] * d_n)
    c.p[0], c.p[1], c.p[2] = p_n, p_t, p_s
    push_shock(bodies, dV, c, levels, hard, Vec3(d_n, p_t - y, p_s - z))
    return max(abs(d_n) * c.K[0], max(abs(p_t - y), abs(p_s - z)) * c.top)


@routine
def sweep_shock(levels, contacts, bodies, hard, most):
    """Sweeps forth and back in turn, until no velocity changes by more than the tolerance; the last largest change."""
    count, largest = contacts.number[COUNT], 0.0
    for m in range(most):
        contacts.number[SWEEPS] += 1
        largest = 0.0
        for k in range(count):
            i = count - 1 - k if m % 2 == 1 else k
            c = contacts.contact[i]
            largest = max(largest, settle_shock(levels, bodies, bodies.dV, c, hard))
            if contacts.number[TURNS] > 0:
                largest = max(largest, settle_turn(bodies, bodies.dV, c, contacts.turn[i]))
        if largest <= contacts.options[TOLERANCE]:
            break
    return largest


@routine
def restore_matrices(contacts, bodies):
    """Matrices of both bodies again, for what follows."""
    for k in range(contacts.number[COUNT]):
        point_matrix(bodies, contacts.contact[k])


@routine
def freeze_levels(levels, contacts, bodies):
    """Level after level from below is immovable, and what stands on it is solved once more (I-105):

        for L = 0, 1, ...:   sweep over contacts of levels L and L + 1, which push the upper body alone

    Impulses are those of the ordinary sweeps again afterwards; only the velocities stay.
    Source: E. Guendelman, R. Bridson, R. Fedkiw, Nonconvex rigid bodies with stacking (2003).
    """
    count = contacts.number[COUNT]
    for k in range(count):
        c = contacts.contact[k]
        for j in range(3):
            c.last[j] = c.p[j]
        low = lower_of(levels, c)
        if low != BOTH:
            matrix_above(bodies, c, low)
    for level in range(levels.number[0]):
        for _ in range(int(contacts.options[MOST_SWEEPS])):
            largest = 0.0
            for k in range(count):
                c = contacts.contact[k]
                low = lower_of(levels, c)
                if low != BOTH and min(levels.length[c.a], levels.length[c.b]) == level:
                    largest = max(largest, settle_upper(bodies, c, low))
            if largest <= contacts.options[TOLERANCE]:
                break
    for k in range(count):
        c = contacts.contact[k]
        for j in range(3):
            c.p[j] = c.last[j]


@routine
def settle_upper(bodies, c, low):
    """Solve one point with the lower body as it moves, pushing the upper one alone; the largest change."""
    n, t, u = triple(c.n), triple(c.t), change_at(bodies.dV, c)
    s = n.cross(t)
    x, y, z = c.p[0], c.p[1], c.p[2]
    p_n = max(c.least, x + (c.ask[0] - n @ u - c.soft * (x - c.before)) / (c.K[0] + c.soft))
    d_n = p_n - x
    p_t, p_s = friction(c, p_n, y, z, t @ u - c.ask[1] + c.K[1] * d_n, s @ u - c.ask[2] + c.K[2] * d_n)
    c.p[0], c.p[1], c.p[2] = p_n, p_t, p_s
    push_one(bodies, bodies.dV, c, low, n * d_n + t * (p_t - y) + s * (p_s - z))
    return max(abs(d_n) * c.K[0], max(abs(p_t - y), abs(p_s - z)) * c.top)
