"""What a driver hears and feels, from what the sled does (B-74, B-75, B-76).

All are volumes from 0 to 1. The source says by what they grow and no numbers; these were chosen so that the loudest of
each is at what a fast and clean run, or a bad hit, does.
"""

from __future__ import annotations

import math

FASTEST = 40.0  # [m/s] at which wind is loudest: 144 km/h
HARD_HIT = 2.5  # [m/s] approach of a bumper that is as loud as it gets
SLIDING = math.radians(8.0)  # slip angle at which scratching is loudest
FAST_ENOUGH = 3.0  # [m/s] below which nothing scratches


def wind(speed: float) -> tuple[float, float]:
    """Cut-off [Hz] and volume of the noise of driving:  both grow with the speed, from rest and silence."""
    share = min(max(speed / FASTEST, 0.0), 1.25)
    return 120.0 + 1100.0 * share, min(1.0, share**1.5)


def hit(approach: float) -> float:
    """Loudness of a bumper that strikes with a normal speed [m/s] before the impact."""
    return math.sqrt(min(max(approach / HARD_HIT, 0.0), 1.0)) if approach > 0.05 else 0.0


def scratch(slip: float, speed: float) -> tuple[float, float]:
    """Cut-off [Hz] and volume of runners that slide sideways: grows with the slip angle [rad]."""
    share = min(abs(slip) / SLIDING, 1.0)
    return 1400.0 + 2200.0 * share, share * min(max(speed / FAST_ENOUGH - 1.0, 0.0), 1.0)


def slip_angle(ahead: float, aside: float) -> float:
    """Angle [rad] between where a runner points and where it goes, from its velocity along and across [m/s]."""
    return math.atan2(aside, abs(ahead)) if ahead or aside else 0.0
