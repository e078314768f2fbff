"""Overlaps of a large heap, four points side by side; see :mod:`gelenk.contact.separate`."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.lanes import APART, BATCHES, FIELDS, FLEXIBLE, GAP, PUSH, R_A, R_B, N
from gelenk.contact.lanes import SPEED as ASKED
from gelenk.contact.options import CORRECTIONS, SHARE, SLOP, SPEED
from gelenk.contact.sweep_lanes import kick, vectors_at, velocities_at
from gelenk.math.pack import LANES, larger, pack_at, put_pack, splat, top_of, where_less


@routine
def separate_in_lanes(contacts, bodies, h):
    """Speeds that take overlaps out, over batches; returns the deepest overlap [m]."""
    lanes, deepest = contacts.lanes, splat(0.0)
    for i in range(lanes.move.shape[0]):
        for k in range(6):
            lanes.move[i, k] = contacts.shift[i, k] + h * bodies.V[i, k]
    zero, slop, most = splat(0.0), splat(contacts.options[SLOP]), splat(contacts.options[SPEED])
    share, rate = splat(contacts.options[SHARE] / h), splat(1.0 / h)
    for j in range(lanes.number[BATCHES]):
        gap = pack_at(lanes.apart, APART * j + GAP) + approach(lanes, j)
        deepest = larger(deepest, -gap)
        speed = share * larger(-gap - slop, zero)
        speed = where_less(speed, most, speed, most)
        put_pack(lanes.apart, APART * j + ASKED, where_less(gap, zero, speed, -gap * rate))
        put_pack(lanes.apart, APART * j + PUSH, zero)
    if top_of(deepest) <= contacts.options[SLOP]:
        return top_of(deepest)
    for i in range(lanes.moves.shape[0]):
        put_pack(lanes.moves, i, zero)
    batches = lanes.number[BATCHES]
    for m in range(int(contacts.options[CORRECTIONS])):
        for i in range(batches):
            part_batch(lanes, batches - 1 - i if m % 2 == 1 else i)
    for i in range(lanes.move.shape[0]):
        for k in range(6):
            contacts.push[i, k] = lanes.move[i, k]
    return top_of(deepest)


@helper
def approach(lanes, j):
    """How far four points move apart along their normals by the moves of their bodies."""
    n, r_a, r_b = (
        vectors_at(lanes.value, FIELDS * j + N),
        vectors_at(lanes.value, FIELDS * j + R_A),
        vectors_at(lanes.value, FIELDS * j + R_B),
    )
    v_a, w_a = velocities_at(lanes, j, 0)
    v_b, w_b = velocities_at(lanes, j, LANES)
    return n @ (v_b - v_a + w_b.cross(r_b) - w_a.cross(r_a))


@helper
def part_batch(lanes, j):
    """Push four points apart as far as they ask for:  p <- max(0, p + (ask - n . u) / K_nn)."""
    at = FIELDS * j
    n, r_a, r_b = vectors_at(lanes.value, at + N), vectors_at(lanes.value, at + R_A), vectors_at(lanes.value, at + R_B)
    v_a, w_a = velocities_at(lanes, j, 0)
    v_b, w_b = velocities_at(lanes, j, LANES)
    u = n @ (v_b - v_a + w_b.cross(r_b) - w_a.cross(r_a))
    before, ask = pack_at(lanes.apart, APART * j + PUSH), pack_at(lanes.apart, APART * j + ASKED)
    p = larger(before + (ask - u) * pack_at(lanes.value, at + FLEXIBLE), splat(0.0))
    d = p - before
    if top_of(larger(d, -d)) > 0.0:
        put_pack(lanes.apart, APART * j + PUSH, p)
        kick(lanes, j, 0, v_a, w_a, r_a, n * -d)
        kick(lanes, j, LANES, v_b, w_b, r_b, n * d)
