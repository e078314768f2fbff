"""Pairs that are kept while little moves: the same as without keeping, and rarely looked for."""

from __future__ import annotations

import numpy as np
import pytest

from gelenk.collision.broad.candidates import all_in_box, pairs_of, update_phase
from gelenk.collision.broad.choose import MAKE
from gelenk.collision.broad.kept import PAUSE, new_kept
from gelenk.collision.broad.pair_filter import ABSENT, MOVING, new_filter
from gelenk.collision.broad.phase import new_pairs

N = 60


def scene(seed: int = 3) -> tuple[np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    low = rng.uniform(0.0, 4.0, (N, 3))
    return np.hstack((low, low + rng.uniform(0.5, 1.0, (N, 3)))), rng


def found(phase, boxes, filter_) -> tuple[np.ndarray, np.ndarray]:
    pairs = new_pairs(N, N * N)
    count = pairs_of(phase, boxes, filter_, pairs)
    return pairs.pair[:count].copy(), pairs.first.copy()


def same_as_all(phase, boxes, filter_) -> int:
    """Number of pairs, which are those of comparing all, with the same rows for every element."""
    mine, exact = found(phase, boxes, filter_), found(MAKE["all pairs"](boxes), boxes, filter_)
    np.testing.assert_array_equal(mine[0], exact[0])
    np.testing.assert_array_equal(mine[1], exact[1])
    return len(exact[0])


@pytest.mark.parametrize("kind", ["kept sweep", "kept grid", "kept tree"])
def test_a_creeping_scene_is_looked_at_rarely(kind):
    boxes, rng = scene()
    phase, filter_ = MAKE[kind](boxes), new_filter(N)
    way, looked, counts = rng.normal(size=(N, 3)), 0, []
    for _ in range(60):
        counts.append(same_as_all(phase, boxes, filter_))
        looked += phase.tally[0].lasted == 1
        boxes += 5e-4 * np.hstack((way, way))
    assert len(set(counts)) > 3, "boxes came and went"
    # a skin of 1 % or more of 0.5 m lasts for 5 mm / (5e-4 m x 3.5, the fastest of 180 normal numbers) = 2 steps; the
    # first list, of 4 %, for 11 steps, and wider ones longer
    assert looked <= 10


@pytest.mark.parametrize("kind", ["kept sweep", "kept grid", "kept tree"])
def test_what_leaps_is_found_and_lists_pause(kind):
    boxes, rng = scene(4)
    phase, filter_ = MAKE[kind](boxes), new_filter(N)
    paused = False
    for _ in range(2 * PAUSE):
        same_as_all(phase, boxes, filter_)
        paused |= bool(phase.tally[0].pause > 0)
        low = rng.uniform(0.0, 4.0, 3)
        boxes[0] = (*low, *(low + 0.7))
    assert paused


def test_the_filter_may_change_at_any_time():
    boxes, _ = scene(5)
    phase, filter_ = MAKE["kept grid"](boxes), new_filter(N)
    before = same_as_all(phase, boxes, filter_)
    filter_.element[7].role = ABSENT
    without = same_as_all(phase, boxes, filter_)
    filter_.element[7].role, filter_.element[8].mask = MOVING, 0
    assert without < before
    assert same_as_all(phase, boxes, filter_) < before
    boxes[9, 0] = np.nan  # a box that is none
    same_as_all(phase, boxes, filter_)
    boxes[9, 0] = boxes[9, 3] - 0.5
    same_as_all(phase, boxes, filter_)


def test_more_candidates_than_space():
    boxes, _ = scene(6)
    phase = new_kept(MAKE["sweep"](boxes), N)._replace(candidates=new_pairs(N, 5))
    assert same_as_all(phase, boxes, new_filter(N)) > 5
    assert phase.tally[0].pause > 0


def test_boxes_are_asked_as_they_are_not_as_they_were_grown():
    boxes, _ = scene(7)
    phase, filter_ = MAKE["kept grid"](boxes), new_filter(N)
    update_phase(phase, boxes, filter_)
    asked = np.array([*boxes[3, 3:] + 1e-9, *boxes[3, 3:] + 0.4])  # just beyond a corner, within the skin
    plain = MAKE["all pairs"](boxes)
    np.testing.assert_array_equal(all_in_box(phase, boxes, filter_, asked), all_in_box(plain, boxes, filter_, asked))
    assert 3 not in all_in_box(phase, boxes, filter_, asked)
