"""Tables of a model with more shapes behind them, without packing the model again (V-30).

Indices in what is added are shifted by the lengths of what is there. Kinds to which nothing is added keep their arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.collision.ball_table import BallTrees
from gelenk.collision.field_raster import Fields
from gelenk.collision.map_table import DistanceMaps
from gelenk.collision.mesh_table import Meshes, aligned_rows
from gelenk.collision.mesh_wide import CHILDREN, WIDE_COLUMNS
from gelenk.collision.solid import Hulls
from gelenk.collision.tables import Tables


def join_tables(first: Tables, more: Tables) -> Tables:
    """Both in one; shapes of ``more`` come behind those of ``first``, rows of pairs are those of ``first``."""
    return Tables(
        first.rows,
        _hulls(first.hulls, more.hulls) if len(more.hulls.hull) else first.hulls,
        _meshes(first.meshes, more.meshes) if len(more.meshes.mesh) else first.meshes,
        _fields(first.fields, more.fields) if len(more.fields.field) else first.fields,
        _balls(first.balls, more.balls) if len(more.balls.root) else first.balls,
        _maps(first.maps, more.maps, len(first.meshes.mesh)) if len(more.maps.map) else first.maps,
        _on(first.hull_of_mesh, np.where(more.hull_of_mesh >= 0, more.hull_of_mesh + len(first.hulls.hull), -1)),
    )


def _shifted(records: np.ndarray, **by: int) -> np.ndarray:
    """Records with some of their fields moved on."""
    moved = records.copy()
    for field, shift in by.items():
        moved[field] = records[field] + moved.dtype[field].type(shift)
    return moved


def _on(first: np.ndarray, more: np.ndarray, shift: int = 0) -> np.ndarray:
    """Rows of both; records stay records."""
    more = more + more.dtype.type(shift) if shift else more
    joined = np.concatenate([first, more])
    return joined.view(np.recarray) if joined.dtype.names else joined


def _hulls(a: Hulls, b: Hulls) -> Hulls:
    v, e, f, loop, node = len(a.vertex), len(a.edge), len(a.face), len(a.loop), len(a.node)
    ends = {"vertex_first": v, "vertex_last": v, "edge_first": e, "edge_last": e, "face_first": f, "face_last": f}
    return Hulls(
        _on(a.hull, _shifted(b.hull, **ends)),
        _on(a.vertex, b.vertex),
        _on(a.edge, _shifted(b.edge, tail=v, head=v, left=f, right=f)),
        _on(a.face, _shifted(b.face, first=loop, last=loop)),
        _on(a.loop, b.loop, v),
        _on(a.loop_edge, b.loop_edge, e),
        _on(a.fan_first, b.fan_first[1:], 2 * e),
        _on(a.fan, b.fan, e),
        _on(a.fan_vertex, b.fan_vertex, v),
        _on(a.node, _shifted(b.node, first=f, last=f, skip=node)),
        _on(a.node_first, b.node_first[1:], node),
        _on(a.node_face, b.node_face, f),
    )


def _meshes(a: Meshes, b: Meshes) -> Meshes:
    nodes = aligned_rows(len(a.box) + len(b.box))
    links = nodes.view(np.uint32)
    nodes[: len(a.box)], nodes[len(a.box) :] = a.box, b.box
    added = links[len(a.box) :]
    added[:, 12:14] += np.where(b.link[:, 14:] > 0, len(a.face), len(a.box)).astype(np.uint32)
    wide = aligned_rows(len(a.wide) + len(b.wide), WIDE_COLUMNS)
    wide_links = wide.view(np.uint32)
    wide[: len(a.wide)], wide[len(a.wide) :] = a.wide, b.wide
    added, leaf = wide_links[len(a.wide) :], b.wide_link[:, 7 * CHILDREN :] > 0
    added[:, 6 * CHILDREN : 7 * CHILDREN] += np.where(leaf, len(a.face), len(a.wide)).astype(np.uint32)
    firsts = {"vertex": len(a.vertex), "face": len(a.face), "node": len(a.box), "wide": len(a.wide)}
    record = _shifted(b.mesh, **firsts, shell=len(a.shell))
    packed = ("mesh", "box", "link", "wide", "wide_link", "stack", "entry")
    rest = {name: _on(getattr(a, name), getattr(b, name)) for name in Meshes._fields if name not in packed}
    return a._replace(mesh=_on(a.mesh, record), box=nodes, link=links, wide=wide, wide_link=wide_links, **rest)


def _fields(a: Fields, b: Fields) -> Fields:
    return Fields(
        _on(a.field, _shifted(b.field, first=len(a.height), level_first=len(a.level))),
        _on(a.height, b.height),
        _on(a.level, _shifted(b.level, first=len(a.low))),
        _on(a.low, b.low),
        _on(a.high, b.high),
    )


def _balls(a: BallTrees, b: BallTrees) -> BallTrees:
    n = len(a.ball)
    shifts: dict[str, Any] = {"root": n, "child_first": n, "child_last": n}
    names = BallTrees._fields[:-1]
    return a._replace(**{name: _on(getattr(a, name), getattr(b, name), shifts.get(name, 0)) for name in names})


def _maps(a: DistanceMaps, b: DistanceMaps, meshes: int) -> DistanceMaps:
    node, point = len(a.ball), len(a.probe)
    record = _shifted(b.map, value=len(a.value), mesh=meshes, node=node, node_last=node, point=point)
    return DistanceMaps(
        _on(a.map, record),
        _on(a.value, b.value),
        _on(a.probe, b.probe),
        _on(a.ball, b.ball),
        _on(a.first, b.first, point),
        _on(a.last, b.last, point),
        _on(a.skip, b.skip, node),
    )
