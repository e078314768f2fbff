"""What every method offers to a simulation, whatever it solves inside."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from gelenk.model.model import Model
from gelenk.state import State


class Stepper(Protocol):
    """One run of a method: moves a state in place."""

    def advance(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take steps first, first + 1, ... of length h from t_start; returns how many, fewer if one failed."""
        ...

    def why(self) -> str:
        """Why the last call fell short."""
        ...

    def info(self) -> dict[str, Any]:
        """Counters and figures, by name."""
        ...

    def memory(self) -> Any:
        """What is remembered from step to step beside the state."""
        ...

    def restore(self, memory: Any) -> None:
        """Go back to what :meth:`memory` gave, and forget a failure."""
        ...


class Method(Protocol):
    """How a model moves: plain options, and a stepper for one run."""

    kind: ClassVar[str]

    @property
    def h(self) -> float:
        """Step [s]."""
        ...

    def begin(self, model: Model, state: State) -> Stepper:
        """Make ready to move ``state`` in place."""
        ...
