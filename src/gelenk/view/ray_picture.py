"""A picture of a state made of rays, where there is no browser."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from gelenk.checks import Vector
from gelenk.instants import colors_of
from gelenk.model.model import Model
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_shapes
from gelenk.space.world import CollisionWorld
from gelenk.state import State
from gelenk.view.camera import USUAL
from gelenk.view.frame import FramePacker, read_frame, rotated
from gelenk.view.scene import describe
from gelenk.view.to_page import Geometry, Item

DOTS = 100.0


class RayPicture:
    """Draws states of one model; all pictures show what the first one does.

    Parameters
    ----------
    model : what is drawn
    size : width and height [pixels]
    """

    def __init__(self, model: Model, size: tuple[int, int]) -> None:
        self.model, self.size = model, size
        self._world = CollisionWorld(model)
        self._scene, self._packer = describe(model, 1.0), FramePacker(model)
        self._seen: tuple[np.ndarray, float] | None = None

    def png(self, state: State, toward: Vector | None = None) -> bytes:
        """The picture of a state; ``toward`` is the direction from the scene to the eye."""
        from matplotlib.figure import Figure

        if self._seen is None:
            self._seen = self.extent(state)
        middle, radius = self._seen
        width, height = self.size
        across = 2.1 * radius * max(1.0, width / height)
        figure = Figure(figsize=(width / DOTS, height / DOTS), dpi=DOTS)
        panel = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        layer = Layer(color=colors_of(self.model))
        seen = (across, across * height / width)
        camera = Camera(np.array(toward or USUAL, dtype=float))
        draw_shapes(panel, self._world.detect(state), camera, middle, seen, [layer], width)
        made = BytesIO()
        figure.savefig(made, dpi=DOTS, format="png")
        return made.getvalue()

    def extent(self, state: State) -> tuple[np.ndarray, float]:
        """Middle and radius of what has an end, by the balls around its parts [m]."""
        poses = read_frame(self._packer.pack(state, 0.0, 0)).poses.astype(float)
        least, most = np.full(3, np.inf), np.full(3, -np.inf)
        for item in self._scene.items:
            geometry = self._scene.geometries[item.geometry]
            if geometry.shape != "plane":
                pose = poses[item.node]
                place = pose[:3] + rotated(pose[None, 3:], np.array([item.at]))[0]
                reach = _reach(geometry, item)
                least, most = np.minimum(least, place - reach), np.maximum(most, place + reach)
        if not np.all(np.isfinite(least)):
            return np.zeros(3), 2.0
        return 0.5 * (least + most), 0.5 * float(np.linalg.norm(most - least))


def _reach(geometry: Geometry, item: Item) -> float:
    """How far the surface is from its origin, at most [m]."""
    scale = np.array(item.scale)
    match geometry.shape:
        case "sphere":
            return float(scale.max())
        case "box":
            return 0.5 * float(np.linalg.norm(scale))
        case "capsule":
            return float(scale.max()) * (1.0 + 0.5 * geometry.sizes[0])
        case "torus":
            return float(scale.max()) * (1.0 + geometry.sizes[0])
        case "triangles":
            from base64 import b64decode

            vertices = np.frombuffer(b64decode(geometry.vertices), dtype="<f4").reshape(-1, 3)
            return float(np.linalg.norm(vertices * scale, axis=1).max(initial=0.0))
    return float(np.linalg.norm(scale))
