"""Driving a part of a track by a programme, again and again, from moments that were kept (B-90)."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gelenk.contact.warning import ContactWarning
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.simulate import Simulation
from gelenk.worlds.bobsleigh.descent import EVERY, HULL, descent_model
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.clearance import Clearance
from gelenk.worlds.bobsleigh.pilot.pilot import Hands, Held, Pilot
from gelenk.worlds.bobsleigh.pilot.programme import Programme
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import Track


@dataclass(frozen=True, kw_only=True)
class RehearsalPlan:
    """On what, with what, by whom and with which step it is driven."""

    track: Track
    setup: Setup
    pilot: Pilot
    h: float


class Moment(NamedTuple):
    """A sled on its way, with its pilot: time [s], numbers of the state, arc length [m], what the hands remember."""

    time: float
    flat: np.ndarray
    s: float
    held: Held


class Drive(NamedTuple):
    """What was driven, a row for each look of the pilot.

    t, s, speed [s], [m], [m/s]; left, height, from the track line [m]; w, coordinate across [m]; wanted, steering that
    the hands go to [deg]; clear, (n, 4) distances of the bumpers from the ice [m]; touched, whether more than runners
    touched, and moments, one for each look: both if they were asked for
    """

    t: np.ndarray
    s: np.ndarray
    speed: np.ndarray
    left: np.ndarray
    height: np.ndarray
    w: np.ndarray
    wanted: np.ndarray
    clear: np.ndarray
    touched: np.ndarray
    moments: tuple[Moment, ...]


class Rehearsal:
    """A sled on a track that goes on from any moment by any programme."""

    def __init__(self, plan: RehearsalPlan) -> None:
        self.plan = plan
        self.model = descent_model(plan.track, plan.setup)
        self.banking = Banking(plan.track)
        self.clearance = Clearance(plan.track.line, self.banking)
        self._sim = Simulation(self.model, MoreauTree(h=plan.h, order=1))
        self.hull = self.model.index(HULL)
        self._bumpers = [self.model.index(name) for name in self.clearance.bodies]

    def drive(
        self,
        programme: Programme,
        until: float,
        begin: Moment | None = None,
        *,
        t_end: float = 90.0,
        keep: bool = False,
    ) -> Drive:
        """From a moment, or from the start, until a place [m] or a time [s]; with a moment for each look if asked."""
        sim, line = self._sim, self.plan.track.line
        state = self.model.initial_state()
        if begin is not None:
            state.flat[:] = begin.flat
        sim.restart(state, 0.0 if begin is None else begin.time)
        hands = Hands(self.plan.pilot, programme, EVERY)
        if begin is not None:
            hands.hold(begin.held)
        rows: list[tuple[float, ...]] = []
        hulls: list[np.ndarray] = []
        moments: list[Moment] = []
        last = 0.0 if begin is None else begin.s

        def control(t: float, sim: Any) -> None:
            nonlocal last
            before = hands.held
            place = line.project(sim.state.p_WC[self.hull], near=last)
            s, left, height = float(place.s[0]), float(place.left[0]), float(place.height[0])
            if keep:
                moments.append(Moment(t, sim.state.flat.copy(), last, before))
            last = s
            speed = math.hypot(*sim.state.v_WC[self.hull])
            angle = hands.steer(s, left, height, speed)
            sim.inputs["wheel.position"] = angle
            touches = bool(keep) and any("runner" not in contact.b for contact in sim.contacts)
            rows.append((t, s, speed, left, height, programme.across(s, left, height), hands.wanted, touches))
            hulls.append(np.concatenate([sim.state.p_WC[self._bumpers].ravel(), sim.state.q_WB[self._bumpers].ravel()]))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContactWarning)
            while sim.time < t_end - 1e-9 and last < until:
                sim.advance(min(0.1, t_end - sim.time), control=control, control_every=EVERY)
        t, s, speed, left, height, w, wanted, touched = np.array(rows).T
        poses = np.array(hulls)
        clear = self.clearance.of(poses[:, :6].reshape(-1, 2, 3), poses[:, 6:].reshape(-1, 2, 4), float(s[0]))
        return Drive(t, s, speed, left, height, w, np.degrees(wanted), clear, touched > 0, tuple(moments))
