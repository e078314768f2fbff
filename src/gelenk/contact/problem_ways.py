"""Ways to solve a contact problem by itself: each with the arguments of a stage, run until the residual is small."""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.conjugate import sweep_on
from gelenk.contact.heaps import FRESH, HEAPS, STALE, find_heaps
from gelenk.contact.newton import polish, sweep_all, whole_residual
from gelenk.contact.newton_rows import begin_all_rows
from gelenk.contact.options import MOST_SWEEPS, NEWTON_STEPS, TOLERANCE
from gelenk.contact.pivot_box import box_residual, solve_boxes
from gelenk.contact.pivot_pyramid import pyramid_residual, solve_pyramids
from gelenk.contact.pivot_stages import pivot_all
from gelenk.contact.polygon import polygon_residual
from gelenk.contact.settle import note_heaps
from gelenk.contact.slabs import batch_heap
from gelenk.contact.sweep_lanes import sweep_in_lanes
from gelenk.rows.assemble import respond
from gelenk.solvers.solver import residual

UNABLE = -1  # the way does not take this problem
SOUGHT = 4  # figure that holds the residual sought; a problem has no length of its last step
AT_ONCE = 50  # sweeps between two looks at the residual


@routine
def measure(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Only the residual, in the sets of the solver that pivots if there is one."""
    contacts = stages.contacts
    for n in range(rows.counts[0]):
        respond(joints, bodies, rows, rows.active[n])
    own = polygon_residual(bodies, contacts, stages.pivot.polygon)
    contacts.figures[3] = max(own, residual(joints, bodies, rows))
    return np.int64(0)


@routine
def by_sweeps(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Rows and contacts one by one, forth and back."""
    contacts = stages.contacts
    begin_heaps(contacts, joints, bodies, rows)
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        while not is_solved(contacts, heap, joints, rows, bodies):
            for m in range(AT_ONCE):
                sweep_all(contacts, heap, joints, rows, bodies, m % 2 == 1)
    return note_heaps(contacts)


@routine
def by_conjugate(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts one by one, sped up by the direction in which sweeps lead."""
    contacts = stages.contacts
    if rows.counts[0] > 0:
        return np.int64(UNABLE)
    begin_heaps(contacts, joints, bodies, rows)
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        while not is_solved(contacts, heap, joints, rows, bodies):
            sweep_on(contacts, heap, bodies, AT_ONCE)
    return note_heaps(contacts)


@routine
def by_lanes(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Contacts four at a time, sped up alike; the largest heap must be large enough, the others go one by one."""
    contacts = stages.contacts
    if rows.counts[0] > 0:
        return np.int64(UNABLE)
    begin_heaps(contacts, joints, bodies, rows)
    batched, alone = 0, 0
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        while not is_solved(contacts, heap, joints, rows, bodies):
            heap.in_lanes = STALE if heap.in_lanes == FRESH else heap.in_lanes
            if batch_heap(contacts, heap, bodies):
                sweep_in_lanes(contacts, heap, bodies, AT_ONCE)
                batched += 1
            else:
                sweep_on(contacts, heap, bodies, AT_ONCE)
                alone += 1
    note_heaps(contacts)
    return np.int64(UNABLE) if batched == 0 and alone > 0 else np.int64(0)


@routine
def by_newton(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Newton's method on the sets that sweeps find."""
    contacts, steps = stages.contacts, int(stages.contacts.options[NEWTON_STEPS])
    begin_heaps(contacts, joints, bodies, rows)
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        if heap.factors == 0:
            return np.int64(UNABLE)
        while not is_solved(contacts, heap, joints, rows, bodies):
            for m in range(AT_ONCE):
                sweep_all(contacts, heap, joints, rows, bodies, m % 2 == 1)
            polish(contacts, heap, joints, rows, masses, state, bodies, steps, contacts.figures[SOUGHT])
    return note_heaps(contacts)


@helper
def begin_heaps(contacts, joints, bodies, rows):
    """Heaps of the problem; the residual says when it is over, not what a sweep changes."""
    begin_all_rows(joints, bodies, rows)
    find_heaps(contacts, contacts.number[COUNT], joints, rows, rows.counts[0], bodies.inv_mass)
    contacts.figures[SOUGHT], contacts.options[TOLERANCE] = contacts.options[TOLERANCE], 0.0


@helper
def is_solved(contacts, heap, joints, rows, bodies):
    """Whether the residual is small enough, or sweeps are used up."""
    heap.residual = whole_residual(contacts, heap, joints, rows, bodies)
    return heap.residual <= contacts.figures[SOUGHT] or heap.sweeps >= contacts.options[MOST_SWEEPS]


@routine
def by_boxes(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Dantzig's pivoting by itself, however close it comes; without an answer no impulses, and what these leave."""
    if pivot_all(solve_boxes, box_residual, stages, joints, bodies, rows, math.inf):
        return np.int64(0)
    return measure(stages, joints, memory, masses, state, loads, bodies, rows, h)


@routine
def by_pyramids(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """The same by Lemke's pivoting."""
    if pivot_all(solve_pyramids, pyramid_residual, stages, joints, bodies, rows, math.inf):
        return np.int64(0)
    return measure(stages, joints, memory, masses, state, loads, bodies, rows, h)


WAYS = {"sweeps": by_sweeps, "conjugate": by_conjugate, "lanes": by_lanes, "newton": by_newton}
