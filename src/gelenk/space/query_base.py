"""What all questions to the shapes of a model share: the tree of boxes, names, groups, tables of vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gelenk.checks import Vector, check_quaternion, check_table, check_vector, unknown
from gelenk.collision.broad.candidates import update_phase
from gelenk.collision.broad.pair_filter import ALL, PairFilter
from gelenk.collision.broad.phase import NONE
from gelenk.collision.broad.tree import BoxTree, new_tree
from gelenk.collision.collider import Colliders, place_colliders
from gelenk.collision.query.sweep import SweepSpace
from gelenk.collision.tables import NarrowWork, Tables
from gelenk.errors import InputError
from gelenk.model.colliders import DEFAULT_GROUP, Asked, ModelColliders
from gelenk.model.model import Model
from gelenk.model.states import StateCheck
from gelenk.state import State

FARTHEST = 1e50  # coordinates [m] above this are refused, so that no product of them overflows
NEARER = "Give places and ways in metres that end where the scene does."


class QueryBase:
    """A scene to ask questions of."""

    model: Model
    made: ModelColliders
    colliders: Colliders
    tables: Tables
    filter: PairFilter
    work: NarrowWork
    groups: dict[str, int]
    _tree: BoxTree | None = None
    _space: SweepSpace
    _asked_shapes: list[Asked]
    _check: StateCheck

    def _place(self, call: str, state: State) -> None:
        """Move all shapes to where a state has them."""
        self._check.check(call, state)
        place_colliders(self.colliders, self.tables, state)
        self._moved()

    def _moved(self) -> None:
        """Boxes are others now: take them up when the next question comes."""
        self._tree_is_old = True

    @property
    def tree(self) -> BoxTree:
        """Boxes of all colliders as a tree, up to date."""
        n = len(self.colliders.item)
        if self._tree is None or len(self._tree.free) != max(n, 1):
            self._tree, self._tree_is_old = new_tree(max(n, 1)), True
        if self._tree_is_old and n:
            update_phase(self._tree, self.colliders.box, self.filter)
            self._tree_is_old = False
        return self._tree

    def body_of(self, collider: Any) -> Any:
        """Name of the body that a collider belongs to, None where there is none; of an array a list of names.

        Records of rays, sweeps, closest points, overlaps and pairs hold colliders: the shapes of the model one by one,
        in the order of bodies, parts and pieces; 4294967295 stands for none.
        """
        number, count = np.asarray(collider), len(self.colliders.item)
        if number.dtype.kind not in "iu" or not ((number >= 0) & ((number < count) | (number == NONE))).all():
            found, allowed = f"collider is {collider!r}"[:100], f"whole numbers from 0 to {count - 1}"
            raise InputError("body_of()", found, allowed, "Pass the collider of a record.")
        names = np.array([*self.model.nodes.names, None], dtype=object)
        node = np.append(self.colliders.item["node"].astype(np.int64), len(names) - 1)
        return names[node[np.minimum(number, count)]].tolist() if number.ndim else names[node[min(int(number), count)]]

    def _name(self, collider: Any) -> tuple[str, int]:
        item = self.colliders.item[int(collider)]
        return self.model.nodes.names[item.node], int(item.part)

    def _mask(self, groups: Iterable[str] | None) -> np.uint32:
        """Bits of groups by name; those that no part is in are refused."""
        if groups is None:
            return np.uint32(ALL)
        bits = 0
        if not isinstance(groups, (str, Iterable)):
            raise InputError("query", f"groups is {groups!r}"[:100], "names of groups", "Pass a name or several.")
        used = int(np.bitwise_or.reduce(self.filter.element["group"]))
        known = {name: bit for name, bit in self.groups.items() if bit & used or name == DEFAULT_GROUP}
        for name in (groups,) if isinstance(groups, str) else groups:
            if name not in known:
                raise unknown("query", "group", name, known)
            bits |= known[name]
        return np.uint32(bits)

    def _filter(self, ignore: str | Iterable[str] | None) -> PairFilter:
        """What is looked at if the bodies of these names are not."""
        if ignore is None:
            return self.filter
        if not isinstance(ignore, (str, Iterable)):
            raise InputError("query", f"ignore is {ignore!r}"[:100], "names of bodies", "Pass a name or several.")
        names = (ignore,) if isinstance(ignore, str) else ignore
        nodes = [self.model.nodes.index("query", "ignored body", name) for name in names]
        element = self.filter.element.copy()
        element["group"][: len(self.colliders.item)][np.isin(self.colliders.item["node"], nodes)] = 0
        return self.filter._replace(element=element)

    def _two_bodies(self, call: str, a: str, b: str) -> tuple[int, int]:
        """Nodes of two bodies that are not the same."""
        i, j = (self.model.nodes.index(call, "body", name) for name in (a, b))
        if i == j:
            raise InputError(call, f"{a!r} twice", "two different bodies", "Name two bodies.")
        return i, j


def turns(call: str, rotations: Any) -> np.ndarray:
    """(n, 4) unit quaternions from many or from one."""
    try:
        rows = list(rotations)
        many = not rows or np.ndim(rows[0]) > 0
    except (TypeError, ValueError):
        rows, many = [rotations], True  # which is none: the check says so
    return np.array([check_quaternion(call, "rotation", turn) for turn in (rows if many else [rows])]).reshape(-1, 4)


def alike(call: str, what: str, a: np.ndarray, other: str, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two tables with as many rows; one row serves for all."""
    if len(a) != len(b) and 1 not in (len(a), len(b)):
        found, allowed = f"{len(a)} {what} and {len(b)} {other}", "as many of one as of the other, or one for all"
        raise InputError(call, found, allowed, "Give one for each.")
    count = len(b) if len(a) == 1 else len(a)
    first, second = (np.array(np.broadcast_to(table, (count, table.shape[1])), order="C") for table in (a, b))
    return first, second


def vectors(call: str, what: str, value: Any, unit: str) -> np.ndarray:
    """(n, 3) from many vectors, also in an array such as (h, w, 3), or from one; there may be none.

    Lengths are those that squares of do not overflow.
    """
    try:
        shape = np.shape(value)
    except ValueError:  # rows of different lengths: the check says so
        shape = ()
    if shape in ((0,), (0, 3)):
        return np.zeros((0, 3))
    if len(shape) > 2 and shape[-1] == 3:
        value = np.reshape(value, (-1, 3))
    table = check_table(call, what, [value] if shape == (3,) else value, 3, unit)
    if unit == "m" and np.abs(table).max() > FARTHEST:
        row = int(np.abs(table).max(axis=1).argmax())
        raise InputError(
            call, f"row {row} of {what} is {tuple(table[row].tolist())}", f"coordinates up to {FARTHEST:g} [m]", NEARER
        )
    return table


def near_vector(call: str, what: str, value: Any) -> Vector:
    """Three coordinates [m] whose squares do not overflow."""
    x, y, z = check_vector(call, what, value, "m")
    if max(abs(x), abs(y), abs(z)) > FARTHEST:
        raise InputError(call, f"{what} is {(x, y, z)}", f"coordinates up to {FARTHEST:g} [m]", NEARER)
    return x, y, z
