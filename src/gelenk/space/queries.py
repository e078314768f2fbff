"""Questions to the shapes of a model: rays, closest points, overlaps, sweeps, boxes (V-30)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gelenk.checks import Vector, check_number, check_quaternion, check_table, check_vector, unknown
from gelenk.collision.broad.candidates import all_in_box, update_phase
from gelenk.collision.broad.pair_filter import ALL, PairFilter
from gelenk.collision.broad.phase import NONE
from gelenk.collision.broad.tree import BoxTree, new_tree
from gelenk.collision.collider import Colliders
from gelenk.collision.global_depth import WayOut
from gelenk.collision.manifold import MANY, new_memory, new_points
from gelenk.collision.pieces import Piece
from gelenk.collision.query.scene import HIT, NEAREST, OVERLAP, cast_rays, find_nearest, find_overlaps
from gelenk.collision.query.sweep import SWEPT, SweepSpace, new_sweep_space, sweep_shape
from gelenk.collision.separating_move import part_pieces
from gelenk.collision.solid import PLANE
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.collision.tables import NarrowWork, Tables, new_narrow_work
from gelenk.errors import InputError
from gelenk.math.vec3 import vec3
from gelenk.model.colliders import ModelColliders, asked_colliders
from gelenk.model.model import Model
from gelenk.model.parts import ORIGIN, UPRIGHT
from gelenk.progress import compiling


class RayHit(NamedTuple):
    """What a ray hits first."""

    body: str
    part: int
    distance: float  # along the ray [m]
    point: np.ndarray  # world [m]
    normal: np.ndarray  # unit normal of the surface, outward


class ClosestPoint(NamedTuple):
    """The nearest surface to a point."""

    body: str
    part: int
    distance: float  # negative if the point lies inside [m]
    point: np.ndarray  # of the surface, world [m]
    normal: np.ndarray  # unit normal of the surface, outward


class Overlap(NamedTuple):
    """A part that a shape meets."""

    body: str
    part: int
    distance: float  # negative by the depth [m]
    normal: np.ndarray  # unit vector from the part to the shape


class SweepHit(NamedTuple):
    """What a moving shape meets first."""

    body: str
    part: int
    distance: float  # how far the shape went [m]
    share: float  # of its way, 0 to 1
    point: np.ndarray  # where, world [m]
    normal: np.ndarray  # unit vector from the part to the shape


class BoxHit(NamedTuple):
    """A part whose box meets a box."""

    body: str
    part: int


class Queries:
    """Questions as of the last :meth:`detect`; ``groups`` names those to look at, all if left out."""

    model: Model
    made: ModelColliders
    colliders: Colliders
    tables: Tables
    filter: PairFilter
    work: NarrowWork
    groups: dict[str, int]
    _tree: BoxTree | None = None
    _space: SweepSpace

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

    def ray(
        self, start: Any, direction: Any, length: float = math.inf, groups: Iterable[str] | None = None
    ) -> RayHit | None:
        """What a ray from ``start`` along ``direction`` (any length but zero) hits first within ``length`` [m].

        One that starts inside a solid hits at once. None if it hits nothing.
        """
        hit = self.rays([start], [direction], length, groups)[0]
        if hit.collider == NONE:
            return None
        body, part = self._name(hit.collider)
        return RayHit(body, part, float(hit.distance), hit.point.copy(), hit.normal.copy())

    def rays(
        self, starts: Any, directions: Any, lengths: Any = math.inf, groups: Iterable[str] | None = None
    ) -> np.recarray:
        """Many rays in one compiled call: records with ``collider``, ``distance``, ``point``, ``normal``.

        ``body_of`` names the body of a collider. Rays that hit nothing have an infinite distance.
        """
        start, direction = _vectors("rays", "starts", starts, "m"), _vectors("rays", "directions", directions, "1")
        if len(direction) != len(start) and 1 not in (len(direction), len(start)):
            found = f"{len(start)} starts and {len(direction)} directions"
            raise InputError("rays", found, "as many of one as of the other, or one for all", "Give one for each ray.")
        shape = np.broadcast_shapes(start.shape, direction.shape)
        start, direction = (np.ascontiguousarray(np.broadcast_to(a, shape)) for a in (start, direction))
        size = np.linalg.norm(direction, axis=1)
        if not (size > 0).all():
            found = f"direction {int(np.argmin(size))} is {direction[np.argmin(size)].tolist()}"
            raise InputError("rays", found, "directions other than zero", "Give where the ray goes.")
        try:
            length = np.ascontiguousarray(np.broadcast_to(np.asarray(lengths, dtype=np.float64), (len(start),)))
        except (TypeError, ValueError):
            length = np.full(1, np.nan)
        if not (length >= 0).all():
            allowed = f"one number from 0 on [m], or {len(start)} of them"
            raise InputError("rays", f"lengths are {lengths!r}"[:120], allowed, "Change them.")
        hits = np.zeros(len(start), HIT).view(np.recarray)
        unit = np.ascontiguousarray(direction / size[:, None])
        with compiling("rays"):
            scene = self.tree, self.colliders, self.tables, self.filter
            cast_rays(*scene, start, unit, length, self._mask(groups), hits)
        return hits

    def closest(self, point: Any, limit: float = math.inf, groups: Iterable[str] | None = None) -> ClosestPoint | None:
        """The nearest surface to a point, within ``limit`` [m]; None if there is none.

        Inside a solid the distance is negative; inside several it is that of the deepest.
        """
        found = self.closest_points([point], limit, groups)[0]
        if found.collider == NONE:
            return None
        body, part = self._name(found.collider)
        return ClosestPoint(body, part, float(found.distance), found.point.copy(), found.normal.copy())

    def closest_points(self, points: Any, limit: float = math.inf, groups: Iterable[str] | None = None) -> np.recarray:
        """The same for many points in one compiled call: records as of :meth:`rays`."""
        point = _vectors("closest_points", "points", points, "m")
        if not (isinstance(limit, float) and limit == math.inf):
            limit = check_number("closest_points", "limit", limit, "m", least=0)
        limits = np.full(len(point), float(limit))
        found = np.zeros(len(point), NEAREST).view(np.recarray)
        with compiling("closest points"):
            scene = self.tree, self.colliders, self.tables, self.filter
            find_nearest(*scene, point, limits, self._mask(groups), found)
        return found

    def overlap(
        self,
        shape: Any,
        at: Any = ORIGIN,
        rotation: Any = UPRIGHT,
        margin: float = 0.0,
        groups: Iterable[str] | None = None,
    ) -> list[Overlap]:
        """Parts that a shape at a place meets, or comes nearer to than ``margin`` [m], deepest first."""
        margin = check_number("overlap", "margin", margin, "m", least=0)
        place = check_vector("overlap", "at", at, "m"), check_quaternion("overlap", "rotation", rotation)
        with compiling("overlaps"):
            return self._overlaps(shape, place, margin, self._mask(groups))

    def _overlaps(self, shape: Any, place: tuple[Any, Any], margin: float, mask: np.uint32) -> list[Overlap]:
        deepest: dict[tuple[str, int], Overlap] = {}
        asked, tables, work = asked_colliders("overlap", self.made, shape, *place)
        room = 64
        for k in range(len(asked.item)):
            one = Colliders(asked.item[k : k + 1], asked.place[k : k + 1], asked.box[k : k + 1])
            while True:
                found, out = np.zeros(room, np.uint32), np.zeros(room, OVERLAP).view(np.recarray)
                scratch = new_memory(1), found, new_points(MANY)
                count = find_overlaps(
                    self.tree,
                    self.colliders,
                    tables,
                    self.filter,
                    one,
                    margin,
                    mask,
                    work,
                    *scratch,
                    out,
                )
                if count >= 0:
                    break
                missed = int(work.surface.counts[LEFT_OUT])
                if missed:
                    work = new_narrow_work(tables, 2 * (len(work.surface.found) + missed))
                else:
                    room = -count
            for hit in out[:count]:
                key = self._name(hit.collider)
                if key not in deepest or hit.d < deepest[key].distance:
                    deepest[key] = Overlap(*key, float(hit.d), hit.n.copy())
        return sorted(deepest.values(), key=lambda o: (o.distance, o.body, o.part))

    def sweep(
        self, shape: Any, at: Any, way: Any, rotation: Any = UPRIGHT, groups: Iterable[str] | None = None
    ) -> SweepHit | None:
        """What a shape meets first that goes straight from ``at`` by ``way`` (3,) [m] without turning (V-06).

        Never late: it is found however thin a part is and however long the way. None if the way is free; a shape that
        begins in contact meets at once. Convex shapes and compounds of them.
        """
        place = check_vector("sweep", "at", at, "m"), check_quaternion("sweep", "rotation", rotation)
        along = check_vector("sweep", "way", way, "m")
        with compiling("sweeps"):
            return self._sweep(shape, place, along, self._mask(groups))

    def _sweep(self, shape: Any, place: tuple[Any, Any], along: Vector, mask: np.uint32) -> SweepHit | None:
        asked, tables, work = asked_colliders("sweep", self.made, shape, *place)
        best: Any = None
        for k in range(len(asked.item)):
            if asked.item[k]["kind"] >= PLANE:
                found = f"a {type(shape).__name__} that moves"
                raise InputError("sweep", found, "convex shapes and compounds of these", "Use gk.decompose or a hull.")
            one = Colliders(asked.item[k : k + 1], asked.place[k : k + 1], asked.box[k : k + 1])
            hit = np.zeros(1, SWEPT).view(np.recarray)
            scene = self.tree, self.colliders, tables, self.filter
            self._with_space(sweep_shape, (*scene, one, vec3(along), 0.0, mask, work.convex), hit)
            if hit[0].b != NONE and (best is None or hit[0].t < best.t):
                best = hit[0]
        if best is None:
            return None
        body, part = self._name(best.b)
        length = float(np.linalg.norm(along)) * float(best.t)
        return SweepHit(body, part, length, float(best.t), best.p.copy(), -best.n)

    def _with_space(self, kernel: Any, args: tuple[Any, ...], out: Any) -> Any:
        """Call a swept test, again with more room while it needs more."""
        while True:
            result = kernel(*args, self._space, out)
            if self._space.need[0] <= len(self._space.found):
                return result
            self._space = new_sweep_space(int(self._space.need[0]) * 5 // 4)

    def in_box(self, low: Any, high: Any, groups: Iterable[str] | None = None) -> list[BoxHit]:
        """Parts whose boxes meet the box from ``low`` to ``high`` (V-30), in the order of bodies and parts."""
        low, high = check_vector("in_box", "low", low, "m"), check_vector("in_box", "high", high, "m")
        if not all(a <= b for a, b in zip(low, high)):
            raise InputError("in_box", f"low is {low}, high {high}", "low at or below high in x, y and z", "Swap them.")
        found = all_in_box(self.tree, self.colliders.box, self.filter, (*low, *high), int(self._mask(groups)))
        return [BoxHit(*name) for name in dict.fromkeys(self._name(i) for i in found)]

    def way_out(self, a: str, b: str) -> WayOut:
        """Shortest straight move of body ``b`` that parts it from body ``a``, over all their pieces at once (V-27).

        Exact for bodies of boxes, hulls and planes, see :func:`gelenk.separating_move`. Depths of single contacts do
        not tell it once bodies that are not convex have sunk deep into each other.
        """
        nodes = [self.model.nodes.index("way_out()", "body", name) for name in (a, b)]
        return part_pieces("way_out()", *(self._pieces(node) for node in nodes))

    def _pieces(self, node: int) -> list[Piece]:
        """Pieces of a body where they are in the world."""
        shapes, found = {kind: list(known) for kind, known in self.made.shapes.items()}, []
        for item, place in zip(self.colliders.item, self.colliders.place):
            if item.node == node:
                data = shapes[item.kind][item.table] if item.kind in shapes else None
                found.append(Piece(int(item.kind), vec3(item.lengths), data, place.p.copy(), place.R.copy()))
        return found

    def body_of(self, collider: Any) -> Any:
        """Name of the body that a collider belongs to, None where there is none; of an array a list of names."""
        number = np.asarray(collider)
        if number.dtype.kind not in "iu" or not ((number < len(self.colliders.item)) | (number == NONE)).all():
            found, allowed = (
                f"collider is {collider!r}"[:100],
                f"whole numbers from 0 to {len(self.colliders.item) - 1}",
            )
            raise InputError("body_of()", found, allowed, "Pass the collider of a record.")
        if (number < 0).any():
            raise InputError("body_of()", f"collider is {collider!r}"[:100], "whole numbers from 0 on", "Pass others.")
        names = [None if k == NONE else self._name(k)[0] for k in number.ravel().tolist()]
        return names if number.ndim else names[0]

    def _name(self, collider: Any) -> tuple[str, int]:
        item = self.colliders.item[int(collider)]
        return self.model.nodes.names[item.node], int(item.part)

    def _mask(self, groups: Iterable[str] | None) -> np.uint32:
        if groups is None:
            return np.uint32(ALL)
        bits = 0
        if not isinstance(groups, (str, Iterable)):
            raise InputError("query", f"groups is {groups!r}"[:100], "names of groups", "Pass a name or several.")
        for name in (groups,) if isinstance(groups, str) else groups:
            if name not in self.groups:
                raise unknown("query", "group", name, self.groups)
            bits |= self.groups[name]
        return np.uint32(bits)


def _vectors(call: str, what: str, value: Any, unit: str) -> np.ndarray:
    """(n, 3) from many vectors or from one; there may be none."""
    table = np.atleast_2d(value) if np.ndim(value) == 1 and len(value) == 3 else value
    return np.zeros((0, 3)) if np.shape(table) == (0, 3) else check_table(call, what, table, 3, unit)
