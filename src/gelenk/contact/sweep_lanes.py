"""Sweeps over batches of four contacts: :mod:`gelenk.contact.sweep` for four points side by side (V-50, V-83)."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.block import SWEEPS
from gelenk.contact.lanes import (
    ASK,
    BATCHES,
    FIELDS,
    FLEXIBLE,
    IMPULSES,
    K_NN,
    K_NS,
    K_NT,
    MU,
    R_A,
    R_B,
    SLOWER,
    STOP_SS,
    STOP_TS,
    STOP_TT,
    TOP,
    G,
    N,
    P,
    T,
)
from gelenk.contact.options import TOLERANCE
from gelenk.math.pack import (
    LANES,
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
def settle_batch(lanes, j):
    """Solve four points as :func:`gelenk.contact.sweep.settle_contact` does.

    Returns the largest changes of their velocities, and the squares of the changes of their impulses times K_nn.
    """
    value, at, own = lanes.value, FIELDS * j, IMPULSES * j
    n, t, ask = vectors_at(value, at + N), vectors_at(value, at + T), vectors_at(value, at + ASK)
    r_a, r_b, p = vectors_at(value, at + R_A), vectors_at(value, at + R_B), vectors_at(lanes.impulse, own + P)
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
    put_vectors(lanes.impulse, own + G, Vec3(d_n, d_t, d_s))
    d = n * d_n + t * d_t + s * d_s
    kick(lanes, j, 0, v_a, w_a, r_a, -d)
    kick(lanes, j, LANES, v_b, w_b, r_b, d)
    K, slip = pack_at(value, at + K_NN), larger(larger(d_t, -d_t), larger(d_s, -d_s))
    change = larger(larger(d_n, -d_n) * K, slip * pack_at(value, at + TOP))
    return change, (d_n * d_n + d_t * d_t + d_s * d_s) * K


@helper
def friction_of_four(lanes, at, p_n, x, y, u_t, u_s):
    """New tangent impulses: those that stop the points, or one step of the projection on the discs mu p_n."""
    value = lanes.value
    a, inner = pack_at(value, at + MU) * p_n, pack_at(value, at + STOP_TS)
    X = x - (pack_at(value, at + STOP_TT) * u_t + inner * u_s)
    Y = y - (pack_at(value, at + STOP_SS) * u_s + inner * u_t)
    slower = pack_at(value, at + SLOWER)
    x, y = x - u_t * slower, y - u_s * slower
    length = root(x * x + y * y)
    share = where_less(a, length, a / larger(length, splat(TINY)), splat(1.0))
    square, most = X * X + Y * Y, a * a
    return where_less(most, square, x * share, X), where_less(most, square, y * share, Y)


@routine
def sweep_batches(lanes, back):
    """Every batch once; the largest change of a velocity [m/s], and the square of the changes of impulses."""
    batches, change, square = lanes.number[BATCHES], splat(0.0), splat(0.0)
    for i in range(batches):
        one, two = settle_batch(lanes, batches - 1 - i if back else i)
        change, square = larger(change, one), square + two
    return top_of(change), sum_of(square)


@routine
def sweep_in_lanes(contacts, bodies, most):
    """At most so many sweeps over batches, as :func:`gelenk.contact.conjugate.sweep_on` does one by one."""
    lanes = contacts.lanes
    fetch_moves(lanes, bodies.dV)
    before, largest = 0.0, 0.0
    for m in range(most):
        contacts.number[SWEEPS] += 1
        largest, square = sweep_batches(lanes, m % 2 == 1)
        if largest <= contacts.options[TOLERANCE] or m + 1 == most:
            break
        beta = square / before if before > 0.0 else 0.0
        before = square
        lead_on(lanes, beta if beta <= 1.0 else 0.0)
    hand_back(lanes, contacts.contact, bodies.dV)
    return largest


@routine
def lead_on(lanes, beta):
    """Go on along the trend:  s <- g + beta s,  p <- p + beta s  with s as it was; the same for the velocities."""
    share, impulse, trend = splat(beta), lanes.impulse, lanes.trend
    for j in range(lanes.number[BATCHES]):
        p, g, s = vectors_at(impulse, IMPULSES * j + P), vectors_at(impulse, IMPULSES * j + G), vectors_at(trend, 3 * j)
        s = s * share
        put_vectors(trend, 3 * j, g + s)
        put_vectors(impulse, IMPULSES * j + P, p + s)
    for i in range(lanes.moves.shape[0]):
        v, s = pack_at(lanes.moves, i), pack_at(lanes.lead, i) * share
        put_pack(lanes.lead, i, v - pack_at(lanes.last, i) + s)
        put_pack(lanes.moves, i, v + s)
        put_pack(lanes.last, i, v + s)


@helper
def fetch_moves(lanes, dV):
    """Begin with changes of velocity, and no trend."""
    for i in range(dV.shape[0]):
        for k in range(6):
            lanes.move[i, k] = dV[i, k]
        lanes.move[i, 6] = lanes.move[i, 7] = 0.0
    zero = splat(0.0)
    for i in range(lanes.moves.shape[0]):
        put_pack(lanes.last, i, pack_at(lanes.moves, i))
        put_pack(lanes.lead, i, zero)
    for i in range(3 * lanes.number[BATCHES]):
        put_pack(lanes.trend, i, zero)


@helper
def hand_back(lanes, contact, dV):
    """Impulses and changes of velocity to where the rest of the step finds them."""
    for i in range(dV.shape[0]):
        for k in range(6):
            dV[i, k] = lanes.move[i, k]
    for j in range(lanes.number[BATCHES]):
        for m in range(LANES):
            k = lanes.place[j, m]
            if k != NONE:
                for i in range(3):
                    contact[k].p[i] = lanes.impulse[IMPULSES * j + P + i, m]
