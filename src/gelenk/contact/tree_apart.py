"""Overlaps of few contacts of one mechanism, taken out on its dense matrix (V-56, bobsleigh 8.9)."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.tree_dense import eliminate_in_order, push_all


@routine
def part_dense(contacts, tree, directions, dense, push, first, sweeps):
    """What :func:`gelenk.contact.tree_overlaps.push_apart` does, on G: at once if all that overlap part so."""
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
