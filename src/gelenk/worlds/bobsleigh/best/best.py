"""The search for a faster line: curve by curve, each from where the one before let the sled go (B-91)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gelenk.checks import check_choice, check_count, check_number
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.best.course import Course, CoursePlan, Moment, Stretch
from gelenk.worlds.bobsleigh.best.line_file import BestLine
from gelenk.worlds.bobsleigh.best.places import Places
from gelenk.worlds.bobsleigh.best.search import Found, search
from gelenk.worlds.bobsleigh.best.worth import seconds_per_energy
from gelenk.worlds.bobsleigh.pilot.pilot import Pilot, shift_line
from gelenk.worlds.bobsleigh.side_by_side import Team
from gelenk.worlds.bobsleigh.track.point_mass import G, PointMass

AIMS = ("finish", "time", "speed")
BEHIND = 30.0  # [m] behind the exit of a curve the aim "time" is taken
LEAST_FIND = 1e-3  # [m] a line is not told more exactly


class Trial(NamedTuple):
    """A stretch to be driven: from a moment, or from the start, with shifts at places."""

    pilot: Pilot
    places: np.ndarray
    shifts: np.ndarray
    begin: Moment | None
    until: float
    keep: tuple[float, ...] = ()


def drive_trial(course: Course, trial: Trial) -> Stretch:
    """Drive it."""
    shift = shift_line(trial.places, trial.shifts, local=True)
    begin = course.start() if trial.begin is None else trial.begin
    return course.drive(trial.pilot, shift, begin, trial.until, trial.keep)


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How a line is searched.

    Parameters
    ----------
    rounds : most clouds of trials for a curve
    size : trials of a cloud; as many as :func:`search` takes if left out
    passes : how often all curves are gone through; each begins from the line of the one before
    spread : of the first shifts [m], halved in each pass
    bound : largest shift [m]
    seed, workers : of the random numbers; processes, one a core if left out
    """

    rounds: int = 12
    size: int | None = None
    passes: int = 1
    spread: float = 0.2
    bound: float = 1.2
    seed: int = 0
    workers: int | None = None

    def __post_init__(self) -> None:
        check_count("search for a line", "rounds", self.rounds, least=1, most=10**4)
        check_count("search for a line", "passes", self.passes, least=1, most=100)
        check_number("search for a line", "spread", self.spread, "m", above=0.0, most=2.0)
        check_number("search for a line", "bound", self.bound, "m", above=0.0, most=3.0)


class CurveFound(NamedTuple):
    """What one curve gave: its number from 1 on, the pass, cost before and after (see :func:`best_line`), trials."""

    number: int
    turn: int
    before: float
    after: float
    trials: int


@dataclass(frozen=True, eq=False)
class Search:
    """What a search gave: the line, curve by curve, whether Ctrl-C ended it."""

    line: BestLine
    found: tuple[CurveFound, ...]
    stopped: bool


Told = Callable[[int, int, int, float], None]  # pass, number of the curve, cloud, gained so far


def best_line(
    plan: CoursePlan,
    pilot: Pilot,
    *,
    curves: Sequence[int] | None = None,
    aim: str = "finish",
    effort: Effort | None = None,
    from_line: BestLine | None = None,
    told: Told | None = None,
) -> Search:
    """Search shifts of the line of balance in some curves, or in all of them. Ctrl-C keeps what was found.

    Each curve begins from the moment in which the line of those before lets the sled go, so that a trial drives that
    curve, and the next one to see what comes of it.

    Parameters
    ----------
    plan : on what and with which step; a coarse step finds almost the same line, see docs/bobsleigh.md
    curves : numbers from 1 on; all if left out
    aim : the least of

        "finish": time at the exit of the next curve, less what the energy v^2/2 + g h_S there is worth until the end;
        "time": time 30 m behind the exit; "speed": minus the speed at the exit
    from_line : where to begin; the line of balance if left out
    told : called after every cloud of trials
    """
    check_choice("search for a line", "aim", aim, AIMS)
    how = Effort() if effort is None else effort
    places = Places.on(plan.track)
    chosen = _chosen(places, curves)
    shifts = np.zeros(len(places.s)) if from_line is None else _shifts_at(from_line, places)
    found: list[CurveFound] = []
    stopped = False
    with Team(Course, plan, drive_trial, how.workers) as team:
        try:
            [base] = team.all([Trial(pilot, places.s, shifts, None, places.finish, _begins(places, chosen))])
            if not base.arrived:
                what = f"pilot {pilot.name!r} did not finish on {plan.track.name!r}"
                raise InputError("search for a line", what, "a pilot who arrives", "Begin with one.")
            price = _price(plan, base)
            moments = dict(zip(chosen, base.moments))
            for turn in range(how.passes):
                begin = moments[chosen[0]]
                for k, after in zip(chosen, [*chosen[1:], None]):
                    cost = _cost(places, k, aim, price)
                    trial = Trial(pilot, places.s, shifts, begin, _until(places, k, aim))

                    def tell(cloud: int, least: float, first: float, k: int = k, turn: int = turn) -> None:
                        if told is not None:
                            told(turn + 1, k + 1, cloud, first - least)

                    made = _search_curve(
                        team, trial, places.of[k], cost, replace(how, spread=how.spread / 2**turn), k, tell
                    )
                    if made.cost < made.first:
                        shifts = shifts.copy()
                        shifts[places.of[k]] = made.x
                    found.append(CurveFound(k + 1, turn + 1, made.first, made.cost, made.trials))
                    if made.stopped:
                        raise KeyboardInterrupt
                    if after is not None:
                        to = places.begin(after)
                        [on] = team.all([Trial(pilot, places.s, shifts, begin, to, (to,))])
                        begin = on.moments[0]
        except KeyboardInterrupt:
            stopped = True
    line = BestLine(track=plan.track.name, pilot=pilot, places=tuple(places.s.tolist()), shifts=tuple(shifts.tolist()))
    return Search(line, tuple(found), stopped)


def _search_curve(
    team: Team[Trial, Stretch],
    trial: Trial,
    mine: slice,
    cost: Callable[[Stretch], float],
    how: Effort,
    k: int,
    tell: Callable[[int, float, float], None],
) -> Found:
    """Shifts of one curve; the others stay."""
    first = [np.inf]

    def costs(xs: Sequence[np.ndarray]) -> list[float]:
        trials = []
        for x in xs:
            shifts = trial.shifts.copy()
            shifts[mine] = x
            trials.append(trial._replace(shifts=shifts))
        made = [cost(stretch) for stretch in team.all(trials)]
        if np.isinf(first[0]):
            first[0] = made[0]
        return made

    return search(
        costs,
        trial.shifts[mine],
        how.spread,
        bound=how.bound,
        rounds=how.rounds,
        size=how.size,
        enough=LEAST_FIND,
        seed=how.seed + 1000 * k,
        told=lambda cloud, least: tell(cloud, least, first[0]),
    )


def _chosen(places: Places, curves: Sequence[int] | None) -> list[int]:
    """Numbers of curves from 0 on, in the order of driving."""
    count = len(places.bends)
    if curves is None:
        return list(range(count))
    return sorted({check_count("search for a line", "curve", number, least=1, most=count) - 1 for number in curves})


def _begins(places: Places, chosen: Sequence[int]) -> tuple[float, ...]:
    return tuple(places.begin(k) for k in chosen)


def _until(places: Places, k: int, aim: str) -> float:
    """Where a trial of a curve ends."""
    if aim == "finish":
        return places.next_exit(k)
    return min(places.bends[k].exit + (BEHIND if aim == "time" else 0.0), places.finish)


def _price(plan: CoursePlan, base: Stretch) -> Callable[[float], float]:
    """What energy is worth at a place, by the speeds of a run [s per J/kg]."""
    s, speed = base.seen[:, 1], base.seen[:, 4]
    rising = np.concatenate(([True], np.diff(np.maximum.accumulate(s)) > 1e-9)) & (s <= plan.track.finish)
    worth = seconds_per_energy(plan.track.line, s[rising], speed[rising], PointMass())
    return lambda at: float(np.interp(at, s[rising], worth))


def _cost(places: Places, k: int, aim: str, price: Callable[[float], float]) -> Callable[[Stretch], float]:
    """What a trial of a curve costs; infinite if the sled did not arrive."""
    worth = price(_until(places, k, aim)) if aim == "finish" else 0.0

    def cost(made: Stretch) -> float:
        if not made.arrived:
            return np.inf
        if aim == "speed":
            return -made.speed
        return made.time - worth * (0.5 * made.speed**2 + G * made.height)

    return cost


def _shifts_at(line: BestLine, places: Places) -> np.ndarray:
    """Shifts of a line at the places of a search."""
    shift = line.shift
    made = np.array([shift(s) for s in places.s])
    made[[0, 1, -2, -1]] = 0.0
    return made
