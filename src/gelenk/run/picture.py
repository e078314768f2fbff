"""A picture of a run: the scene at several instants, drawn as shaded solids, with its energies and momenta below."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.run.plot import picture_path, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gelenk.model.parts import Body
    from gelenk.run.run import Run

PALETTE = np.array([[0.30, 0.45, 0.69], [0.77, 0.31, 0.32], [0.33, 0.66, 0.41], [0.51, 0.45, 0.70], [0.80, 0.73, 0.45]])
LIGHT_W = np.array([0.35, -0.55, 0.76])
MOST_TRIANGLES = 60_000


class Camera:
    """Orthographic camera that looks at the scene from the front, right and above."""

    def __init__(self, azimuth: float = -1.05, elevation: float = 0.42) -> None:
        sa, ca, se, ce = np.sin(azimuth), np.cos(azimuth), np.sin(elevation), np.cos(elevation)
        self.toward = np.array([ca * ce, sa * ce, se])
        self.right = np.array([-sa, ca, 0.0])
        self.up = np.cross(self.toward, self.right)

    def project(self, p_W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., 3) points to (..., 2) picture coordinates and (...) nearness."""
        return np.stack([p_W @ self.right, p_W @ self.up], axis=-1), p_W @ self.toward


def draw_run(run: Run, file: str | Path | None, *, instants: int) -> Figure:
    """The scene at ``instants`` moments side by side, then energy error, spin and momenta over time."""
    from matplotlib.figure import Figure

    path = None if file is None else picture_path(run, file)
    figure = Figure(figsize=(11, 4.8))
    scene = figure.add_axes((0.01, 0.53, 0.98, 0.38))
    draw_scene(scene, run, np.unique(np.linspace(0, len(run) - 1, instants).astype(int)))
    for k, draw in enumerate((_draw_energy, _draw_spin, _draw_momentum)):
        draw(figure.add_axes((0.055 + 0.325 * k, 0.11, 0.27, 0.31)), run)
    figure.suptitle(f"{run.attributes.get('model', '')}: {run.attributes.get('method', '')}", fontsize=10)
    if path is not None:
        save_figure(figure, path)
    return figure


def draw_scene(panel: Any, run: Run, samples: np.ndarray) -> None:
    """Shaded solids at the given samples; instants are set side by side where bodies stay in place."""
    from matplotlib.collections import PolyCollection

    camera = Camera()
    bodies, particles = run.parts.bodies, run.parts.particles
    position = run.read("position")[samples] if bodies else np.zeros((len(samples), 0, 3))
    orientation = run.read("orientation")[samples] if bodies else np.zeros((len(samples), 0, 4))
    points = run.read("particle_position")[samples] if particles else np.zeros((len(samples), 0, 3))
    solids = [_solid(body) for body in bodies]
    colors = _colors(run)
    reach = max([_reach(v) for v, _ in solids if len(v)] + [0.05 * float(np.ptp(points)) if points.size else 0.0, 1e-9])
    everything = np.concatenate([position, points], axis=1)
    travel = float(np.linalg.norm(np.ptp(everything, axis=0), axis=-1).max(initial=0.0))
    side = camera.right * (1.9 * reach if travel < reach else 0.0)
    polygons, shades, depths = [], [], []
    for k in range(len(samples)):
        for i, (vertices, triangles) in enumerate(solids):
            if not len(triangles):
                continue
            p_W = position[k, i] + vertices @ rotation_matrix(orientation[k, i]).T + k * side
            normal = np.cross(p_W[triangles[:, 1]] - p_W[triangles[:, 0]], p_W[triangles[:, 2]] - p_W[triangles[:, 0]])
            normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
            seen = normal @ camera.toward > 0
            xy, near = camera.project(p_W[triangles[seen]])
            light = 0.45 + 0.55 * np.clip(normal[seen] @ LIGHT_W, 0, 1)
            fade = 1.0 if travel < reach else 0.35 + 0.65 * (k + 1) / len(samples)
            color = colors[i] * light[:, None]
            polygons.append(xy)
            shades.append(1 - fade * (1 - color))
            depths.append(near.mean(axis=1))
    if polygons:
        order = np.argsort(np.concatenate(depths), kind="stable")
        color = np.clip(np.concatenate(shades)[order], 0, 1)
        panel.add_collection(
            PolyCollection(list(np.concatenate(polygons)[order]), facecolors=color, edgecolors=color, linewidths=0.3)
        )
    for j in range(len(particles)):
        xy, _ = camera.project(points[:, j])
        panel.plot(xy[:, 0], xy[:, 1], "o-", markersize=4, linewidth=0.6, color="#333333")
    corners = [camera.project(everything.reshape(-1, 3))[0]] if everything.size else []
    corners += [xy.reshape(-1, 2) for xy in polygons]
    outline = np.concatenate(corners) if corners else np.zeros((1, 2))
    low, high = outline.min(axis=0), outline.max(axis=0)
    room = 0.04 * float(np.max(high - low)) + 1e-9
    for k, sample in enumerate(samples):
        if everything.shape[1] and (travel < reach or k in (0, len(samples) - 1)):
            xy, _ = camera.project(everything[k].mean(axis=0) + k * side)
            panel.text(xy[0], low[1] - 0.3 * room, f"{run.time[sample]:.3g} s", ha="center", va="top", fontsize=8)
    panel.set_xlim(low[0] - room, high[0] + room)
    panel.set_ylim(low[1] - 2 * room, high[1] + room)
    panel.set_aspect("equal")
    panel.set_axis_off()


def _solid(body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Triangles of all visible parts in the body frame."""
    vertices, triangles, first = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for part in body.parts:
        if not part.view or part.shape.kind == "plane":
            continue
        v, t = part.shape.triangles()
        vertices.append(np.array(part.at) + v @ rotation_matrix(part.rotation).T)
        triangles.append(t.astype(np.int64)[:MOST_TRIANGLES] + first)
        first += len(v)
    return np.concatenate(vertices), np.concatenate(triangles)


def _colors(run: Run) -> list[np.ndarray]:
    """A colour a body: that of its first material, else the next of the palette."""
    materials = {m.name: np.array(m.color) for m in run.parts.materials}
    made = []
    for i, body in enumerate(run.parts.bodies):
        own = [materials[part.material] for part in body.parts if part.material and part.view]
        made.append(own[0] if own else PALETTE[i % len(PALETTE)])
    return made


def _reach(vertices: np.ndarray) -> float:
    return float(np.linalg.norm(vertices, axis=1).max())


def _tidy(panel: Any, title: str) -> None:
    panel.set_title(title, fontsize=9)
    panel.set_xlabel("time [s]", fontsize=8)
    panel.tick_params(labelsize=7)
    panel.grid(alpha=0.25)


def _draw_energy(panel: Any, run: Run) -> None:
    energy, kinetic = run.series("energy"), run.series("energy.kinetic")
    scale = max(float(kinetic.max(initial=0.0)), 1e-300)
    panel.plot(run.time, (energy - energy[0]) / scale, color="#333333", linewidth=1)
    _tidy(panel, "change of energy / largest kinetic energy")


def _draw_spin(panel: Any, run: Run) -> None:
    """Angular velocity of the first moving body in its own axes: the flip shows here."""
    from gelenk.run.plot import COLORS

    moving = [b.name for b in run.parts.bodies if not b.static]
    if moving:
        w_B = run[moving[0]].angular_velocity_body
        for k, axis in enumerate("xyz"):
            panel.plot(run.time, w_B[:, k], color=COLORS[k], linewidth=1, label=axis)
        panel.legend(fontsize=7, loc="upper right", ncols=3)
        _tidy(panel, f"{moving[0]}: angular velocity, body axes [rad/s]")
    else:
        table = run.read("particle_velocity", 0) if run.particles else np.zeros((len(run), 3))
        for k, axis in enumerate("xyz"):
            panel.plot(run.time, table[:, k], color=COLORS[k], linewidth=1, label=axis)
        _tidy(panel, "velocity of the first particle [m/s]")


def _draw_momentum(panel: Any, run: Run) -> None:
    from gelenk.run.plot import COLORS

    table = run.angular_momentum
    size = max(float(np.linalg.norm(table, axis=1).max(initial=0.0)), 1e-300)
    for k, axis in enumerate("xyz"):
        panel.plot(run.time, (table[:, k] - table[0, k]) / size, color=COLORS[k], linewidth=1, label=axis)
    panel.legend(fontsize=7, loc="upper right", ncols=3)
    _tidy(panel, "change of angular momentum / its size")
