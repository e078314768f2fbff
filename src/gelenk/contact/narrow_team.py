"""Points of many pairs found by several threads: each takes some of the pairs, with scratch of its own (V-97).

A pair knows nothing of other pairs, so its points are the same whoever finds them. Threads put theirs down apart; then
they are copied to where one thread would have put them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.collision.contacts import finish_points, points_of_pairs
from gelenk.collision.manifold import MANY, put_copy
from gelenk.compile import Team, helper, routine
from gelenk.contact.space_block import FIND_PART, JOIN_PART, RUNNER, THREADS, WORKERS, new_space
from gelenk.model.builder import Builder

MANY_PAIRS = 400  # from which on another thread is worth while


@helper
def pairs_of_part(space, part, parts):
    """First and last pair of a part."""
    count = space.found.tally[0].pairs[space.found.tally[0].now]
    return count * part // parts, count * (part + 1) // parts


@routine
def find_part(part, space, parts):
    """Points of the pairs of one part, put down apart."""
    first, last = pairs_of_part(space, part, parts)
    work = space.narrow
    if part == 1:
        work = space.second
    elif part == 2:
        work = space.third
    elif part == 3:
        work = space.fourth
    apart = space.apart[part]
    total, missed = points_of_pairs(space.colliders, space.tables, work, space.found, first, last, apart)
    space.parts[part, 0], space.parts[part, 1] = total, missed
    return np.int64(0)


@routine
def join_part(part, space, parts):
    """Copy the points of one part to where they belong."""
    first, last = pairs_of_part(space, part, parts)
    begin, found = space.parts[part, 2], space.found
    for j in range(space.parts[part, 0]):
        put_copy(space.apart[part, j], found.contact[begin + j])
    for k in range(first, last):
        found.pair[found.tally[0].now, k].first += begin
    return np.int64(0)


@routine
def find_all(space):
    """Points of all pairs, as :func:`gelenk.collision.contacts.find_points` finds them alone."""
    team, tally, parts = space.team, space.found.tally[0], min(space.team[THREADS], WORKERS)
    if tally.pairs[tally.now] < MANY_PAIRS:
        parts = 1
    if parts == 1:
        total, tally.missed = points_of_pairs(
            space.colliders, space.tables, space.narrow, space.found, 0, tally.pairs[tally.now], space.found.contact
        )
    else:
        share_pairs(team[RUNNER], team[THREADS], team[FIND_PART], 0, parts, space, parts)
        total, tally.missed = np.int64(0), np.int64(0)
        for part in range(parts):
            space.parts[part, 2] = total
            total += space.parts[part, 0]
            tally.missed = max(tally.missed, space.parts[part, 1])
        if total <= space.found.contact.shape[0] - MANY:
            share_pairs(team[RUNNER], team[THREADS], team[JOIN_PART], 0, parts, space, parts)
    finish_points(space.colliders, space.tables, space.narrow, space.seams, space.found, total)


def _samples() -> tuple[Any, ...]:
    """Arguments of a part, for the compiler."""
    return new_space(Builder().build(), None), 1


pair_team = Team(_samples, 2)
share_pairs = pair_team.share
