"""How contacts are treated: plain options of a method, and their places in the array that compiled code reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_count, check_names, check_number
from gelenk.errors import InputError

IMPACT_LAW, MOST_ROUNDS, SLOW, SHARE, SPEED, SLOP, CORRECTIONS, MOST_SWEEPS, TOLERANCE, NEWTON_STEPS, LIFT, WARM = (
    range(12)
)
LAWS = ("newton", "poisson", "stronge")
NEWTON, POISSON, STRONGE = range(3)
COMBINE = ("minimum", "product")
SHOCKS = ("off", "uncompromising", "optimised", "freezing")


@friendly
@dataclass(frozen=True, slots=True)
class ContactOptions:
    """How contacts are treated.

    Parameters
    ----------
    impacts : law of restitution: "newton" gives e times the speed back (I-096, V-36), "poisson" e times the impulse
        (V-37), "stronge" e^2 times the work (V-38), for points that meet one by one; where several of a body meet at
        once, or bodies hang in joints, it does as "poisson"
    rounds : most impacts that may follow each other in one step; what is left meets without restitution
    slow : speed below which nothing bounces or slides at the start [m/s], beside what forces do in two steps
    share : of an overlap that is taken out in a step (V-56)
    speed : most speed with which overlaps are taken out [m/s] (trap T-30)
    slop : distance, above and below, within which points touch and overlaps are left alone [m]; if None, a 200th of
        the margin, which is a 10 000th of the smallest side of what moves
    corrections : sweeps that take overlaps out
    sweeps : most sweeps over all contacts in a step
    tolerance : stop when no velocity changes by more in a sweep [m/s]
    newton : most steps of Newton's method a step, where the heap is small enough for it; 0 for sweeps alone
    sleep : whether clusters of bodies that rest are frozen until something touches or pushes them (V-97, V-100). What
        moves more slowly than both thresholds for that long is stopped, also where it would go on: a creeping block
    sleep_after : how long all bodies of a cluster must have been slow [s]
    sleep_speed, sleep_turn : slow is below both [m/s], [rad/s]
    wake_near : names of bodies, such as those of a gripper. With them bodies sleep one by one, each as soon as it has
        been slow for that long and is farther than ``wake_within`` from all of them, and wake when they are as near
        (V-100). In between they are fixed obstacles to what touches them, and take up its momentum
    wake_within : contacts and joints on the way to one of these, not through fixed bodies
    wake_speed : what touches a sleeping body and may have points faster than that, |v| + |w| r with r its farthest
        point, wakes it all the same [m/s], and so does what leaves it
    shock : shock propagation, which solves heaps from below with few sweeps (V-99, I-105): "uncompromising" lets the
        upper of two bodies not act on the lower, "optimised" keeps only its weight from it, "freezing" makes level
        after level immovable after the ordinary sweeps. **It breaks action and reaction on purpose** (trap T-20): load
        is not passed downwards, so contact forces below are wrong, and heaps tip at other places than real ones, with
        "uncompromising" often not at all. Heaps stand without it; use it to look at it, or where sweeps must be few
    restitution : of two materials whose pair has no law of its own: the "minimum" of their values (V-39), or the
        "product" (I-096); a part without a material takes on the value of the other in both
    lift : height of micro-collisions [m]; None solves lasting contact. With it nothing rests: slow contact is a series
        of small impacts that each lift the body so far (V-46), see :mod:`gelenk.contact.micro`. It is **unstable for
        stacks**, and knows loose bodies alone; it is there to compare with
    """

    impacts: str = "newton"
    rounds: int = 200
    slow: float = 1e-4
    share: float = 0.2
    speed: float = 2.0
    slop: float | None = None
    corrections: int = 8
    sweeps: int = 30
    tolerance: float = 1e-7
    newton: int = 8
    sleep: bool = False
    sleep_after: float = 0.5
    sleep_speed: float = 1e-3
    sleep_turn: float = 1e-2
    wake_near: tuple[str, ...] = ()
    wake_within: int = 2
    wake_speed: float = 0.1
    shock: str = "off"
    restitution: str = "minimum"
    lift: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        check_choice("ContactOptions", "impacts", self.impacts, LAWS)
        check_choice("ContactOptions", "restitution", self.restitution, COMBINE)
        put(self, "rounds", check_count("ContactOptions", "rounds", self.rounds, least=1, most=10**6))
        put(self, "slow", check_number("ContactOptions", "slow", self.slow, "m/s", least=0))
        put(self, "share", check_number("ContactOptions", "share", self.share, "1", least=0, most=1))
        put(self, "speed", check_number("ContactOptions", "speed", self.speed, "m/s", least=0))
        put(self, "corrections", check_count("ContactOptions", "corrections", self.corrections, least=0, most=10**6))
        put(self, "sweeps", check_count("ContactOptions", "sweeps", self.sweeps, least=1, most=10**9))
        put(self, "tolerance", check_number("ContactOptions", "tolerance", self.tolerance, "m/s", least=0))
        put(self, "newton", check_count("ContactOptions", "newton", self.newton, least=0, most=10**6))
        check_choice("ContactOptions", "shock", self.shock, SHOCKS)
        if not isinstance(self.sleep, bool):
            raise InputError("ContactOptions", f"sleep is {self.sleep!r}"[:80], "true or false", "Pass a bool.")
        for what, unit in (("sleep_after", "s"), ("sleep_speed", "m/s"), ("sleep_turn", "rad/s")):
            put(self, what, check_number("ContactOptions", what, getattr(self, what), unit, above=0))
        put(self, "wake_near", check_names("ContactOptions", "wake_near", self.wake_near))
        put(self, "wake_within", check_count("ContactOptions", "wake_within", self.wake_within, least=0, most=10**6))
        put(self, "wake_speed", check_number("ContactOptions", "wake_speed", self.wake_speed, "m/s", above=0))
        if self.wake_near and not self.sleep:
            raise InputError("ContactOptions", "wake_near without sleep", "sleep=True with it", "Pass sleep=True.")
        if self.slop is not None:
            put(self, "slop", check_number("ContactOptions", "slop", self.slop, "m", least=0))

        if self.lift is not None:
            put(self, "lift", check_number("ContactOptions", "lift", self.lift, "m", above=0))
            for what, alone in (("impacts", "newton"), ("sleep", False), ("shock", "off")):
                if getattr(self, what) != alone:
                    found = f"lift with {what}={getattr(self, what)!r}"
                    raise InputError("ContactOptions", found, f"{what}={alone!r} with it", f"Leave {what} out.")

    def numbers(self, margin: float) -> np.ndarray:
        """As compiled code reads them."""
        slop: Any = 5e-3 * margin if self.slop is None else self.slop
        law = float(LAWS.index(self.impacts))
        ways = [law, self.rounds, self.slow, self.share, self.speed, slop, self.corrections]
        return np.array([*ways, self.sweeps, self.tolerance, self.newton, self.lift or 0.0, 1.0])
