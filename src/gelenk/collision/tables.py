"""What solids have besides a size: the polyhedra, surfaces and trees of a model; and scratch for one pair at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.ball_table import BallTrees, BallWork, new_ball_work, pack_balls
from gelenk.collision.field_raster import Fields, pack_fields
from gelenk.collision.gjk import ConvexWork, new_convex_work
from gelenk.collision.hull_manifold import ClipSpace, clip_space
from gelenk.collision.hulls import pack_hulls
from gelenk.collision.map_build import map_parts
from gelenk.collision.map_table import DistanceMaps, MapWork, new_map_work, pack_maps
from gelenk.collision.mesh_table import Meshes, pack_meshes
from gelenk.collision.pair_table import new_rows
from gelenk.collision.region_space import RegionSpace, region_space
from gelenk.collision.solid import Hulls
from gelenk.collision.surface_work import SurfaceWork, new_surface_work
from gelenk.geometry.ball_tree import ball_tree
from gelenk.geometry.mesh_convex import hull_around

NEAR = 512  # triangles of a surface that may be near a solid at once, before more room is made


class Tables(NamedTuple):
    """Shapes of a model, and the routine for each pair of kinds."""

    rows: np.recarray  # (KINDS, KINDS) PAIR_ROW, see gelenk.collision.pair_table
    hulls: Hulls
    meshes: Meshes
    fields: Fields
    balls: BallTrees
    maps: DistanceMaps
    hull_of_mesh: np.ndarray  # (meshes,) int64 which hull holds a closed mesh; -1: none


class NarrowWork(NamedTuple):
    """Scratch for one pair at a time."""

    convex: ConvexWork
    region: RegionSpace
    clip: ClipSpace
    surface: SurfaceWork
    balls: BallWork
    maps: MapWork


def new_tables(
    hulls: Sequence[Any] = (),
    meshes: Sequence[Any] = (),
    fields: Sequence[Any] = (),
    balls: Sequence[Any] = (),
    maps: Sequence[Any] = (),
) -> Tables:
    """Pack the shapes; meshes of maps come after the others, and so do hulls around meshes. The rows of the pairs that
    are needed are still to be filled.
    """
    trees = [ball_tree(shape.mesh, shape.levels) for shape in balls]
    own = [len(meshes) + k for k in range(len(maps))]
    packed = pack_meshes([*meshes, *(shape.mesh for shape in maps)])
    found = [
        hull_around(np.asarray(mesh.vertices)) if closed else ()
        for mesh, closed in zip(meshes, packed.mesh["closed"], strict=False)
    ]
    counts = np.array([len(one) for one in found] + [0] * len(maps), np.int64)
    return Tables(
        new_rows(),
        pack_hulls([*hulls, *(one for some in found for one in some)]),
        packed,
        pack_fields(fields),
        pack_balls(trees),
        pack_maps([map_parts(shape) for shape in maps], own, [shape.exact for shape in maps]),
        np.where(counts > 0, len(hulls) + np.cumsum(counts) - 1, -1),
    )


def new_narrow_work(tables: Tables, near: int = NEAR) -> NarrowWork:
    """Scratch for the shapes of some tables, with room for ``near`` triangles of a surface close to one solid."""
    hulls = tables.hulls
    sides = hulls.face["last"].astype(np.int64) - hulls.face["first"]
    return NarrowWork(
        new_convex_work(),
        region_space(hulls),
        clip_space(hulls),
        new_surface_work(near, int(sides.max(initial=0)), _most_triangles(tables)),
        new_ball_work(),
        new_map_work(_most_candidates(tables, near) if len(tables.maps.map) else 1),
    )


def roomier_work(work: NarrowWork, tables: Tables, missed: int) -> NarrowWork:
    """Scratch with room for those triangles of a surface too that had none."""
    return new_narrow_work(tables, 2 * (len(work.surface.found) + missed))


def _most_triangles(tables: Tables) -> int:
    """Triangles of the largest mesh: no way out leads past more."""
    return int(np.diff([*tables.meshes.mesh["face"], len(tables.meshes.face)]).max(initial=0))


def _most_candidates(tables: Tables, near: int) -> int:
    """Points that a pair with a map can have: test points of two maps, corners of hulls or of triangles of surfaces."""
    points = np.diff([*tables.maps.map["point"], len(tables.maps.probe)]).max()
    corners = (tables.hulls.hull["vertex_last"].astype(np.int64) - tables.hulls.hull["vertex_first"]).max(initial=0)
    return int(2 * points + corners + 3 * near + 64)
