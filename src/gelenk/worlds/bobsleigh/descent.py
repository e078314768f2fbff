"""A descent: the sled on a track, with a pilot or without, its clock, what is kept of it (B-69, B-73, B-81, B-90)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_number
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.simulate import Simulation
from gelenk.state import State
from gelenk.worlds.bobsleigh.analysis.lines import Line
from gelenk.worlds.bobsleigh.analysis.splits import crossing_times, split_times
from gelenk.worlds.bobsleigh.ice import ice_parts
from gelenk.worlds.bobsleigh.pilot.pilot import Guide, Hands, Pilot, Shift
from gelenk.worlds.bobsleigh.pilot.programme import guide_of
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import Stance, add_sled, sled_data
from gelenk.worlds.bobsleigh.touch import add_touch
from gelenk.worlds.bobsleigh.track import Track

H = 2e-4  # [s] step: 83 of them in a sixtieth of a second (bobsleigh 5.1)
EVERY = 0.01  # [s] between two looks of the pilot, and two samples (B-69)
HULL = "rear hull"  # the centre of mass of this body is where the sled is (bobsleigh 3.15)
SINK = 1e-4  # [m] a sled begins this deep in the ice, so that its runners touch from the first step on


def descent_model(track: Track, setup: Setup, *, surface: str = "sheet") -> Model:
    """The sled at the start of the clock, in the middle, with the speed of the set-up along the track (B-81).

    Parameters
    ----------
    surface : "sheet" for smooth ice, "mesh" for triangles that bend between their corners, "facets" for flat ones as in
        the source, whose edges brake (bobsleigh 8.4)
    """
    builder = Builder(name=f"bobsleigh on {track.name}")
    builder.body("ice", shape=ice_parts(track, surface), static=True)
    stance = start_stance(track)
    add_sled(builder, setup, stance)
    add_touch(builder, setup, "ice", smooth=surface != "facets")
    return builder.build()


def start_stance(track: Track) -> Stance:
    """On the ice along the track, its base so far behind the start that the centre of the hull is at s = 0.

    Found by going back by what the centre is ahead, until it is not.
    """
    com, s = sled_data()["body"][HULL]["com"], 0.0
    up = np.array([0.0, 0.0, 1.0])
    while True:
        line = track.line.at([s])
        stance = Stance.on(line.position[0] - SINK * up, line.forward[0] + line.slope[0] * up)
        ahead = float(track.line.project(stance.point(com), near=s).s[0])
        if abs(ahead) < 1e-11:
            return stance
        s -= ahead


def moved_across(model: Model, track: Track, across: float) -> State:
    """The start with the whole sled moved to the left [m]."""
    left = check_number("descent", "across", across, "m", least=-0.3, most=0.3) * track.line.at([0.0]).left[0]
    state = model.initial_state()
    for body in model.bodies:
        if not body.static:
            state.p_WC[model.index(body.name)] += left
    return state


class Seat:
    """The pilot in the sled: looks where it is every hundredth of a second, steers, and notes what was seen.

    A function of time and simulation for ``sim.run(control=...)`` or ``sim.advance``.
    """

    def __init__(
        self, track: Track, pilot: Pilot | None, banking: Guide, shift: Shift | None = None, *, near: float = 0.0
    ) -> None:
        self.line, self.timing = track.line, np.array(track.timing)
        self.hands = None if pilot is None else Hands(pilot, banking, EVERY, shift)
        self.seen: list[tuple[float, ...]] = []
        self._s = near

    def place(self, sim: Any) -> tuple[float, float, float]:
        """Arc length, offset to the left and height of the sled [m]."""
        where = self.line.project(sim[HULL].com, near=self._s)
        return float(where.s[0]), float(where.left[0]), float(where.height[0])

    def __call__(self, t: float, sim: Any) -> None:
        """Look and steer."""
        s, left, height = self.place(sim)
        self._s = s
        hull = sim[HULL]
        speed = float(np.linalg.norm(hull.velocity_at(hull.com)))
        angle = 0.0 if self.hands is None else self.hands.steer(s, left, height, speed)
        self.seen.append((t, s, left, height, speed, angle))
        sim.inputs["wheel.position"] = angle


@dataclass(frozen=True, eq=False)
class Descent:
    """What a descent was.

    Parameters
    ----------
    t, s, left, height, speed, steering : (n,) every hundredth of a second [s], [m], [m], [m], [m/s], [rad]
    times : at the measuring points of the track since the clock started [s]; nan where it did not arrive
    speeds : there [m/s]
    """

    t: np.ndarray
    s: np.ndarray
    left: np.ndarray
    height: np.ndarray
    speed: np.ndarray
    steering: np.ndarray
    times: np.ndarray
    speeds: np.ndarray

    @property
    def finished(self) -> bool:
        """Whether it reached the finish."""
        return bool(np.isfinite(self.times[-1]))

    @property
    def line(self) -> Line:
        """The same over the arc length, with the clock of the track."""
        begun = np.nan_to_num(crossing_times(self.t, self.s, 0.0))[0]
        return Line.of(self.s, self.t - begun, self.speed, self.height, self.left)


def descent_of(timing: ArrayLike, seen: Any) -> Descent:
    """Times and speeds at the measuring points, from what was seen every hundredth of a second."""
    t, s, left, height, speed, steering = np.array(seen, dtype=np.float64).reshape(-1, 6).T
    places = np.asarray(timing, dtype=np.float64)
    reached = crossing_times(t, s, places)
    speeds = np.where(np.isnan(reached), np.nan, np.interp(np.nan_to_num(reached), t, speed))
    return Descent(t, s, left, height, speed, steering, split_times(t, s, places), speeds)


def is_lost(seen: Sequence[float]) -> bool:
    """Whether a sled has stopped or has left the track, from what the pilot saw."""
    _, _, left, height, speed, _ = seen
    return speed < 0.5 or abs(left) > 10.0 or not -2.0 < height < 10.0


def descend(
    track: Track,
    setup: Setup | None = None,
    pilot: Pilot | None = None,
    *,
    model: Model | None = None,
    banking: Guide | None = None,
    shift: Shift | None = None,
    across: float = 0.0,
    h: float = H,
    t_end: float = 90.0,
    until: float | None = None,
    going: Callable[[], bool] | None = None,
    touched: list[float] | None = None,
) -> Descent:
    """Let a sled go down a track, until it has passed the finish, has stopped or has left the track.

    Parameters
    ----------
    setup : that of the model if a model is given
    pilot : nobody steers if left out
    model, banking : of the track, if they were made before
    shift : of the line that the pilot follows
    across : where it starts, to the left of the middle [m]
    until : arc length at which it ends [m]; a little beyond the finish if left out
    going : asked every tenth of a second whether to go on
    touched : gets the arc lengths at which the pilot felt bumpers or rim touch something [m]
    """
    chosen = Setup() if setup is None else setup
    made = descent_model(track, chosen) if model is None else model
    seat = Seat(track, pilot, guide_of(track) if banking is None else banking, shift)
    sim = Simulation(made, MoreauTree(h=h, order=1), state=moved_across(made, track, across))

    def control(t: float, sim: Simulation) -> None:
        if touched is not None and any("runner" not in contact.b for contact in sim.contacts):
            touched.append(seat.seen[-1][1])
        seat(t, sim)

    end = min(track.finish + 1.0, track.line.end - 1.0) if until is None else until
    while sim.time < t_end and (going is None or going()):
        sim.advance(0.1, control=control, control_every=EVERY)
        if seat.seen[-1][1] > end or is_lost(seat.seen[-1]):
            break
    return descent_of(track.timing, seat.seen)
