"""A set of pairs of elements: put in, take out, go through, each in a time that does not depend on their number.

The pairs stand in a dense list; where each stands is found by hashing with open addresses: pair p is in the first free
slot from its own on. To take one out, those after it move back as far as they may, so no slot is left that is neither
free nor in use; the last of the list takes its place there.

Source: D. Knuth, The art of computer programming 3, 6.4, algorithms L and R.
A matrix of n x n flags would take 10 GB for 100 000 elements, and as much to go through in each step; the pairs that
boxes make are a few n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.broad.phase import NONE
from gelenk.compile import helper, routine

MIX_I, MIX_J = 0x5F356495, 0x6C8E9CF5  # 31 bits, odd: products with numbers of elements stay below 62


class PairSet(NamedTuple):
    """Pairs i < j."""

    member: np.ndarray  # (capacity, 2) uint32
    slot: np.ndarray  # (2^m,) uint32 places in that list, NONE if free
    state: np.ndarray  # (2,) int64 how many there are; 1 if one found no space


def new_pair_set(capacity: int) -> PairSet:
    """Empty set with space for some pairs; half of the slots at least stay free."""
    slots = 1 << (2 * capacity - 1).bit_length()
    return PairSet(np.zeros((capacity, 2), dtype=np.uint32), np.full(slots, NONE), np.zeros(2, dtype=np.int64))


@helper
def own_slot(pairs, i, j):
    """Slot from which a pair is looked for."""
    return ((np.int64(i) * MIX_I ^ np.int64(j) * MIX_J) >> 16) & (pairs.slot.shape[0] - 1)


@helper
def slot_of(pairs, i, j):
    """Slot where a pair is, or the free one where it would be."""
    at, last = own_slot(pairs, i, j), pairs.slot.shape[0] - 1
    while pairs.slot[at] != NONE:
        p = pairs.slot[at]
        if pairs.member[p, 0] == i and pairs.member[p, 1] == j:
            break
        at = (at + 1) & last
    return at


@routine
def put_into_set(pairs, a, b):
    """Put in the pair of two elements, unless it is there; notes if there is no space."""
    i, j = min(a, b), max(a, b)
    at = slot_of(pairs, i, j)
    if pairs.slot[at] != NONE:
        return
    count = pairs.state[0]
    if count == pairs.member.shape[0]:
        pairs.state[1] = 1
        return
    pairs.member[count, 0], pairs.member[count, 1] = i, j
    pairs.slot[at] = count
    pairs.state[0] = count + 1


@routine
def take_from_set(pairs, a, b):
    """Take out the pair of two elements, if it is there."""
    i, j = min(a, b), max(a, b)
    at, last = slot_of(pairs, i, j), pairs.slot.shape[0] - 1
    place = pairs.slot[at]
    if place == NONE:
        return
    after = at
    while True:
        after = (after + 1) & last
        p = pairs.slot[after]
        if p == NONE:
            break
        home = own_slot(pairs, pairs.member[p, 0], pairs.member[p, 1])
        if ((after - home) & last) >= ((after - at) & last):  # its own slot is not between: it may move back
            pairs.slot[at] = p
            at = after
    pairs.slot[at] = NONE
    end = pairs.state[0] - 1
    pairs.state[0] = end
    if place != end:
        i, j = pairs.member[end, 0], pairs.member[end, 1]
        pairs.slot[slot_of(pairs, i, j)] = place
        pairs.member[place, 0], pairs.member[place, 1] = i, j


@routine
def empty_set(pairs):
    """Take out all."""
    for k in range(pairs.slot.shape[0]):
        pairs.slot[k] = NONE
    pairs.state[0], pairs.state[1] = 0, 0
