"""Block Gauss-Seidel over contacts: each point is solved with the others as they stand (V-50, V-83, V-84, I-101)."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import TURNS
from gelenk.contact.turn import settle_turn, turn_residual
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, triple
from gelenk.rows.sets import prox_disc, prox_ellipse

PASSES = 4  # over a point and its couples in a sweep


@helper
def change_at(dV, c):
    """Velocity of b against a at the point by the velocities dV, world axes:  u = v_b + w_b x r_b - v_a - w_a x r_a."""
    a, b = c.a, c.b
    v = Vec3(dV[b, 0] - dV[a, 0], dV[b, 1] - dV[a, 1], dV[b, 2] - dV[a, 2])
    w_a, w_b = Vec3(dV[a, 3], dV[a, 4], dV[a, 5]), Vec3(dV[b, 3], dV[b, 4], dV[b, 5])
    return v + w_b.cross(triple(c.r_b)) - w_a.cross(triple(c.r_a))


@helper
def push_pair(bodies, dV, c, p):
    """Let an impulse p, world axes, act on b and -p on a at the point:  dv = p / m,  dw = I^-1 (r x p)."""
    a, b = c.a, c.b
    s = bodies.inv_mass[b]
    w = get33(bodies.inv_inertia_W, b) @ triple(c.r_b).cross(p)
    dV[b, 0] += s * p.x
    dV[b, 1] += s * p.y
    dV[b, 2] += s * p.z
    dV[b, 3] += w.x
    dV[b, 4] += w.y
    dV[b, 5] += w.z
    s = bodies.inv_mass[a]
    w = get33(bodies.inv_inertia_W, a) @ triple(c.r_a).cross(p)
    dV[a, 0] -= s * p.x
    dV[a, 1] -= s * p.y
    dV[a, 2] -= s * p.z
    dV[a, 3] -= w.x
    dV[a, 4] -= w.y
    dV[a, 5] -= w.z


@helper
def friction(c, p_n, x, y, u_t, u_s):
    """New tangent impulse of a point that has (x, y) and would move at (u_t, u_s), within the disc or ellipse mu p_n.

    If it can be stopped within the set, it is (2 x 2 system). Else one step of the projection

        p_t <- prox( p_t - u_t / top )

    whose fixed points are Coulomb's law: a point that moves has the most friction there is, against its motion.
    """
    K_tt, K_ts, K_ss = c.K[3], c.K[4], c.K[5]
    det = K_tt * K_ss - K_ts * K_ts
    a, b = c.along * p_n, c.across * p_n
    X, Y = x - (K_ss * u_t - K_ts * u_s) / det, y - (K_tt * u_s - K_ts * u_t) / det
    if c.along == c.across:
        if a * a >= X * X + Y * Y:
            return X, Y
        return prox_disc(x - u_t / c.top, y - u_s / c.top, a)
    if min(a, b) > 0.0 and (X / a) * (X / a) + (Y / b) * (Y / b) <= 1.0:  # without pressure nothing is stopped
        return X, Y
    return prox_ellipse(x - u_t / c.top, y - u_s / c.top, a, b)


@routine
def settle_contact(bodies, dV, c):
    """Solve one point: normal first, then friction; returns the largest change of its velocity.

    p_n <- max(least, p_n + (ask_n - u_n - c/h dp_n) / (K_nn + c/h))        p_t <- friction
    """
    n, t = triple(c.n), triple(c.t)
    s = n.cross(t)
    u = change_at(dV, c)
    x, y, z = c.p[0], c.p[1], c.p[2]
    wish = x + (c.ask[0] - n @ u - c.soft * (x - c.before)) / (c.K[0] + c.soft)
    p_n = max(c.least, wish)
    d_n = p_n - x
    u_t, u_s = t @ u - c.ask[1] + c.K[1] * d_n, s @ u - c.ask[2] + c.K[2] * d_n
    p_t, p_s = friction(c, p_n, y, z, u_t, u_s)
    d_t, d_s = p_t - y, p_s - z
    c.p[0], c.p[1], c.p[2] = p_n, p_t, p_s
    push_pair(bodies, dV, c, n * d_n + t * d_t + s * d_s)
    return max(abs(d_n) * c.K[0], max(abs(d_t), abs(d_s)) * c.top)


@routine
def settle_with_turn(bodies, dV, c, x):
    """Solve one point with its couples, which answer to each other: a ball that is kept from rolling does not slide.

    A few passes; between rolling and sliding of a ball each takes 5/7 of the error away.
    """
    largest = settle_contact(bodies, dV, c)
    if x.on == 1:
        for _ in range(PASSES):
            turned = settle_turn(bodies, dV, c, x)
            largest = max(largest, turned)
            if turned == 0.0:
                break
            largest = max(largest, settle_contact(bodies, dV, c))
    return largest


@routine
def sweep_contacts(bodies, contacts, heap, back):
    """Every point of a heap once, backwards or forwards; returns the largest change of a velocity [m/s]."""
    largest, turns = 0.0, contacts.number[TURNS] > 0
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[heap.point_first + heap.point_last - 1 - i if back else i]
        if turns:
            largest = max(largest, settle_with_turn(bodies, bodies.dV, contacts.contact[k], contacts.turn[k]))
        else:
            largest = max(largest, settle_contact(bodies, bodies.dV, contacts.contact[k]))
    heap.sweeps += 1
    return largest


@routine
def contact_residual(bodies, contacts, heap):
    """How far impulses of a heap are from their solution [m/s], as :func:`gelenk.solvers.solver.residual` measures."""
    worst, turns = 0.0, contacts.number[TURNS] > 0
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        worst = max(worst, point_residual(bodies, contacts.contact[k]))
        if turns:
            worst = max(worst, turn_residual(bodies, contacts.contact[k], contacts.turn[k]))
    return worst


@routine
def point_residual(bodies, c):
    """How far one point is from its law, the others as they stand [m/s]."""
    n, t = triple(c.n), triple(c.t)
    u = change_at(bodies.dV, c)
    D = c.K[0] + c.soft
    wish = c.p[0] + (c.ask[0] - n @ u - c.soft * (c.p[0] - c.before)) / D
    normal = abs(c.p[0] - max(c.least, wish)) * D
    u_t, u_s = t @ u - c.ask[1], n.cross(t) @ u - c.ask[2]
    a, b = c.along * c.p[0], c.across * c.p[0]
    x, y = prox_ellipse(c.p[1] - u_t / c.top, c.p[2] - u_s / c.top, a, b)
    return max(normal, math.hypot(c.p[1] - x, c.p[2] - y) * c.top)
