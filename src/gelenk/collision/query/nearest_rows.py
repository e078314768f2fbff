"""Nearest points by the kind of the solid, each compiled by itself when a model first needs it.

Where few kinds are asked for, this takes a fraction of the time to compile :func:`nearest_on_solid` with all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gelenk.collision.query.nearest import NEAREST_ON
from gelenk.collision.solid import KINDS, Solid
from gelenk.compile import Plug
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3

FOOT = np.dtype([("d", "f8"), ("q", "f8", (3,)), ("n", "f8", (3,))])  # signed distance, point, outward normal


def row_of(nearest_on: Callable[..., Any]) -> Callable[..., int]:
    """The same in world axes, into a record: 1 inside, else 0. p from the centre of the solid."""

    def row(solid, tables, p, foot):
        d, q, n = nearest_on(solid, tables, solid.R.tdot(p))
        q, n = solid.R @ q, solid.R @ n
        foot.d = d
        foot.q[0], foot.q[1], foot.q[2] = q.x, q.y, q.z
        foot.n[0], foot.n[1], foot.n[2] = n.x, n.y, n.z
        return 1 if d < 0.0 else 0

    row.__name__ = row.__qualname__ = f"row_{nearest_on.__name__}"  # it lies in the cache under this name
    return row


ROWS = {kind: row_of(nearest_on) for kind, nearest_on in NEAREST_ON.items()}


def _samples() -> tuple[Any, ...]:
    from gelenk.collision.tables import new_tables

    solid = Solid(0, 0, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
    return solid, new_tables(), Vec3(0.0, 0.0, 0.0), new_feet()[0]


def new_feet() -> np.ndarray:
    """Space for one answer."""
    return np.zeros(1, FOOT).view(np.recarray)


nearest_plug = Plug(_samples, 4)
run_nearest = nearest_plug.call


def fill_nearest(rows: np.ndarray, kinds: Iterable[int]) -> None:
    """Have those of some kinds compiled: addresses into ``rows`` (KINDS,)."""
    for kind in map(int, kinds):
        rows[kind] = nearest_plug.address(ROWS[kind])


def new_nearest_rows() -> np.ndarray:
    """(KINDS,) addresses, none of them there yet."""
    return np.zeros(KINDS, np.int64)
