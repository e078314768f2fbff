"""Which pairs of elements are looked at, besides that their boxes meet: roles, bodies, groups and masks, neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gelenk.checks import check_count
from gelenk.collision.broad.bounds import get_box
from gelenk.compile import helper
from gelenk.errors import InputError

ABSENT = 0  # not there, whatever its box says
STILL = 1  # part of the surroundings; two of these are never a pair
MOVING = 2

ALL = 0xFFFFFFFF  # every group


IN_PAIRS = np.dtype(
    [
        ("role", "u4"),
        ("body", "u4"),  # elements of one body are never a pair
        ("group", "u4"),  # bits: the groups it is in
        ("mask", "u4"),  # bits: the groups it meets
    ]
)


class PairFilter(NamedTuple):
    """What each element is. Written at any time: an element comes, goes, stops or starts with its role (V-34)."""

    element: np.ndarray  # (n,) IN_PAIRS
    excluded_first: np.ndarray  # (bodies + 1,) uint32 where the excluded partners of each body begin
    excluded: np.ndarray  # (e,) uint32 partners of larger number, rising for each body


@helper
def present(filter_, boxes, i):
    """Whether element i takes part: it has a role and its box is one."""
    return filter_.element[i].role != ABSENT and get_box(boxes, i).is_box()


@helper
def allowed(filter_, i, j):
    """Whether elements i and j may be a pair:

    one of them moves, other bodies, group_i & mask_j and group_j & mask_i not empty, bodies no excluded pair.
    """
    e, f = filter_.element[i], filter_.element[j]
    if e.role != MOVING and f.role != MOVING:
        return False
    if e.body == f.body or e.group & f.mask == 0 or f.group & e.mask == 0:
        return False
    return not excludes(filter_, min(e.body, f.body), max(e.body, f.body))


@helper
def excludes(filter_, a, b):
    """Whether bodies a < b are an excluded pair, by bisection among the partners of a."""
    low, high = np.int64(filter_.excluded_first[a]), np.int64(filter_.excluded_first[a + 1])
    while low < high:
        middle = (low + high) >> 1
        if filter_.excluded[middle] < b:
            low = middle + 1
        else:
            high = middle
    return low < np.int64(filter_.excluded_first[a + 1]) and filter_.excluded[low] == b


def new_filter(
    count: int,
    *,
    moving: Any = True,
    body: Any = None,
    group: Any = 1,
    mask: Any = ALL,
    excluded: Iterable[tuple[int, int]] = (),
) -> PairFilter:
    """Filter for ``count`` elements.

    Parameters
    ----------
    moving : one flag for all or one for each element
    body : body of each element; without it each is a body of its own
    group, mask : bits, one number for all or one for each element
    excluded : pairs of bodies that never collide, such as neighbours at a joint
    """
    count = check_count("filter", "count", count, least=1, most=2**31)
    element = np.zeros(count, IN_PAIRS).view(np.recarray)
    element.body = np.arange(count) if body is None else _bits("body", body, count)
    element.role = np.where(np.broadcast_to(np.asarray(moving, dtype=bool), (count,)), MOVING, STILL)
    element.group, element.mask = _bits("group", group, count), _bits("mask", mask, count)
    return PairFilter(element, *exclusion_table(excluded, int(element.body.max()) + 1))


def exclusion_table(pairs: Iterable[tuple[int, int]], bodies: int) -> tuple[np.ndarray, np.ndarray]:
    """Excluded pairs of bodies, each once, as rows of a sorted table."""
    rows = []
    for pair in pairs:
        a, b = (check_count("filter", "an excluded body", k, least=0, most=bodies - 1) for k in pair)
        if a == b:
            remedy = "Give two bodies; a body never meets itself anyway."
            raise InputError("filter", f"body {a} is excluded from itself", "pairs of different bodies", remedy)
        rows.append((min(a, b), max(a, b)))
    table = np.array(sorted(set(rows)), dtype=np.uint32).reshape(-1, 2)
    first = np.searchsorted(table[:, 0], np.arange(bodies + 1)).astype(np.uint32)
    return first, np.ascontiguousarray(table[:, 1])


def _bits(what: str, value: Any, count: int) -> np.ndarray:
    """32 bits for each element."""
    given = np.asarray(value)
    fits = given.dtype.kind in "iu" and given.shape in ((), (count,)) and given.min() >= 0 and given.max() <= ALL
    if not fits:
        remedy = f"Give {what} as one number for all elements or one for each."
        raise InputError("filter", f"{what} is {value!r}", f"whole numbers from 0 to 2^32 - 1, 1 or {count}", remedy)
    return given
