"""A picture of a run: the scene at several instants, drawn as shaded solids, with its energies and motion below."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.forces.spring import Spring
from gelenk.math.rotation import rotation_matrix
from gelenk.model.parts import WORLD
from gelenk.run.picture_joints import AXIS_LENGTH, draw_joints, joint_places
from gelenk.run.picture_panels import draw_coordinates, draw_energy, draw_lines, draw_momentum
from gelenk.run.plot import picture_path, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gelenk.model.parts import Body
    from gelenk.run.run import Run

PALETTE = np.array([[0.30, 0.45, 0.69], [0.77, 0.31, 0.32], [0.33, 0.66, 0.41], [0.51, 0.45, 0.70], [0.80, 0.73, 0.45]])
LIGHT_W = np.array([0.35, -0.55, 0.76])
MOST_TRIANGLES, MOST_TRAILS, MOST_LETTERS = 60_000, 200, 130


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
    """The scene at ``instants`` moments side by side, then energy, motion, and momenta or forces over time."""
    from matplotlib.figure import Figure

    path = None if file is None else picture_path(run, file)
    figure = Figure(figsize=(11, 4.8))
    scene = figure.add_axes((0.01, 0.53, 0.98, 0.38))
    draw_scene(scene, run, np.unique(np.linspace(0, len(run) - 1, instants).astype(int)))
    panels = [figure.add_axes((0.055 + 0.325 * k, 0.11, 0.27, 0.31)) for k in range(3)]
    causes = run.outer_causes()
    draw_energy(panels[0], run, causes)
    if run.signals.coordinates:
        draw_coordinates(panels[1], run)
    else:
        _draw_motion(panels[1], run)
    draw_momentum(panels[2], run, causes)
    figure.suptitle(_title(run), fontsize=10)
    if path is not None:
        save_figure(figure, path)
    return figure


def _title(run: Run) -> str:
    """Model and method; a method of many options by its step and solver alone."""
    model, method = run.attributes.get("model", ""), run.attributes.get("method", "")
    if len(model) + len(method) > MOST_LETTERS:
        options = json.loads(run.attributes.get("options", "{}"))
        parts = [f"{part} {options[part]['kind']}" for part in ("integrator", "solver") if part in options]
        method = ", ".join([method.partition("(")[0], f"h = {run.attributes['h']:g} s", *parts])
    return f"{model}: {method}"


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
    moves = travel >= reach
    for j in range(len(particles)):
        xy, _ = camera.project(points[:, j])
        panel.plot(xy[:, 0], xy[:, 1], "o", markersize=4, color="#333333")
    if moves:
        _draw_trails(panel, run, camera)
    for ends in _springs(run, samples):
        for k in range(len(samples)):
            xy, _ = camera.project(ends[k] + k * side)
            panel.plot(xy[:, 0], xy[:, 1], "-", linewidth=0.7, color="#777777", alpha=(k + 1) / len(samples))
    corners = [camera.project(everything.reshape(-1, 3))[0]] if everything.size else []
    corners += [xy.reshape(-1, 2) for xy in polygons]
    if run.parts.joints:
        places = joint_places(run, samples)
        draw_joints(panel, camera, places, side, AXIS_LENGTH * reach)
        anchors = np.concatenate([places.anchor, places.other[:, places.is_rod]], axis=1)
        corners.append(camera.project(anchors + np.arange(len(samples))[:, None, None] * side)[0].reshape(-1, 2))
    outline = np.concatenate(corners) if corners else np.zeros((1, 2))
    low, high = outline.min(axis=0), outline.max(axis=0)
    room = 0.04 * float(np.max(high - low)) + 1e-9
    if moves:
        first, last = run.time[samples[[0, -1]]]
        span = f"{len(samples)} instants from {first:.3g} to {last:.3g} s, the last darkest"
        panel.text(0.5 * (low[0] + high[0]), low[1] - 0.3 * room, span, ha="center", va="top", fontsize=8)
    elif everything.shape[1]:
        for k, sample in enumerate(samples):
            xy, _ = camera.project(everything[k].mean(axis=0) + k * side)
            panel.text(xy[0], low[1] - 0.3 * room, f"{run.time[sample]:.3g} s", ha="center", va="top", fontsize=8)
    panel.set_xlim(low[0] - room, high[0] + room)
    panel.set_ylim(low[1] - 2 * room, high[1] + room)
    panel.set_aspect("equal")
    panel.set_axis_off()


def _draw_trails(panel: Any, run: Run, camera: Camera) -> None:
    """Thin lines along the whole way of everything that moves."""
    for name in _moving(run)[:MOST_TRAILS]:
        xy, _ = camera.project(run[name].position)
        panel.plot(xy[:, 0], xy[:, 1], "-", linewidth=0.5, color="#999999", zorder=0)


def _moving(run: Run) -> list[str]:
    """Names of what is not static."""
    bodies = [b.name for b in run.parts.bodies if not b.static]
    return bodies + [p.name for p in run.parts.particles if not p.static]


def _springs(run: Run, samples: np.ndarray) -> list[np.ndarray]:
    """(k, 2, 3) ends in the world of every spring at the given samples."""

    def end(name: str, point: tuple[float, float, float]) -> np.ndarray:
        if name == WORLD:
            return np.tile(point, (len(samples), 1))
        track = run[name]
        turned = track.rotation[samples] @ np.array(point) if track.is_body else np.zeros(3)
        made: np.ndarray = track.position[samples] + turned
        return made

    springs = [f for f in run.parts.forces if isinstance(f, Spring)][:MOST_TRAILS]
    return [np.stack([end(f.a, f.at_a), end(f.b, f.at_b)], axis=1) for f in springs]


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
    return float(np.linalg.norm(vertices, axis=1).max(initial=0.0))


def _draw_motion(panel: Any, run: Run) -> None:
    """What the first body that moves does: its spin in its own axes if it stays in place, else its position."""
    moving = _moving(run)
    table, title = np.zeros((len(run), 3)), "nothing moves"
    if moving:
        track = run[moving[0]]
        table, title = track.position, f"{moving[0]}: position [m]"
        size = _reach(_solid(run.parts.body(moving[0]))[0]) if track.is_body else 0.0
        if np.ptp(track.com, axis=0).max() < size:
            table, title = track.angular_velocity_body, f"{moving[0]}: angular velocity, body axes [rad/s]"
    draw_lines(panel, run, {axis: table[:, k] for k, axis in enumerate("xyz")}, title)
