"""A hand on a body: direct control of all six axes, a grip that pulls gently, and a resistance that only brakes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from gelenk.checks import Vector, check_axis, check_choice, check_name, check_vector
from gelenk.errors import InputError
from gelenk.forces.element import Labelled
from gelenk.joints.drive import put_number
from gelenk.joints.joint import check_place, joint_axes
from gelenk.joints.wiring import Row, Site, Wiring, site_at
from gelenk.math.quat import Quat
from gelenk.math.vec3 import Vec3
from gelenk.rows.block import BALL, DRIVE, HOLD, INNER, SERVO
from gelenk.rows.coordinate import SHIFT, SPIN

UPRIGHT = Quat(1.0, 0.0, 0.0, 0.0)
AXES = "xyz"


def sites(element: Labelled, wiring: Wiring, body: str, at: Vector | None, frame: str = "world") -> tuple[Site, Site]:
    """The world (or a frame to measure in) and a point of a body, its centre of mass if ``at`` is left out."""
    places = wiring.places
    node, site = places.site(element.label, "body", body)
    if places.is_static(node):
        raise InputError(element.label, f"body is {body!r}, which cannot move", "a body that moves", "Name another.")
    check_place(element, places, "at", "body", node, site)
    if site is None and places.is_particle(node):
        site = Site(node, Vec3(0.0, 0.0, 0.0), UPRIGHT)
    if site is None:
        p = places.start(node)[0] if at is None else Vec3(*at)
        site = site_at(places, node, p, UPRIGHT)
    base, reference = places.site(element.label, "frame", frame)
    if base == node or places.is_particle(base):
        allowed = "the world, another body or a frame on it"
        raise InputError(element.label, f"frame is {frame!r}", allowed, "Measure against something else.")
    return reference or Site(base, Vec3(0.0, 0.0, 0.0), UPRIGHT), site


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectControl(Labelled):
    """Moves a body by hand, with no more than its force and torque (V-81).

    Parameters
    ----------
    name : unique name
    body : the body, or a frame on it
    at : the point that is held, in the world at the start [m]; the centre of mass if left out
    mode : "velocity" follows the inputs "name.vx" ... "name.wz"; "pose" goes to the inputs "name.x" ... "name.z" and
        "name.qw" ... "name.qz", which begin where the body is
    frame : against what velocities are measured, and in whose axes: "world", or a body or frame such as a camera; a
        body that moves takes the reaction
    rate : of the approach to a pose [1/s]:  v = rate (target - place),  and  w = rate r  with the rotation vector r of
        the shortest turn to the target
    force_max, torque_max : [N], [N m]
    """

    kind: ClassVar[str] = "direct_control"

    name: str
    body: str
    at: Vector | None = None
    mode: str = "velocity"
    frame: str = "world"
    rate: float = 10.0
    force_max: float = math.inf
    torque_max: float = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.kind, self.name))
        if self.at is not None:
            object.__setattr__(self, "at", check_vector(self.label, "at", self.at, "m"))
        check_choice(self.label, "mode", self.mode, ("velocity", "pose"))
        put_number(self, "rate", "1/s", above=0)
        put_number(self, "force_max", "N", least=0, may_be_infinite=1)
        put_number(self, "torque_max", "N m", least=0, may_be_infinite=1)
        if self.mode == "pose" and not (isinstance(self.frame, str) and self.frame == "world"):
            raise InputError(self.label, f"frame is {self.frame!r} with a pose", "world", "Leave frame out.")

    def wire(self, wiring: Wiring) -> None:
        """Six rows on one body (virtual-worlds 3.13)."""
        a, b = sites(self, wiring, self.body, self.at, self.frame)
        turning = not wiring.places.is_particle(b.node)
        if self.mode == "velocity":
            pair = wiring.pair(a, b)
            for kind, word, force in ((SHIFT, "v", self.force_max), (SPIN, "w", self.torque_max)):
                for k in range(3 if kind == SHIFT or turning else 0):
                    target = wiring.input(f"{self.name}.{word}{AXES[k]}", 0.0)
                    self._row(wiring, DRIVE, pair, kind, k, force, target=target)
            return
        p, q = b.in_world(wiring.places)
        first = [wiring.input(f"{self.name}.{w}", v) for w, v in zip(("x", "y", "z", "qw", "qx", "qy", "qz"), (*p, *q))]
        pair = wiring.pair(a, b, first[0])
        for kind, force in ((SHIFT, self.force_max), (SPIN, self.torque_max)):
            for k in range(3 if kind == SHIFT or turning else 0):
                self._row(wiring, SERVO, pair, kind, k, force, kp=self.rate)

    def _row(self, wiring: Wiring, mode: int, pair: int, kind: int, k: int, force: float, **more: float) -> None:
        terms = [(wiring.coordinate(pair, kind, k), 1.0)]
        row = wiring.row(Row(self.label, mode, terms, low=-force, high=force, **more))  # type: ignore[arg-type]
        wiring.sensor(
            f"{self.name}.{'f' if kind == SHIFT else 't'}{AXES[k]}", row, 1.0, "N" if kind == SHIFT else "N m"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grab(Labelled):
    """Pulls a point of a body to a place with a capped force, joints respected: the mouse (I-062, I-059 to I-061).

    Parameters
    ----------
    name : unique name
    body : the body, or a frame on it
    at : the point that is held, in the world at the start [m]; the centre of mass if left out
    to : where it is pulled [m]; the inputs "name.x", "name.y", "name.z". Where it is, if left out
    force_max : of the pull [N], whatever its direction; the input "name.strength" scales it, 0 lets go
    gain : share of the way that one step takes
    """

    kind: ClassVar[str] = "grab"

    name: str
    body: str
    force_max: float
    at: Vector | None = None
    to: Vector | None = None
    gain: float = 0.2

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.kind, self.name))
        for what in ("at", "to"):
            if getattr(self, what) is not None:
                object.__setattr__(self, what, check_vector(self.label, what, getattr(self, what), "m"))
        put_number(self, "force_max", "N", above=0)
        put_number(self, "gain", "1", above=0, most=1)

    def wire(self, wiring: Wiring) -> None:
        """Three rows whose impulse lies in a ball."""
        a, b = sites(self, wiring, self.body, self.at)
        to = b.in_world(wiring.places)[0] if self.to is None else Vec3(*self.to)
        values = (*to, 1.0, 0.0, 0.0, 0.0)
        words = (*AXES, "qw", "qx", "qy", "qz")
        first = [wiring.input(f"{self.name}.{w}", v) for w, v in zip(words, values)]
        pair = wiring.pair(a, b, first[0])
        strength = wiring.input(f"{self.name}.strength", 1.0)
        for k in range(3):
            terms = [(wiring.coordinate(pair, SHIFT, k), 1.0)]
            kind = BALL if k == 0 else INNER
            numbers = {"set": kind, "radius": self.force_max, "strength": strength, "gain": self.gain}
            row = wiring.row(Row(self.label, HOLD, terms, **numbers))  # type: ignore[arg-type]
            wiring.sensor(f"{self.name}.f{AXES[k]}", row, 1.0, "N")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deceleration(Labelled):
    """A resistance that may stop a point of a body but never push it back (V-80).

    Parameters
    ----------
    name : unique name
    body : the body, or a frame on it
    at : the point, in the world at the start [m]; the centre of mass if left out
    normal : the direction into which it pushes, in the world: motion against it is braked
    force_max : [N]; the input "name.strength" scales it
    """

    kind: ClassVar[str] = "deceleration"

    name: str
    body: str
    normal: Vector
    force_max: float
    at: Vector | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.kind, self.name))
        object.__setattr__(self, "normal", check_axis(self.label, "normal", self.normal))
        if self.at is not None:
            object.__setattr__(self, "at", check_vector(self.label, "at", self.at, "m"))
        put_number(self, "force_max", "N", least=0)

    def wire(self, wiring: Wiring) -> None:
        """One row with an impulse in [0, h f] (virtual-worlds 3.13)."""
        _, b = sites(self, wiring, self.body, self.at)
        a = Site(0, Vec3(0.0, 0.0, 0.0), joint_axes(self.label, self.normal, None))
        terms = [(wiring.coordinate(wiring.pair(a, b), SHIFT, 2), 1.0)]
        strength = wiring.input(f"{self.name}.strength", 1.0)
        row = wiring.row(Row(self.label, DRIVE, terms, low=0.0, high=self.force_max, strength=strength))
        wiring.sensor(self.name, row, 1.0, "N")
