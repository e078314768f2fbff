"""Where a shape fits, and how far it can go (V-06, V-30)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_number, check_quaternion
from gelenk.collision.broad.phase import NONE
from gelenk.collision.manifold import MANY, new_memory, new_points
from gelenk.collision.query.scene import OVERLAP, find_overlaps
from gelenk.collision.query.sweep import SWEEP, new_sweep_space, sweep_shapes
from gelenk.collision.solid import FIELD, PLANE
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.collision.tables import roomier_work
from gelenk.errors import InputError
from gelenk.geometry.compound import meshes_of
from gelenk.model.colliders import Asked, asked_shape
from gelenk.model.parts import ORIGIN, UPRIGHT, Part
from gelenk.progress import compiling
from gelenk.space.query_base import QueryBase, alike, near_vector, turns, vectors
from gelenk.space.records import Overlap, SweepHit

KEPT_SHAPES = 8  # shapes that were asked about and stay packed


class ShapeQueries(QueryBase):
    """Questions about a shape that need not be in the model.

    ``groups`` names those to look at, all if left out; ``ignore`` names bodies to look through, such as the one whose
    shape is moved.
    """

    @friendly
    def overlap(
        self,
        shape: Any,
        at: Any = ORIGIN,
        rotation: Any = UPRIGHT,
        margin: float = 0.0,
        groups: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> list[Overlap]:
        """Parts that a shape at a place meets, or comes nearer to than ``margin`` [m], deepest first."""
        place = near_vector("overlap", "at", at), check_quaternion("overlap", "rotation", rotation)
        margin = check_number("overlap", "margin", margin, "m", least=0)
        found = self._overlaps("overlap", shape, np.array([place[0]]), np.array([place[1]]), margin, groups, ignore)
        return [Overlap(*self._name(hit.collider), float(hit.distance), hit.normal.copy()) for hit in found]

    @friendly
    def overlaps(
        self,
        shape: Any,
        places: Any,
        rotations: Any = UPRIGHT,
        margin: float = 0.0,
        groups: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> np.recarray:
        """The same at many places in one compiled call.

        Records with ``query``, ``collider``, ``distance`` and ``normal``: one row for each part that the shape meets,
        place by place, the deepest first; ``query`` is which place. One place or rotation serves for all of the other.
        """
        place, turn = alike(
            "overlaps",
            "places",
            vectors("overlaps", "places", places, "m"),
            "rotations",
            turns("overlaps", rotations),
        )
        margin = check_number("overlaps", "margin", margin, "m", least=0)
        return self._overlaps("overlaps", shape, place, turn, margin, groups, ignore)

    def _overlaps(
        self,
        call: str,
        shape: Any,
        at: np.ndarray,
        turn: np.ndarray,
        margin: float,
        groups: Iterable[str] | None,
        ignore: Iterable[str] | None,
    ) -> np.recarray:
        mask, filter_ = self._mask(groups), self._filter(ignore)
        with compiling("overlaps"):
            asked = self._asked_shape(call, shape)
            room = max(64, 2 * len(at))
            scene = self.tree, self.colliders, asked.tables, filter_, asked.colliders, at, turn, margin, mask
            while True:
                out = np.zeros(room, OVERLAP).view(np.recarray)
                scratch = new_memory(1), np.zeros(room, np.uint32), new_points(MANY)
                count = find_overlaps(*scene, asked.work, *scratch, out)
                if count >= 0:
                    break
                if count == -1:
                    work = roomier_work(asked.work, asked.tables, int(asked.work.surface.counts[LEFT_OUT]))
                    asked = self._asked_shapes[0] = asked._replace(work=work)
                else:
                    room = (-count - 1) * 3 // 2
        found = out[:count]
        order = np.lexsort((found["collider"], found["distance"], found["query"]))
        return found[order].view(np.recarray)

    @friendly
    def sweep(
        self,
        shape: Any,
        at: Any,
        way: Any,
        rotation: Any = UPRIGHT,
        groups: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> SweepHit | None:
        """What a shape meets first that goes straight from ``at`` by ``way`` (3,) [m] without turning.

        Never late: it is found however thin a part is and however long the way. Early by at most 1e-6 of the sizes, and
        round-off (1e-14) of the way until the contact and of the coordinates. None if the way is free. A shape that
        begins in contact, inside a mesh or below a height field meets at once, wherever its way leads. Any shape but
        planes and height fields can go; maps of distances go and are met as their meshes.
        """
        place = near_vector("sweep", "at", at), check_quaternion("sweep", "rotation", rotation)
        along = near_vector("sweep", "way", way)
        at, turn, way = (np.array([row]) for row in (*place, along))
        (hit,) = self._sweeps("sweep", shape, at, turn, way, groups, ignore)
        if hit.collider == NONE:
            return None
        body, part = self._name(hit.collider)
        return SweepHit(body, part, float(hit.distance), float(hit.share), hit.point.copy(), hit.normal.copy())

    @friendly
    def sweeps(
        self,
        shape: Any,
        places: Any,
        ways: Any,
        rotations: Any = UPRIGHT,
        groups: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> np.recarray:
        """Many sweeps of one shape in one compiled call.

        Records with ``collider``, ``distance``, ``share``, ``point`` and ``normal``, one for each way;
        those that are free have an infinite distance. One of ``places``, ``ways`` and ``rotations`` serves for all.
        """
        place, way = alike(
            "sweeps",
            "places",
            vectors("sweeps", "places", places, "m"),
            "ways",
            vectors("sweeps", "ways", ways, "m"),
        )
        place, turn = alike("sweeps", "places", place, "rotations", turns("sweeps", rotations))
        _, way = alike("sweeps", "places", place, "ways", way)
        return self._sweeps("sweeps", shape, place, turn, way, groups, ignore)

    def _sweeps(
        self,
        call: str,
        shape: Any,
        at: np.ndarray,
        turn: np.ndarray,
        way: np.ndarray,
        groups: Iterable[str] | None,
        ignore: Iterable[str] | None,
    ) -> np.recarray:
        mask, filter_ = self._mask(groups), self._filter(ignore)
        with compiling("sweeps"):
            asked = self._asked_shape(call, shape)
            if np.isin(asked.colliders.item["kind"], (PLANE, FIELD)).any():
                found = f"a {type(shape).__name__} that moves"
                remedy = "Sweep the other shape the opposite way, or use impacts()."
                raise InputError(call, found, "shapes that have an end on all sides", remedy)
            out = np.zeros(len(at), SWEEP).view(np.recarray)
            scene = self.tree, self.colliders, asked.tables, filter_, asked.colliders, at, turn, way
            while sweep_shapes(*scene, 0.0, mask, asked.work.convex, self._space, out) < len(at):
                self._space = new_sweep_space(int(self._space.need[0]) * 5 // 4)
        return out

    def _asked_shape(self, call: str, shape: Any) -> Asked:
        """A shape made ready, or taken from the last few that were asked about: the same object, or an equal one."""
        known = [asked for asked in self._asked_shapes if asked.shape is shape]
        if not known:
            known = [asked for asked in self._asked_shapes if type(asked.shape) is type(shape) and asked.shape == shape]
        asked = known[0] if known else asked_shape(call, self.made, _shape_of(call, shape))
        others = [other for other in self._asked_shapes if other is not asked]
        self._asked_shapes = [asked, *others[: KEPT_SHAPES - 1]]
        return asked


def _shape_of(call: str, shape: Any) -> Any:
    """The shape, if it is one; of meshes the same is asked as of those in a body."""
    if isinstance(shape, Part):
        remedy = "Pass part.shape, and where it is with at= and rotation=."
        raise InputError(call, "a Part", "a shape such as gk.Sphere(0.1)", remedy)
    if isinstance(shape, str):
        found, remedy = f"the name {shape!r}", "Pass a shape; between() and nearest() take names of bodies."
        raise InputError(call, found, "a shape such as gk.Sphere(0.1)", remedy)
    for mesh in meshes_of(shape):
        mesh.check_no_crossing(call)
    return shape
