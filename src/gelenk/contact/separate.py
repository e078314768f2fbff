"""Overlaps are taken out by a motion of their own, which leaves velocities and energy alone (V-57, trap T-30)."""

from __future__ import annotations

from gelenk.compile import routine
from gelenk.contact.assemble import gap_of
from gelenk.contact.heaps import FRESH, HEAPS
from gelenk.contact.options import CORRECTIONS, SHARE, SLOP, SPEED
from gelenk.contact.separate_lanes import separate_in_lanes
from gelenk.contact.slabs import batch_heap
from gelenk.contact.sweep import change_at, push_pair
from gelenk.math.vec3 import get3, triple


@routine
def separate(contacts, bodies, h):
    """Speeds that take overlaps out, heap by heap."""
    for i in range(contacts.push.shape[0]):
        for k in range(6):
            contacts.push[i, k] = 0.0
    deepest = 0.0
    for g in range(contacts.heaps.number[HEAPS]):
        heap = contacts.heaps.item[g]
        separate_heap(contacts, heap, bodies, h)
        deepest = max(deepest, heap.overlap)
    contacts.figures[2] = deepest


@routine
def separate_heap(contacts, heap, bodies, h):
    """Speeds that take a share of the overlaps at the end of the step out, by Gauss-Seidel over the normals alone:

        J P >= share (depth - slop) / h   where points overlap,      J P >= -gap / h   where they do not,     p >= 0

    The gap is that at the end of the step,  d + J shift + h J V',  less h^2/2 a for bodies that nothing pushes.
    """
    if heap.in_lanes != FRESH:
        heap.overlap = ask_apart(contacts, heap, bodies, h)
        if heap.overlap <= contacts.options[SLOP]:
            return
    if heap.in_lanes == FRESH or batch_heap(contacts, heap, bodies):
        heap.overlap = separate_in_lanes(contacts, heap, bodies, h)
        return
    for m in range(int(contacts.options[CORRECTIONS])):
        for i in range(heap.point_first, heap.point_last):
            k = contacts.heaps.points[heap.point_first + heap.point_last - 1 - i if m % 2 == 1 else i]
            c = contacts.contact[k]
            n = triple(c.n)
            p = max(0.0, c.ask[2] + (c.ask[1] - n @ change_at(contacts.push, c)) / c.K[0])
            if p != c.ask[2]:
                push_pair(bodies, contacts.push, c, n * (p - c.ask[2]))
                c.ask[2] = p


@routine
def ask_apart(contacts, heap, bodies, h):
    """Speed that each point of a heap asks for, and no impulse to begin with; returns the deepest overlap [m]."""
    slop, deepest = contacts.options[SLOP], 0.0
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        gap = gap_of(contacts, c) + h * (triple(c.n) @ change_at(bodies.V, c))
        if contacts.touched[c.a] == 0:
            gap += 0.5 * h * h * (triple(c.n) @ get3(contacts.load, c.a))
        if contacts.touched[c.b] == 0:
            gap -= 0.5 * h * h * (triple(c.n) @ get3(contacts.load, c.b))
        deepest = max(deepest, -gap)
        c.ask[1] = -gap / h
        if c.soft > 0.0:
            c.ask[1] = -1e300  # a soft point overlaps
        elif gap < 0.0:
            c.ask[1] = min(contacts.options[SHARE] * max(-gap - slop, 0.0) / h, contacts.options[SPEED])
        c.ask[2] = 0.0  # its impulse
    return deepest
