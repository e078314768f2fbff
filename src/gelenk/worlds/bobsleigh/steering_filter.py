"""Steering that hands ask for, made smooth: position, velocity and acceleration without jumps of the device (B-63).

A device tells its place in steps of 12 bits, once a picture. Differences of that over a time step of 0.2 ms would be
accelerations of 1e5 deg/s^2; a critically damped filter of order 2 gives a motion that can be driven instead.

Source: bobsleigh 4.11 and 8.7.
"""

from __future__ import annotations

import math

from gelenk.checks import check_number

CORNER_HZ = 12.0  # faster than hands, slower than the pictures that a device is read with


class SteeringFilter:
    """Follows a place that jumps.

        x'' = w^2 (u - x) - 2 w x',    w = 2 pi f

    It is solved exactly for a place u that stays as it is during a step, so it is stable for any step:

        e(t) = (e_0 + (x'_0 + w e_0) t) exp(-w t),   e = x - u

    A jump of u by d changes x'' by  w^2 d  and x by no more than d: nothing overshoots.

    Parameters
    ----------
    corner_hz : f, above which it lets less through [Hz]
    place : where it begins, at rest
    """

    def __init__(self, corner_hz: float = CORNER_HZ, place: float = 0.0) -> None:
        self.w = 2.0 * math.pi * check_number("steering filter", "corner_hz", corner_hz, "Hz", above=0.0)
        self.rest(place)

    def rest(self, place: float = 0.0) -> None:
        """Be at rest somewhere."""
        self.position = self._aim = check_number("steering filter", "place", place, "1")
        self.velocity = 0.0

    @property
    def acceleration(self) -> float:
        """Second rate of the position now,  w^2 (u - x) - 2 w x'."""
        return self.w**2 * (self._aim - self.position) - 2.0 * self.w * self.velocity

    def step(self, aim: float, h: float) -> float:
        """Go on for a time h [s] toward a place; gives the position then."""
        w, e = self.w, self.position - aim
        slope = self.velocity + w * e
        fade = math.exp(-w * h)
        self._aim = aim
        self.position = aim + (e + slope * h) * fade
        self.velocity = (self.velocity - w * slope * h) * fade
        return self.position
