"""The smooth running surface of a track: splines along its sections, and meshes of them (bobsleigh 8.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gelenk.geometry.lofted import LoftedSheet
from gelenk.geometry.sheet import Sheet, sheet_grid
from gelenk.worlds.bobsleigh.track.line import TrackLine
from gelenk.worlds.bobsleigh.track.mesh import ACROSS, ALONG, MeshParts, TrackMesh, add_both_boards, mesh_of, mixed
from gelenk.worlds.bobsleigh.track.patch import Patch
from gelenk.worlds.bobsleigh.track.section import PIECES
from gelenk.worlds.bobsleigh.track.walls import Wall


def lofted(patches: Sequence[Patch], ruled: bool = False) -> LoftedSheet:
    """Sheet through all sections of all patches; ``ruled`` for straight lines between them, as in the source (B-46)."""
    first = np.cumsum([0, *(len(patch.s) for patch in patches[:-1])]).tolist()
    s, points, weights = (np.concatenate([getattr(p, x) for p in patches]) for x in ("s", "points", "weights"))
    return LoftedSheet(s, points, weights, patches=[(k, p.turn) for k, p in zip(first, patches)], ruled=ruled)


def sheet_of(patches: Sequence[Patch], ruled: bool = False) -> Sheet:
    """The same as compiled code sees it."""
    return lofted(patches, ruled).sheet


def smooth_grid(sheet: Sheet, patch: Patch, along: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points (k, l, 3) and normals of the sheet over a patch, with their s (k,) and v (l,)."""
    v = np.arange(PIECES * ACROSS + 1) / ACROSS
    s = mixed(patch.s, np.arange(along) / along)
    points, normals = np.empty((len(s), len(v), 3)), np.empty((len(s), len(v), 3))
    seen = s.copy()
    seen[-1] = np.nextafter(s[-1], -np.inf)  # the last section belongs to this patch too
    sheet_grid(sheet, seen, v, points, normals)
    return points, normals, s, v


def smooth_mesh(
    line: TrackLine, patches: Sequence[Patch], sheet: Sheet, walls: Sequence[Wall], along: int = ALONG
) -> TrackMesh:
    """Mesh whose vertices and normals are those of the sheet; boards as in the source."""
    grids = [smooth_grid(sheet, patch, along) for patch in patches]
    return mesh_of(line, patches, [(p, s, v) for p, _, s, v in grids], walls, [n for _, n, _, _ in grids])


def boards_mesh(line: TrackLine, patches: Sequence[Patch], sheet: Sheet, walls: Sequence[Wall]) -> TrackMesh | None:
    """Boards alone, on the rims of the sheet and straight from section to section; None if there are none."""
    parts = MeshParts()
    for patch in patches:
        points, _, s, _ = smooth_grid(sheet, patch, 1)
        add_both_boards(parts, line, walls, patch, points, s)
    return parts.mesh(0) if parts.count else None
