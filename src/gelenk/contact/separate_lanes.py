"""Overlaps of a large heap, four points side by side; see :mod:`gelenk.contact.separate`."""

from __future__ import annotations

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.lanes import AHEAD, APART, FAR, FIELDS, FLEXIBLE, GAP, PHASES, PUSH, R_A, R_B, N
from gelenk.contact.lanes import SPEED as ASKED
from gelenk.contact.options import CORRECTIONS, SHARE, SLOP, SPEED
from gelenk.contact.sweep_lanes import NEXT, fetch_bodies, kick, vectors_at, velocities_at
from gelenk.contact.teams import APART as APART_TASK
from gelenk.contact.teams import ASK_APART, share_out
from gelenk.math.pack import LANES, fetch_row, larger, pack_at, put_pack, splat, top_of, where_less


@routine
def separate_in_lanes(contacts, heap, bodies, h):
    """Speeds that take overlaps of a heap out, over its batches; returns the deepest overlap [m]."""
    lanes, deepest = contacts.lanes, 0.0
    for i in range(heap.first, heap.last):
        node = contacts.sky.node[i]
        flies = 0.5 * h * h if contacts.touched[node] == 0 else 0.0  # on a parabola, see gelenk.contact.separate
        for k in range(6):
            lanes.move[node, k] = contacts.shift[node, k] + h * bodies.V[node, k]
            if k < 3:
                lanes.move[node, k] -= flies * contacts.load[node, k]
    share_out(contacts, heap, bodies, ASK_APART, heap.phase[0], heap.phase[PHASES], h, 0)
    for g in range(heap.phase[0], heap.phase[PHASES]):
        deepest = max(deepest, lanes.group[g].figure)
    if deepest <= contacts.options[SLOP]:
        return deepest
    for i in range(heap.first, heap.last):
        for k in range(6):
            lanes.move[contacts.sky.node[i], k] = 0.0
    for m in range(int(contacts.options[CORRECTIONS])):
        back = m % 2
        for p in range(PHASES):
            q = PHASES - 1 - p if back == 1 else p
            share_out(contacts, heap, bodies, APART_TASK, heap.phase[q], heap.phase[q + 1], h, back)
    for i in range(heap.first, heap.last):
        node = contacts.sky.node[i]
        for k in range(6):
            contacts.push[node, k] = lanes.move[node, k]
    return deepest


@routine
def ask_apart_part(g, contacts, bodies, heap, h, back):
    """Speeds that the points of a group ask for, and no impulse to begin with; notes the deepest overlap."""
    lanes, deepest, zero = contacts.lanes, splat(0.0), splat(0.0)
    slop, most = splat(contacts.options[SLOP]), splat(contacts.options[SPEED])
    share, rate = splat(contacts.options[SHARE] / h), splat(1.0 / h)
    for j in range(lanes.group[g].batch_first, lanes.group[g].batch_last):
        gap = pack_at(lanes.apart, APART * j + GAP) + approach(lanes, j)
        deepest = larger(deepest, -gap)
        speed = share * larger(-gap - slop, zero)
        speed = where_less(speed, most, speed, most)
        put_pack(lanes.apart, APART * j + ASKED, where_less(gap, zero, speed, -gap * rate))
        put_pack(lanes.apart, APART * j + PUSH, zero)
    lanes.group[g].figure = top_of(deepest)
    return np.int64(0)


@routine
def apart_part(g, contacts, bodies, heap, h, back):
    """The batches of a group once."""
    lanes = contacts.lanes
    group, far, way = lanes.group[g], lanes.number[0] > FAR, -1 if back == 1 else 1
    for i in range(group.batch_first, group.batch_last):
        j = group.batch_first + group.batch_last - 1 - i if back == 1 else i
        if far or back == 1:
            fetch_overlaps(lanes, j + AHEAD * way)
        if far:
            fetch_bodies(lanes, min(max(j + NEXT * way, group.batch_first), group.batch_last - 1))
        part_batch(lanes, j)
    return np.int64(0)


@helper
def fetch_overlaps(lanes, j):
    """Have what overlaps need of a batch brought near; see :func:`gelenk.contact.sweep_lanes.fetch_batch`."""
    for k in range(0, FLEXIBLE + 1, 2):
        fetch_row(lanes.value, FIELDS * j + k)
    fetch_row(lanes.apart, APART * j + ASKED)
    fetch_row(lanes.node, j)


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
