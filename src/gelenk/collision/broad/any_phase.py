"""One broad phase for compiled steps: which kind it is, is a number, so that a step is compiled once for all scenes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.broad.all_pairs import AllPairs, new_all_pairs
from gelenk.collision.broad.choose import MAKE, choose_phase
from gelenk.collision.broad.kept import KeptPairs
from gelenk.collision.broad.pair_filter import PairFilter
from gelenk.collision.broad.phase import find_pairs

KINDS = ("all pairs", "kept sweep", "kept grid", "kept tree")
ALL, SWEEP, GRID = range(3)


class AnyPhase(NamedTuple):
    """The kinds that :func:`gelenk.collision.broad.choose.choose_phase` chooses from; all but one are empty."""

    kind: np.ndarray  # (1,) int64 place in KINDS
    all: AllPairs
    sweep: KeptPairs
    grid: KeptPairs
    tree: KeptPairs


def new_any_phase(boxes: np.ndarray, filter_: PairFilter) -> AnyPhase:
    """The phase that fits a scene."""
    choice, nothing = choose_phase(boxes, filter_), np.zeros((1, 6))
    kept = [choice.phase if kind == choice.kind else MAKE[kind](nothing) for kind in KINDS[1:]]
    return AnyPhase(np.array([KINDS.index(choice.kind)]), new_all_pairs(), *kept)


@find_pairs.register(AnyPhase)
def _(phase, boxes, filter_, pairs_out):
    kind = phase.kind[0]
    if kind == ALL:
        return find_pairs(phase.all, boxes, filter_, pairs_out)
    if kind == SWEEP:
        return find_pairs(phase.sweep, boxes, filter_, pairs_out)
    if kind == GRID:
        return find_pairs(phase.grid, boxes, filter_, pairs_out)
    return find_pairs(phase.tree, boxes, filter_, pairs_out)
