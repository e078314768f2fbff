"""Questions about two bodies: their nearest points, however far apart, and the way out of each other."""

from __future__ import annotations

from itertools import product

import numpy as np

from gelenk.arguments import friendly
from gelenk.collision.broad.pair_filter import ABSENT
from gelenk.collision.global_depth import WayOut
from gelenk.collision.manifold import MANY, new_memory, new_points
from gelenk.collision.pair_table import fill_rows
from gelenk.collision.pieces import Piece
from gelenk.collision.query.scene import closest_pair
from gelenk.collision.separating_move import part_pieces
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.collision.tables import roomier_work
from gelenk.errors import InputError
from gelenk.math.vec3 import vec3
from gelenk.progress import compiling
from gelenk.space.found import Found
from gelenk.space.records import Contact


class PairQueries(Found):
    """Questions about two bodies as of the last :meth:`detect`."""

    _method: str | None

    @friendly
    def nearest(self, a: str, b: str) -> Contact | None:
        """The nearest points of two bodies, however far apart, or their deepest; None if one of them has no shape.

        Groups and joints do not matter; a body taken out by :meth:`show` has no shape. Apart, ``distance`` is that of
        the bodies. In overlap it is that of the two pieces deepest in each other: of bodies of several pieces
        (compounds, several parts, what ``gk.decompose`` makes) :meth:`way_out` tells the depth as a whole.
        """
        nodes = self._two_bodies("nearest()", a, b)
        there = self.filter.element["role"][: len(self.colliders.item)] != ABSENT
        rows = [np.flatnonzero((self.colliders.item["node"] == k) & there).astype(np.uint32) for k in nodes]
        if not (len(rows[0]) and len(rows[1])):
            return None
        with compiling("distances"):
            return self._nearest(*rows)

    def _nearest(self, rows_a: np.ndarray, rows_b: np.ndarray) -> Contact | None:
        """Within a margin that grows until they are found: surfaces look only at what is near."""
        kinds = self.colliders.item["kind"]
        fill_rows(self.tables.rows, product(np.unique(kinds[rows_a]), np.unique(kinds[rows_b])), self._method)
        low, high = self.colliders.box[:, :3], self.colliders.box[:, 3:]
        low_a, high_a, low_b, high_b = low[rows_a].min(0), high[rows_a].max(0), low[rows_b].min(0), high[rows_b].max(0)
        gap = float(np.linalg.norm(np.maximum(0.0, np.maximum(low_a - high_b, low_b - high_a))))
        sizes = [float(np.linalg.norm(hi - lo)) for lo, hi in ((low_a, high_a), (low_b, high_b))]
        reach = 0.05 * min(size for size in (*sizes, 1e9) if np.isfinite(size)) + 0.1 * gap
        best, scratch = new_points(1), (new_memory(1), new_points(MANY))
        for _ in range(64):
            found = closest_pair(self.colliders, self.tables, rows_a, rows_b, gap + reach, self.work, *scratch, best)
            missed = int(self.work.surface.counts[LEFT_OUT])
            if missed:
                self.work = roomier_work(self.work, self.tables, missed)
            elif found >= 0:
                k = np.array([found])
                return next(self._named(rows_a[k // len(rows_b)], rows_b[k % len(rows_b)], best))
            else:
                reach *= 2.0
        return None

    @friendly
    def way_out(self, a: str, b: str) -> WayOut:
        """Shortest straight move of body ``b`` that parts it from body ``a``, over all their pieces at once.

        Exact for bodies of boxes, hulls and planes, see :func:`gelenk.separating_move`. Depths of single contacts do
        not tell it once bodies that are not convex have sunk deep into each other.
        """
        nodes = self._two_bodies("way_out()", a, b)
        for name, node in zip((a, b), nodes):
            if not self._pieces(node):
                found = f"{name!r} has no shape that collides, or is taken out by show()"
                raise InputError("way_out()", found, "two bodies with shapes", "Name other bodies, or show it.")
        return part_pieces("way_out()", *(self._pieces(node) for node in nodes))

    def _pieces(self, node: int) -> list[Piece]:
        """Pieces of a body where they are in the world."""
        shapes, found = {kind: list(known) for kind, known in self.made.shapes.items()}, []
        there = self.filter.element["role"] != ABSENT
        for k in np.flatnonzero((self.colliders.item["node"] == node) & there):
            item, place = self.colliders.item[k], self.colliders.place[k]
            data = shapes[item.kind][item.table] if item.kind in shapes else None
            found.append(Piece(int(item.kind), vec3(item.lengths), data, place.p.copy(), place.R.copy()))
        return found
