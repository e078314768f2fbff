"""Broad phase that compares every box with every other: n (n - 1) / 2 tests. What the others are measured by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.broad.bounds import get_box
from gelenk.collision.broad.pair_filter import allowed, present
from gelenk.collision.broad.phase import be_phase, look_at_all, put_pair, sort_pairs
from gelenk.compile import helper, routine


class AllPairs(NamedTuple):
    """Nothing to remember."""

    tests: np.ndarray  # (1,) int64 comparisons of boxes in the last step


def new_all_pairs() -> AllPairs:
    """Make the phase, for any number of elements."""
    return AllPairs(np.zeros(1, dtype=np.int64))


@helper
def stay(phase, boxes, filter_):
    """There is nothing to take up."""


@routine
def compare_all(phase, boxes, filter_, pairs):
    """Every i with every j above it."""
    count, tests = 0, 0
    for i in range(boxes.shape[0]):
        if not present(filter_, boxes, i):
            continue
        box = get_box(boxes, i)
        for j in range(i + 1, boxes.shape[0]):
            tests += 1
            if box.meets(get_box(boxes, j)) and allowed(filter_, i, j) and present(filter_, boxes, j):
                count = put_pair(pairs, count, i, j)
    phase.tests[0] = tests
    sort_pairs(pairs, count)
    return count


be_phase(AllPairs, stay, compare_all, look_at_all)
