"""What the last call of detect found: pairs and points as records, contacts one by one and with names."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index

import numpy as np

from gelenk.arguments import friendly
from gelenk.collision.contacts import Contacts
from gelenk.space.query_base import QueryBase
from gelenk.space.records import Contact


class Found(QueryBase):
    """Contacts as of the last :meth:`detect`."""

    _contacts: Contacts

    @property
    def pairs(self) -> np.ndarray:
        """Records of the pairs of shapes whose boxes meet: ``a``, ``b``, ``first``, ``count``, ``touch``; a copy.

        ``a`` and ``b`` are colliders, whose bodies :meth:`body_of` names. Points ``first`` to ``first + count`` of
        :attr:`points` are theirs. ``touch`` is 1 from d <= 0 on until they are farther apart than the margin.
        """
        return self._found()[0].copy()

    @property
    def points(self) -> np.ndarray:
        """Records of all points, those of a pair one after the other; a copy, which the next detect leaves alone.

        ``a`` and ``b`` are places on the two shapes, from the centre of each, world axes [m]; ``n`` is the unit normal
        from a to b, ``d`` the signed distance [m]; ``feature_a`` and ``feature_b`` are as in :class:`Contact`.
        """
        return self._found()[1].copy()

    def _found(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs and points as they lie in memory: the next call of :meth:`detect` writes there."""
        tally = self._contacts.tally[0]
        return self._contacts.pair[tally.now, : tally.pairs[tally.now]], self._contacts.contact[: int(tally.points)]

    def __len__(self) -> int:
        return int(self._contacts.tally[0].points)

    def __getitem__(self, k: int) -> Contact:
        pairs, points = self._found()
        row = range(len(points))[index(k)]
        pair = pairs[[np.searchsorted(pairs["first"], row, side="right") - 1]]  # empty ones begin where the next does
        return next(self._named(pair["a"], pair["b"], points[[row]]))

    def __iter__(self) -> Iterator[Contact]:
        pairs, points = self._found()
        return self._named(pairs["a"].repeat(pairs["count"]), pairs["b"].repeat(pairs["count"]), points)

    def _named(self, i: np.ndarray, j: np.ndarray, points: np.ndarray) -> Iterator[Contact]:
        """Points of colliders i and j with their names, columns first: that is many times faster than row by row."""
        names, item, place = self.model.nodes.names, self.colliders.item, self.colliders.place
        columns = (
            [names[k] for k in item["node"][i].tolist()],
            [names[k] for k in item["node"][j].tolist()],
            item["part"][i].tolist(),
            item["part"][j].tolist(),
            list(place["p"][i] + points["a"]),
            list(place["p"][j] + points["b"]),
            list(points["n"].copy()),
            points["d"].tolist(),
            points["feature_a"].tolist(),
            points["feature_b"].tolist(),
            item["piece"][i].tolist(),
            item["piece"][j].tolist(),
        )
        return map(Contact._make, zip(*columns))

    @friendly
    def between(self, a: str, b: str) -> list[Contact]:
        """Contacts of two bodies; the normal points from ``a`` to ``b``."""
        i, j = self._two_bodies("between()", a, b)
        (pairs, points), node = self._found(), self.colliders.item["node"]
        first, second = node[pairs["a"]], node[pairs["b"]]
        pairs = pairs[((first == i) & (second == j)) | ((first == j) & (second == i))]
        rows = [k for pair in pairs for k in range(int(pair.first), int(pair.first) + int(pair.count))]
        found = self._named(pairs["a"].repeat(pairs["count"]), pairs["b"].repeat(pairs["count"]), points[rows])
        return [c if c.a == a else c.flipped() for c in found]
