"""Curve by curve, shifts of a learned line with which bumpers come to walls less often and slower (B-90)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gelenk.worlds.bobsleigh.analysis.curves import bends
from gelenk.worlds.bobsleigh.best.search import search
from gelenk.worlds.bobsleigh.pilot.pilot import shift_line
from gelenk.worlds.bobsleigh.pilot.programme import SPACING, Programme
from gelenk.worlds.bobsleigh.pilot.rehearsal import Drive, Moment, Rehearsal, RehearsalPlan

FIRM = 3.0  # gains of trials, by those of the pilot: shifts of the line are what is driven then
MOST = 2.5  # [deg] of steering in trials: what the pilot has beyond that is for what he sees
TRIAL_H = 1e-3  # [s] step of trials
APART = 8.0  # [m] between places of shifts
BEHIND = 25.0  # [m] behind its exit a curve is judged: the sled is on the floor then
BESIDE, LATE = 0.2, 0.05  # [m] beside the line, [s] of delay: a programme must be good for pilots who err so, too
BEFORE = 3.0  # [m] before the exit of the last curve shifts begin
SPREAD, BOUND = 0.15, 0.8  # [m] of the first shifts, and at most
NEAR, CLOSE = 0.05, 0.02  # [m] to a wall: what counts by its time, and where its speed is taken
TIME, HIT, TURN = 100.0, 12.0, 0.005  # weights: 1/s in touch, of (m/s)^2 of a hit, of deg^2 s of steering


class CurveRefined(NamedTuple):
    """What a curve gave: its number, cost before and after with calm and erring pilots."""

    number: int
    before: float
    after: float
    touched: float  # [s] afterwards


def cost_of(drive: Drive) -> float:
    """Time near walls, squares of the speeds with which bumpers come to them, and a little of the steering.

    A hit takes about half the mass times the square of its speed; a sled that is at a wall tells nothing of how fast
    it came, so that is looked at two centimetres before.
    """
    dt = np.gradient(drive.t)
    near = np.clip((NEAR - drive.clear.min(axis=1)) / NEAR, 0.0, 2.0)
    coming = -np.gradient(drive.clear, axis=0) / dt[:, None]
    inside = drive.clear < CLOSE
    meets = inside[1:] & ~inside[:-1]
    speeds = np.where(meets, np.maximum(coming[:-1], 0.0), 0.0)
    hits = 0.5 * (speeds[:, :2].max(axis=1) ** 2 + speeds[:, 2:].max(axis=1) ** 2)  # one of each hull at a time
    return float(TIME * (near**2 * dt).sum() + HIT * hits.sum() + TURN * (drive.wanted**2 * dt).sum())


def refine(
    plan: RehearsalPlan,
    begin: Programme,
    *,
    curves: Sequence[int] | None = None,
    rounds: int = 7,
    size: int = 8,
    seed: int = 0,
    told: Callable[[CurveRefined], None] | None = None,
) -> Programme:
    """Go down the track; each curve begins from where the programme for those before lets the sled go.

    Trials shift the line at places of a curve, with a pilot of larger gains; what the best one drove and steered is
    the programme for that curve if it is better with the pilot and the step of the plan too, with erring pilots counted
    in. Ctrl-C keeps what was found.

    Parameters
    ----------
    curves : numbers from 1 on, nothing is driven behind the last of them; all if left out
    rounds, size : clouds of trials of a curve, and trials of a cloud
    """
    track = plan.track
    truth = Rehearsal(plan)
    own = plan.pilot
    firm = replace(
        own,
        offset_gain=FIRM * own.offset_gain,
        damping=FIRM * own.damping,
        most_deg=min(MOST, own.most_deg),
    )
    stage = Rehearsal(replace(plan, pilot=firm, h=TRIAL_H))
    s = np.arange(0.0, track.finish + 60.0, SPACING)
    known = begin.at(s)
    known = Programme(known.banking, s, np.round(known.line, 3), np.round(known.steering_deg, 3))  # as it is written
    at = np.arange(0.0, track.finish, 0.25)
    exits = [bend.exit for bend in bends(at, track.line.at(at).curvature)]
    moment: Moment | None = None
    late = Rehearsal(replace(plan, pilot=replace(plan.pilot, delay=plan.pilot.delay + LATE)))

    def erring(programme: Programme, until: float, begin: Moment | None, t_end: float) -> float:
        """Cost with pilots who come late and go to the left or to the right of the line; infinite if one is lost."""
        cost = 0.0
        for beside in (-BESIDE, BESIDE):
            line = programme.line + beside
            made = late.drive(Programme(programme.banking, s, line, programme.steering_deg), until, begin, t_end=t_end)
            cost += cost_of(made) if made.s[-1] >= until else np.inf
        return cost

    try:
        for k, exit_ in enumerate(exits[: max(curves, default=0) if curves is not None else None]):
            until = min(exit_ + BEHIND, track.finish + 1.0)
            before = truth.drive(known, until, moment, keep=True)
            start = before.moments[len(before.moments) // 8] if moment is None else moment
            if curves is None or k + 1 in curves:
                made = _curve(stage, known, start, exit_, until, (rounds, size, seed + 1000 * k))
                after = truth.drive(made, until, moment, keep=True)
                t_end = before.t[-1] + 3.0
                costs = [cost_of(d) + erring(p, until, moment, t_end) for d, p in ((before, known), (after, made))]
                if after.s[-1] >= until and costs[1] < costs[0]:
                    known, before = made, after
                if told is not None:
                    told(CurveRefined(k + 1, costs[0], min(costs), 0.01 * float(before.touched.sum())))
            moment = before.moments[max(int(np.searchsorted(before.s, exit_ - BEFORE)) - 1, 0)]
    except KeyboardInterrupt:
        pass
    return known


def _curve(
    stage: Rehearsal, known: Programme, start: Moment, exit_: float, until: float, effort: tuple[int, int, int]
) -> Programme:
    """The programme with the best shifts found for one curve."""
    rounds, size, seed = effort
    places = np.linspace(start.s + 4.0, exit_, max(5, round((exit_ - start.s) / APART)))
    every = np.concatenate((places[0] + [-3.0, -1.5], places, exit_ + np.array([0.7, 1.0]) * BEHIND))
    t_end = start.time + 1.5 * (until - start.s) / max(float(np.linalg.norm(_velocity(stage, start))), 5.0) + 1.0

    def driven(shifts: np.ndarray) -> Drive:
        shift = shift_line(every, np.concatenate(([0.0, 0.0], shifts, [0.0, 0.0])), local=True)
        line = known.line + np.array([shift(a) for a in known.s])
        return stage.drive(Programme(known.banking, known.s, line, known.steering_deg), until, start, t_end=t_end)

    def costs(trials: Sequence[np.ndarray]) -> list[float]:
        return [cost_of(d) if d.s[-1] >= until else np.inf for d in map(driven, trials)]

    zero = np.zeros(len(places))
    found = search(costs, zero, SPREAD, bound=BOUND, rounds=rounds, size=size, enough=0.01, seed=seed)
    best = driven(found.x)
    at, first = np.unique(np.maximum.accumulate(best.s), return_index=True)
    mine = (known.s >= start.s) & (known.s <= at[-1])
    line, steering = known.line.copy(), known.steering_deg.copy()
    line[mine] = np.round(np.interp(known.s[mine], at, best.w[first]), 3)  # as it is written
    steering[mine] = np.round(np.interp(known.s[mine], at, best.wanted[first]), 3)
    return Programme(known.banking, known.s, line, steering)


def _velocity(stage: Rehearsal, moment: Moment) -> np.ndarray:
    state = stage.model.initial_state()
    state.flat[:] = moment.flat
    made: np.ndarray = state.v_WC[stage.hull]
    return made
