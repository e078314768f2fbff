"""The two kinds of pair routines, called by address: closed forms and searches (:mod:`gelenk.collision.pair_table`)."""

from __future__ import annotations

from typing import Any

from gelenk.collision.manifold import new_memory, new_points
from gelenk.collision.solid import Solid
from gelenk.compile import Plug
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3


def _samples() -> tuple[Any, ...]:
    """Arguments of a searched pair, for the compiler."""
    from gelenk.collision.tables import new_narrow_work, new_tables

    solid = Solid(0, 0, Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
    tables = new_tables()
    return solid, solid, Vec3(0.0, 0.0, 0.0), 0.0, tables, new_memory()[0], new_narrow_work(tables), new_points()


def _exact_samples() -> tuple[Any, ...]:
    A, B, r, margin, tables, _, _, out = _samples()
    return A, B, r, margin, tables.hulls, out


exact_pair, searched_pair = Plug(_exact_samples, 6), Plug(_samples, 8)
run_exact, run_searched = exact_pair.call, searched_pair.call
