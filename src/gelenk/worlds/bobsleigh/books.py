"""Energy books of a descent: where the height went, each item counted by itself in every step (bobsleigh 8.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gelenk.run.run import Run

ITEMS = (
    "friction of the runners",
    "friction of bumpers and rim",
    "drag of the air",
    "dampers",
    "impacts of bumpers",
    "blows of the runners",
    "blows of bumpers and rim",
    "loss of the step in curves",
    "loss of the step in springs",
    "steering",
    "overlaps taken out",
)
Work = Mapping[str, Mapping[str, float]]


def items_of(work: Work) -> np.ndarray:
    """(11,) the work of every item [J], from what :meth:`gelenk.Simulation.work_done` gives."""

    def runners(kind: str) -> float:
        return sum(w for name, w in work[kind].items() if "runner" in name)

    def others(kind: str) -> float:
        return sum(w for name, w in work[kind].items() if "runner" not in name)

    def all_of(*kinds: str) -> float:
        return sum(w for kind in kinds for w in work[kind].values())

    return np.array(
        [
            runners("friction"),
            others("friction"),
            all_of("air"),
            all_of("damping"),
            all_of("impacts"),
            runners("blows"),
            others("blows"),
            all_of("pressing"),
            all_of("springs"),
            all_of("drives"),
            all_of("overlaps"),
        ]
    )


class Bookkeeper:
    """Adds up the items from call to call; an output of a run."""

    def __init__(self) -> None:
        self.work = np.zeros(len(ITEMS))

    def __call__(self, sim: Any) -> np.ndarray:
        """(11,) work since the first call [J]."""
        self.work = self.work + items_of(sim.work_done())
        return self.work


@dataclass(frozen=True, eq=False)
class Books:
    """Energies at the start and the end, and what changed them [J].

    Parameters
    ----------
    kinetic, potential : (2,) at the start and at the end; the potential with that of the springs
    work : (11,) the work of the :data:`ITEMS`
    """

    kinetic: np.ndarray
    potential: np.ndarray
    work: np.ndarray

    @property
    def turned_over(self) -> float:
        """By how much the potential energy fell."""
        return float(self.potential[0] - self.potential[1])

    @property
    def missing(self) -> float:
        """What the items do not account for: change of the energy, less the sum of all work."""
        change = np.diff(self.kinetic + self.potential)[0]
        return float(change - self.work.sum())

    def rows(self) -> list[tuple[str, str]]:
        """Lines of a table."""
        whole = self.turned_over
        rows = [("height gives", f"{whole / 1e3:.3f} kJ")]
        rows.append(("motion has gained", _part(float(np.diff(self.kinetic)[0]), whole)))
        rows += [(name, _part(float(work), whole)) for name, work in zip(ITEMS, self.work) if abs(work) >= 0.5]
        rows.append(("not accounted for", _part(self.missing, whole)))
        return rows


def _part(work: float, whole: float) -> str:
    """A work and its share."""
    share = 100.0 * work / whole if whole else 0.0
    return f"{work / 1e3:+.3f} kJ, {share:+.{2 if abs(share) >= 0.01 else 4}f} %"


def books_in(run: Run) -> Books | None:
    """The books that a run file has; None for one without."""
    if "work" not in run.outputs or len(run) < 2:
        return None
    ends = [0, len(run) - 1]
    kinetic, potential = run["energy.kinetic"][ends], run["energy.potential"][ends]
    return Books(kinetic, potential, run["work"][-1] - run["work"][0])
