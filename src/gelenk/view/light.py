"""Light: the even one of a workbench, the sun at an hour of the day, or a night with lamps (B-66).

    gk.view(sim, light=gk.Daylight(azimuth_deg=160, elevation_deg=25))
    view.light(gk.Night(lamps=points))     # while it plays
    view.light(None)                       # the workbench again

North is the y axis of the world, east its x axis.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.view.to_page import Light

MOST_LAMPS = 2000
HAZE = 2500.0  # [m] a clear day


@friendly
class Daylight:
    """The sun, and a sky to match.

    Parameters
    ----------
    azimuth_deg : where the sun stands, from north (y) by east (x)
    elevation_deg : how high; at 0 it sets
    haze : distance at which things are lost in the sky [m]
    """

    def __init__(self, azimuth_deg: float = 150.0, elevation_deg: float = 35.0, *, haze: float = HAZE) -> None:
        self.azimuth_deg = check_number("daylight", "azimuth_deg", azimuth_deg, "deg", least=-360.0, most=360.0)
        self.elevation_deg = check_number("daylight", "elevation_deg", elevation_deg, "deg", least=-5.0, most=90.0)
        self.haze = check_number("daylight", "haze", haze, "m", above=1.0)

    @property
    def sun(self) -> tuple[float, float, float]:
        """Unit vector to the sun:  (sin a cos e, cos a cos e, sin e)."""
        a, e = math.radians(self.azimuth_deg), math.radians(self.elevation_deg)
        return math.sin(a) * math.cos(e), math.cos(a) * math.cos(e), math.sin(e)

    def told(self) -> Light:
        """As the page is told of it."""
        return Light("day", self.sun, self.haze)

    def __repr__(self) -> str:
        return f"<daylight: azimuth {self.azimuth_deg:g} deg, elevation {self.elevation_deg:g} deg>"


@friendly
class Night:
    """A night, with lamps that shine down and around; those near the eye light bodies, all of them light scenery.

    Parameters
    ----------
    lamps : places of the lamps (n, 3) [m]
    reach : how far one shines [m]
    brightness : of a lamp; 1 lights the ground 5 m below it as the sun does on a dull day
    haze : distance at which things are lost in the dark [m]
    """

    def __init__(
        self, lamps: ArrayLike = (), *, reach: float = 30.0, brightness: float = 1.0, haze: float = HAZE
    ) -> None:
        points = np.asarray(lamps, dtype=np.float64).reshape(-1, 3) if np.size(lamps) % 3 == 0 else None
        if points is None or not np.isfinite(points).all() or len(points) > MOST_LAMPS:
            found = f"lamps of shape {np.shape(lamps)}"
            raise InputError("night", found, f"at most {MOST_LAMPS} points (n, 3) [m]", "Pass an array of points.")
        self.lamps = points
        self.reach = check_number("night", "reach", reach, "m", above=0.0)
        self.brightness = check_number("night", "brightness", brightness, "1", least=0.0, most=100.0)
        self.haze = check_number("night", "haze", haze, "m", above=1.0)

    def told(self) -> Light:
        """As the page is told of it."""
        lamps = tuple((float(x), float(y), float(z)) for x, y, z in self.lamps.round(3))
        return Light("night", (0.3, -0.4, 0.87), self.haze, lamps, self.reach, self.brightness)

    def __repr__(self) -> str:
        return f"<night with {len(self.lamps)} lamps>"


WORKBENCH = Light("workbench", (0.0, 0.0, 1.0), HAZE)


def check_light(light: Any, element: str = "view()") -> Light:
    """What a page is told of a light."""
    if light is None:
        return WORKBENCH
    if not isinstance(light, (Daylight, Night)):
        remedy = "Pass gk.Daylight(azimuth_deg=150, elevation_deg=35)."
        raise InputError(element, f"light is {light!r}"[:100], "gk.Daylight, gk.Night or None", remedy)
    return light.told()
