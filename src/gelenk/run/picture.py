"""A picture of a run: the scene at several instants, drawn as shaded solids, with its energies and motion below."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gelenk.forces.spring import Spring
from gelenk.math.rotation import rotation_matrix
from gelenk.model.parts import WORLD
from gelenk.run.picture_joints import AXIS_LENGTH, draw_joints, is_anchored, joint_places, plane_normal
from gelenk.run.picture_panels import draw_coordinates, draw_energy, draw_lines, draw_momentum
from gelenk.run.plot import picture_path, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gelenk.model.parts import Body
    from gelenk.run.run import Run

PALETTE = np.array([[0.30, 0.45, 0.69], [0.77, 0.31, 0.32], [0.33, 0.66, 0.41], [0.51, 0.45, 0.70], [0.80, 0.73, 0.45]])
STATIC = np.array([0.74, 0.75, 0.76])
LIGHT_W = np.array([0.35, -0.55, 0.76])
FRONT_RIGHT_ABOVE = np.array([0.454, -0.792, 0.408])
SIZE, SCENE = (11.0, 5.6), (0.01, 0.56, 0.98, 0.36)  # of the figure [inch], of the scene in it
MOST_TRIANGLES, MOST_TRAILS = 60_000, 200
STILL = 1e-3  # of its size, by which a model at rest may move


class Camera:
    """Orthographic camera; looks at the scene from the front, right and above unless told from where."""

    def __init__(self, toward: np.ndarray = FRONT_RIGHT_ABOVE) -> None:
        self.toward = toward / np.linalg.norm(toward)
        upward = np.array([0.0, 1.0, 0.0] if abs(self.toward[2]) > 0.99 else [0.0, 0.0, 1.0])
        right = np.cross(upward, self.toward)
        self.right = right / np.linalg.norm(right)
        self.up = np.cross(self.toward, self.right)

    def project(self, p_W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., 3) points to (..., 2) picture coordinates and (...) nearness."""
        return np.stack([p_W @ self.right, p_W @ self.up], axis=-1), p_W @ self.toward


def draw_run(run: Run, file: str | Path | None, *, instants: int) -> Figure:
    """The scene at up to ``instants`` moments, then energy, motion, and momenta or forces over time."""
    from matplotlib.figure import Figure

    path = None if file is None else picture_path(run, file)
    figure = Figure(figsize=SIZE)
    scene = figure.add_axes(SCENE)
    draw_scene(scene, run, instants)
    panels = [figure.add_axes((0.055 + 0.325 * k, 0.215, 0.27, 0.265)) for k in range(3)]
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
    """Model, method and step."""
    model, method = run.attributes.get("model", ""), run.attributes.get("method", "")
    return f"{model}: {method.partition('(')[0]}, h = {run.attributes['h']:g} s"


class Poses(NamedTuple):
    """Everything to draw, at k samples."""

    samples: np.ndarray  # (k,)
    solids: list[np.ndarray]  # (k, v, 3) vertices of each body, world
    triangles: list[np.ndarray]
    points: np.ndarray  # (k, p, 3) particles
    centres: np.ndarray  # (k, n, 3) origins of bodies, and particles
    reach: float  # size of the largest body

    def whole(self) -> np.ndarray:
        """(k, m, 3) all points."""
        return np.concatenate([self.centres, *self.solids], axis=1)


def poses(run: Run, samples: np.ndarray) -> Poses:
    """What a run has at these samples."""
    bodies, particles, k = run.parts.bodies, run.parts.particles, len(samples)
    position = run.read("position")[samples] if bodies else np.zeros((k, 0, 3))
    R = rotation_matrix(run.read("orientation")[samples]) if bodies else np.zeros((k, 0, 3, 3))
    points = run.read("particle_position")[samples] if particles else np.zeros((k, 0, 3))
    shapes = [_solid(body) for body in bodies]
    solids = [position[:, i, None] + v @ R[:, i].transpose(0, 2, 1) for i, (v, _) in enumerate(shapes)]
    reach = max([_reach(v) for v, _ in shapes if len(v)] + [0.05 * float(np.ptp(points)) if points.size else 0.0, 1e-9])
    return Poses(samples, solids, [t for _, t in shapes], points, np.concatenate([position, points], axis=1), reach)


def arrange(run: Run, camera: Camera, now: Poses, chosen: bool) -> tuple[Poses, float]:
    """The instants to draw and how far apart to set them: one if nothing moves, some in a row if all stays in place.

    All of them if they are ``chosen``.

    In a row each has the room that all of them take together. What travels is drawn where it is (distance 0).
    """
    everything = now.whole()
    way = np.ptp(everything, axis=0) if everything.size else np.zeros((1, 3))
    if float(np.linalg.norm(way, axis=-1).max(initial=0.0)) < STILL * now.reach:
        return poses(run, now.samples[:1]), 0.0
    travel = float(np.linalg.norm(np.ptp(now.centres, axis=0), axis=-1).max(initial=0.0))
    xy = camera.project(everything)[0].reshape(-1, 2)
    width, height = np.ptp(xy, axis=0)
    pitch = 1.06 * width + 0.02 * height
    fit = int(SIZE[0] * SCENE[2] / (SIZE[1] * SCENE[3]) * 1.1 * height / pitch) if pitch > 0.0 else 0
    if travel < now.reach or (fit >= 3 and is_anchored(run)):
        row = now if chosen else poses(run, evenly(run, min(len(now.samples), max(fit, 5))))
        x = np.concatenate([xy[:, 0], camera.project(row.whole())[0][..., 0].ravel()])
        return row, float(1.06 * np.ptp(x) + 0.02 * height)
    return now, 0.0


def evenly(run: Run, count: int) -> np.ndarray:
    """So many samples from the first to the last, or all there are."""
    return np.unique(np.linspace(0, len(run) - 1, count).astype(int))


def draw_scene(panel: Any, run: Run, instants: int | np.ndarray) -> None:
    """Shaded solids at so many instants, or at given samples; they are set side by side where bodies stay in place."""
    from matplotlib.collections import PolyCollection

    chosen = not isinstance(instants, int)
    samples = evenly(run, instants) if isinstance(instants, int) else np.asarray(instants)
    camera = Camera(plane_normal(run, samples, FRONT_RIGHT_ABOVE))
    now, pitch = arrange(run, camera, poses(run, samples), chosen)
    samples, side, colors = now.samples, camera.right * pitch, _colors(run)
    moves = len(samples) > 1 and pitch == 0.0
    polygons, shades, depths = [], [], []
    for k in range(len(samples)):
        for i, triangles in enumerate(now.triangles):
            if not len(triangles):
                continue
            p_W = now.solids[i][k] + k * side
            normal = np.cross(p_W[triangles[:, 1]] - p_W[triangles[:, 0]], p_W[triangles[:, 2]] - p_W[triangles[:, 0]])
            normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
            seen = normal @ camera.toward > 0
            xy, near = camera.project(p_W[triangles[seen]])
            light = 0.45 + 0.55 * np.clip(normal[seen] @ LIGHT_W, 0, 1)
            fade = 0.35 + 0.65 * (k + 1) / len(samples) if moves else 1.0
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
    shifts = np.arange(len(samples))[:, None, None] * side
    for xy in camera.project(now.points + shifts)[0].transpose(1, 0, 2):
        panel.plot(xy[:, 0], xy[:, 1], "o", markersize=4, color="#333333")
    if moves:
        _draw_trails(panel, run, camera)
    for ends in _springs(run, samples):
        for k in range(len(samples)):
            xy, _ = camera.project(ends[k] + k * side)
            shade = (k + 1) / len(samples) if moves else 1.0
            panel.plot(xy[:, 0], xy[:, 1], "-", linewidth=0.7, color="#777777", alpha=shade)
    corners = [camera.project(now.centres + shifts)[0].reshape(-1, 2)] + [xy.reshape(-1, 2) for xy in polygons]
    if run.parts.joints:
        places = joint_places(run, samples)
        draw_joints(panel, camera, places, side, AXIS_LENGTH * now.reach)
        anchors = np.concatenate([places.anchor, places.other[:, places.is_rod]], axis=1)
        corners.append(camera.project(anchors + shifts)[0].reshape(-1, 2))
    outline = np.concatenate(corners)
    outline = outline if len(outline) else np.zeros((1, 2))
    low, high = outline.min(axis=0), outline.max(axis=0)
    room = (0.04 * float(np.max(high - low)) if pitch == 0.0 else 0.08 * float(high[1] - low[1])) + 1e-9
    how = "moves" if moves else "rests" if len(samples) == 1 < len(run) and not chosen else ""
    _say_when(panel, run, camera, now, side, (0.5 * (low[0] + high[0]), low[1] - 0.3 * room), how)
    panel.set_xlim(low[0] - room, high[0] + room)
    panel.set_ylim(low[1] - 2 * room, high[1] + room)
    panel.set_aspect("equal")
    panel.set_axis_off()


def _say_when(
    panel: Any, run: Run, camera: Camera, now: Poses, side: np.ndarray, below: tuple[float, float], how: str
) -> None:
    """Times below the scene."""
    text = {"ha": "center", "va": "top", "fontsize": 8}
    first, last = run.time[[0, -1]]
    if how == "moves":
        panel.text(*below, f"{len(now.samples)} instants from {first:.3g} to {last:.3g} s, the last darkest", **text)
    elif len(now.samples) == 1:
        when = f"at rest from {first:.3g} to {last:.3g} s" if how == "rests" else f"{run.time[now.samples[0]]:.3g} s"
        panel.text(*below, when, **text)
    else:
        middle = camera.project(now.whole())[0][..., 0]
        at = 0.5 * (middle.min() + middle.max())
        for k, sample in enumerate(now.samples):
            x = at + k * float(side @ camera.right)
            panel.text(x, below[1], f"{run.time[sample]:.3g} s", **text)


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
    """A colour a body: that of its first material, else grey if it is static, else the next of the palette."""
    materials = {m.name: np.array(m.color) for m in run.parts.materials}
    made = []
    for i, body in enumerate(run.parts.bodies):
        own = [materials[part.material] for part in body.parts if part.material and part.view]
        made.append(own[0] if own else STATIC if body.static else PALETTE[i % len(PALETTE)])
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
