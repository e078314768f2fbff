"""Overlaps of contacts of trees are taken out beside the velocities (V-56, bobsleigh 8.9)."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.options import CORRECTIONS, SHARE, SLOP, SPEED
from gelenk.contact.tree_dense import eliminate_in_order, push_all
from gelenk.contact.tree_impacts import EARLY, last_clock
from gelenk.trees.directions import push_along, rate_along


@routine
def push_apart(contacts, tree, directions, dense, meet, push, first, h):
    """Velocities with which overlaps are taken out,  g_n >= share (-d)/h,  up to a speed (V-56, bobsleigh 8.9).

    Coordinates are shifted by them once; they are no velocities of the bodies, so that no energy of motion comes of it.
    """
    for i in range(push.shape[0]):
        push[i] = 0.0
    share, most, slop = contacts.options[SHARE], contacts.options[SPEED], contacts.options[SLOP]
    if meet.number[EARLY] == 1:
        share, most = 1.0, math.inf  # it stops where it met, and not where it would have been in the middle
    deep = 0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        c.last[0] = 0.0
        hard, d = c.soft == 0.0 and c.K[0] > 0.0, real_gap(c, tree, directions, meet, first + 3 * k, h)
        c.last[1] = min(share * (-d - slop) / h, most) if hard and d < -slop else -max(d, 0.0) / h
        deep += 1 if c.last[1] > 0.0 else 0
    sweeps = int(contacts.options[CORRECTIONS]) if deep > 0 else 0
    if dense.number[0] == 1 and sweeps > 0:
        part_dense(contacts, tree, directions, dense, push, first, sweeps)
        sweeps = 0
    for _ in range(sweeps):
        for k in range(contacts.number[COUNT]):
            c = contacts.contact[k]
            if c.soft == 0.0 and c.K[0] > 0.0:
                wish = c.last[0] + (c.last[1] - rate_along(tree, directions, first + 3 * k, push)) / c.K[0]
                change = max(0.0, wish) - c.last[0]
                if change != 0.0:
                    push_along(tree, directions, first + 3 * k, push, change)
                    c.last[0] += change
    for k in range(contacts.number[COUNT] if meet.number[EARLY] == 1 else 0):
        contacts.contact[k].d = max(contacts.contact[k].d, 0.0)


@routine
def part_dense(contacts, tree, directions, dense, push, first, sweeps):
    """What :func:`gelenk.contact.tree_contacts.push_apart` does, on G: at once if all that overlap part so."""
    n = contacts.number[COUNT]
    for k in range(3 * n):
        dense.change[k] = 0.0
    if not part_at_once(contacts, dense):
        for _ in range(sweeps):
            for k in range(n):
                c = contacts.contact[k]
                if c.soft == 0.0:
                    rate = parting(dense, k, n)
                    dense.change[3 * k] = max(0.0, dense.change[3 * k] + (c.last[1] - rate) / c.K[0])
    push_all(tree, directions, dense, push, first, 3 * n)
    for k in range(n):
        contacts.contact[k].last[0] = dense.change[3 * k]


@helper
def parting(dense, k, n):
    """Speed at which contact k parts by the normal pushes of all."""
    rate = 0.0
    for j in range(n):
        rate += dense.G[3 * k, 3 * j] * dense.change[3 * j]
    return rate


@helper
def part_at_once(contacts, dense):
    """Pushes with which all contacts that overlap part as asked for; whether none of them pulls and no other closes."""
    n, count, S, press = contacts.number[COUNT], 0, dense.S, dense.press
    for k in range(n):
        c = contacts.contact[k]
        if c.last[1] > 0.0 and c.soft == 0.0:
            press[count], dense.b[count] = k, c.last[1]
            count += 1
    for i in range(count):
        for j in range(i + 1):
            S[i, j] = S[j, i] = dense.G[3 * press[i], 3 * press[j]]
    if not eliminate_in_order(S, dense.b, count):
        return False
    for i in range(count):
        if dense.b[i] < 0.0:
            return False
    for i in range(count):
        dense.change[3 * press[i]] = dense.b[i]
    for k in range(n):
        c = contacts.contact[k]
        if c.soft == 0.0 and not c.last[1] > 0.0 and parting(dense, k, n) < c.last[1]:
            for i in range(count):
                dense.change[3 * press[i]] = 0.0
            return False
    return True


@helper
def real_gap(c, tree, directions, meet, k, h):
    """Distance in the middle of the step, or at the last impact if that was later: before it the middle is none."""
    later = last_clock(directions, meet, k) - 0.5 * h
    return c.d + later * rate_along(tree, directions, k, meet.start) if later > 0.0 else c.d
