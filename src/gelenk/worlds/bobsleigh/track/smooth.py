"""The smooth running surface of a track: splines along its sections, and meshes of them (bobsleigh 8.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from gelenk.geometry.sheet import PIECES, Sheet, sheet_grid
from gelenk.worlds.bobsleigh.track.line import TrackLine
from gelenk.worlds.bobsleigh.track.mesh import ACROSS, ALONG, TrackMesh, mesh_of, mixed
from gelenk.worlds.bobsleigh.track.patch import Patch
from gelenk.worlds.bobsleigh.track.walls import Wall

SHORT = 1e-3  # [m] pieces shorter than this count as having no length


def sheet_of(patches: Sequence[Patch], ruled: bool = False) -> Sheet:
    """Sheet through all sections of all patches; ``ruled`` for straight lines between them, as in the source (B-46).

    w P and w of every control point are cubic splines over s in each patch ("not a knot" at its ends). Sections are met
    exactly; between them a surface with four derivatives is met to  5/384 h^4 |d4S/ds4|.
    """
    begin, cubic, turn, empty = [], [], [], []
    for patch in patches:
        w = patch.weights[..., None]
        Q = np.concatenate((w * patch.points, w), axis=2)
        powers = straight(patch.s, Q) if ruled else CubicSpline(patch.s, Q, axis=0).c
        begin.append(patch.s[:-1])
        cubic.append(powers[::-1].transpose(1, 2, 0, 3))
        turn.append(np.full(len(patch.s) - 1, patch.turn))
        chord = np.linalg.norm(patch.points[:, 2::2] - patch.points[:, :-2:2], axis=2)
        empty.append(np.minimum(chord[:-1], chord[1:]) < SHORT)
    s = np.append(np.concatenate(begin), patches[-1].s[-1])
    metres = np.arange(math.ceil(s[-1] - s[0]) + 1) + s[0]
    first = np.clip(np.searchsorted(s, metres, side="right") - 1, 0, len(s) - 2).astype(np.uint32)
    values = np.ascontiguousarray(np.concatenate(cubic)), np.concatenate(turn).astype(np.int64)
    return Sheet(s, *values, np.concatenate(empty).astype(np.uint8), first)


def straight(s: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Coefficients of straight lines between rows of Q, as of cubics, highest power first."""
    rate = np.diff(Q, axis=0) / np.diff(s)[:, None, None]
    return np.stack((np.zeros_like(rate), np.zeros_like(rate), rate, Q[:-1]))


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
