"""Gelenk itself in the scenes of joined links."""

from __future__ import annotations

from typing import Any, ClassVar

from gelenk.bench.gelenk_runner import GelenkRunner
from gelenk.bench.tree_scene import GRAVITY, TREE_SCENES, Links, TreeScene
from gelenk.joints.ball import Ball
from gelenk.joints.hinge import Hinge
from gelenk.methods.impulse import Impulse
from gelenk.methods.method import Method
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.model.parts import WORLD
from gelenk.solvers.tree import Tree

TOLERANCE = 1e-7  # [m] of the joints; drift is asked to stay at or below 1e-6


def tree_model(scene: Links) -> Model:
    """The links of a scene as a model."""
    b = Builder(gravity=(0.0, 0.0, -GRAVITY), name=scene.name)
    for link in scene.links:
        b.body(link.name, mass=link.mass, inertia=link.inertia, at=link.p_WC, rotation=link.q_WB)
        if link.joint == "free":
            continue
        above = WORLD if link.parent < 0 else scene.links[link.parent].name
        place: dict[str, Any] = {"name": f"to_{link.name}", "a": above, "b": link.name, "at": link.p_WJ}
        b.add(Ball(**place) if link.joint == "ball" else Hinge(**place, axis=tuple(link.axis_W)))
    return b.build()


class GelenkTree(GelenkRunner):
    """One model of n links; k steps are one call of the compiled step."""

    variants: ClassVar[tuple[str, ...]] = ("impulse tree", "rows tree", "minimal", "minimal rk4")

    def __init__(self, scene: TreeScene, dt: float, variant: str) -> None:
        methods: dict[str, Method] = {
            "impulse tree": Impulse(h=dt, solver=Tree(), tolerance=TOLERANCE),
            "rows tree": RowStepping(h=dt, solver=Tree(), warm_start=False, stabilise="post"),
            "minimal": MoreauTree(h=dt, order=1),
            "minimal rk4": MoreauTree(h=dt, order=4),
        }
        super().__init__(tree_model(scene), methods[variant])


ENGINES = dict.fromkeys(TREE_SCENES, GelenkTree)
