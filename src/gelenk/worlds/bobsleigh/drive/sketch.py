"""A picture of a sled on its track without a browser: triangles from far to near, lit by the sun (B-89).

The page of the view draws better ones; this one needs Matplotlib alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.run.run import Run
from gelenk.worlds.bobsleigh.drive.landscape import BOARD, DEEP_ICE, ICE
from gelenk.worlds.bobsleigh.drive.scene import HULL
from gelenk.worlds.bobsleigh.track.mesh import ACROSS, ALONG
from gelenk.worlds.bobsleigh.track.track import Track

SIZE, DOTS = (11.0, 6.2), 100  # [in], dots an inch
BEHIND, ABOVE, AHEAD = 6.5, 2.4, 4.0  # [m] the eye from the sled, and what it looks at
WIDE = 0.75  # half the width of the picture at a distance of 1
SEEN = 110.0  # [m] of track before the eye
NEAREST = 0.4  # [m]
SUN = np.array((0.55, -0.45, 0.70)) / np.linalg.norm((0.55, -0.45, 0.70))
SKY, HAZE, SNOW = np.array((0.42, 0.62, 0.86)), np.array((0.88, 0.93, 0.97)), np.array((0.90, 0.92, 0.95))


class Eye:
    """Where it is and which way it looks: points go to the plane at a distance of 1."""

    def __init__(self, at: np.ndarray, toward: np.ndarray, up: np.ndarray) -> None:
        self.at = at
        forward = (toward - at) / np.linalg.norm(toward - at)
        right = np.cross(forward, up)
        right /= np.linalg.norm(right)
        self.axes = np.stack((right, np.cross(right, forward), forward))

    def see(self, points: np.ndarray) -> np.ndarray:
        """(n, 3) to the right, up and ahead."""
        made: np.ndarray = (points - self.at) @ self.axes.T
        return made


def sketch(run: Run, track: Track, sample: int, file: Path) -> Path:
    """Draw the sled at a sample of a descent, seen from behind."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    hull = run[HULL]
    R, p = rotation_matrix(hull.orientation[sample]), hull.position[sample]
    up = R[:, 1] + np.array((0.0, 0.0, 0.7))
    eye = Eye(p - BEHIND * R[:, 2] + ABOVE * R[:, 1], p + AHEAD * R[:, 2], up)
    figure = Figure(figsize=SIZE, dpi=DOTS)
    FigureCanvasAgg(figure)
    panel = figure.add_axes((0, 0, 1, 1))
    panel.set_axis_off()
    tall = WIDE * SIZE[1] / SIZE[0]
    panel.set(xlim=(-WIDE, WIDE), ylim=(-tall, tall))
    _draw_sky(panel, eye, tall)
    _draw(panel, eye, *_ice(track, p), 1)
    _draw(panel, eye, *_sled(run, sample), 2)
    figure.savefig(file)
    return file


def _draw_sky(panel: Any, eye: Eye, tall: float) -> None:
    """Blue above the horizon, snow below; both go over to haze."""
    x, y = np.meshgrid(np.linspace(-WIDE, WIDE, 160), np.linspace(-tall, tall, 90))
    way = np.stack((x, y, np.ones_like(x)), axis=-1) @ eye.axes
    rise = (way[..., 2] / np.linalg.norm(way, axis=-1))[..., None]
    share = np.clip(np.abs(rise) / np.where(rise > 0, 0.5, 0.12), 0.0, 1.0)
    colours = HAZE * (1 - share) + np.where(rise > 0, SKY, SNOW) * share
    panel.imshow(colours, extent=(-WIDE, WIDE, -tall, tall), origin="lower", aspect="auto", interpolation="bilinear")


def _draw(panel: Any, eye: Eye, corners: np.ndarray, colours: np.ndarray, order: int) -> None:
    """Triangles (n, 3, 3) with colours (n, 3), the farthest first."""
    from matplotlib.collections import PolyCollection

    seen = eye.see(corners.reshape(-1, 3)).reshape(-1, 3, 3)
    depth = seen[:, :, 2]
    keep = (depth.min(axis=1) > NEAREST) & (depth.min(axis=1) < SEEN)
    seen, colours, far = seen[keep], colours[keep], depth[keep].mean(axis=1)
    turn = np.argsort(-far, kind="stable")
    haze = np.clip((far - 30.0) / (2.5 * SEEN), 0.0, 0.5)[:, None]
    shown = np.clip(colours * (1 - haze) + HAZE * haze, 0, 1)[turn]
    flat = (seen[:, :, :2] / seen[:, :, 2:])[turn]
    panel.add_collection(PolyCollection(list(flat), facecolors=shown, edgecolors=shown, linewidths=0.3, zorder=order))


def _lit(normals: np.ndarray, two_sided: bool) -> np.ndarray:
    """(n, 1) light on surfaces: of the sky from above, of the sun."""
    toward = normals @ SUN
    sun = np.abs(toward) if two_sided else np.maximum(0.0, toward)
    made: np.ndarray = (0.62 + 0.10 * normals[:, 2] + 0.38 * sun)[:, None]
    return made


def _ice(track: Track, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The channel and its boards around a place."""
    mesh = track.smooth_mesh
    first = mesh.vertices[mesh.triangles[:, 0]]
    pick = np.flatnonzero(((first - near) ** 2).sum(axis=1) < SEEN**2)
    faces = mesh.triangles[pick]
    corners, normals = mesh.vertices[faces], mesh.normals[faces].mean(axis=1)
    boards = pick >= mesh.boards
    s, across = mesh.s[faces].mean(axis=1), mesh.across[faces].mean(axis=1)
    streak = 0.97 + 0.03 * np.sin(7.0 * across) * np.sin(3.0 * across + 0.05 * s)
    mark = np.where(np.abs(s - 10.0 * np.round(s / 10.0)) < 0.12, 0.8, 1.0)
    depth = np.clip((across - 3.5) ** 2 / 12.0, 0.0, 1.0)[:, None]
    ice = (DEEP_ICE * (1 - depth) + ICE * depth) * (streak * mark)[:, None]
    plank = 0.88 + 0.12 * np.sign(np.sin(np.pi * s / 0.5))
    colours = np.where(boards[:, None], BOARD * plank[:, None], ice)
    return corners, _by_cells(colours * _lit(normals, False), s, across)


def _by_cells(colours: np.ndarray, s: np.ndarray, across: np.ndarray) -> np.ndarray:
    """One colour for both triangles of a quadrangle of the mesh: their mean."""
    cells = np.stack((np.floor(2 * ALONG * s), np.floor(ACROSS * across)), axis=1).astype(np.int64)
    _, number = np.unique(cells, axis=0, return_inverse=True)
    number = number.ravel()
    count = np.bincount(number)
    mean = np.stack([np.bincount(number, column) / count for column in colours.T], axis=1)
    made: np.ndarray = mean[number]
    return made


def _sled(run: Run, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """All that is seen of the bodies that move, at a sample."""
    model = run.model
    paint = {material.name: np.array(material.color) for material in model.materials}
    corners, colours = [], []
    for body in model.bodies:
        if body.static:
            continue
        series = run[body.name]
        R, p = rotation_matrix(series.orientation[sample]), series.position[sample]
        for part in body.parts:
            if not part.view or part.material is None:
                continue
            points, faces = part.shape.triangles(20)
            placed = (np.asarray(points) @ rotation_matrix(np.array(part.rotation)).T + np.array(part.at)) @ R.T + p
            three = placed[np.asarray(faces, dtype=np.int64)]
            normal = np.cross(three[:, 1] - three[:, 0], three[:, 2] - three[:, 0])
            normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
            corners.append(three)
            colours.append(paint[part.material] * _lit(normal, False))
    return np.concatenate(corners), np.concatenate(colours)
