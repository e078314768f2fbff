"""Overlaps of trees, taken out by a motion of their own (V-56, bobsleigh 8.9)."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.options import CORRECTIONS, SHARE, SLOP, SPEED
from gelenk.contact.tree_apart import part_dense
from gelenk.contact.tree_impacts import last_clock
from gelenk.contact.tree_meeting import EARLY
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


@helper
def real_gap(c, tree, directions, meet, k, h):
    """Distance in the middle of the step, or at the last impact if that was later: before it the middle is none."""
    later = last_clock(directions, meet, k) - 0.5 * h
    return c.d + later * rate_along(tree, directions, k, meet.start) if later > 0.0 else c.d
