"""A picture of a world: its shapes and contacts, seen from a direction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.checks import check_number, check_vector, unknown
from gelenk.collision.broad.pair_filter import ABSENT, MOVING
from gelenk.errors import InputError
from gelenk.space.view import Layer, draw_contacts, draw_shapes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gelenk.space.world import CollisionWorld

TOWARD = (0.454, -0.792, 0.408)  # from the middle to the eye: in front, to the right and above
COLORS = ((0.42, 0.55, 0.77), (0.83, 0.50, 0.45), (0.46, 0.71, 0.52), (0.63, 0.56, 0.79), (0.84, 0.74, 0.46))
STILL_COLOR = (0.82, 0.82, 0.80)
SUFFIXES = (".png", ".svg", ".pdf")
INCHES, DOTS, PIXELS = 9.0, 110, 700  # width of a picture, dots an inch, rays along the width
LARGE = 3.0  # what stands still and is larger than all that moves by this is not made to fit in
ARROW = 0.06  # length of the arrows over the width


class Eye:
    """Directions of an orthographic camera, world axes."""

    def __init__(self, toward: Any) -> None:
        self.toward = np.array(check_vector("picture()", "toward", toward, "1"))
        size = np.linalg.norm(self.toward)
        if not size > 0:
            raise InputError("picture()", "toward is 0", "a direction", "Give where the eye is, as (1, -2, 1).")
        self.toward /= size
        upward = np.array([0.0, 1.0, 0.0] if abs(self.toward[2]) > 0.99 else [0.0, 0.0, 1.0])
        self.right = np.cross(upward, self.toward)
        self.right /= np.linalg.norm(self.right)
        self.up = np.cross(self.toward, self.right)


def draw_world(
    world: CollisionWorld,
    path: str | Path | None,
    toward: Any,
    middle: Any,
    width: float | None,
    colors: Mapping[str, Any] | None,
) -> Figure:
    """See :meth:`gelenk.CollisionWorld.picture`."""
    from matplotlib.figure import Figure

    if path is not None and Path(path).suffix.lower() not in SUFFIXES:
        raise InputError("picture()", f"the path is {str(path)!r}", " or ".join(SUFFIXES), "Change its end.")
    for name in colors or ():
        if name not in (names := [body.name for body in world.model.bodies]):
            raise unknown("picture()", "body in colors", name, names)
    eye, (low, high) = Eye(toward), _extent(world)
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    flat = np.stack([corners @ eye.right, corners @ eye.up], axis=1)
    w, h = (1.15 * np.maximum(np.ptp(flat, axis=0), 1e-9)).tolist()
    if width is not None:
        w, h = check_number("picture()", "width", width, "m", above=0), h * width / w
    h = min(max(h, 0.4 * w), w)
    at = 0.5 * (low + high) if middle is None else np.array(check_vector("picture()", "middle", middle, "m"))
    figure = Figure(figsize=(INCHES, INCHES * h / w + 0.4))
    panel = figure.add_axes((0.0, 0.0, 1.0, h / (h + 0.4 * w / INCHES)))
    layer = Layer(color=_colors(world) | dict(colors or {}), within=0.75 * math.hypot(w, h))
    draw_shapes(panel, world, eye, at, (w, h), [layer], PIXELS)
    draw_contacts(panel, world, eye, ARROW * w, 1.3, hidden_by=world)
    x, y = float(at @ eye.right), float(at @ eye.up)
    panel.set(xlim=(x - 0.5 * w, x + 0.5 * w), ylim=(y - 0.5 * h, y + 0.5 * h))
    points = f"{len(world)} contact point{'' if len(world) == 1 else 's'}"
    figure.suptitle(f"{world.model.name}: {points}; the picture is {w:.3g} m wide", fontsize=10, y=0.985)
    if path is not None:
        figure.savefig(path, dpi=DOTS)
    return figure


def _extent(world: CollisionWorld) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of what should be seen: all that moves, and what stands around unless it is large."""
    n = len(world.colliders.item)
    role, box = world.filter.element["role"][:n], world.colliders.box
    finite = np.isfinite(box).all(axis=1)
    boxes = box[finite & (role != ABSENT)]
    moving = box[finite & (role == MOVING)]
    if len(moving):
        span = np.linalg.norm(moving[:, 3:].max(axis=0) - moving[:, :3].min(axis=0))
        boxes = boxes[np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1) <= LARGE * span]
    if not len(boxes):
        return np.full(3, -1.0), np.full(3, 1.0)
    return boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)


def _colors(world: CollisionWorld) -> dict[str, Any]:
    """Of the material of the first part that collides; else grey for what stands still, a few in turn for the rest."""
    materials = {material.name: material.color for material in world.model.materials}
    made: dict[str, Any] = {}
    for k, body in enumerate(world.model.bodies):
        own = [materials[part.material] for part in body.parts if part.material and part.collide]
        made[body.name] = own[0] if own else STILL_COLOR if body.static else COLORS[k % len(COLORS)]
    return made
