"""Broad phases from Python: pairs, boxes and rays, one compiled call each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import gelenk.collision.broad.all_pairs
import gelenk.collision.broad.cell_lists
import gelenk.collision.broad.grid_phase
import gelenk.collision.broad.kd_tree_phase
import gelenk.collision.broad.kept
import gelenk.collision.broad.octree_phase
import gelenk.collision.broad.sweep
import gelenk.collision.broad.sweep_axes  # noqa: F401  what each phase does is known once its file is loaded
from gelenk.checks import check_count, check_vector
from gelenk.collision.broad.bounds import check_boxes, get_box
from gelenk.collision.broad.pair_filter import ALL, PairFilter
from gelenk.collision.broad.phase import BroadPairs, find_in_box, find_pairs, new_pairs, update
from gelenk.collision.broad.tree import BoxTree
from gelenk.collision.broad.tree_phase import descend_along_ray
from gelenk.compile import kernel
from gelenk.errors import InputError
from gelenk.math.vec3 import get3


@kernel
def update_phase(phase, boxes, filter_):
    """Take up where the elements are now."""
    update(phase, boxes, filter_)


@kernel
def pairs_of(phase, boxes, filter_, pairs_out):
    """Pairs of one step; see :func:`gelenk.collision.broad.phase.find_pairs`."""
    return find_pairs(phase, boxes, filter_, pairs_out)


@kernel
def meeting_box(phase, boxes, filter_, box, mask, found_out):
    """Elements that meet one box, (1, 6); see :func:`gelenk.collision.broad.phase.find_in_box`."""
    return find_in_box(phase, boxes, filter_, get_box(box, 0), mask[0], found_out)


@kernel
def along_ray(tree, boxes, filter_, ray, length, mask, found_out, entry_out):
    """Elements whose boxes a ray hits; ``ray`` is (2, 3), start and direction, ``length`` times which it goes."""
    return descend_along_ray(tree, boxes, filter_, get3(ray, 0), get3(ray, 1), length[0], mask[0], found_out, entry_out)


def all_pairs_of(phase: Any, boxes: np.ndarray, filter_: PairFilter, pairs: BroadPairs) -> tuple[BroadPairs, int]:
    """Pairs of one step and their number, in the space given or in a larger one if it was too small."""
    count = pairs_of(phase, boxes, filter_, pairs)
    if count > len(pairs.pair):
        pairs = new_pairs(len(boxes), count + count // 4)
        count = pairs_of(phase, boxes, filter_, pairs)
    return pairs, count


def all_in_box(phase: Any, boxes: np.ndarray, filter_: PairFilter, box: Any, mask: int = ALL) -> np.ndarray:
    """Elements in groups of ``mask`` that meet one box, in rising order (V-30); the phase as of its last update."""
    asked = check_boxes([box])
    found = np.zeros(64, dtype=np.uint32)
    while (count := meeting_box(phase, boxes, filter_, asked, _mask(mask), found)) > len(found):
        found = np.zeros(count, dtype=np.uint32)
    return found[:count]


def all_along_ray(
    tree: BoxTree,
    boxes: np.ndarray,
    filter_: PairFilter,
    start: Any,
    direction: Any,
    length: float = math.inf,
    mask: int = ALL,
) -> tuple[np.ndarray, np.ndarray]:
    """Elements in groups of ``mask`` whose boxes a ray hits, nearest first, and where it enters them.

    The ray is start + s direction, 0 <= s <= length; s is a length [m] if the direction is of unit length.
    """
    ray = np.array([check_vector("ray", "start", start, "m"), check_vector("ray", "direction", direction, "1")])
    if not ray[1].any() or not length >= 0:
        found = f"direction {ray[1].tolist()}, length {length!r}"
        raise InputError("ray", found, "a direction other than zero, a length from 0 on", "Give where the ray goes.")
    room, far = 64, np.array([float(length)])
    while True:
        hits, entry = np.zeros(room, dtype=np.uint32), np.zeros(room)
        count = along_ray(tree, boxes, filter_, ray, far, _mask(mask), hits, entry)
        if count <= room:
            return hits[:count], entry[:count]
        room = count


def _mask(mask: int) -> np.ndarray:
    return np.array([check_count("query", "mask", mask, least=0, most=ALL)], dtype=np.uint32)
