"""Gelenk itself in the scenes of joined links."""

from __future__ import annotations

from typing import Any, ClassVar

from gelenk.bench.engine import BodyStates, body_states, rotations, turned
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, TreeScene
from gelenk.joints.ball import Ball
from gelenk.joints.hinge import Hinge
from gelenk.methods.impulse import Impulse
from gelenk.methods.method import Method
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.model.parts import WORLD
from gelenk.solvers.tree import Tree

TOLERANCE = 1e-7  # [m] of the joints; drift is asked to stay at or below 1e-6


def tree_model(scene: TreeScene) -> Model:
    """The links of a scene as a model."""
    b = Builder(gravity=(0.0, 0.0, -GRAVITY), name=scene.name)
    for link in scene.links:
        b.body(link.name, mass=link.mass, inertia=link.inertia, at=link.p_WC, rotation=link.q_WB)
        above = WORLD if link.parent < 0 else scene.links[link.parent].name
        place: dict[str, Any] = {"name": f"to_{link.name}", "a": above, "b": link.name, "at": link.p_WJ}
        b.add(Ball(**place) if link.joint == "ball" else Hinge(**place, axis=tuple(link.axis_W)))
    return b.build()


class GelenkTree:
    """One model of n links; k steps are one call of the compiled step."""

    variants: ClassVar[tuple[str, ...]] = ("impulse tree", "rows tree")

    def __init__(self, scene: TreeScene, dt: float, variant: str) -> None:
        model = tree_model(scene)
        methods: dict[str, Method] = {
            "impulse tree": Impulse(h=dt, solver=Tree(), tolerance=TOLERANCE),
            "rows tree": RowStepping(h=dt, solver=Tree(), warm_start=False, stabilise="post"),
        }
        self._state, self._h, self._done = model.initial_state(), dt, 0
        self._stepper = methods[variant].begin(model, self._state)

    def advance(self, k: int) -> None:
        """Take k steps."""
        taken = self._stepper.advance(0.0, self._h, self._done, k)
        if taken < k:
            raise RuntimeError(f"step {self._done + taken} failed: {self._stepper.why()}")
        self._done += k

    def state(self) -> BodyStates:
        """Where the bodies are now; row 0 of the state is the world."""
        s = self._state
        R_WB = rotations(s.q_WB[1:])
        return body_states(s.p_WC[1:], R_WB, s.v_WC[1:], turned(R_WB, s.w_WB_B[1:]))


ENGINES = dict.fromkeys(TREE_SCENES, GelenkTree)
