"""Contacts of a large heap in batches of four that share no moving body, so that four are solved side by side.

What sweeps read of a contact lies in packs, a batch after the other in the order of sweeps: rows of four numbers, one
for each contact of the batch. Bodies have rows of eight numbers, so that those of four bodies are turned into packs by
few instructions. See :mod:`gelenk.math.pack`. A very large heap is cut into slabs, whose contacts are batched and swept
by themselves; see :mod:`gelenk.contact.slabs`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.math.pack import LANES, fetch_row
from gelenk.math.rotation import get33
from gelenk.rows.block import NONE, records, zeros_in_lines

MANY = 128  # contacts from which on it is worth while
WINDOW = 32  # batches that are open at a time
PHASES = 4  # sets of slabs that are swept one after the other
AHEAD = 4  # batches and contacts that are brought near before their turn
FAR = 3000  # batches for which there is room from which on they come from beyond the second cache
BINS = 512  # along the axis that slabs are cut across

# rows of packs of a batch
N, T, R_A, R_B, ASK = 0, 3, 6, 9, 12
FLEXIBLE, K_NT, K_NS = 15, 16, 17  # 1 / K_nn; what a normal impulse does along the tangents
STOP_TT, STOP_TS, STOP_SS = 18, 19, 20  # inverse of the tangent part of K
SLOWER, MU, K_NN, TOP = 21, 22, 23, 24  # 1 / top; coefficient of friction
FIELDS = 25
P, CHANGE, TREND, IMPULSES = 0, 3, 6, 9  # impulse, its change in the last sweep, the trend before it
GAP, SPEED, PUSH, APART = 0, 1, 2, 3  # d, speed asked for where points overlap, its impulse

GROUP = np.dtype(
    [
        ("point_first", "i8"),  # contacts in the order of heaps
        ("point_last", "i8"),
        ("batch_first", "i8"),  # their batches
        ("batch_last", "i8"),
        ("fits", "i8"),  # whether batches are full enough
        ("figure", "f8"),  # largest change of a velocity, residual or depth of an overlap
        ("square", "f8"),  # of the changes of impulses
    ]
)


class ContactLanes(NamedTuple):
    """Contacts in batches, and the bodies as the batches see them."""

    value: np.ndarray  # (room FIELDS, 4)
    impulse: np.ndarray  # (room IMPULSES, 4)
    apart: np.ndarray  # (room APART, 4)
    node: np.ndarray  # (room, 8) uint32 bodies a of four contacts, then bodies b
    place: np.ndarray  # (room, 4) uint32 which contacts they are, or NONE
    filled: np.ndarray  # (room,) uint32 how many there are
    mark: np.ndarray  # (n,) int64 bit set of the open batches that a node is in
    weight: np.ndarray  # (n, 8) 1/m, I^-1 as xx yy zz xy xz yz, 0
    move: np.ndarray  # (n, 8) change of velocity, 0 0
    moves: np.ndarray  # (2 n, 4) the same memory
    last: np.ndarray  # (2 n, 4) before a sweep
    lead: np.ndarray  # (2 n, 4) what the trend does
    group: np.ndarray  # GROUP
    slab: np.ndarray  # (n,) uint32 of a node
    bin: np.ndarray  # (BINS,) int64 contacts there, then its slab
    centre: np.ndarray  # (n, 3) of the bodies, world [m]
    which: np.ndarray  # (capacity,) uint32 group of a contact, in the order of heaps
    sorted: np.ndarray  # (capacity,) uint32 contacts by group
    number: np.ndarray  # (2,) int64 batches and groups in use


def new_lanes(capacity: int, nodes: int) -> ContactLanes:
    """Room for so many contacts: most of four in a batch, and some batches of each group not full."""
    room, move = 3 * capacity // 4 + 4 * WINDOW, zeros_in_lines((nodes, 2 * LANES))
    return ContactLanes(
        zeros_in_lines((room * FIELDS, LANES)),
        zeros_in_lines((room * IMPULSES, LANES)),
        zeros_in_lines((room * APART, LANES)),
        zeros_in_lines((room, 2 * LANES), np.uint32),
        np.zeros((room, LANES), np.uint32),
        np.zeros(room, np.uint32),
        np.zeros(nodes, np.int64),
        zeros_in_lines((nodes, 2 * LANES)),
        move,
        move.reshape(-1, LANES),
        zeros_in_lines((2 * nodes, LANES)),
        zeros_in_lines((2 * nodes, LANES)),
        records(GROUP, capacity // MANY + 4 * PHASES),
        np.zeros(nodes, np.uint32),
        np.zeros(BINS, np.int64),
        np.zeros((nodes, 3)),
        np.zeros(capacity, np.uint32),
        np.zeros(capacity, np.uint32),
        np.zeros(2, np.int64),
    )


@helper
def room_of(count):
    """Batches that so many contacts may take; more are not worth while."""
    return min(count, count // 2 + WINDOW)


@routine
def batch_group(contacts, group, bodies):
    """Put the contacts of a group into batches; ``fits`` says whether there was room and all are plain.

    Each goes to the first open batch that has neither of its moving bodies. At place w of the window is the newest
    batch whose number is w, modulo the window.
    """
    lanes, points, ends, inv_mass = contacts.lanes, contacts.heaps.points, contacts.ends, bodies.inv_mass
    for i in range(group.point_first, group.point_last):
        for e in range(2):
            node = ends[points[i], e]
            if inv_mass[node] == 0.0:
                hold_still(lanes, bodies, node)
            else:
                lanes.mark[node] = 0
    room, made, free = room_of(group.point_last - group.point_first), 0, 0
    group.fits = 0
    for i in range(group.point_first, group.point_last):
        c, busy = contacts.contact[points[i]], 0
        fetch_row(contacts.contact, points[min(i + AHEAD, group.point_last - 1)])
        if not is_plain(c):
            return
        a_moves, b_moves = inv_mass[c.a] > 0.0, inv_mass[c.b] > 0.0
        if a_moves:
            busy |= lanes.mark[c.a]
        if b_moves:
            busy |= lanes.mark[c.b]
        fits = free & ~busy
        if fits == 0:
            if made == room:
                return
            w = made % WINDOW
            if free >> w & 1 == 1:
                close_batch(lanes, group.batch_first + made - WINDOW, w, inv_mass)
            lanes.filled[group.batch_first + made] = 0
            made += 1
            free |= 1 << w
        else:
            w = 0
            while fits >> w & 1 == 0:
                w += 1
        j = group.batch_first + made - 1 - (made - 1 - w) % WINDOW
        m = int(lanes.filled[j])
        fill_lane(lanes, c, points[i], j, m)
        if a_moves:
            lanes.mark[c.a] |= 1 << w
        if b_moves:
            lanes.mark[c.b] |= 1 << w
        lanes.filled[j] = m + 1
        if m + 1 == LANES:
            close_batch(lanes, j, w, inv_mass)
            free &= ~(1 << w)
    group.batch_last, group.fits = group.batch_first + made, 1
    for j in range(group.batch_first, group.batch_last):
        for m in range(int(lanes.filled[j]), LANES):
            leave_empty(lanes, j, m)


@helper
def is_plain(c):
    """Whether a contact is rigid and has the same friction all around."""
    return c.soft == 0.0 and c.along == c.across


@helper
def close_batch(lanes, j, w, inv_mass):
    """Batch j at place w of the window takes no more."""
    for m in range(int(lanes.filled[j])):
        for i in (lanes.node[j, m], lanes.node[j, LANES + m]):
            if inv_mass[i] > 0.0:
                lanes.mark[i] &= ~(1 << w)


@helper
def fill_lane(lanes, c, k, j, m):
    """Contact k as lane m of batch j."""
    value, at = lanes.value, FIELDS * j
    lanes.node[j, m], lanes.node[j, LANES + m], lanes.place[j, m] = c.a, c.b, k
    for i in range(3):
        value[at + N + i, m], value[at + T + i, m] = c.n[i], c.t[i]
        value[at + R_A + i, m], value[at + R_B + i, m] = c.r_a[i], c.r_b[i]
        value[at + ASK + i, m], lanes.impulse[IMPULSES * j + P + i, m] = c.ask[i], c.p[i]
    one = 1.0 / (c.K[3] * c.K[5] - c.K[4] * c.K[4])
    value[at + FLEXIBLE, m], value[at + K_NT, m], value[at + K_NS, m] = 1.0 / c.K[0], c.K[1], c.K[2]
    value[at + STOP_TT, m], value[at + STOP_TS, m], value[at + STOP_SS, m] = c.K[5] * one, -c.K[4] * one, c.K[3] * one
    value[at + SLOWER, m], value[at + MU, m], value[at + K_NN, m] = 1.0 / c.top, c.along, c.K[0]
    value[at + TOP, m], lanes.apart[APART * j + GAP, m] = c.top, c.d


@helper
def leave_empty(lanes, j, m):
    """A lane without a contact: nothing moves the world."""
    for i in range(FIELDS):
        lanes.value[FIELDS * j + i, m] = 0.0
    for i in range(IMPULSES):
        lanes.impulse[IMPULSES * j + i, m] = 0.0
    lanes.apart[APART * j + GAP, m] = 0.0
    lanes.node[j, m] = lanes.node[j, LANES + m] = 0
    lanes.place[j, m] = NONE


@helper
def hold_still(lanes, bodies, i):
    """A body that nothing moves, be it fixed or asleep.

    All groups that touch it would write the same; only the first does, since what several threads write wanders from
    one processor to the other.
    """
    for j in range(6):
        if lanes.move[i, j] != 0.0:
            lanes.move[i, j] = 0.0
    for j in range(7):
        if lanes.weight[i, j] != 0.0:
            weigh_body(lanes, bodies, i)
            return


@helper
def weigh_body(lanes, bodies, i):
    """What an impulse does to a body."""
    A, out = get33(bodies.inv_inertia_W, i), lanes.weight
    out[i, 0], out[i, 1], out[i, 2], out[i, 3] = bodies.inv_mass[i], A.xx, A.yy, A.zz
    out[i, 4], out[i, 5], out[i, 6] = A.xy, A.xz, A.yz
