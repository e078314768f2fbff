"""Ball on a surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.checks import Vector
from gelenk.errors import InputError
from gelenk.geometry.surface import Surface
from gelenk.joints.joint import Joint, check_nodes, check_place
from gelenk.joints.wiring import Site, Wiring, site_at
from gelenk.math.quat import Quat
from gelenk.math.vec3 import Vec3
from gelenk.rows.coordinate import SURFACE

UPRIGHT = Quat(1.0, 0.0, 0.0, 0.0)
ORIGIN = Vec3(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BallOnSurface(Joint):
    """A point of b stays on a smooth surface fixed in a (I-045); all rotations free.

    Parameters
    ----------
    points : grid of points in the world at the start [m]; a bicubic spline goes through them (:class:`gk.Surface`)
    closed_u, closed_v : whether the surface closes along the rows or columns of the grid
    at : the point of b in the world at the start [m], on the surface
    """

    kind: ClassVar[str] = "ball_on_surface"
    needs_axis: ClassVar[bool] = False
    particle_b: ClassVar[bool] = True

    points: tuple[tuple[Vector, ...], ...]
    closed_u: bool = False
    closed_v: bool = False

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        try:
            surface = Surface(self.points, self.closed_u, self.closed_v)
        except InputError as error:
            raise InputError(self.label, error.found, error.allowed, error.remedy) from None
        object.__setattr__(self, "points", surface.points)
        for what in ("axis", "x_axis"):
            if getattr(self, what) is not None:
                raise InputError(self.label, f"{what} is given", "points and at", f"Leave {what} out.")

    def wire(self, wiring: Wiring) -> None:
        """One row along the normal."""
        places = wiring.places
        (node_a, site_a), (node_b, site_b) = (places.site(self.label, what, getattr(self, what)) for what in "ab")
        check_nodes(self, places, node_a, node_b)
        check_place(self, places, "at", "b", node_b, site_b)
        if places.is_particle(node_a) or site_a is not None:
            raise InputError(self.label, f"a is {self.a!r}", "a body or the world", "Name the body of the surface.")
        if site_b is None and self.at is None and not places.is_particle(node_b):
            raise InputError(self.label, "no point of b", "at = (x, y, z) in the world", "Pass at, or name a frame.")
        if site_b is None:
            particle = places.is_particle(node_b)
            site_b = Site(node_b, ORIGIN, UPRIGHT) if particle else site_at(places, node_b, Vec3(*self.at), UPRIGHT)  # type: ignore[misc]
        wiring.surfaces.append(Surface(self.points, self.closed_u, self.closed_v))
        pair = wiring.pair(site_at(places, node_a, ORIGIN, UPRIGHT), site_b, check=True)
        owner = wiring.joint(self.name, pair, self.break_force, self.break_torque)
        terms = [(wiring.coordinate(pair, SURFACE, 0, len(wiring.surfaces) - 1), 1.0)]
        self.hold_row(wiring, owner, SURFACE, terms)
