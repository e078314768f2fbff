"""Friction of a steel runner on ice: little along it, more across it, and the more the harder it is pressed (B-26)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from gelenk.arguments import friendly
from gelenk.checks import check_number, unknown
from gelenk.errors import InputError

LABEL = "RunnerFriction"
SLENDER = 1e5  # scaled to circles (B-27) ellipses enter by the square of this, of which round-off is 1e-6


@friendly
@dataclass(frozen=True, slots=True)
class RunnerFriction:
    """Friction forces of a runner: normal force times a rectangle with half of an ellipse at each end.

        |x| <= mu_r, |y| <= mu_b       or       ((|x| - mu_r) / (mu_t - mu_r))^2 + (y / mu_b)^2 <= 1

    x along the runner and y across it. Inside it the runner sticks. On its rim it slides, against the outward normal
    there: fast along the edge the force is mu_t, and with growing slip it falls to mu_r along and rises to mu_b across,

        mu_b = across_min + (across_max - across_min) min(N, full_load) / full_load

    so that a runner without load hardly holds its direction.

    Source: bobsleigh 3.14, after G. S. Rempfler (2015), section 4.3.

    Parameters
    ----------
    along : mu_t
    straight_share : mu_r / mu_t, how much of the length of the set is rectangle; 0 for an ellipse
    across_min, across_max : mu_b of a runner without load, and from the full load on
    full_load : normal force of one contact point at which it is reached [N]
    """

    along: float = 0.004
    straight_share: float = 0.66
    across_min: float = 0.02
    across_max: float = 0.10
    full_load: float = 2000.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "along", check_number(LABEL, "along", self.along, "1", above=0, most=1e6))
        put(
            self, "straight_share", check_number(LABEL, "straight_share", self.straight_share, "1", least=0, most=0.999)
        )
        put(self, "across_min", check_number(LABEL, "across_min", self.across_min, "1", above=0, most=1e6))
        put(self, "across_max", check_number(LABEL, "across_max", self.across_max, "1", above=0, most=1e6))
        put(self, "full_load", check_number(LABEL, "full_load", self.full_load, "N", above=0))
        if self.across_max < self.across_min:
            found = f"across_max is {self.across_max:g}, below across_min"
            raise InputError(LABEL, found, f"at least {self.across_min:g}", "Exchange them.")
        cap = (1.0 - self.straight_share) * self.along
        if not self.across_max <= SLENDER * cap:
            found = f"across_max is {self.across_max / cap:.3g} times along (1 - straight_share)"
            raise InputError(LABEL, found, f"at most {SLENDER:g} times", "Give more friction along, or less across.")

    @classmethod
    def of(cls, element: str, values: Mapping[str, Any]) -> RunnerFriction:
        """From the table of a scene file."""
        known = [f.name for f in fields(cls)]
        for name in values:
            if name not in known:
                raise unknown(element, "value of friction", name, known)
        return cls(**values)

    def across(self, load: float) -> float:
        """Coefficient mu_b across the runner at a normal force [N]."""
        load = check_number(LABEL, "load", load, "N", least=0)
        share = min(load, self.full_load) / self.full_load
        return self.across_min + (self.across_max - self.across_min) * share

    def sliding(self, slip_t: float, slip_b: float, load: float) -> tuple[float, float]:
        """Force along and across on a runner that slides at (slip_t, slip_b) [m/s], slip_t > 0, under a load [N].

        -F_t = N (mu_r + (mu_t - mu_r)^2 v_t / D),     -F_b = N mu_b^2 v_b / D
        D = sqrt( ((mu_t - mu_r) v_t)^2 + (mu_b v_b)^2 )
        """
        slip_t = check_number(LABEL, "slip_t", slip_t, "m/s", above=0)
        slip_b = check_number(LABEL, "slip_b", slip_b, "m/s")
        flat, mu_b = self.straight_share * self.along, self.across(load)
        cap = self.along - flat
        D = math.hypot(cap * slip_t, mu_b * slip_b)
        return -load * (flat + cap * cap * slip_t / D), -load * mu_b * mu_b * slip_b / D
