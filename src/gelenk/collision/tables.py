"""What solids have besides a size: the polyhedra, surfaces and trees of a model; and scratch for one pair at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.field_raster import Fields, pack_fields
from gelenk.collision.gjk import ConvexWork, new_convex_work
from gelenk.collision.hull_manifold import ClipSpace, clip_space
from gelenk.collision.hulls import pack_hulls
from gelenk.collision.mesh_table import Meshes, pack_meshes
from gelenk.collision.pair_table import new_rows
from gelenk.collision.region import RegionSpace, region_space
from gelenk.collision.solid import Hulls


class Tables(NamedTuple):
    """Shapes of a model, and the routine for each pair of kinds."""

    rows: np.recarray  # (KINDS, KINDS) PAIR_ROW, see gelenk.collision.pair_table
    hulls: Hulls
    meshes: Meshes
    fields: Fields


class NarrowWork(NamedTuple):
    """Scratch for one pair at a time."""

    convex: ConvexWork
    region: RegionSpace
    clip: ClipSpace


def new_tables(
    hulls: Sequence[Any] = (),
    meshes: Sequence[Any] = (),
    fields: Sequence[Any] = (),
    balls: Sequence[Any] = (),
) -> Tables:
    """Pack the shapes. The rows of the pairs that are needed are still to be filled."""
    return Tables(new_rows(), pack_hulls(hulls), pack_meshes(meshes), pack_fields(fields))


def new_narrow_work(tables: Tables) -> NarrowWork:
    """Scratch for the shapes of some tables."""
    return NarrowWork(new_convex_work(), region_space(tables.hulls), clip_space(tables.hulls))
