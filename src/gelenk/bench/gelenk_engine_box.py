"""Gelenk itself in the scenes of boxes in contact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from gelenk.bench.box_scene import BOX_SCENES, DENSITY, GRAVITY, Boxes
from gelenk.bench.gelenk_runner import GelenkRunner
from gelenk.contact.options import ContactOptions
from gelenk.geometry.shapes import Box
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.builder import Builder
from gelenk.model.model import Model

FEW = 14  # sweeps
FINE, FINE_SWEEPS = 3, 12  # steps in a step of the scene, sweeps in each


def box_model(scene: Boxes) -> Model:
    """The boxes of a scene as a model; what stands still comes first."""
    b = Builder(gravity=(0.0, 0.0, -GRAVITY), name=scene.name)
    b.material("stone", density=DENSITY, friction=scene.friction)
    for k, still in enumerate(scene.still):
        b.body(f"still{k}", shape=_box(still.half), material="stone", static=True, at=still.centre, rotation=still.turn)
    for i in range(len(scene.half)):
        b.body(f"box{i}", shape=_box(scene.half[i]), material="stone", at=scene.p_WC[i], rotation=scene.q_WB[i])
    return b.build()


def _box(half: Sequence[float] | np.ndarray) -> Box:
    x, y, z = (2.0 * float(h) for h in half)
    return Box((x, y, z))


class GelenkBoxes(GelenkRunner):
    """``rows``: everything at its default."""

    variants: ClassVar[tuple[str, ...]] = ("rows",)
    options: ClassVar[dict[str, ContactOptions]] = {
        "rows": ContactOptions(),
        "few sweeps": ContactOptions(sweeps=FEW, newton=0),
        "fine": ContactOptions(sweeps=FINE_SWEEPS, newton=0, share=0.5),
        "shock": ContactOptions(sweeps=10, newton=0, shock="freezing"),
        "asleep": ContactOptions(sleep=True),
    }
    split: ClassVar[dict[str, int]] = {"fine": FINE}  # of a step of the scene, where it is not 1

    def __init__(self, scene: Boxes, dt: float, variant: str) -> None:
        split = self.split.get(variant, 1)
        method = RowStepping(h=dt / split, contact=self.options[variant])
        super().__init__(box_model(scene), method, 1 + len(scene.still), split)


class GelenkStanding(GelenkBoxes):
    """Beside the defaults ``asleep``, with what has rested for half a second frozen: most of the run."""

    variants = ("rows", "asleep")


class GelenkPile(GelenkBoxes):
    """Beside the defaults ``few sweeps``, for piles of many boxes that come to rest one way or another."""

    variants = ("few sweeps", "rows")


class GelenkFunnel(GelenkBoxes):
    """``fine``: shorter steps with fewer sweeps each; the defaults; ``shock``: frozen from below after ten sweeps.

    Cubes turn at up to 60 rad/s there, a quarter of a radian in a step of the scene: what they overlap by falls with
    the step, a little faster than in proportion, and the shorter it is the fewer sweeps it needs.
    """

    variants = ("fine", "rows", "shock")


ENGINES: dict[str, type[GelenkBoxes]] = {
    **dict.fromkeys(BOX_SCENES, GelenkBoxes),
    "stack": GelenkStanding,
    "wall": GelenkStanding,
    "boxes": GelenkPile,
    "funnel": GelenkFunnel,
}
