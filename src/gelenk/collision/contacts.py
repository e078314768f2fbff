"""From candidate pairs to contact points: the narrow phase over all pairs, and what pairs keep from step to step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.clip import copy_point, deepest_only
from gelenk.collision.collider import centre_of, reach_of, solid_of
from gelenk.collision.manifold import MANY, NONE, POINT, forget, new_memory
from gelenk.collision.pair_table import collide
from gelenk.collision.seam_links import count_seams, link_pair, unlink_all
from gelenk.collision.seam_pass import run_seams
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.compile import helper, kernel, routine
from gelenk.math.pack import fetch_row

AHEAD = 4  # pairs whose shapes are brought near before their turn
PAIR = np.dtype(
    [
        ("a", "u4"),  # colliders, a < b
        ("b", "u4"),
        ("first", "u4"),  # its points are first up to first + count
        ("count", "u4"),
        ("touch", "u4"),  # 1 from when a point touches until none is near, else 0
        ("slot", "u4"),  # where its memory is
        ("was", "u4"),  # the same before this step; of pairs of the step before: 1 if it touched and is gone
    ]
)
TALLY = np.dtype(
    [
        ("now", "i8"),  # which of the two sides holds the present pairs
        ("pairs", "i8", (2,)),
        ("free", "i8"),  # memories that no pair has
        ("points", "i8"),  # of the present pairs; more than there is space for: enlarge it and look again
        ("changes", "i8"),  # pairs that began or ended to touch
        ("missed", "i8"),  # most triangles near one solid for which there was no room in the scratch: enlarge it
        ("seams", "i8"),  # moving colliders that touch several still ones with several normals
    ]
)


class Contacts(NamedTuple):
    """Pairs whose boxes meet, sorted by a, then by b, of this step and of the last, and the points of this step."""

    pair: np.ndarray  # (2, capacity) PAIR
    memory: np.ndarray  # (capacity,) MEMORY, at the slots of the pairs
    free: np.ndarray  # (capacity,) uint32 slots, the first ``tally.free`` of which are free
    contact: np.ndarray  # (capacity,) POINT
    tally: np.ndarray  # (1,) TALLY


def new_contacts(pairs: int, points: int) -> Contacts:
    """Space for so many."""
    tally = np.zeros(1, TALLY).view(np.recarray)
    tally["free"] = pairs
    return Contacts(
        np.zeros((2, pairs), PAIR).view(np.recarray),
        new_memory(pairs),
        np.arange(pairs, dtype=np.uint32),
        np.zeros(points + MANY, POINT).view(np.recarray),
        tally,
    )


def enlarged(contacts: Contacts, pairs: int, points: int) -> Contacts:
    """The same in a larger space: what pairs remember is kept, points are to be found again."""
    old = contacts.pair.shape[1]
    new = new_contacts(max(pairs, old), max(points, len(contacts.contact) - MANY))
    more, free = new.pair.shape[1] - old, int(contacts.tally[0].free)
    new.pair[:, :old], new.memory[:old], new.tally[:] = contacts.pair, contacts.memory, contacts.tally
    new.free[:free], new.free[free : free + more] = contacts.free[:free], np.arange(old, old + more)
    new.tally["free"] += more
    return new


@kernel
def find_contacts(colliders, tables, work, seams, contacts):
    """Points of all pairs; see :func:`find_points`."""
    find_points(colliders, tables, work, seams, contacts)


@routine
def find_points(colliders, tables, work, seams, contacts):
    """Points of all pairs; those begin to touch that have a point at d <= 0, and end when none is within the margin.

    If they do not find their space, ``tally.points`` says how many there are, and ``tally.missed`` what scratch lacks:
    enlarge it and call again. ``tally.seams`` says how many colliders may catch at a seam; if the rule for it has not
    been compiled, that is still to be done, and then to be called again.
    """
    tally = contacts.tally[0]
    count = tally.pairs[tally.now]
    total, tally.missed = points_of_pairs(colliders, tables, work, contacts, 0, count, contacts.contact)
    finish_points(colliders, tables, work, seams, contacts, total)


@routine
def points_of_pairs(colliders, tables, work, contacts, first, last, points_out):
    """Points of some pairs, one after the other; how many there are, and what scratch lacks.

    They are numbered from 0 on. Beyond the room there is, they are only counted.
    """
    side, room, total, missed = contacts.tally[0].now, points_out.shape[0] - MANY, 0, np.int64(0)
    work.surface.counts[LEFT_OUT] = 0
    for k in range(first, last):
        pair, soon = contacts.pair[side, k], contacts.pair[side, min(k + AHEAD, last - 1)]
        fetch_row(colliders.item, soon.b)
        fetch_row(colliders.place, soon.b)
        i, j = pair.a, pair.b
        r = centre_of(colliders, j) - centre_of(colliders, i)
        margin = reach_of(colliders, i, j)
        at = min(total, room)
        out = points_out[at : at + MANY]
        A, B = solid_of(colliders, i), solid_of(colliders, j)
        found = collide(A, B, r, margin, tables, contacts.memory[pair.slot], work, out)
        missed = max(missed, np.int64(work.surface.counts[LEFT_OUT]))
        pair.first, pair.count, pair.touch = total, found, touches(out, found, pair.was)
        total += found
    return total, missed


@routine
def finish_points(colliders, tables, work, seams, contacts, total):
    """What is to be known of all pairs once their points are found: changes, seams."""
    tally = contacts.tally[0]
    tally.changes, tally.points, tally.seams = count_gone(contacts), total, 0
    unlink_all(seams)
    for k in range(tally.pairs[tally.now]):
        pair = contacts.pair[tally.now, k]
        tally.changes += pair.touch != pair.was
        if pair.count > 0:
            link_pair(seams, pair, k)
    if total <= contacts.contact.shape[0] - MANY:
        tally.seams = count_seams(contacts, seams)
        if tally.seams > 0 and seams.address[0] != 0:
            run_seams(seams.address[0], colliders, tables, work, contacts, seams)


@kernel
def keep_deepest(contacts):
    """Of every pair the deepest point alone (H-71)."""
    tally, total = contacts.tally[0], 0
    for k in range(tally.pairs[tally.now]):
        pair = contacts.pair[tally.now, k]
        pair.count = deepest_only(contacts.contact[pair.first : pair.first + pair.count], pair.count)
        if pair.count > 0:
            copy_point(contacts.contact, pair.first, total)
        pair.first = total
        total += pair.count
    tally.points = total


@helper
def touches(out, count, was):
    """1 if a point touches, or if the pair touched before and any is near."""
    if was == 1 and count > 0:
        return 1
    for k in range(count):
        if out[k].d <= 0.0:
            return 1
    return 0


@helper
def count_gone(contacts):
    """Pairs that touched in the step before and are pairs no more."""
    tally, gone = contacts.tally[0], 0
    for k in range(tally.pairs[1 - tally.now]):
        gone += contacts.pair[1 - tally.now, k].was
    return gone


@kernel
def take_pairs(pairs, count, contacts):
    """Begin a step; see :func:`carry_pairs`."""
    carry_pairs(pairs, count, contacts)


@routine
def carry_pairs(pairs, count, contacts):
    """Begin a step: ``count`` new pairs, each with what it remembers if it was there before. Both lists are sorted."""
    tally = contacts.tally[0]
    old, new = tally.now, 1 - tally.now
    j, last = 0, tally.pairs[old]
    for k in range(count):
        a, b = pairs.pair[k, 0], pairs.pair[k, 1]
        while j < last and comes_before(contacts.pair[old, j], a, b):
            leave(contacts, contacts.pair[old, j])
            j += 1
        pair = contacts.pair[new, k]
        pair.a, pair.b, pair.was, pair.slot = a, b, 0, NONE
        if j < last and contacts.pair[old, j].a == a and contacts.pair[old, j].b == b:
            before = contacts.pair[old, j]
            pair.was, pair.slot, before.was = before.touch, before.slot, 0
            j += 1
    while j < last:
        leave(contacts, contacts.pair[old, j])
        j += 1
    for k in range(count):
        if contacts.pair[new, k].slot == NONE:
            tally.free -= 1
            contacts.pair[new, k].slot = contacts.free[tally.free]
            forget(contacts.memory[contacts.free[tally.free]])
    tally.now, tally.pairs[new] = new, count


@helper
def leave(contacts, pair):
    """A pair is one no more: its memory is free for another."""
    tally = contacts.tally[0]
    pair.was = pair.touch
    contacts.free[tally.free] = pair.slot
    tally.free += 1


@helper
def comes_before(pair, a, b):
    """Whether a pair stands before (a, b)."""
    return pair.a < a or (pair.a == a and pair.b < b)
