"""Distance joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.checks import Vector, check_number, check_vector
from gelenk.errors import InputError
from gelenk.joints.joint import Free, Joint, check_nodes, check_place
from gelenk.joints.wiring import Site, Wiring
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3
from gelenk.rows.coordinate import DISTANCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance(Joint):
    """A massless rod between a point of a and a point of b, both of which may be particles.

    Parameters
    ----------
    at_a, at_b : the points in the world at the start [m]; the centres of mass if left out
    length : of the rod [m]; the distance at the start if left out
    limits : with limits there is no rod: the points stay within these distances, as on a rope (0, l)

    Free, if limited: ``length`` [m].
    """

    kind: ClassVar[str] = "distance"
    free: ClassVar[tuple[Free, ...]] = (("length", DISTANCE, 0, "m"),)
    needs_axis: ClassVar[bool] = False

    at_a: Vector | None = None
    at_b: Vector | None = None
    length: float | None = None

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        for what in ("at_a", "at_b"):
            if getattr(self, what) is not None:
                object.__setattr__(self, what, check_vector(self.label, what, getattr(self, what), "m"))
        if self.length is not None:
            object.__setattr__(self, "length", check_number(self.label, "length", self.length, "m", above=0))
        if self.length is not None and self.limits:
            raise InputError(self.label, "length and limits", "one of them", "Leave one out.")
        for what in ("at", "axis", "x_axis"):
            if getattr(self, what) is not None:
                raise InputError(self.label, f"{what} is given", "at_a and at_b", f"Leave {what} out.")

    def wire(self, wiring: Wiring) -> None:
        """One row, or one limit."""
        places = wiring.places
        a, b = (self._site(wiring, what) for what in ("a", "b"))
        check_nodes(self, places, a.node, b.node)
        apart = (a.in_world(places)[0] - b.in_world(places)[0]).norm()
        if apart < 1e-9 and not self.limits:
            raise InputError(self.label, "both points are at the same place", "a distance above 0", "Use a ball joint.")
        pair = wiring.pair(a, b, check=self.length is not None)
        owner = wiring.joint(self.name, pair, self.break_force, self.break_torque)
        if not self.limits:
            terms = [(wiring.coordinate(pair, DISTANCE), 1.0)]
            rest = apart if self.length is None else self.length
            self.hold_row(wiring, owner, DISTANCE, terms, rest)
        self.name_free(wiring, owner, pair)

    def _site(self, wiring: Wiring, what: str) -> Site:
        places, at = wiring.places, getattr(self, f"at_{what}")
        node, site = places.site(self.label, what, getattr(self, what))
        check_place(self, places, f"at_{what}", what, node, site)
        if site is not None or at is None:
            return site or Site(node, Vec3(0.0, 0.0, 0.0), Quat(1.0, 0.0, 0.0, 0.0))
        p, q = places.start(node)
        return Site(node, rotation(q).tdot(Vec3(*at) - p), Quat(1.0, 0.0, 0.0, 0.0))
