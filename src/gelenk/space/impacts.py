"""What comes next: which parts meet, and when, if all bodies keep their velocities."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.collision.broad.candidates import all_pairs_of
from gelenk.collision.broad.phase import BroadPairs
from gelenk.collision.broad.sweep import new_sweep
from gelenk.collision.manifold import MANY, new_memory, new_points
from gelenk.collision.query.sweep import MEETING, grow_boxes, step_impacts
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.collision.tables import roomier_work
from gelenk.progress import compiling
from gelenk.space.query_base import QueryBase
from gelenk.space.records import Impact
from gelenk.state import State


class Impacts(QueryBase):
    """Times of impact."""

    _phase: Any  # None if nothing collides
    _pairs: BroadPairs

    @friendly
    def impacts(self, state: State, duration: float) -> list[Impact]:
        """Which parts meet within a time [s] if all bodies keep their velocities, first to last.

        Never late, however fast and thin they are, and early by the gap at which shapes count as met: 1e-6 of their
        sizes, or round-off (1e-14) of their ways until then if that is more. Parts that touch or overlap at the start,
        or one inside the other, meet at time 0 if they come together at one of their contacts, faster than 1e-6 of
        their speeds. If they part, rest, slide or roll on each other, they are listed when they come together next; how
        long a contact lasts is then known to 1/64 of the duration. Maps of distances are met as their meshes, trees of
        balls as their smallest balls.
        """
        duration = check_number("impacts()", "duration", duration, "s", above=0)
        if self._phase is None:
            self._check.check("impacts()", state)
            return []
        with compiling("times of impact"):
            return self._impacts(state, duration)

    def _impacts(self, state: State, duration: float) -> list[Impact]:
        place, box = self.colliders.place.copy(), self.colliders.box.copy()
        try:
            return self._impacts_of(state, duration)
        finally:  # contacts and queries stay as of the last call of detect
            self.colliders.place[:], self.colliders.box[:] = place, box
            self._moved()

    def _impacts_of(self, state: State, duration: float) -> list[Impact]:
        self._place("impacts()", state)
        boxes = np.zeros_like(self.colliders.box)
        grow_boxes(self.colliders, state, duration, boxes)
        pairs, count = all_pairs_of(new_sweep(len(boxes)), boxes, self.filter, self._pairs)
        out = np.zeros(max(count, 1), MEETING).view(np.recarray)
        scene, scratch = (
            (self.colliders, self.tables, state, pairs, count, duration, 0.0),
            (new_memory(1), new_points(MANY)),
        )
        while True:
            met = step_impacts(*scene, scratch[0], self.work, scratch[1], self._space.stack, out)
            if met >= 0:
                break
            missed = int(self.work.surface.counts[LEFT_OUT])
            self.work = roomier_work(self.work, self.tables, missed)
        found = out[:met]
        names = [(self._name(hit.a), self._name(hit.b), hit) for hit in found[np.argsort(found["t"], kind="stable")]]
        return [Impact(float(hit.t), a[0], b[0], a[1], b[1], hit.p.copy(), hit.n.copy()) for a, b, hit in names]
