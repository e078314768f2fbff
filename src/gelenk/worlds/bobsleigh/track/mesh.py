"""Triangles of a track, for pictures and for collision alike (B-46 to B-48)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gelenk.worlds.bobsleigh.track.line import TrackLine
from gelenk.worlds.bobsleigh.track.patch import Patch
from gelenk.worlds.bobsleigh.track.section import PIECES, curve_points
from gelenk.worlds.bobsleigh.track.walls import Wall, board, standing

ACROSS, ALONG = 5, 3  # parts of a piece, and of the way from one section to the next (B-47)
THIN = 1e-7  # [m] triangles lower than this are left out: pieces without length


@dataclass(frozen=True, eq=False)
class TrackMesh:
    """Triangles; seen from the driving side their corners go round to the left, and normals point there.

    Parameters
    ----------
    vertices : (n, 3) [m]
    triangles : (m, 3) int32
    normals : (n, 3) unit, of the surface at the vertices
    s : (n,) arc length along the track line, for textures [m]
    across : (n,) parameter across, 0 at the left rim to 7 at the right one; boards go on to -1 and 8
    boards : number of the first triangle of a boundary element; those before belong to the channel
    """

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    s: np.ndarray
    across: np.ndarray
    boards: int


def ruled_grid(patch: Patch, along: int = ALONG, across: int = ACROSS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (k, l, 3) of the lofted surface, degree 2 across and 1 along, with their s (k,) and v (l,) (B-46).

    Between sections control points and weights go over linearly as w P and w, which leaves straight rulings.
    """
    v = np.arange(PIECES * across + 1) / across
    f = np.arange(along) / along
    w, wP = patch.weights, patch.weights[..., None] * patch.points
    between_w = mixed(w, f)
    between = mixed(wP, f) / between_w[..., None]
    return curve_points(between, between_w, v), mixed(patch.s, f), v


def mixed(x: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Rows of x and what lies between them at fractions f."""
    shape = (1, len(f)) + (1,) * (x.ndim - 1)
    parts = x[:-1, None] * (1.0 - f).reshape(shape) + x[1:, None] * f.reshape(shape)
    return np.concatenate((parts.reshape(-1, *x.shape[1:]), x[-1:]))


def grid_triangles(points: np.ndarray, first: int) -> np.ndarray:
    """Triangles of a (k, l, 3) grid, l from left to right; each quadrangle is cut along its shorter diagonal."""
    rows, columns = points.shape[:2]
    number = first + np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    one = ((points[1:, 1:] - points[:-1, :-1]) ** 2).sum(axis=2)
    other = ((points[1:, :-1] - points[:-1, 1:]) ** 2).sum(axis=2)
    # a pair of equal diagonals, as on the straight, is cut as its neighbours are, whatever their round-off says
    short = one <= other * (1.0 + 1e-9)
    pairs = np.where(short[..., None], np.stack((a, b, c, a, c, d), axis=2), np.stack((a, b, d, b, c, d), axis=2))
    return pairs.reshape(-1, 3)


def kept(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Triangles that have a height."""
    p = vertices[triangles]
    double = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
    longest = np.linalg.norm(p - np.roll(p, 1, axis=1), axis=2).max(axis=1)
    return triangles[double > THIN * longest]


def grid_normals(points: np.ndarray) -> np.ndarray:
    """(k, l, 3) unit normals of a grid by differences along both ways; where points coincide, those beside them."""
    along, across = np.gradient(points, axis=0), np.gradient(points, axis=1)
    n = np.cross(across, along)
    size = np.linalg.norm(n, axis=2)
    for j in range(1, n.shape[1]):
        lost = size[:, j] < 1e-12
        n[lost, j], size[lost, j] = n[lost, j - 1], size[lost, j - 1]
    for j in range(n.shape[1] - 2, -1, -1):
        lost = size[:, j] < 1e-12
        n[lost, j], size[lost, j] = n[lost, j + 1], size[lost, j + 1]
    return n / np.where(size > 0.0, size, 1.0)[..., None]


class MeshParts:
    """Grids put together to one mesh."""

    def __init__(self) -> None:
        self.columns: list[list[np.ndarray]] = [[], [], [], [], []]  # vertices, normals, s, across, triangles
        self.count = self.triangles = 0

    def add(self, points: np.ndarray, s: np.ndarray, across: np.ndarray, normals: np.ndarray | None = None) -> None:
        """Add a (k, l, 3) grid, l from left to right."""
        rows, columns = points.shape[:2]
        normals = grid_normals(points) if normals is None else normals
        flat = points.reshape(-1, 3)
        triangles = kept(flat, grid_triangles(points, 0)) + self.count
        values = (flat, normals.reshape(-1, 3), np.repeat(s, columns), np.tile(across, rows), triangles)
        for column, value in zip(self.columns, values):
            column.append(value)
        self.count += rows * columns
        self.triangles += len(triangles)

    def mesh(self, boards: int) -> TrackMesh:
        """All of them."""
        vertices, normals, s, across, triangles = (np.concatenate(column) for column in self.columns)
        return TrackMesh(vertices, triangles.astype(np.int32), normals, s, across, boards)


def ruled_mesh(line: TrackLine, patches: Sequence[Patch], walls: Sequence[Wall], along: int = ALONG) -> TrackMesh:
    """Mesh of the lofted surface, as the source builds it, with its boundary elements."""
    grids = [ruled_grid(patch, along) for patch in patches]
    return mesh_of(line, patches, grids, walls)


def mesh_of(
    line: TrackLine,
    patches: Sequence[Patch],
    grids: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    walls: Sequence[Wall],
    normals: Sequence[np.ndarray] | None = None,
) -> TrackMesh:
    """Mesh of one grid of points a patch, and boards on their rims."""
    parts = MeshParts()
    for i, (points, s, v) in enumerate(grids):
        parts.add(points, s, v, None if normals is None else normals[i])
    channel = parts.triangles
    for patch, (points, s, _) in zip(patches, grids):
        add_both_boards(parts, line, walls, patch, points, s)
    return parts.mesh(channel)


def add_both_boards(
    parts: MeshParts, line: TrackLine, walls: Sequence[Wall], patch: Patch, points: np.ndarray, s: np.ndarray
) -> None:
    """Boards on both rims of a patch."""
    banking = np.interp(s, patch.s, patch.banking)
    for side, outward in (("left", -1.0), ("right", 1.0)):
        add_boards(parts, line, walls, patch.turn, side, outward, points, s, banking)


def add_boards(
    parts: MeshParts,
    line: TrackLine,
    walls: Sequence[Wall],
    turn: int,
    side: str,
    outward: float,
    points: np.ndarray,
    s: np.ndarray,
    banking: np.ndarray,
) -> None:
    """Boards on one rim of a patch, each over the runs of rows where it stands."""
    rim, inside = (points[:, -1], points[:, -1 - ACROSS]) if outward > 0.0 else (points[:, 0], points[:, ACROSS])
    if outward > 0.0:  # the last piece may have no length
        short = np.linalg.norm(rim - inside, axis=1) < 1e-6
        inside = np.where(short[:, None], points[:, -1 - 2 * ACROSS], points[:, -2])
    else:
        short = np.linalg.norm(rim - inside, axis=1) < 1e-6
        inside = np.where(short[:, None], points[:, 2 * ACROSS], points[:, 1])
    right = -line.at(s).left
    tangent = np.stack((((rim - inside) * right).sum(axis=1), (rim - inside)[:, 2]), axis=1)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    stands = standing(walls, side, turn, s, banking)
    for k, wall in enumerate(walls):
        on = np.flatnonzero(stands == k)
        for run in np.split(on, np.flatnonzero(np.diff(on) > 1) + 1):
            if len(run) < 2:
                continue
            reach = board(wall, outward, tangent[run])
            top = rim[run] + reach[:, :1] * right[run] + reach[:, 1:] * np.array([0.0, 0.0, 1.0])
            ends = (rim[run], top) if outward > 0.0 else (top, rim[run])
            parts.add(np.stack(ends, axis=1), s[run], np.array([7.0, 8.0] if outward > 0.0 else [-1.0, 0.0]))
