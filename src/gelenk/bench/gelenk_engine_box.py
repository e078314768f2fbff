"""Gelenk itself in the scenes of boxes in contact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from gelenk.bench.box_scene import BOX_SCENES, DENSITY, FRICTION, GRAVITY, Boxes
from gelenk.bench.engine import BodyStates, body_states, rotations, turned
from gelenk.contact.options import ContactOptions
from gelenk.geometry.shapes import Box
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.builder import Builder
from gelenk.model.model import Model

FEW = 14  # sweeps


def box_model(scene: Boxes) -> Model:
    """The boxes of a scene as a model; what stands still comes first."""
    b = Builder(gravity=(0.0, 0.0, -GRAVITY), name=scene.name)
    b.material("stone", density=DENSITY, friction=FRICTION)
    for k, still in enumerate(scene.still):
        b.body(f"still{k}", shape=_box(still.half), material="stone", static=True, at=still.centre)
    for i in range(len(scene.half)):
        b.body(f"box{i}", shape=_box(scene.half[i]), material="stone", at=scene.p_WC[i], rotation=scene.q_WB[i])
    return b.build()


def _box(half: Sequence[float] | np.ndarray) -> Box:
    x, y, z = (2.0 * float(h) for h in half)
    return Box((x, y, z))


class GelenkBoxes:
    """One model; k steps are one call of the compiled step. ``rows``: everything at its default."""

    variants: ClassVar[tuple[str, ...]] = ("rows",)

    def __init__(self, scene: Boxes, dt: float, variant: str) -> None:
        options = {"rows": ContactOptions(), "few sweeps": ContactOptions(sweeps=FEW, newton=0)}
        model = box_model(scene)
        self._state, self._h, self._done, self._first = model.initial_state(), dt, 0, 1 + len(scene.still)
        self._stepper = RowStepping(h=dt, contact=options[variant]).begin(model, self._state)

    def advance(self, k: int) -> None:
        """Take k steps."""
        taken = self._stepper.advance(0.0, self._h, self._done, k)
        if taken < k:
            raise RuntimeError(f"step {self._done + taken} failed: {self._stepper.why()}")
        self._done += k

    def state(self) -> BodyStates:
        """Where the boxes are now."""
        s, i = self._state, self._first
        R_WB = rotations(s.q_WB[i:])
        return body_states(s.p_WC[i:], R_WB, s.v_WC[i:], turned(R_WB, s.w_WB_B[i:]))


class GelenkPile(GelenkBoxes):
    """Beside the defaults ``few sweeps``, for piles of many boxes that come to rest one way or another."""

    variants = ("few sweeps", "rows")


ENGINES: dict[str, type[GelenkBoxes]] = {**dict.fromkeys(BOX_SCENES, GelenkBoxes), "boxes": GelenkPile}
