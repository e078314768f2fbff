"""A humanoid of 19 boxes, 18 hinges and a free pelvis, 78 kg, for the scenes `batch` and `dynamics`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gelenk.bench.links import Link, rod
from gelenk.bench.tree_scene import Links

BEND, LEAN = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])  # axes across the body and along its view


class Humanoid(Links):
    """All limbs, each after its parent; the first, the pelvis, moves freely."""

    name = "humanoid"
    about = "boxes joined by hinges to a free pelvis"

    @classmethod
    def make(cls) -> Humanoid:
        """A standing man."""
        links: list[Link] = []

        def add(name: str, parent: int, a: tuple, b: tuple, mass: float, thick: float, axis: np.ndarray) -> int:
            links.append(replace(rod(name, parent, "hinge", np.array(a), np.array(b), thick, mass), axis_W=axis))
            return len(links) - 1

        pelvis = add("pelvis", -1, (0.0, -0.1, 1.0), (0.0, 0.1, 1.0), 11.0, 0.16, BEND)
        links[pelvis] = replace(links[pelvis], joint="free", p_WJ=links[pelvis].p_WC)
        belly = add("belly", pelvis, (0.0, 0.0, 1.0), (0.0, 0.0, 1.2), 10.0, 0.18, BEND)
        chest = add("chest", belly, (0.0, 0.0, 1.2), (0.0, 0.0, 1.5), 16.0, 0.2, LEAN)
        neck = add("neck", chest, (0.0, 0.0, 1.5), (0.0, 0.0, 1.6), 1.5, 0.1, BEND)
        add("head", neck, (0.0, 0.0, 1.6), (0.0, 0.0, 1.8), 4.5, 0.16, LEAN)
        for side, y in (("left", 1.0), ("right", -1.0)):
            collar = add(f"{side} collar", chest, (0.0, 0.12 * y, 1.45), (0.0, 0.2 * y, 1.45), 1.2, 0.08, BEND)
            upper = add(f"{side} upper arm", collar, (0.0, 0.2 * y, 1.45), (0.0, 0.22 * y, 1.15), 2.1, 0.08, LEAN)
            lower = add(f"{side} forearm", upper, (0.0, 0.22 * y, 1.15), (0.0, 0.22 * y, 0.9), 1.2, 0.06, BEND)
            add(f"{side} hand", lower, (0.0, 0.22 * y, 0.9), (0.0, 0.22 * y, 0.8), 0.5, 0.06, LEAN)
            thigh = add(f"{side} thigh", pelvis, (0.0, 0.1 * y, 0.95), (0.0, 0.1 * y, 0.5), 8.0, 0.13, BEND)
            shank = add(f"{side} shank", thigh, (0.0, 0.1 * y, 0.5), (0.0, 0.1 * y, 0.1), 3.5, 0.1, BEND)
            add(f"{side} foot", shank, (0.0, 0.1 * y, 0.08), (0.2, 0.1 * y, 0.04), 1.0, 0.07, LEAN)
        return cls(tuple(links))
