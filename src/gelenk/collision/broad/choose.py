"""Which broad phase a scene gets, and why (V-17)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.broad.all_pairs import new_all_pairs
from gelenk.collision.broad.bounds import check_boxes
from gelenk.collision.broad.grid import fitting_size, new_grid
from gelenk.collision.broad.pair_filter import ABSENT, MOVING, PairFilter
from gelenk.collision.broad.sweep import new_sweep
from gelenk.collision.broad.tree import new_tree
from gelenk.errors import InputError

FEW = 32  # elements up to which nothing is faster than to compare all
SWEEP_TESTS = 60.0  # comparisons an element up to which a sweep is faster than tree and grid: 3 ns each against 0.2 us
MOSTLY_STILL = 0.25  # share of moving elements below which a tree, in which those at rest cost least, is chosen


class Choice(NamedTuple):
    """A broad phase and the reason for it."""

    phase: Any
    kind: str  # "all pairs", "sweep", "tree" or "grid"
    why: str


def choose_phase(boxes: Any, filter_: PairFilter, kind: str | None = None) -> Choice:
    """Broad phase for a scene as it stands; ``kind`` names one if the choice is not wanted."""
    table = check_boxes(boxes)
    kind, why = (kind, "asked for") if kind is not None else _fitting_kind(table, filter_)
    n = len(table)
    if kind == "all pairs":
        return Choice(new_all_pairs(), kind, why)
    if kind == "sweep":
        return Choice(new_sweep(n), kind, why)
    if kind == "tree":
        return Choice(new_tree(n), kind, why)
    if kind == "grid":
        return Choice(new_grid(n, fitting_size(table)), kind, why)
    allowed = "'all pairs', 'sweep', 'tree' or 'grid'"
    raise InputError("broad phase", f"kind is {kind!r}", allowed, "Name one of these, or leave it out.")


def _fitting_kind(boxes: np.ndarray, filter_: PairFilter) -> tuple[str, str]:
    role = filter_.element["role"]
    there = boxes[role != ABSENT]
    n, moving = len(there), int(np.count_nonzero(role == MOVING))
    if n <= FEW:
        return "all pairs", f"{n} elements, at most {FEW}"
    tests, axis = min((sweep_tests(there, axis), axis) for axis in range(3))
    along = f"a sweep along {'xyz'[axis]} would compare each of {n} elements with {tests:.0f} others"
    if tests <= SWEEP_TESTS:
        return "sweep", f"{along}, at most {SWEEP_TESTS:.0f}"
    if moving < MOSTLY_STILL * n:
        return "tree", f"{along}, and only {moving} move"
    return "grid", f"{along}, more than {SWEEP_TESTS:.0f}"


def sweep_tests(boxes: np.ndarray, axis: int) -> float:
    """Comparisons an element in a sweep along an axis: how many begin between its begin and its end, on average."""
    low = np.sort(boxes[:, axis])
    ended = np.searchsorted(low, boxes[:, axis + 3], side="right")
    begun = np.searchsorted(low, boxes[:, axis], side="left") + 1
    return float(np.mean(np.maximum(ended - begun, 0)))
