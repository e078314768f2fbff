"""How many contacts every body is away from what is fixed, for methods that solve heaps from below."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Levels(NamedTuple):
    """Path lengths to the fixed bodies (V-98); filled by :mod:`gelenk.graph.levels` where a method asks for them."""

    length: np.ndarray  # (n,) uint32 edges to the nearest fixed body, or NONE
    down: np.ndarray  # (3,) unit vector along gravity, or zero
    number: np.ndarray  # (1,) int64 the largest length


def new_levels(nodes: int, gravity: tuple[float, float, float]) -> Levels:
    """For so many nodes."""
    g = np.array(gravity, np.float64)
    size = float(np.linalg.norm(g))
    return Levels(np.zeros(nodes, np.uint32), g / size if size > 0.0 else g, np.zeros(1, np.int64))
