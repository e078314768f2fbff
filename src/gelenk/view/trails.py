"""Trails of a run: where the centres of mass of its bodies went, thinned to what a page can draw."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.run.run import Run
from gelenk.view.to_page import Colour, Scene, Trail

MOST_POINTS = 120_000  # of all trails
MOST_TRAILS = 300
A_TRAIL = 4000  # points of one, at most


def trails(run: Run, scene: Scene, ghost: int, colour: Colour | None, shift: float, shared: int) -> Iterator[Trail]:
    """One trail for each body and particle that moves.

    Parameters
    ----------
    run, scene : what was recorded, and how it is told
    ghost : number of the ghost, 0 for the first run
    colour : of all trails; that of the bodies if left out
    shift : added to the times [s]
    shared : how many runs share the points there are
    """
    moving = [(k, node) for k, node in enumerate(scene.nodes) if node.what != "world" and not node.static]
    moving = moving[: MOST_TRAILS // shared]
    if not moving or len(run) < 2:
        return
    points = max(2, min(A_TRAIL, MOST_POINTS // shared // len(moving), len(run)))
    chosen = np.unique(np.linspace(0, len(run) - 1, points).round().astype(np.int64))
    times = _text(run.time[chosen] + shift)
    first = len(run.bodies) + 1
    own = {item.node: item.colour for item in reversed(scene.items)}
    for k, node in moving:
        if k < first:
            place = run.read("position", k - 1)[chosen]
            if any(node.com):
                place = place + rotation_matrix(run.read("orientation", k - 1)[chosen]) @ np.array(node.com)
        else:
            place = run.read("particle_position", k - first)[chosen]
        yield Trail(node.name, ghost, colour or own.get(k, (0.3, 0.4, 0.5)), times, _text(place))


def _text(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f4").tobytes()).decode("ascii")
