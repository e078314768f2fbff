"""The scenes by name. A scene is one class: what there is, how long it runs, how accuracy is computed."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from gelenk.bench.engine import BodyStates
from gelenk.bench.free_scene import FreeScene


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

    def accuracy(self, states: BodyStates, t: float) -> dict[str, float]:
        """Errors by name at time t; smaller is better."""
        ...


SCENES: dict[str, type[Scene]] = {scene.name: scene for scene in (FreeScene,)}
