"""Many descents of noisy pilots, in processes side by side (B-82, B-90, bobsleigh 6.7)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gelenk.model.model import Model
from gelenk.worlds.bobsleigh.analysis.statistics import SplitStatistics, statistics
from gelenk.worlds.bobsleigh.descent import descend, descent_model
from gelenk.worlds.bobsleigh.pilot.pilot import Guide, Noise, Pilot
from gelenk.worlds.bobsleigh.pilot.programme import guide_of
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.side_by_side import Team
from gelenk.worlds.bobsleigh.track import Track

RACE_START = 7.8  # [m/s] fitted: with it the mean at 50 m is that of the race of 2010 to 1 %, and so are the others


class Case(NamedTuple):
    """What one run of an ensemble gave: times and speeds at the measuring points; nan where it did not arrive."""

    seed: int
    reached: np.ndarray
    speeds: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What all runs of an ensemble have in common."""

    track: Track
    setup: Setup
    pilot: Pilot
    noise: Noise
    h: float = 2e-4


@dataclass(frozen=True, eq=False)
class Ensemble:
    """What an ensemble gave, in the order of the seeds.

    Parameters
    ----------
    places : of the measuring points [m]
    cases : runs that are done
    wanted : how many were to be done
    """

    places: np.ndarray
    cases: tuple[Case, ...]
    wanted: int

    @property
    def times(self) -> np.ndarray:
        """(n, k) times at the measuring points [s]."""
        return np.array([case.reached for case in self.cases]).reshape(len(self.cases), len(self.places))

    @property
    def crashed(self) -> tuple[int, ...]:
        """Seeds of runs that did not arrive."""
        return tuple(case.seed for case in self.cases if not np.isfinite(case.reached).all())

    @property
    def statistics(self) -> SplitStatistics:
        """Means and spreads of those that arrived."""
        return statistics(self.places, self.times)


def _equip(plan: Plan) -> tuple[Plan, Model, Guide]:
    """What one process keeps from run to run."""
    return plan, descent_model(plan.track, plan.setup), guide_of(plan.track)


def _run(tools: tuple[Plan, Model, Guide], seed: int) -> Case:
    """One run of a plan."""
    plan, model, banking = tools
    return run_case(plan, seed, model, banking)


def run_case(plan: Plan, seed: int, model: Model, banking: Guide) -> Case:
    """One run: pilot, line, start and friction are those of the seed; the model is used where friction is its own."""
    factor = plan.noise.friction(seed)
    if factor != 1.0:
        along = factor * plan.setup.friction_along
        model = descent_model(plan.track, replace(plan.setup, friction_along=along))
    pilot, shift, across = plan.noise.draw(seed, plan.pilot, plan.track.finish)
    made = descend(
        plan.track,
        pilot=pilot,
        model=model,
        banking=banking,
        shift=shift,
        across=across,
        h=plan.h,
    )
    return Case(seed, made.times, made.speeds)


def ensemble(
    plan: Plan,
    seeds: Sequence[int],
    *,
    workers: int | None = None,
    told: Callable[[Case, int, int], None] | None = None,
) -> Ensemble:
    """Run a plan for all seeds. Each run depends on its seed alone, not on who runs it. Ctrl-C keeps what is done.

    Parameters
    ----------
    workers : processes; one a core if left out
    told : called with every run that is done, how many are, and how many are wanted
    """
    done: dict[int, Case] = {}
    most = None if workers is None else min(workers, max(len(seeds), 1))
    with Team(_equip, plan, _run, most) as team, suppress(KeyboardInterrupt):
        for _, case in team.as_done(seeds):
            done[case.seed] = case
            if told is not None:
                told(case, len(done), len(seeds))
    places = np.array(plan.track.timing)
    return Ensemble(places, tuple(done[seed] for seed in seeds if seed in done), len(seeds))


def save_times(places: Iterable[float], cases: Iterable[Case], file: Path) -> None:
    """Write seeds and times as a table, by seeds; a run that did not arrive somewhere has nothing there."""
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["seed", *(f"{place:g} m" for place in places)])
        for case in sorted(cases, key=lambda case: case.seed):
            writer.writerow([case.seed, *("" if np.isnan(t) else repr(float(t)) for t in case.reached)])
