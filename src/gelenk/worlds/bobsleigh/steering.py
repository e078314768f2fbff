"""From a pilot's hands to the steering angle (B-59, B-63)."""

from __future__ import annotations

import math

from gelenk.checks import check_number

MAX_DEG = 10.0  # largest steering angle [D]


def steering_angle(hand: float, directness: float = 1.0) -> float:
    """Steering angle [rad] of a normalised position of the ropes in -1 .. 1 (bobsleigh eq. 4.6),

        beta = beta_max sgn(i) |i|^(1/d)

    ``directness`` d below 1 makes small movements steer less. What is beyond -1 .. 1 counts as the end.
    """
    d = check_number("steering", "directness", directness, "1", above=0.0)
    i = min(max(check_number("steering", "hand", hand, "1"), -1.0), 1.0)
    return math.copysign(math.radians(MAX_DEG) * abs(i) ** (1.0 / d), i)
