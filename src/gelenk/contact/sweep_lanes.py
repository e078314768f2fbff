"""Sweeps over batches of four contacts: :mod:`gelenk.contact.sweep` for four points side by side (V-50, V-83)."""

from __future__ import annotations

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.lanes import (
    AHEAD,
    ASK,
    CHANGE,
    FAR,
    FIELDS,
    FLEXIBLE,
    IMPULSES,
    K_NN,
    K_NS,
    K_NT,
    MU,
    PHASES,
    R_A,
    R_B,
    SLOWER,
    STOP_SS,
    STOP_TS,
    STOP_TT,
    TOP,
    TREND,
    N,
    P,
    T,
)
from gelenk.contact.options import TOLERANCE
from gelenk.contact.teams import HAND_BACK, LEAD, RESIDUAL, SWEEP, share_out, stretch, stretches
from gelenk.math.pack import (
    LANES,
    fetch_row,
    larger,
    pack_at,
    put_pack,
    put_rows,
    root,
    rows_at,
    splat,
    sum_of,
    top_of,
    where_less,
)
from gelenk.math.vec3 import Vec3
from gelenk.rows.block import NONE

NEXT = 2  # batches ahead of which bodies are brought near: when their numbers are there
TINY = 1e-300  # where nothing is to be divided by zero


@helper
def vectors_at(array, i):
    """Four vectors from three packs."""
    return Vec3(pack_at(array, i), pack_at(array, i + 1), pack_at(array, i + 2))


@helper
def put_vectors(array, i, v):
    """Store four vectors."""
    put_pack(array, i, v.x)
    put_pack(array, i + 1, v.y)
    put_pack(array, i + 2, v.z)


@helper
def velocities_at(lanes, j, side):
    """Linear and angular velocity of the four bodies on one side of a batch."""
    a, b, c, d = rows_at(lanes.move, lanes.node, j, side, 0)
    e, f, _, _ = rows_at(lanes.move, lanes.node, j, side, LANES)
    return Vec3(a, b, c), Vec3(d, e, f)


@helper
def kick(lanes, j, side, v, w, r, p):
    """Let impulses p act on the four bodies of one side, at r from their centres:  v + p / m,  w + I^-1 (r x p)."""
    s, xx, yy, zz = rows_at(lanes.weight, lanes.node, j, side, 0)
    xy, xz, yz, zero = rows_at(lanes.weight, lanes.node, j, side, LANES)
    m, v = r.cross(p), v + p * s
    x, y, z = xx * m.x + xy * m.y + xz * m.z, xy * m.x + yy * m.y + yz * m.z, xz * m.x + yz * m.y + zz * m.z
    put_rows(lanes.move, lanes.node, j, side, 0, v.x, v.y, v.z, w.x + x)
    put_rows(lanes.move, lanes.node, j, side, LANES, w.y + y, w.z + z, zero, zero)


@helper
def settle_batch(lanes, j, share):
    """Solve four points as :func:`gelenk.contact.sweep.settle_contact` does, after a step along their trend.

    Returns the largest changes of their velocities, and the squares of the changes of their impulses times K_nn.
    """
    value, at, own = lanes.value, FIELDS * j, IMPULSES * j
    n, t, ask = vectors_at(value, at + N), vectors_at(value, at + T), vectors_at(value, at + ASK)
    r_a, r_b, p = vectors_at(value, at + R_A), vectors_at(value, at + R_B), led_on(lanes.impulse, own, share)
    v_a, w_a = velocities_at(lanes, j, 0)
    v_b, w_b = velocities_at(lanes, j, LANES)
    s, u = n.cross(t), v_b - v_a + w_b.cross(r_b) - w_a.cross(r_a)
    p_n = larger(p.x + (ask.x - n @ u) * pack_at(value, at + FLEXIBLE), splat(0.0))
    d_n = p_n - p.x
    u_t = t @ u - ask.y + pack_at(value, at + K_NT) * d_n
    u_s = s @ u - ask.z + pack_at(value, at + K_NS) * d_n
    p_t, p_s = friction_of_four(lanes, at, p_n, p.y, p.z, u_t, u_s)
    d_t, d_s = p_t - p.y, p_s - p.z
    put_vectors(lanes.impulse, own + P, Vec3(p_n, p_t, p_s))
    put_vectors(lanes.impulse, own + CHANGE, Vec3(d_n, d_t, d_s))
    d = n * d_n + t * d_t + s * d_s
    kick(lanes, j, 0, v_a, w_a, r_a, -d)
    kick(lanes, j, LANES, v_b, w_b, r_b, d)
    K, slip = pack_at(value, at + K_NN), larger(larger(d_t, -d_t), larger(d_s, -d_s))
    change = larger(larger(d_n, -d_n) * K, slip * pack_at(value, at + TOP))
    return change, (d_n * d_n + d_t * d_t + d_s * d_s) * K


@helper
def led_on(impulse, at, share):
    """Impulses of a batch, and their trend:  s <- g + beta s,  p <- p + beta s  with s as it was."""
    s = vectors_at(impulse, at + TREND) * share
    put_vectors(impulse, at + TREND, vectors_at(impulse, at + CHANGE) + s)
    return vectors_at(impulse, at + P) + s


@helper
def friction_of_four(lanes, at, p_n, x, y, u_t, u_s):
    """New tangent impulses: those that stop the points, or one step of the projection on the discs mu p_n."""
    value = lanes.value
    a, inner = pack_at(value, at + MU) * p_n, pack_at(value, at + STOP_TS)
    X = x - (pack_at(value, at + STOP_TT) * u_t + inner * u_s)
    Y = y - (pack_at(value, at + STOP_SS) * u_s + inner * u_t)
    slower = pack_at(value, at + SLOWER)
    x, y = project(a, x - u_t * slower, y - u_s * slower)
    square, most = X * X + Y * Y, a * a
    return where_less(most, square, x, X), where_less(most, square, y, Y)


@helper
def project(a, x, y):
    """Nearest points of discs of radius a."""
    length = root(x * x + y * y)
    share = where_less(a, length, a / larger(length, splat(TINY)), splat(1.0))
    return x * share, y * share


@routine
def sweep_part(g, contacts, bodies, heap, beta, back):
    """The batches of a group once, the impulses led on by beta times their trend.

    Notes the largest change of a velocity [m/s], and the square of the changes of impulses.
    """
    lanes = contacts.lanes
    group, change, square, share = lanes.group[g], splat(0.0), splat(0.0), splat(beta)
    far, way = lanes.number[0] > FAR, -1 if back == 1 else 1
    for i in range(group.batch_first, group.batch_last):
        j = group.batch_first + group.batch_last - 1 - i if back == 1 else i
        if far or back == 1:
            fetch_batch(lanes, j + AHEAD * way)
        if far:
            fetch_bodies(lanes, min(max(j + NEXT * way, group.batch_first), group.batch_last - 1))
        one, two = settle_batch(lanes, j, share)
        change, square = larger(change, one), square + two
    group.figure, group.square = top_of(change), sum_of(square)
    return np.int64(0)


@helper
def fetch_batch(lanes, j):
    """Have a batch brought near: processors foresee only ways ahead, and these from one page of memory to the next."""
    for k in range(0, FIELDS, 2):
        fetch_row(lanes.value, FIELDS * j + k)
    for k in range(0, IMPULSES, 2):
        fetch_row(lanes.impulse, IMPULSES * j + k)
    fetch_row(lanes.node, j)


@helper
def fetch_bodies(lanes, j):
    """Have the bodies of a batch brought near."""
    for m in range(2 * LANES):
        fetch_row(lanes.move, np.int64(lanes.node[j, m]))
        fetch_row(lanes.weight, np.int64(lanes.node[j, m]))


@routine
def sweep_in_lanes(contacts, heap, bodies, most):
    """At most so many sweeps over the batches of a heap, as :func:`gelenk.contact.conjugate.sweep_on` one by one."""
    lanes = contacts.lanes
    fetch_moves(contacts, heap, bodies.dV)
    before, largest, beta = 0.0, 0.0, 0.0
    for m in range(most):
        back = m % 2
        for p in range(PHASES):
            q = PHASES - 1 - p if back == 1 else p
            share_out(contacts, heap, bodies, SWEEP, heap.phase[q], heap.phase[q + 1], beta, back)
        heap.sweeps += 1
        largest, square = 0.0, 0.0
        for g in range(heap.phase[0], heap.phase[PHASES]):
            largest, square = max(largest, lanes.group[g].figure), square + lanes.group[g].square
        if largest <= contacts.options[TOLERANCE] or m + 1 == most:
            break
        beta = square / before if before > 0.0 else 0.0
        before, beta = square, beta if beta <= 1.0 else 0.0
        share_out(contacts, heap, bodies, LEAD, 0, stretches(heap), beta, back)
    hand_back(contacts, heap, bodies)
    return largest


@routine
def lead_part(part, contacts, bodies, heap, beta, back):
    """What the next sweep's step along the trend does to the velocities of a stretch of bodies."""
    lanes, share = contacts.lanes, splat(beta)
    first, last = stretch(contacts.heaps.item[heap], part)
    for k in range(first, last):
        node = np.int64(contacts.sky.node[k])
        for i in range(2 * node, 2 * node + 2):
            v, s = pack_at(lanes.moves, i), pack_at(lanes.lead, i) * share
            put_pack(lanes.lead, i, v - pack_at(lanes.last, i) + s)
            put_pack(lanes.moves, i, v + s)
            put_pack(lanes.last, i, v + s)
    return np.int64(0)


@helper
def fetch_moves(contacts, heap, dV):
    """Begin with changes of velocity, and no trend.

    The first two sweeps follow none (their beta is 0), so what batches still hold of one, always a number, dies out.
    """
    lanes, zero = contacts.lanes, splat(0.0)
    for k in range(heap.first, heap.last):
        node = np.int64(contacts.sky.node[k])
        for j in range(6):
            lanes.move[node, j] = dV[node, j]
        lanes.move[node, 6] = lanes.move[node, 7] = 0.0
        for i in range(2 * node, 2 * node + 2):
            put_pack(lanes.last, i, pack_at(lanes.moves, i))
            put_pack(lanes.lead, i, zero)


@helper
def hand_back(contacts, heap, bodies):
    """Impulses and changes of velocity to where the rest of the step finds them."""
    lanes = contacts.lanes
    for k in range(heap.first, heap.last):
        node = contacts.sky.node[k]
        for j in range(6):
            bodies.dV[node, j] = lanes.move[node, j]
    share_out(contacts, heap, bodies, HAND_BACK, heap.phase[0], heap.phase[PHASES], 0.0, 0)


@routine
def hand_back_part(g, contacts, bodies, heap, x, back):
    """The impulses of a group."""
    lanes = contacts.lanes
    for j in range(lanes.group[g].batch_first, lanes.group[g].batch_last):
        for m in range(LANES):
            k = lanes.place[j, m]
            if k != NONE:
                for i in range(3):
                    contacts.contact[k].p[i] = lanes.impulse[IMPULSES * j + P + i, m]
    return np.int64(0)


@routine
def residual_in_lanes(contacts, heap, bodies):
    """How far impulses are from their solution [m/s]; see :func:`gelenk.contact.sweep.contact_residual`."""
    share_out(contacts, heap, bodies, RESIDUAL, heap.phase[0], heap.phase[PHASES], 0.0, 0)
    worst = 0.0
    for g in range(heap.phase[0], heap.phase[PHASES]):
        worst = max(worst, contacts.lanes.group[g].figure)
    return worst


@routine
def residual_part(g, contacts, bodies, heap, x, back):
    """The residual of a group."""
    lanes, worst = contacts.lanes, splat(0.0)
    for j in range(lanes.group[g].batch_first, lanes.group[g].batch_last):
        worst = larger(worst, residual_of_batch(lanes, j))
    lanes.group[g].figure = top_of(worst)
    return np.int64(0)


@helper
def residual_of_batch(lanes, j):
    """Those of four points."""
    value, at = lanes.value, FIELDS * j
    n, t, ask = vectors_at(value, at + N), vectors_at(value, at + T), vectors_at(value, at + ASK)
    r_a, r_b = vectors_at(value, at + R_A), vectors_at(value, at + R_B)
    p = vectors_at(lanes.impulse, IMPULSES * j + P)
    v_a, w_a = velocities_at(lanes, j, 0)
    v_b, w_b = velocities_at(lanes, j, LANES)
    u = v_b - v_a + w_b.cross(r_b) - w_a.cross(r_a)
    d_n = p.x - larger(p.x + (ask.x - n @ u) * pack_at(value, at + FLEXIBLE), splat(0.0))
    slower = pack_at(value, at + SLOWER)
    x, y = project(
        pack_at(value, at + MU) * p.x,
        p.y - (t @ u - ask.y) * slower,
        p.z - (n.cross(t) @ u - ask.z) * slower,
    )
    slip = root((p.y - x) * (p.y - x) + (p.z - y) * (p.z - y))
    return larger(larger(d_n, -d_n) * pack_at(value, at + K_NN), slip * pack_at(value, at + TOP))
