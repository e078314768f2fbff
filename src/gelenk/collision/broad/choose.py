"""Which broad phase a scene gets, and why.

Measured on one core, microseconds an element and step, elements moving by a hundredth of their size in each:

    elements    sweep, in a row   sweep, in a cube   grid, in a cube   tree, in a cube
         100         0.11              0.18              0.37               0.46
       1 000         0.06              0.31              0.34               0.56
      10 000         0.09              1.29              0.43               1.00
     100 000         0.13                                0.59               2.43

All three are kept (:mod:`gelenk.collision.broad.kept`), which takes 0.13, 0.05, 0.06 and 0.07 in a cube.

The kinds below are chosen by name alone. In a cube, measured on a busy machine in processor time, the grid and the tree
beside them:

    elements    grid   tree   cell lists   octree   kd-tree   sweep on three axes
         100    0.25   0.34      0.49       0.53      0.26           0.19
       1 000    0.23   0.45      0.84       1.40      0.52           0.21
      10 000    0.40   1.08      4.24       2.34      0.61           0.85
     100 000    0.50   2.32      8.47       4.59      1.31

Large scenes in which few move (V-17), 100 000 in a cube: the grid takes 0.24 if 10 000 of them move and 0.09 if 1 000
do, cell lists 0.93 and 0.10, the octree 0.62 in the first case, the tree 1.02, the sweep on three axes 0.74. If 100
move, cell lists take 0.019, the grid 0.035.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.broad.all_pairs import new_all_pairs
from gelenk.collision.broad.bounds import check_boxes
from gelenk.collision.broad.cell_lists import new_cell_lists
from gelenk.collision.broad.grid import fitting_size, new_grid
from gelenk.collision.broad.kd_tree import new_kd_tree
from gelenk.collision.broad.kept import new_kept
from gelenk.collision.broad.octree import new_octree
from gelenk.collision.broad.pair_filter import ABSENT, PairFilter
from gelenk.collision.broad.sweep import new_sweep
from gelenk.collision.broad.sweep_axes import new_sweep_axes
from gelenk.collision.broad.tree import new_tree
from gelenk.errors import InputError

FEW = 32  # elements up to which nothing is faster than to compare all
SWEEP_TESTS = 100.0  # comparisons an element up to which a sweep beats the grid: 3 ns each against some 0.3 us in all
GRID_LEVELS = 6  # sizes of cells beyond which a tree beats the grid, in which elements look at all coarser levels


def _keeping(make: Callable[[np.ndarray], Any], boxes: np.ndarray) -> Any:
    return new_kept(make(boxes), len(boxes))


MAKE: dict[str, Callable[[np.ndarray], Any]] = {  # every kind by name, for a table of boxes
    "all pairs": lambda boxes: new_all_pairs(),
    "sweep": lambda boxes: new_sweep(len(boxes)),
    "tree": lambda boxes: new_tree(len(boxes)),
    "grid": lambda boxes: new_grid(len(boxes), fitting_size(boxes)),
    "cell lists": lambda boxes: new_cell_lists(len(boxes), fitting_size(boxes)),
    "cell columns": lambda boxes: new_cell_lists(len(boxes), fitting_size(boxes), axes=2),
    "octree": lambda boxes: new_octree(len(boxes)),
    "quadtree": lambda boxes: new_octree(len(boxes), axes=2),
    "kd-tree": lambda boxes: new_kd_tree(len(boxes)),
    "sweep on three axes": lambda boxes: new_sweep_axes(len(boxes)),
}
KEEPS = "kept "  # before the name of a kind: its pairs are kept while little moves
MAKE |= {KEEPS + kind: partial(_keeping, MAKE[kind]) for kind in ("sweep", "tree", "grid")}


class Choice(NamedTuple):
    """A broad phase and the reason for it."""

    phase: Any
    kind: str  # a key of MAKE
    why: str


def choose_phase(boxes: Any, filter_: PairFilter, kind: str | None = None, *, rays: bool = False) -> Choice:
    """Broad phase for a scene as it stands; with ``rays`` one that has them; ``kind`` names one without a choice."""
    table = check_boxes(boxes)
    if kind is not None:
        why = "asked for"
    elif rays:
        kind, why = "tree", "rays are asked for"
    else:
        kind, why = _fitting_kind(table, filter_)
    if kind not in MAKE:
        allowed = ", ".join(map(repr, MAKE))
        raise InputError("broad phase", f"kind is {kind!r}", allowed, "Name one of these, or leave it out.")
    return Choice(MAKE[kind](table), kind, why)


def _fitting_kind(boxes: np.ndarray, filter_: PairFilter) -> tuple[str, str]:
    there = boxes[filter_.element["role"] != ABSENT]
    n = len(there)
    if n <= FEW:
        return "all pairs", f"{n} elements, at most {FEW}"
    tests, axis = min((sweep_tests(there, axis), axis) for axis in range(3))
    along = f"a sweep along {'xyz'[axis]} would compare each of {n} elements with {tests:.0f} others"
    if tests <= SWEEP_TESTS:
        return KEEPS + "sweep", f"{along}, at most {SWEEP_TESTS:.0f}"
    levels = grid_levels(there)
    if levels > GRID_LEVELS:
        return KEEPS + "tree", f"{along}, and a grid would need {levels} sizes of cells, more than {GRID_LEVELS}"
    return KEEPS + "grid", f"{along}, more than {SWEEP_TESTS:.0f}"


def sweep_tests(boxes: np.ndarray, axis: int) -> float:
    """Comparisons an element in a sweep along an axis: how many begin between its begin and its end, on average."""
    low = np.sort(boxes[:, axis])
    ended = np.searchsorted(low, boxes[:, axis + 3], side="right")
    begun = np.searchsorted(low, boxes[:, axis], side="left") + 1
    return float(np.mean(np.maximum(ended - begun, 0)))


def grid_levels(boxes: np.ndarray) -> int:
    """How many sizes of cells a grid has for these boxes, about: one for each doubling of their size."""
    with np.errstate(invalid="ignore"):
        size = (boxes[:, 3:] - boxes[:, :3]).max(axis=1) / fitting_size(boxes)
    return len(np.unique(np.ceil(np.log2(np.maximum(size[np.isfinite(size)], 1.0)))))
