"""What solids have besides a size: the polyhedra, surfaces and trees of a model; and scratch for one pair at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.gjk import ConvexWork, new_convex_work
from gelenk.collision.hull_manifold import ClipSpace, clip_space
from gelenk.collision.hulls import pack_hulls
from gelenk.collision.pair_table import pair_rows
from gelenk.collision.solid import Hulls


class Tables(NamedTuple):
    """Shapes of a model, and the routine for each pair of kinds."""

    rows: np.ndarray  # (KINDS, KINDS) see gelenk.collision.pair_table
    hulls: Hulls


class NarrowWork(NamedTuple):
    """Scratch for one pair at a time."""

    convex: ConvexWork
    clip: ClipSpace


def new_tables(hulls: Sequence[Any] = (), *, other: str | None = None) -> Tables:
    """Pack the shapes; ``other`` names another way for some pairs."""
    return Tables(pair_rows(other), pack_hulls(hulls))


def new_narrow_work(tables: Tables) -> NarrowWork:
    """Scratch for the shapes of some tables."""
    return NarrowWork(new_convex_work(), clip_space(tables.hulls))
