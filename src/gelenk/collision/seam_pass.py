"""The rule of :mod:`gelenk.collision.seams` over all contacts of a step.

It is compiled when the first seam is met, and called by its address.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from gelenk.collision.collider import centre_of
from gelenk.collision.manifold import MANY, NONE, put_copy
from gelenk.collision.pair_table import fill_rows
from gelenk.collision.query.nearest_rows import fill_nearest
from gelenk.collision.seam_links import ALIKE, Seams, new_seams, outward, place_on, still_one
from gelenk.collision.seams import (
    SHARE,
    is_covered,
    smallest_side,
    tangent_plane,
    turned_points,
)
from gelenk.collision.solid import PLANE
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import Plug, helper, routine

EXPOSED, COVERED, GONE = 0, 1, 2


def compile_seams(seams: Seams, rows: np.recarray, kinds: np.ndarray) -> None:
    """Have the rule compiled for colliders of these kinds; ``rows``: those of the pair table."""
    still = seams.still > 0
    fill_rows(rows, product([PLANE], np.unique(kinds[~still])))
    fill_nearest(seams.nearest, np.unique(kinds[still]))
    seams.address[0] = seams_plug.address(settle_seams)


@routine
def settle_seams(colliders, tables, work, contacts, seams):
    """Take away what is covered and put what is turned in its place, for the colliders of :func:`count_seams`.

    If there is not room for all, ``tally.points`` says how many there are, as in ``find_contacts``. Whether pairs touch
    is left as it is: they do so where they did.
    """
    tally = contacts.tally[0]
    gone, turned = 0, 0
    for i in range(seams.head.shape[0]):
        if seams.head[i] != NONE and mark_covered(colliders, tables, contacts, seams, i):
            gone, turned = turn(colliders, tables, work, contacts, seams, i, gone, turned)
    tally.missed = max(tally.missed, work.surface.counts[LEFT_OUT])
    if gone > 0:
        rewrite(contacts, seams, gone, turned)
    return gone


@helper
def mark_covered(colliders, tables, contacts, seams, i):
    """Mark the covered manifolds of a moving collider as gone: whether there are any.

    The deepest point of each is looked at first: mostly it is not covered, and then the manifold is not.
    """
    side, h, found = contacts.tally[0].now, SHARE * smallest_side(colliders, i), False
    k = np.int64(seams.head[i])
    while k != NONE:
        pair, covered = contacts.pair[side, k], 0
        s, way = still_one(pair, seams)
        c = centre_of(colliders, s) - centre_of(colliders, i)
        for j in range(pair.first, pair.first + pair.count):
            seams.mark[j] = EXPOSED
        for others in range(2):
            but = -1 if others else k
            for j in range(pair.first, pair.first + pair.count):
                deepest = deepest_alike(contacts, pair, j)
                if (deepest == j) != others and (others == 0 or seams.mark[deepest] == COVERED):
                    p, n = c + place_on(contacts.contact[j], way), outward(contacts.contact[j], way)
                    if is_covered(colliders, tables, contacts, seams, i, but, p, n, h):
                        seams.mark[j] = COVERED
                        covered += 1
            if covered == 0:
                break
        for j in range(pair.first, pair.first + pair.count):
            if covered > 0 and all_covered(contacts, seams, pair, j):
                seams.mark[j], found = GONE, True
        k = np.int64(seams.after[k])
    return found


@helper
def alike(contacts, j, m):
    """Whether two points of a pair have one normal."""
    w = outward(contacts.contact[j], 1.0) - outward(contacts.contact[m], 1.0)
    return w @ w <= ALIKE * ALIKE


@helper
def deepest_alike(contacts, pair, j):
    """The deepest point of a pair among those with the normal of point j."""
    best = np.int64(j)
    for m in range(pair.first, pair.first + pair.count):
        deeper = contacts.contact[m].d < contacts.contact[best].d
        if (deeper or (m < best and contacts.contact[m].d == contacts.contact[best].d)) and alike(contacts, j, m):
            best = np.int64(m)
    return best


@helper
def all_covered(contacts, seams, pair, j):
    """Whether every point of a pair with the normal of point j is covered."""
    for m in range(pair.first, pair.first + pair.count):
        if seams.mark[m] == EXPOSED and alike(contacts, j, m):
            return False
    return True


@helper
def gone_points(contacts, seams, pair):
    """How many points of a pair are gone, and which of them is the deepest."""
    gone, deepest = 0, np.int64(pair.first)
    for j in range(pair.first, pair.first + pair.count):
        if seams.mark[j] == GONE:
            if gone == 0 or contacts.contact[j].d < contacts.contact[deepest].d:
                deepest = np.int64(j)
            gone += 1
    return gone, deepest


@helper
def keep_all(seams, pair):
    """Let no point of a pair go."""
    for j in range(pair.first, pair.first + pair.count):
        seams.mark[j] = EXPOSED


@routine
def turn(colliders, tables, work, contacts, seams, i, gone, turned):
    """Let the marked manifolds of a moving collider go where they are flush: how many points are gone and turned then.

    ``gone`` and ``turned`` are those of others. If nothing would be left, all stays as it was.
    """
    side, h = contacts.tally[0].now, SHARE * smallest_side(colliders, i)
    room = seams.turned.shape[0] - MANY
    k, less, more, left = np.int64(seams.head[i]), 0, 0, 0
    while k != NONE:
        pair = contacts.pair[side, k]
        lost, deepest = gone_points(contacts, seams, pair)
        if lost > 0:
            s, way = still_one(pair, seams)
            p = centre_of(colliders, s) - centre_of(colliders, i) + place_on(contacts.contact[deepest], way)
            flush, q, m = tangent_plane(colliders, tables, contacts, seams, i, s, p, h)
            if flush:
                seams.turned_first[k] = turned + more
                if not has_normal(contacts, seams, pair, m * way):
                    at = min(turned + more, room)
                    out = seams.turned[at : at + MANY]
                    count = turned_points(colliders, tables, work, contacts, seams, i, s, way, q, m, h, out)
                    seams.turned_count[k] = count
                    more += count
            else:
                keep_all(seams, pair)
                lost = 0
        less += lost
        left += np.int64(pair.count) - lost
        k = np.int64(seams.after[k])
    if left + more > 0:
        return gone + less, turned + more
    k = np.int64(seams.head[i])
    while k != NONE:
        keep_all(seams, contacts.pair[side, k])
        k = np.int64(seams.after[k])
    return gone, turned


@helper
def has_normal(contacts, seams, pair, n):
    """Whether a point of a pair that is left has a normal."""
    for j in range(pair.first, pair.first + pair.count):
        w = outward(contacts.contact[j], 1.0) - n
        if seams.mark[j] != GONE and w @ w <= ALIKE * ALIKE:
            return True
    return False


@routine
def rewrite(contacts, seams, gone, turned):
    """All points anew: of each pair those that are left, then those that were turned."""
    tally = contacts.tally[0]
    before, total = tally.points, tally.points - gone + turned
    if total <= contacts.contact.shape[0] - MANY:
        at = 0
        for k in range(tally.pairs[tally.now]):
            pair, begun = contacts.pair[tally.now, k], at
            for j in range(pair.first, pair.first + pair.count):
                if seams.mark[j] != GONE:
                    put_copy(contacts.contact[j], seams.spare[at])
                    at += 1
            for j in range(seams.turned_first[k], seams.turned_first[k] + seams.turned_count[k]):
                put_copy(seams.turned[j], seams.spare[at])
                at += 1
            pair.first, pair.count = begun, at - begun
        for j in range(total):
            put_copy(seams.spare[j], contacts.contact[j])
    for j in range(before):
        seams.mark[j] = EXPOSED
    for k in range(tally.pairs[tally.now]):
        seams.turned_count[k] = 0
    tally.points = total


def _samples() -> tuple[Any, ...]:
    """Arguments of the rule, for the compiler."""
    from gelenk.collision.collider import COLLIDER, new_colliders
    from gelenk.collision.contacts import new_contacts
    from gelenk.collision.tables import new_narrow_work, new_tables

    tables, contacts = new_tables(), new_contacts(1, 1)
    colliders = new_colliders(np.zeros(1, COLLIDER).view(np.recarray))
    return colliders, tables, new_narrow_work(tables), contacts, new_seams([False], [0], 1, 1)


seams_plug = Plug(_samples, 5)
run_seams = seams_plug.call
