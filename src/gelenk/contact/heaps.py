"""Heaps: sets of bodies that contacts and rows tie together, each solved by itself (V-93, V-97).

What is fixed ties nothing. A heap does not feel what else is in the scene: its bodies, points and rows keep their
order, and nothing that is decided for it looks beyond it. Only where its factor lies does, so that it is made anew and
not kept when heaps before it come or go; results agree to the tolerance of the solver then, and else to the bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.skyline import link_bodies, order_heap, plan_factor
from gelenk.rows.block import NONE, records

ROOM = 16  # most blocks of a factor for each of its bodies
WIDE = 64  # where masses are unlike, and sweeps would not end

HEAP = np.dtype(
    [
        ("index", "i8"),
        ("start", "i8"),  # its lowest node
        ("first", "i8"),  # its bodies in the order of the skyline
        ("last", "i8"),
        ("point_first", "i8"),  # its contacts in ``points``
        ("point_last", "i8"),
        ("row_first", "i8"),  # its rows in ``rows``
        ("row_last", "i8"),
        ("factors", "i8"),  # 1 if its factor is small enough
        ("solved", "i8"),  # 1 if its contacts and rows are solved in this step
        ("sweeps", "i8"),  # over it, since the start of the step
        ("in_lanes", "i8"),  # FRESH if its contacts are in batches, STALE if they have changed
        ("phase", "i8", (5,)),  # where its groups of each phase begin, see gelenk.contact.slabs
        ("residual", "f8"),  # [m/s]
        ("overlap", "f8"),  # deepest [m]
    ]
)
NOT, FRESH, STALE, NEVER = range(4)
USED, UNUSED = 1, 2  # of heaps that are those of this step
HEAPS, FOUND, CALLS = range(3)  # numbers: how many, whether they are those of this step, how often they were found


class Heaps(NamedTuple):
    """The heaps of a step."""

    item: np.ndarray  # (n,) HEAP
    of: np.ndarray  # (n,) uint32 heap of a node, or NONE
    points: np.ndarray  # (capacity,) uint32 contacts, heap by heap
    rows: np.ndarray  # (rows,) uint32 active rows, heap by heap
    number: np.ndarray  # (3,) int64


def new_heaps(nodes: int, capacity: int, rows: int) -> Heaps:
    """Space for the heaps of so many nodes, contacts and rows."""
    return Heaps(
        records(HEAP, nodes),
        np.zeros(nodes, np.uint32),
        np.zeros(capacity, np.uint32),
        np.zeros(rows, np.uint32),
        np.zeros(3, np.int64),
    )


@routine
def find_heaps(contacts, count, joints, rows, active, inv_mass):
    """Heaps of so many contacts and active rows, in the order of their first bodies, and the order of their factors."""
    heaps, sky = contacts.heaps, contacts.sky
    link_bodies(sky, contacts.ends, count, joints, rows, active, inv_mass)
    for i in range(sky.place.shape[0]):
        sky.place[i] = heaps.of[i] = NONE
    total, blocks, made = np.int64(0), np.int64(0), 0
    room = sky.block.shape[0] // sky.place.shape[0]
    heaps.number[CALLS] += 1
    for start in range(sky.place.shape[0]):
        if sky.place[start] == NONE and sky.degree[start + 1] > sky.degree[start]:
            heap = heaps.item[made]
            heap.start, heap.first, heap.last = start, total, order_heap(sky, start, total)
            total = heap.last
            for k in range(heap.first, heap.last):
                heaps.of[sky.node[k]] = made
            end = plan_factor(sky, heap.first, heap.last, blocks)
            heap.factors = 1 if end - blocks <= room * (heap.last - heap.first) else 0
            keep_factor(sky, heap, blocks, heaps.number[CALLS])
            if heap.factors == 1:
                blocks = end
            heap.index, heap.solved, heap.sweeps, heap.in_lanes = made, 0, 0, NOT
            heap.residual = heap.overlap = 0.0
            made += 1
    heaps.number[HEAPS], heaps.number[FOUND] = made, USED
    contacts.lanes.number[0] = contacts.lanes.number[1] = 0
    sort_points(heaps, contacts.ends, count, inv_mass)
    sort_rows(heaps, joints, rows, active)


@helper
def points_changed(contacts):
    """Batches are not those of the contacts any more; which contacts they hold stays."""
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        heap.in_lanes = STALE if heap.in_lanes == FRESH else heap.in_lanes


@helper
def keep_factor(sky, heap, blocks, call):
    """A heap goes on with its factor if it was there the last time with its blocks at the same place."""
    if sky.seen[heap.start] != call - 1:
        sky.factored[heap.start] = sky.calm[heap.start] = 0
    if sky.factored_at[heap.start] != blocks:
        sky.factored[heap.start] = 0
    sky.factored_at[heap.start], sky.seen[heap.start] = blocks, call


@helper
def heap_of_point(heaps, ends, k, inv_mass):
    """Of the body that moves, or NONE."""
    return heaps.of[ends[k, 0]] if inv_mass[ends[k, 0]] > 0.0 else heaps.of[ends[k, 1]]


@helper
def sort_points(heaps, ends, count, inv_mass):
    """Contacts heap by heap, in each as they are."""
    made = heaps.number[HEAPS]
    for h in range(made):
        heaps.item[h].point_last = 0
    for k in range(count):
        h = heap_of_point(heaps, ends, k, inv_mass)
        if h != NONE:
            heaps.item[h].point_last += 1
    at = np.int64(0)
    for h in range(made):
        heap = heaps.item[h]
        heap.point_first, at = at, at + heap.point_last
        heap.point_last = heap.point_first
    for k in range(count):
        h = heap_of_point(heaps, ends, k, inv_mass)
        if h != NONE:
            heap = heaps.item[h]
            heaps.points[heap.point_last] = k
            heap.point_last += 1


@helper
def heap_of_row(heaps, joints, r):
    """Of the first of its bodies that moves, or NONE."""
    row, found = joints.row[r], NONE
    for e in range(row.entry_first, row.entry_last):
        if found == NONE:
            found = heaps.of[joints.body[e]]
    return found


@helper
def sort_rows(heaps, joints, rows, active):
    """Active rows heap by heap, in each as they are."""
    made = heaps.number[HEAPS]
    for h in range(made):
        heaps.item[h].row_last = 0
    for n in range(active):
        h = heap_of_row(heaps, joints, rows.active[n])
        if h != NONE:
            heaps.item[h].row_last += 1
    at = np.int64(0)
    for h in range(made):
        heap = heaps.item[h]
        heap.row_first, at = at, at + heap.row_last
        heap.row_last = heap.row_first
    for n in range(active):
        h = heap_of_row(heaps, joints, rows.active[n])
        if h != NONE:
            heap = heaps.item[h]
            heaps.rows[heap.row_last] = rows.active[n]
            heap.row_last += 1
