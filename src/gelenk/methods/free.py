"""Free motion: bodies and particles that only force laws act on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.compile import Repeated, kernel
from gelenk.errors import InputError
from gelenk.integrators.ballistic import Ballistic
from gelenk.integrators.dormand_prince import DormandPrince
from gelenk.integrators.explicit_euler import ExplicitEuler
from gelenk.integrators.explicit_midpoint import ExplicitMidpoint
from gelenk.integrators.implicit_euler import ImplicitEuler
from gelenk.integrators.implicit_midpoint import ImplicitMidpoint
from gelenk.integrators.runge_kutta4 import RungeKutta4
from gelenk.integrators.scheme import NOT_CONVERGED, STEP_TOO_SMALL, step
from gelenk.integrators.semi_implicit_euler import SemiImplicitEuler
from gelenk.model.model import Model
from gelenk.state import State, System

INTEGRATORS = {
    c.kind: c
    for c in (
        Ballistic,
        DormandPrince,
        ExplicitEuler,
        ExplicitMidpoint,
        ImplicitEuler,
        ImplicitMidpoint,
        RungeKutta4,
        SemiImplicitEuler,
    )
}
WHY = {
    NOT_CONVERGED: "the equations of the step were not solved within the iterations allowed. "
    "Use a smaller h, or allow more iterations.",
    STEP_TOO_SMALL: "the step control asked for a step below round-off; a force jumps or grows without bound there. "
    "Loosen the tolerance or look at the force laws.",
}


class Integrator(Protocol):
    """A scheme: plain options, and scratch whose class selects the compiled step."""

    order: ClassVar[int]
    kind: ClassVar[str]

    def workspace(self, state: State) -> tuple:
        """Scratch for one run."""
        ...


@kernel
def advance(work, system, state, t_start, h, first, count):
    """Take steps first, first + 1, ... of length h from t_start; returns how many of ``count`` were taken.

    Times are  t_start + n h  for the whole run, so that no round-off piles up and batches do not show in the result.
    """
    for k in range(count):
        step(work, system, state, t_start + (first + k) * h, h)
        if work.status[0] != 0:
            return k
    return count


@friendly
@dataclass(frozen=True, slots=True)
class FreeMotion:
    """Bodies and particles under forces alone, no joints, no contact.

    Parameters
    ----------
    h : step [s]; for an adaptive integrator the interval at whose ends it lands
    integrator : one of the schemes of :mod:`gelenk.integrators`, or your own with the same contract
    """

    kind: ClassVar[str] = "free"

    h: float = 1e-3
    integrator: Integrator = field(default_factory=RungeKutta4)

    def __post_init__(self) -> None:
        object.__setattr__(self, "h", check_number("FreeMotion", "h", self.h, "s", above=0))
        if not callable(getattr(self.integrator, "workspace", None)) or isinstance(self.integrator, type):
            raise InputError(
                "FreeMotion",
                f"integrator is {self.integrator!r}",
                ", ".join(f"gk.{c.__name__}()" for c in INTEGRATORS.values()),
                "Pass an integrator object.",
            )

    def begin(self, model: Model, state: State) -> FreeStepper:
        """Make ready to move ``state`` in place."""
        if model.joints:
            found = f"model {model.name!r} has {len(model.joints)} joints and drives"
            raise InputError("FreeMotion", found, "forces alone", "Use gk.RowStepping() or gk.Impulse().")
        return FreeStepper(self, model.system, state)


class FreeStepper:
    """One run of a method: moves a state in place."""

    def __init__(self, method: FreeMotion, system: System, state: State) -> None:
        self.system, self.state = system, state
        self.work = method.integrator.workspace(state)
        self._call = Repeated(advance)
        self._counters = getattr(method.integrator, "counters", ())

    def advance(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take up to ``count`` steps; fewer only if one failed, see :meth:`why`."""
        return int(self._call((self.work, self.system, self.state), t_start, h, first, count))

    def memory(self) -> np.ndarray | None:
        """What the scheme remembers from step to step, to go back to with :meth:`restore`."""
        control = getattr(self.work, "control", None)
        return None if control is None else control.copy()

    def restore(self, memory: np.ndarray | None) -> None:
        """Go back to what :meth:`memory` gave, and forget a failure."""
        self.status[0] = 0
        if memory is not None:
            self.work.control[:] = memory  # type: ignore[attr-defined]

    def why(self) -> str:
        """Why the last call fell short."""
        return WHY.get(int(self.status[0]), "")

    def info(self) -> dict[str, int]:
        """Counters since the start, by name."""
        return {name: int(self.status[1 + k]) for k, name in enumerate(self._counters)}

    @property
    def status(self) -> np.ndarray:
        """(3,) outcome, inner steps taken, steps rejected or iterations."""
        status: np.ndarray = self.work.status  # type: ignore[attr-defined]
        return status
