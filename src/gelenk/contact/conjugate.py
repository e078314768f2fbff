"""Sweeps over the contacts of a heap, sped up by the direction in which they lead."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.block import TURNS
from gelenk.contact.options import TOLERANCE
from gelenk.contact.sweep import sweep_contacts


@routine
def sweep_on(contacts, heap, bodies, most):
    """At most so many sweeps, forth and back in turn, as a non-linear conjugate gradient method (NNCG):

        p'  = sweep(p),    g = p' - p,    beta = |g|^2 / |g before|^2
        p'' = p' + beta s,    s <- g + beta s

    and anew from s = 0 where beta > 1. What s does to the velocities is carried along, so a step costs little more than
    its sweep. Source: M. Silcowitz-Hansen, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for
    interactive contact force problems (2010).
    """
    before, largest = 0.0, 0.0
    begin_trend(contacts, heap, bodies.dV)
    for m in range(most):
        largest = sweep_contacts(bodies, contacts, heap, m % 2 == 1)
        if largest <= contacts.options[TOLERANCE] or m + 1 == most:
            break
        square = square_of_changes(contacts, heap)
        beta = square / before if before > 0.0 else 0.0
        before, beta = square, beta if beta <= 1.0 else 0.0
        follow_trend(contacts, heap, bodies.dV, beta)
    return largest


@helper
def begin_trend(contacts, heap, dV):
    """No trend yet."""
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            c.trend[j], c.last[j] = 0.0, c.p[j]
            x.trend[j], x.last[j] = 0.0, x.p[j]
    for i in range(heap.first, heap.last):
        node = contacts.sky.node[i]
        for j in range(6):
            contacts.trend[node, j], contacts.last[node, j] = 0.0, dV[node, j]


@helper
def square_of_changes(contacts, heap):
    """|g|^2 of impulses, and of couples where there are any, as energies."""
    square, turns = 0.0, contacts.number[TURNS] > 0
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            g = c.p[j] - c.last[j]
            square += g * g * c.K[0]
            if turns and x.on == 1:
                g = x.p[j] - x.last[j]
                square += g * g * x.top
    return square


@helper
def follow_trend(contacts, heap, dV, beta):
    """Impulses, couples and velocities go on along their trend."""
    turns, trend, last = contacts.number[TURNS] > 0, contacts.trend, contacts.last
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        follow(contacts.contact[k], beta)
        if turns and contacts.turn[k].on == 1:
            follow(contacts.turn[k], beta)
    for i in range(heap.first, heap.last):
        node = contacts.sky.node[i]
        for j in range(6):
            g, s = dV[node, j] - last[node, j], beta * trend[node, j]
            trend[node, j] = g + s
            dV[node, j] += s
            last[node, j] = dV[node, j]


@helper
def follow(c, beta):
    """Three impulses of a contact, or its couples."""
    for j in range(3):
        g, s = c.p[j] - c.last[j], beta * c.trend[j]
        c.trend[j] = g + s
        c.p[j] += s
        c.last[j] = c.p[j]
