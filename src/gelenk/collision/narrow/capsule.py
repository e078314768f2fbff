"""What pairs with a capsule share.

Features of a capsule: 0 and 1 its ends at -z and z, 2 its side; where it touches twice, 3 and 4 the place on its side
that is nearer to the end 0 or 1.
"""

from __future__ import annotations

from gelenk.compile import helper
from gelenk.math.vec3 import Vec3

SLANT = 0.1  # sine of the angle (5.7 degrees) up to which a capsule lies along something and touches it twice
SHORT = 1e-6  # of half the axis: two points closer than this are one


@helper
def half_axis(solid):
    """Half of the axis of a capsule, cylinder or cone, world axes."""
    return Vec3(solid.R.xz, solid.R.yz, solid.R.zz) * solid.size.z


@helper
def place_on_axis(t):
    """Feature at a place of the axis."""
    return 0 if t <= SHORT - 1.0 else (1 if t >= 1.0 - SHORT else 2)


@helper
def place_of_two(t, other):
    """Feature at a place of the axis when there is another one."""
    place = place_on_axis(t)
    return place if place != 2 else (3 if t < other else 4)


@helper
def cut(low, high, here, rate):
    """The part of  low .. high  where  here + rate t  is not negative; empty if that is so nowhere.

    Source: M. Cyrus, J. Beck, Generalized two- and three-dimensional clipping, Computers & Graphics 3 (1978).
    """
    if rate > 0.0:
        low = max(low, -here / rate)
    elif rate < 0.0:
        high = min(high, -here / rate)
    elif here < 0.0:
        high = low
    return low, high


@helper
def farther(t, low, high):
    """The end of low .. high that is farther from t."""
    return low if t - low > high - t else high
