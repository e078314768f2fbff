"""Questions to the shapes of a model: rays, closest points, overlaps, sweeps, boxes (V-27, V-30)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_number, check_vector
from gelenk.collision.broad.candidates import all_in_box
from gelenk.collision.broad.phase import NONE
from gelenk.collision.query.ray_start import settle_starts
from gelenk.collision.query.scene import HIT, NEAREST, cast_rays, find_nearest
from gelenk.errors import InputError
from gelenk.progress import compiling
from gelenk.space.query_base import alike, near_vector, vectors
from gelenk.space.records import BoxHit, ClosestPoint, RayHit
from gelenk.space.shape_queries import ShapeQueries


class Queries(ShapeQueries):
    """Questions as of the last :meth:`detect`.

    ``groups`` names those to look at, all if left out; ``ignore`` names bodies to look through, such as the one that
    carries a sensor.
    """

    @friendly
    def ray(
        self,
        start: Any,
        direction: Any,
        length: float = math.inf,
        groups: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> RayHit | None:
        """What a ray from ``start`` along ``direction`` (any length but zero) hits first within ``length`` [m].

        One that starts inside a solid hits at distance 0, with the normal of the surface nearest to its start. One that
        starts on a surface (within 1e-10 of all coordinates and sizes) hits it at distance 0 if it leads into the
        solid, and does not if it leads out or along: so rays may start on their own body, or where others hit. None if
        it hits nothing.
        """
        start, direction = near_vector("ray", "start", start), check_vector("ray", "direction", direction, "1")
        if not any(direction):
            raise InputError("ray", "direction is 0", "a direction other than zero", "Give where the ray goes.")
        length = check_number("ray", "length", length, "m", least=0, or_infinite=True)
        hit = self.rays([start], [direction], length, groups, ignore)[0]
        if hit.collider == NONE:
            return None
        body, part = self._name(hit.collider)
        return RayHit(body, part, float(hit.distance), hit.point.copy(), hit.normal.copy())

    @friendly
    def rays(
        self,
        starts: Any,
        directions: Any,
        lengths: Any = math.inf,
        groups: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> np.recarray:
        """Many rays in one compiled call: records with ``collider``, ``distance``, ``point``, ``normal``.

        :meth:`body_of` names the body of a collider, None where there is none. Rays that hit nothing have an infinite
        distance. One start or direction serves for all of the other. Directions in an array (h, w, 3), as a camera has
        them, give records (h, w).
        """
        start, direction = vectors("rays", "starts", starts, "m"), vectors("rays", "directions", directions, "1")
        start, direction = alike("rays", "starts", start, "directions", direction)
        shape = max((np.shape(given)[:-1] for given in (starts, directions)), key=len)
        unit, length = unit_directions("rays", direction), ray_lengths("rays", lengths, len(start))
        hits = np.zeros(len(start), HIT).view(np.recarray)
        with compiling("rays"):
            scene, mask = (self.tree, self.colliders, self.tables, self._filter(ignore)), self._mask(groups)
            cast_rays(*scene, start, unit, length, mask, hits)
            settle_starts(scene, start, unit, length, mask, hits)
        return hits.reshape(shape) if len(shape) > 1 else hits

    @friendly
    def closest(
        self,
        point: Any,
        limit: float = math.inf,
        groups: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> ClosestPoint | None:
        """The nearest surface to a point, within ``limit`` [m]; None if there is none.

        Inside a solid the distance is negative; inside several it is that of the deepest. Solids are looked at one by
        one, and so are the pieces of a body: inside of compounds and of what ``gk.decompose`` makes, the surface may be
        one between two pieces, and the way out of the body longer. Meshes, fields and maps are whole.
        """
        point = near_vector("closest", "point", point)
        limit = check_number("closest", "limit", limit, "m", least=0, or_infinite=True)
        found = self.closest_points([point], limit, groups, ignore)[0]
        if found.collider == NONE:
            return None
        body, part = self._name(found.collider)
        return ClosestPoint(body, part, float(found.distance), found.point.copy(), found.normal.copy())

    @friendly
    def closest_points(
        self,
        points: Any,
        limit: float = math.inf,
        groups: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> np.recarray:
        """The same for many points in one compiled call: records as of :meth:`rays`."""
        point = vectors("closest_points", "points", points, "m")
        limit = check_number("closest_points", "limit", limit, "m", least=0, or_infinite=True)
        limits = np.full(len(point), limit)
        found = np.zeros(len(point), NEAREST).view(np.recarray)
        with compiling("closest points"):
            scene = self.tree, self.colliders, self.tables, self._filter(ignore)
            find_nearest(*scene, point, limits, self._mask(groups), found)
        return found

    @friendly
    def in_box(
        self, low: Any, high: Any, groups: Iterable[str] | None = None, ignore: Iterable[str] | None = None
    ) -> list[BoxHit]:
        """Parts whose boxes meet the box from ``low`` to ``high``, in the order of bodies and parts.

        Boxes lie along the world axes around each piece, grown by half of the margin.
        """
        low, high = check_vector("in_box", "low", low, "m"), check_vector("in_box", "high", high, "m")
        if not all(a <= b for a, b in zip(low, high)):
            raise InputError("in_box", f"low is {low}, high {high}", "low at or below high in x, y and z", "Swap them.")
        found = all_in_box(self.tree, self.colliders.box, self._filter(ignore), (*low, *high), int(self._mask(groups)))
        return [BoxHit(*name) for name in dict.fromkeys(self._name(i) for i in found)]


def unit_directions(call: str, directions: np.ndarray) -> np.ndarray:
    """Directions (n, 3) of unit length from any but zero, also from those whose squares overflow or vanish."""
    largest = np.abs(directions).max(axis=1)
    if not (largest > 0).all():
        found = f"direction {int(np.argmin(largest))} is {directions[np.argmin(largest)].tolist()}"
        raise InputError(call, found, "directions other than zero", "Give where the ray goes.")
    scaled = directions / largest[:, None]
    return np.ascontiguousarray(scaled / np.linalg.norm(scaled, axis=1)[:, None])


def ray_lengths(call: str, lengths: Any, count: int) -> np.ndarray:
    """(count,) lengths [m] from as many or one."""
    try:
        given = np.asarray(lengths)
        length = np.ascontiguousarray(
            np.broadcast_to(given.ravel() if given.ndim else given, (count,)), dtype=np.float64
        )
        right = given.dtype.kind in "iuf" and bool((length >= 0).all())
    except (TypeError, ValueError, OverflowError):
        right = False
    if not right:
        allowed = f"one number from 0 on [m], or {count} of them"
        raise InputError(call, f"lengths are {lengths!r}"[:120], allowed, "Change them.")
    return length
