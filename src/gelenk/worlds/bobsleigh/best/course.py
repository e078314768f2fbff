"""Stretches of a track, driven from a moment on that was kept, so that a trial costs a second or two (B-91)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gelenk.contact.warning import ContactWarning
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.model.model import Model
from gelenk.simulate import Simulation
from gelenk.state import State
from gelenk.worlds.bobsleigh.analysis.splits import crossing_times
from gelenk.worlds.bobsleigh.descent import EVERY, H, Seat, descent_model, is_lost
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.pilot import Held, Pilot, Shift
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import Track

LOOKS = 5  # of the pilot between two moments that can be kept


@dataclass(frozen=True, kw_only=True)
class CoursePlan:
    """On what, with what, and with which step sleds go."""

    track: Track
    setup: Setup
    h: float = H


class Moment(NamedTuple):
    """A sled on its way, with its pilot: all that is needed to go on from there, to round-off.

    time [s]; flat, the numbers of the state; s [m] of the last look; held, what the hands remember.
    """

    time: float
    flat: np.ndarray
    s: float
    held: Held


@dataclass(frozen=True, eq=False)
class Stretch:
    """What was driven: rows of the looks as :class:`Seat` notes them, and the moments that were kept.

    time, speed, height : where the stretch ends [s], [m/s], [m]; nan if the sled did not arrive there, or went through
        the ice on its way
    """

    seen: np.ndarray
    moments: tuple[Moment, ...]
    time: float
    speed: float
    height: float

    @property
    def arrived(self) -> bool:
        """Whether the sled came to its end."""
        return bool(np.isfinite(self.time))


class Course:
    """A sled on a track that can be put to any moment of a descent."""

    def __init__(self, plan: CoursePlan) -> None:
        self.plan, self.track = plan, plan.track
        self.model: Model = descent_model(plan.track, plan.setup)
        self.banking = Banking(plan.track)
        self._sim = Simulation(self.model, MoreauTree(h=plan.h, order=1))

    def start(self) -> Moment:
        """The start of the clock, with hands at rest."""
        return Moment(0.0, self.model.initial_state().flat.copy(), 0.0, Held(0.0, None, ()))

    def drive(
        self, pilot: Pilot, shift: Shift | None, begin: Moment, until: float, keep: tuple[float, ...] = ()
    ) -> Stretch:
        """Go on from a moment until a place [m] is passed, keeping the last moments before some places."""
        sim, seat = self._sim, Seat(self.track, pilot, self.banking, shift, near=begin.s)
        assert seat.hands is not None
        seat.hands.hold(begin.held)
        sim.restart(self._state(begin.flat), begin.time)
        kept = [begin] * len(keep)
        most = begin.time + 2.0 + (until - begin.s) / 2.0  # [s] it does not stand and wait
        while sim.time < most:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ContactWarning)  # a trial may leave the ice; it is told below
                sim.advance(LOOKS * EVERY, control=seat, control_every=EVERY)
            _, s, _, _, speed, _ = seat.seen[-1]
            if keep and s < max(keep):
                now = Moment(sim.time, sim.state.flat.copy(), s, seat.hands.held)
                ahead = s + 2.0 * EVERY * speed  # the sled is before this place by now
                kept = [now if ahead < place else before for place, before in zip(keep, kept)]
            if s > until or is_lost(seat.seen[-1]):
                break
        seen = np.array(seat.seen)
        [time] = crossing_times(seen[:, 0], seen[:, 1], until)
        if np.isnan(time) or sim.info["segments_lost"]:
            return Stretch(seen, tuple(kept), np.nan, np.nan, np.nan)
        speed, height = (float(np.interp(time, seen[:, 0], seen[:, k])) for k in (4, 3))
        return Stretch(seen, tuple(kept), float(time), speed, height)

    def _state(self, flat: np.ndarray) -> State:
        state = self.model.initial_state()
        state.flat[:] = flat
        return state
