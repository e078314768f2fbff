"""The scenes by name. A scene is one class: what there is and how long it runs. A family shares adapters and judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol

from gelenk.bench.box_judge import BoxJudge
from gelenk.bench.box_scene import BOX_SCENES, BoxesScene, StackScene, WallScene
from gelenk.bench.cradle_judge import CradleJudge
from gelenk.bench.cradle_scene import CradleScene
from gelenk.bench.engine import BodyStates, Engine
from gelenk.bench.free_scene import FreeScene
from gelenk.bench.funnel_judge import FunnelJudge
from gelenk.bench.funnel_scene import FunnelScene
from gelenk.bench.tree_judge import TreeJudge
from gelenk.bench.tree_scene import TREE_SCENES, ChainScene, PendulumScene, TreeScene


class Scene(Protocol):
    """What the bench asks of a scene."""

    name: ClassVar[str]
    about: ClassVar[str]  # what there is, after the number of bodies
    figures: ClassVar[str]  # what the accuracy figures are, with units
    default_size: ClassVar[int]
    dt: ClassVar[float]  # [s]
    t_end: ClassVar[float]  # [s]

    @classmethod
    def make(cls, size: int) -> Any:
        """The scene with that many bodies, always the same numbers."""
        ...


class Judge(Protocol):
    """Says how accurate a run was, from what the engine hands back alone."""

    pieces: int  # into which the run is cut, to be timed and looked at one by one
    times: tuple[float, ...]  # further times to look [s]

    def look(self, engine: Engine, t: float) -> None:
        """Called between the pieces, at time t [s]; not timed."""
        ...

    def accuracy(self, states: BodyStates, t: float) -> dict[str, float]:
        """Errors by name after the run, which ended in ``states`` at time t [s]; smaller is better."""
        ...


class EndJudge:
    """For scenes that can tell from the end alone."""

    pieces = 10  # the median over so many forgives a disturbed one
    times: tuple[float, ...] = ()

    def __init__(self, scene: FreeScene) -> None:
        self._scene = scene

    def look(self, engine: Engine, t: float) -> None:
        """Leave the engine alone."""

    def accuracy(self, states: BodyStates, t: float) -> dict[str, float]:
        """Errors by name after the run."""
        return self._scene.accuracy(states, t)


class Family(NamedTuple):
    """Scenes that the same adapters can run and the same judge can judge."""

    suffix: str  # to the name of an engine's own file: where its adapter is
    judge: Callable[[Any], Judge]


FREE, TREES = Family("", EndJudge), Family("_tree", TreeJudge)
BOXES, CRADLE = Family("_box", BoxJudge), Family("_cradle", CradleJudge)
JOINED, TOUCHING = (ChainScene, TreeScene, PendulumScene), (BoxesScene, StackScene, WallScene, CradleScene, FunnelScene)
SCENES: dict[str, type[Scene]] = {s.name: s for s in (FreeScene, *JOINED, *TOUCHING)}
FAMILIES: dict[str, Family] = {
    "free": FREE,
    **dict.fromkeys(TREE_SCENES, TREES),
    **dict.fromkeys(BOX_SCENES, BOXES),
    "cradle": CRADLE,
    "funnel": BOXES._replace(judge=FunnelJudge),
}
