"""Rules for steps and for how often to look: largest step against tunnelling (H-73), time to contact (H-74)."""

from __future__ import annotations

import math

from gelenk.checks import check_number
from gelenk.compile import helper


def largest_step(zone: float, speed: float) -> float:
    """Largest step [s] with which nothing passes unnoticed:  zone / speed.

    zone: width [m] along the motion in which a contact is noticed at all, such as the distance at which a force begins;
    speed: largest relative speed [m/s]. Source: biomechanics 4.11. No such limit with
    :func:`gelenk.collision.impact_time.impact_time`.
    """
    zone = check_number("largest_step()", "zone", zone, "m", above=0.0)
    return zone / check_number("largest_step()", "speed", speed, "m/s", above=0.0)


@helper
def time_to_contact(d, speed, acceleration):
    """Time for which two bodies at the distance d [m] surely do not touch, from bounds on what brings them together.

    The smallest T with  d = speed T + acceleration T^2 / 2,  so until then a pair need not be tested again; infinite if
    both bounds are 0, 0 if they touch. The bounds must hold until then: of bodies that joints pull about they do not.
    Source: Schoemer and Thiel, Efficient collision detection for moving polyhedra, SoCG 1995.
    """
    if d <= 0.0:
        return 0.0
    both = speed + math.sqrt(speed * speed + 2.0 * acceleration * d)
    return 2.0 * d / both if both > 0.0 else math.inf
