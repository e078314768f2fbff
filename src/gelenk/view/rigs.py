"""Cameras that a world declares: in a cockpit, behind a body, beside a track (B-67).

    gk.view(sim, cameras=[
        gk.CockpitCamera("pilot", "hull", at=(0.3, 0, 0.9), toward=(1, 0, -0.1)),
        gk.FollowCamera("behind", "hull", behind=6, above=2),
        gk.TracksideCamera("trackside", "hull", places),
    ], camera="pilot")

The key ``c`` goes to the next one; ``view.look("trackside")`` and ``--camera trackside`` choose one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gelenk.arguments import friendly
from gelenk.checks import Vector, check_name, check_number, check_vector, unknown
from gelenk.errors import InputError
from gelenk.view.to_page import Rig

MOST_PLACES = 1000
FORWARD, UP = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def _axes(label: str, toward: Any, up: Any) -> tuple[Vector, Vector]:
    """Two directions in body axes that are not one."""
    a, b = check_vector(label, "toward", toward, "1"), check_vector(label, "up", up, "1")
    if not np.linalg.norm(np.cross(a, b)) > 1e-6 * np.linalg.norm(a) * np.linalg.norm(b):
        found = f"toward {a} along up {b}"
        raise InputError(label, found, "two directions apart", "Let toward point ahead, and up to the sky.")
    return a, b


@friendly
class CockpitCamera:
    """Sits in a body.

    Parameters
    ----------
    name, body : what it is called; which body it sits in
    at : place of the eye in the body frame [m]
    toward, up : where it looks, and what is up, in body axes
    fov_deg : angle of view, upright
    damping : time in which a head follows a turn [s]; 0 for one that is screwed on
    """

    def __init__(
        self,
        name: str,
        body: str,
        at: ArrayLike,
        *,
        toward: ArrayLike = FORWARD,
        up: ArrayLike = UP,
        fov_deg: float = 70.0,
        damping: float = 0.06,
    ) -> None:
        self.name, self.body = check_name("camera", name), check_name("camera", body)
        label = f"camera {name!r}"
        self.at = check_vector(label, "at", at, "m")
        self.toward, self.up = _axes(label, toward, up)
        self.fov_deg = check_number(label, "fov_deg", fov_deg, "deg", least=5.0, most=150.0)
        self.damping = check_number(label, "damping", damping, "s", least=0.0, most=5.0)

    def told(self) -> Rig:
        """As the page is told of it."""
        return Rig(self.name, "cockpit", self.body, self.at, self.toward, self.up, self.fov_deg, self.damping)


@friendly
class FollowCamera:
    """Goes behind a body, and swings round softly.

    Parameters
    ----------
    name, body : what it is called; which body it follows
    behind, above : where it is, from the body frame [m]
    toward, up : what is ahead and up in body axes
    fov_deg : angle of view, upright
    damping : time in which it follows a turn [s]
    horizon : whether the horizon stays level; else it leans with the body
    """

    def __init__(
        self,
        name: str,
        body: str,
        *,
        behind: float = 6.0,
        above: float = 2.0,
        toward: ArrayLike = FORWARD,
        up: ArrayLike = UP,
        fov_deg: float = 55.0,
        damping: float = 0.25,
        horizon: bool = True,
    ) -> None:
        self.name, self.body = check_name("camera", name), check_name("camera", body)
        label = f"camera {name!r}"
        self.behind = check_number(label, "behind", behind, "m", above=0.0, most=1e4)
        self.above = check_number(label, "above", above, "m", least=-1e4, most=1e4)
        self.toward, self.up = _axes(label, toward, up)
        self.fov_deg = check_number(label, "fov_deg", fov_deg, "deg", least=5.0, most=150.0)
        self.damping = check_number(label, "damping", damping, "s", least=0.0, most=5.0)
        self.horizon = bool(horizon)

    def told(self) -> Rig:
        """As the page is told of it."""
        at = -self.behind, 0.0, self.above
        return Rig(
            self.name, "follow", self.body, at, self.toward, self.up, self.fov_deg, self.damping, level=self.horizon
        )


@friendly
class TracksideCamera:
    """Stands beside a track: of many places the one nearest to the body, from where it looks at it and zooms.

    Parameters
    ----------
    name, body : what it is called; which body it looks at
    places : (n, 3) where it may stand [m]
    width : how much is in the picture across, at the body [m]
    fov_deg : widest angle of view
    """

    def __init__(self, name: str, body: str, places: ArrayLike, *, width: float = 9.0, fov_deg: float = 60.0) -> None:
        self.name, self.body = check_name("camera", name), check_name("camera", body)
        label = f"camera {name!r}"
        found = np.asarray(places, dtype=np.float64)
        right = found.ndim == 2 and found.shape[1:] == (3,) and 0 < len(found) <= MOST_PLACES
        if not right or not np.isfinite(found).all():
            allowed = f"1 to {MOST_PLACES} finite points (n, 3) [m]"
            raise InputError(label, f"places of shape {found.shape}", allowed, "Pass an array of points.")
        self.places = found
        self.width = check_number(label, "width", width, "m", above=0.0)
        self.fov_deg = check_number(label, "fov_deg", fov_deg, "deg", least=5.0, most=150.0)

    def told(self) -> Rig:
        """As the page is told of it."""
        places = tuple((float(x), float(y), float(z)) for x, y, z in self.places)
        where = (0.0, 0.0, 0.0), FORWARD, UP, self.fov_deg, 0.0
        return Rig(self.name, "trackside", self.body, *where, places=places, width=self.width)


Camera = CockpitCamera | FollowCamera | TracksideCamera


def check_cameras(cameras: Iterable[Camera], bodies: Iterable[str]) -> tuple[Rig, ...]:
    """What a page is told of cameras, whose bodies exist."""
    from gelenk.view.instruments import check_names

    known, made = list(bodies), []
    for camera in check_names("cameras", cameras, (CockpitCamera, FollowCamera, TracksideCamera)):
        if camera.body not in known:
            raise unknown(f"camera {camera.name!r}", "body", camera.body, known)
        made.append(camera.told())
    return tuple(made)
