"""A very large heap cut into slabs, so that its contacts can be swept side by side and stay in the cache.

Bodies are put into slabs along the longest side of the heap, each with about as many contacts. Contacts within a slab,
and those between two neighbours, make a group. Groups of one phase share no moving body, so the order in which they are
swept does not change a bit, be it one after the other or at the same time:

    phase 0    within slabs 0, 1, 2, ...
    phase 1    between 0 and 1, 2 and 3, ...
    phase 2    between 1 and 2, 3 and 4, ...
    phase 3    all others: bodies that reach farther than their neighbours

A heap of ordinary size is one group. How many slabs there are depends on the heap alone, not on the machine.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import TURNS
from gelenk.contact.heaps import FRESH, NEVER, NOT
from gelenk.contact.lanes import BINS, MANY, PHASES, batch_group, room_of, weigh_body
from gelenk.contact.teams import BATCH, GROUP, WEIGH, piece, pieces, share_out, stretch, stretches

SLAB = 2048  # contacts of a slab
MOST = 64  # slabs
FEW = 8  # one of so many contacts may be of the last phase


@routine
def batch_heap(contacts, heap, bodies):
    """Put the contacts of a heap into batches, group by group; whether it is worth while.

    Soft points, those with a grain and those with couples are left to sweeps one by one, and so is a heap in which most
    contacts share a body.
    """
    lanes = contacts.lanes
    if heap.in_lanes == NEVER or (heap.in_lanes == NOT and not plan_batches(contacts, heap, bodies)):
        heap.in_lanes = NEVER
        return False
    heap.in_lanes = NEVER
    for p in range(PHASES):
        share_out(contacts, heap, bodies, BATCH, heap.phase[p], heap.phase[p + 1], 0.0, 0)
    for g in range(heap.phase[0], heap.phase[PHASES]):
        if lanes.group[g].fits == 0:
            return False
    share_out(contacts, heap, bodies, WEIGH, 0, stretches(heap), 0.0, 0)
    heap.in_lanes = FRESH
    return True


@routine
def plan_batches(contacts, heap, bodies):
    """Groups of a heap, and room for their batches; whether batches are worth while."""
    lanes, points, count = contacts.lanes, contacts.heaps.points, heap.point_last - heap.point_first
    if count < MANY:
        return False
    if contacts.number[TURNS] > 0:
        for i in range(heap.point_first, heap.point_last):
            if contacts.turn[points[i]].on == 1:
                return False
    slabs = min(count // SLAB, MOST)
    while slabs > 1 and not cut(contacts, heap, slabs, bodies):
        slabs //= 2
    if slabs <= 1:
        one_group(lanes, heap)
    at = lanes.number[0]
    for g in range(heap.phase[0], heap.phase[PHASES]):
        group = lanes.group[g]
        group.batch_first = group.batch_last = at
        at += room_of(group.point_last - group.point_first)
    if at > lanes.filled.shape[0]:
        return False
    lanes.number[0], lanes.number[1] = at, heap.phase[PHASES]
    return True


@routine
def batch_part(g, contacts, bodies, heap, x, back):
    """One group."""
    batch_group(contacts, contacts.lanes.group[g], bodies)
    return np.int64(0)


@routine
def weigh_part(part, contacts, bodies, heap, x, back):
    """Masses of some bodies of a heap."""
    first, last = stretch(contacts.heaps.item[heap], part)
    for i in range(first, last):
        weigh_body(contacts.lanes, bodies, contacts.sky.node[i])
    return np.int64(0)


@helper
def one_group(lanes, heap):
    """All contacts together."""
    first = lanes.number[1]
    group = lanes.group[first]
    group.point_first, group.point_last = heap.point_first, heap.point_last
    heap.phase[0] = first
    for p in range(PHASES):
        heap.phase[p + 1] = first + 1


@routine
def cut(contacts, heap, slabs, bodies):
    """Sort the contacts of a heap by groups of so many slabs; whether nearly all bodies reach no farther than one."""
    lanes, points, first = contacts.lanes, contacts.heaps.points, contacts.lanes.number[1]
    if first + 2 * slabs > lanes.group.shape[0]:
        return False
    put_in_slabs(contacts, heap, slabs)
    for g in range(2 * slabs):
        lanes.group[first + g].point_last = 0
    share_out(contacts, heap, bodies, GROUP, 0, pieces(heap.point_last - heap.point_first), 0.0, slabs)
    for i in range(heap.point_first, heap.point_last):
        lanes.group[lanes.which[i]].point_last += 1
    if FEW * lanes.group[first + 2 * slabs - 1].point_last > heap.point_last - heap.point_first:
        return False
    at = heap.point_first
    for g in range(first, first + 2 * slabs):
        group = lanes.group[g]
        group.point_first, at = at, at + group.point_last
        group.point_last = group.point_first
    for i in range(heap.point_first, heap.point_last):
        group = lanes.group[lanes.which[i]]
        lanes.sorted[group.point_last] = points[i]
        group.point_last += 1
    for i in range(heap.point_first, heap.point_last):
        points[i] = lanes.sorted[i]
    heap.phase[0], heap.phase[1] = first, first + slabs
    heap.phase[2], heap.phase[3] = first + slabs + slabs // 2, first + 2 * slabs - 1
    heap.phase[4] = first + 2 * slabs
    return True


@routine
def group_part(part, contacts, bodies, heap, x, slabs):
    """Groups of some contacts of a heap."""
    lanes, heaps = contacts.lanes, contacts.heaps
    begin = heaps.item[heap].point_first
    first, last = piece(heaps.item[heap].point_last - begin, part)
    for i in range(begin + first, begin + last):
        lanes.which[i] = lanes.number[1] + group_of(lanes, contacts.ends, heaps.points[i], slabs, bodies.inv_mass)
    return np.int64(0)


@helper
def group_of(lanes, ends, k, slabs, inv_mass):
    """Number of the group of a contact: slabs, pairs (0, 1), (2, 3), ..., pairs (1, 2), (3, 4), ..., others."""
    a, b = ends[k, 0], ends[k, 1]
    if inv_mass[a] == 0.0 or inv_mass[b] == 0.0:
        return int(lanes.slab[b if inv_mass[a] == 0.0 else a])
    i, j = int(lanes.slab[a]), int(lanes.slab[b])
    low, high = min(i, j), max(i, j)
    if low == high:
        return low
    if high > low + 1:
        return 2 * slabs - 1
    return slabs + low // 2 if low % 2 == 0 else slabs + slabs // 2 + low // 2


@routine
def put_in_slabs(contacts, heap, slabs):
    """Slab of every body of a heap, by its centre along the longest side, so that all have as many neighbours.

    Bodies are counted in bins, not sorted.
    """
    lanes, sky = contacts.lanes, contacts.sky
    axis, low, size = longest_side(lanes, sky, heap)
    for b in range(BINS):
        lanes.bin[b] = 0
    total, so_far = np.int64(0), np.int64(0)
    for i in range(heap.first, heap.last):
        node = sky.node[i]
        b = min(max(int((lanes.centre[node, axis] - low) / size * BINS), 0), BINS - 1)
        near = sky.degree[node + 1] - sky.degree[node]
        lanes.slab[node], total = b, total + near
        lanes.bin[b] += near
    for b in range(BINS):
        here = lanes.bin[b]
        lanes.bin[b] = min(slabs - 1, (so_far + here // 2) * slabs // total)
        so_far += here
    for i in range(heap.first, heap.last):
        lanes.slab[sky.node[i]] = lanes.bin[lanes.slab[sky.node[i]]]


@helper
def longest_side(lanes, sky, heap):
    """Axis along which the bodies of a heap reach farthest, where they begin and how far they reach [m]."""
    best, axis, begin = 0.0, 0, 0.0
    for k in range(3):
        low, high = math.inf, -math.inf
        for i in range(heap.first, heap.last):
            x = lanes.centre[sky.node[i], k]
            low, high = min(low, x), max(high, x)
        if high - low > best:
            best, axis, begin = high - low, k, low
    return axis, begin, max(best, 1e-300)
