"""Ball on a curve, and slider along a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gelenk.checks import Vector
from gelenk.errors import InputError
from gelenk.geometry.curve import Curve
from gelenk.geometry.curve_eval import curve_frame, nearest_on_curve, pack_curves
from gelenk.joints.joint import Free, Joint, check_nodes, check_place
from gelenk.joints.wiring import Site, Wiring, site_at
from gelenk.math.quat import Quat
from gelenk.math.rotation import Mat3, quat_from_rotation
from gelenk.math.vec3 import Vec3
from gelenk.rows.coordinate import CURVE, FOLLOW, PLACE

UPRIGHT = Quat(1.0, 0.0, 0.0, 0.0)
ORIGIN = Vec3(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BallOnCurve(Joint):
    """A point of b runs along a smooth curve fixed in a (I-043). Free: ``place`` along it [m]; all rotations.

    Parameters
    ----------
    points : of the curve in the world at the start [m]; it is a cubic spline through them (:class:`gk.Curve`)
    closed : whether the last point is followed by the first
    at : the point of b in the world at the start [m], on the curve
    """

    kind: ClassVar[str] = "ball_on_curve"
    free: ClassVar[tuple[Free, ...]] = (("place", PLACE, 0, "m"),)
    needs_axis: ClassVar[bool] = False
    particle_b: ClassVar[bool] = True
    held: ClassVar[tuple[tuple[int, int], ...]] = ((CURVE, 0), (CURVE, 1))

    points: tuple[Vector, ...]
    closed: bool = False

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        try:
            curve = Curve(self.points, self.closed)
        except InputError as error:
            raise InputError(self.label, error.found, error.allowed, error.remedy) from None
        object.__setattr__(self, "points", curve.points)
        for what in ("axis", "x_axis"):
            if getattr(self, what) is not None:
                raise InputError(self.label, f"{what} is given", "points and at", f"Leave {what} out.")

    def wire(self, wiring: Wiring) -> None:
        """Two rows across the curve, and for a slider three that keep b turned as the curve goes."""
        curve = Curve(self.points, self.closed)
        a, b = self._sites(wiring, curve)
        wiring.curves.append(curve)
        table = len(wiring.curves) - 1
        pair = wiring.pair(a, b, check=True)
        owner = wiring.joint(self.name, pair, self.break_force, self.break_torque)
        for kind, axis in self.held:
            terms = [(wiring.coordinate(pair, kind, axis, table), 1.0)]
            self.hold_row(wiring, owner, kind, terms)
        self.name_free(wiring, owner, pair, table)

    def _sites(self, wiring: Wiring, curve: Curve) -> tuple[Site, Site]:
        """The curve in the axes of the world, b in the axes of the curve where it is."""
        places = wiring.places
        (node_a, site_a), (node_b, site_b) = (places.site(self.label, what, getattr(self, what)) for what in "ab")
        check_nodes(self, places, node_a, node_b)
        check_place(self, places, "at", "b", node_b, site_b)
        if places.is_particle(node_a) or (places.is_particle(node_b) and not self.particle_b):
            raise InputError(self.label, "a particle on one side", "bodies", "Use a ball on a curve with b a particle.")
        at: Any = self.at
        if site_b is not None:
            at = site_b.in_world(places)[0]
        elif at is None and places.is_particle(node_b):
            at = places.start(node_b)[0]
        elif at is None:
            raise InputError(self.label, "no point of b", "at = (x, y, z) in the world", "Pass at, or name a frame.")
        p_W = Vec3(*at)
        if site_a is not None:
            raise InputError(self.label, f"a is the frame {self.a!r}", "a body or the world", "Name the body.")
        s = nearest_on_curve(curve, (p_W.x, p_W.y, p_W.z))
        n1, n2, _, _ = curve_frame(pack_curves([curve]), 0, s)
        t = n1.cross(n2)
        q_W = quat_from_rotation(Mat3(t.x, n1.x, n2.x, t.y, n1.y, n2.y, t.z, n1.z, n2.z))
        if places.is_particle(node_b):
            return site_at(places, node_a, ORIGIN, UPRIGHT), Site(node_b, ORIGIN, UPRIGHT)
        return site_at(places, node_a, ORIGIN, UPRIGHT), site_at(places, node_b, p_W, q_W)


@dataclass(frozen=True, slots=True, kw_only=True)
class SliderOnCurve(BallOnCurve):
    """Runs along a smooth curve and turns as the curve goes (I-051). Free: ``place`` [m]. Parameters as for a ball.

    The curve carries a frame that does not roll about it; b keeps the attitude to that frame which it has at the start.
    """

    kind: ClassVar[str] = "slider_on_curve"
    particle_b: ClassVar[bool] = False
    held: ClassVar[tuple[tuple[int, int], ...]] = (*BallOnCurve.held, (FOLLOW, 0), (FOLLOW, 1), (FOLLOW, 2))
