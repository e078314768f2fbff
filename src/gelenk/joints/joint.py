"""What all joints share: two bodies, one frame seen from both, limits on what is free, when they break."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from gelenk.checks import Vector, check_axis, check_name, check_number, check_vector
from gelenk.errors import InputError
from gelenk.forces.element import Labelled
from gelenk.joints.parts import Part
from gelenk.joints.wiring import GAIN, Places, Row, Site, Wiring, site_at
from gelenk.math.quat import Quat
from gelenk.math.rotation import Mat3, quat_from_rotation
from gelenk.math.vec3 import Vec3
from gelenk.rows.block import HOLD, LIMIT, LOCK, NONE, SPRING
from gelenk.rows.coordinate import CURVE, DISTANCE, SHIFT, SURFACE, SWING, TWIST

Free = tuple[str, int, int, str]  # name, kind of coordinate, axis, unit
Limits = tuple[tuple[str, float, float], ...]  # (coordinate, low, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint(Labelled):
    """A joint between two bodies (V-60, V-106). Subclasses say what it holds and what it leaves free.

    Parameters
    ----------
    name : unique name
    a, b : names of two different bodies, "world", or frames made with ``Builder.frame``
    at : the joint point in the world at the start [m]; not needed if a or b is a frame
    axis : its z axis in the world at the start, a unit vector; not needed if a or b is a frame
    x_axis : its x axis, at a right angle to ``axis``; any such direction if left out
    limits : (low, high) of its free coordinate [rad] or [m], or a dict of those by coordinate (V-71)
    blocked : True holds every free coordinate where it is, False lets the input "name.blocked" do so later (V-79)
    break_force, break_torque : reaction at which it breaks for good [N], [N m]
    gain : share of its position error that one step of RowStepping takes away (V-56)
    hold_stiffness, hold_damping : of the shifts that it holds [N/m], [N s/m]; infinite, a rigid joint, if left out.
        With a number they yield as a rubber bush does, without a limit to the step (V-78)
    turn_stiffness, turn_damping : of the turns that it holds [N m/rad], [N m s/rad]
    stop_stiffness, stop_damping : of its limits [N/m], [N s/m] or [N m/rad], [N m s/rad]; stops then yield
    stop_restitution : share of its speed, 0 to 1, with which what meets a limit comes back; in MoreauTree (B-28)
    collide : whether the shapes of its two bodies may touch; by default neighbours at a joint do not
    separate_groups : True ends a group of bodies that do not collide here (V-96), see :class:`gelenk.ContactGraph`
    """

    kind: ClassVar[str] = "joint"
    parts: ClassVar[tuple[Part, ...]] = ()
    free: ClassVar[tuple[Free, ...]] = ()
    watched: ClassVar[bool] = True  # whether its free coordinates are followed when nothing acts on them
    needs_axis: ClassVar[bool] = True
    axis_is_y: ClassVar[bool] = False  # whether ``axis`` is the y axis of the joint, for those that turn about x and y
    particle_b: ClassVar[bool] = False  # whether the second body may be a particle

    name: str
    a: str
    b: str
    at: Vector | None = None
    axis: Vector | None = None
    x_axis: Vector | None = None
    limits: Any = ()
    blocked: bool | None = None
    break_force: float = math.inf
    break_torque: float = math.inf
    gain: float = GAIN
    hold_stiffness: float = math.inf
    hold_damping: float = 0.0
    turn_stiffness: float = math.inf
    turn_damping: float = 0.0
    stop_stiffness: float = math.inf
    stop_damping: float = 0.0
    stop_restitution: float = 0.0
    collide: bool = False
    separate_groups: bool = False

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", check_name(self.kind, self.name))
        for what in ("a", "b"):
            if not isinstance(getattr(self, what), str):
                found, allowed = f"{what} is {getattr(self, what)!r}"[:80], "the name of a body or frame, or 'world'"
                raise InputError(self.label, found, allowed, f"Pass a name as {what}.")
        if self.a == self.b:
            raise InputError(self.label, f"both sides are {self.a!r}", "two different bodies", "Change a or b.")
        if self.at is not None:
            put(self, "at", check_vector(self.label, "at", self.at, "m"))
        for what in ("axis", "x_axis"):
            if getattr(self, what) is not None:
                put(self, what, check_axis(self.label, what, getattr(self, what)))
        put(self, "limits", check_limits(self.label, self.limits, [name for name, *_ in self.free]))
        if self.blocked is not None and not isinstance(self.blocked, bool):
            raise InputError(self.label, f"blocked is {self.blocked!r}", "true, false or left out", "Pass a bool.")
        for what in ("collide", "separate_groups"):
            if not isinstance(getattr(self, what), bool):
                raise InputError(self.label, f"{what} is {getattr(self, what)!r}", "true or false", "Pass a bool.")
        for what, unit in (("break_force", "N"), ("break_torque", "N m")):
            value = getattr(self, what)
            if not (isinstance(value, float) and value == math.inf):
                put(self, what, check_number(self.label, what, value, unit, above=0))
        put(self, "gain", check_number(self.label, "gain", self.gain, "1", above=0, most=1))
        for what in ("hold", "turn", "stop"):
            check_yielding(self, what)
        check_stop_restitution(self)

    def wire(self, wiring: Wiring) -> None:
        """Put down the pair, the rows of its parts, its limits and its lock."""
        pair = self.pair(wiring)
        owner = wiring.joint(self.name, pair, self.break_force, self.break_torque)
        for part in self.parts:
            self.hold(wiring, owner, pair, part)
        self.name_free(wiring, owner, pair)

    def pair(self, wiring: Wiring) -> int:
        """The joint frame as both bodies see it."""
        a, b, check = joint_sites(self, wiring.places)
        return wiring.pair(a, b, check=check)

    def hold(self, wiring: Wiring, owner: int, pair: int, part: Part) -> None:
        """Rows of one of the basic joints."""
        for kind, axis, rest in part:
            self.hold_row(wiring, owner, kind, [(wiring.coordinate(pair, kind, axis), 1.0)], rest)

    def hold_row(
        self, wiring: Wiring, owner: int, kind: int, terms: list[tuple[int, float]], rest: float = 0.0
    ) -> None:
        """A row that keeps a sum of coordinates of a kind at its rest; a spring and damper where the joint yields."""
        shift = kind in (SHIFT, DISTANCE, CURVE, SURFACE)
        stiffness = self.hold_stiffness if shift else self.turn_stiffness
        if stiffness == math.inf:
            wiring.row(Row(self.label, HOLD, terms, owner, True, rest=rest, gain=self.gain))
            return
        damping = self.hold_damping if shift else self.turn_damping
        wiring.row(Row(self.label, SPRING, terms, owner, True, rest=rest, stiffness=stiffness, damping=damping))

    def name_free(self, wiring: Wiring, owner: int, pair: int, table: int = 0) -> None:
        """Coordinates that are left free, with their limits and locks."""
        limits = {name: (low, high) for name, low, high in self.limits}
        lock = NONE if self.blocked is None else wiring.input(f"{self.name}.blocked", float(self.blocked))
        for name, kind, axis, unit in self.free:
            free = wiring.name_free(self.name, name, (pair, kind, axis, table), unit, owner)
            if name in limits:
                if kind == TWIST:
                    wiring.begin_within(wiring.index(free), *limits[name])
                for low, high in stops(kind, *limits[name]):
                    terms = [(wiring.index(free), 1.0)]
                    row = Row(self.label, LIMIT, terms, owner, True, low=low, high=high, gain=self.gain)
                    row.restitution = self.stop_restitution
                    if self.stop_stiffness < math.inf:
                        row.stiffness, row.damping = self.stop_stiffness, self.stop_damping
                    wiring.row(row)
            if lock != NONE:
                terms = [(wiring.index(free), 1.0)]
                wiring.row(Row(self.label, LOCK, terms, owner, True, target=lock, gain=self.gain))
            if self.watched:
                wiring.index(free)


def check_yielding(joint: Joint, what: str) -> None:
    """A stiffness and a damping, of which at least one does something; infinite without damping for what is rigid."""
    stiffness, damping = f"{what}_stiffness", f"{what}_damping"
    value = getattr(joint, stiffness)
    if not (isinstance(value, float) and value == math.inf):
        unit = {"hold": "N/m", "turn": "N m/rad", "stop": "N/m or N m/rad"}[what]
        object.__setattr__(joint, stiffness, check_number(joint.label, stiffness, value, unit, least=0))
    unit = {"hold": "N s/m", "turn": "N m s/rad", "stop": "N s/m or N m s/rad"}[what]
    object.__setattr__(joint, damping, check_number(joint.label, damping, getattr(joint, damping), unit, least=0))
    if value == math.inf and getattr(joint, damping) > 0.0:
        found = f"{damping} is {getattr(joint, damping):g} beside an infinite {stiffness}"
        raise InputError(joint.label, found, "damping of what yields", f"Give {stiffness}, 0 for a damper alone.")
    if value == 0.0 and getattr(joint, damping) == 0.0:
        found = f"{stiffness} and {damping} are both 0"
        raise InputError(joint.label, found, "one of them above 0", "Use a joint that leaves this free.")


def check_stop_restitution(joint: Joint) -> None:
    """Restitution of limits that there are, and that do not yield."""
    e = check_number(joint.label, "stop_restitution", joint.stop_restitution, "1", least=0, most=1)
    object.__setattr__(joint, "stop_restitution", e)
    if e > 0.0 and joint.stop_stiffness < math.inf:
        found = f"stop_restitution is {e:g} beside a stop_stiffness of {joint.stop_stiffness:g}"
        remedy = "What yields gives back what its damping leaves: lower stop_damping, or leave stop_stiffness out."
        raise InputError(joint.label, found, "one of them", remedy)
    if e > 0.0 and not joint.limits:
        found = f"stop_restitution is {e:g}, and there are no limits"
        raise InputError(joint.label, found, "limits to come back from", "Give limits, or leave it out.")


def stops(kind: int, low: float, high: float) -> list[tuple[float, float]]:
    """Limits as one-sided stops; what is never below zero, as a distance, needs none there."""
    made = []
    if low > -math.inf and not (kind in (SWING, DISTANCE) and low <= 0.0):
        made.append((low, math.inf))
    if high < math.inf:
        made.append((-math.inf, high))
    return made


def check_limits(label: str, limits: Any, free: Sequence[str]) -> Limits:
    """Limits by coordinate, in the order of the joint's coordinates."""
    if limits is None or (isinstance(limits, (tuple, list)) and not limits):
        return ()
    if not free:
        raise InputError(label, f"limits are {limits!r}"[:80], "none: nothing of it is free", "Leave limits out.")
    allowed = f"(low, high), or a dict of them for {', '.join(free)}"
    if isinstance(limits, (tuple, list)) and isinstance(limits[0], (tuple, list)):
        if not all(isinstance(entry, (tuple, list)) and len(entry) == 3 for entry in limits):
            raise InputError(label, f"limits are {limits!r}"[:80], allowed, "Give (coordinate, low, high) for each.")
        names = [str(name) for name, _, _ in limits]
        if len({*names}) < len(names):
            raise InputError(label, f"limits are {limits!r}"[:80], "one entry a coordinate", "Leave one out.")
        limits = {str(name): (low, high) for name, low, high in limits}
    elif not isinstance(limits, Mapping):
        if len(free) > 1:
            raise InputError(
                label, f"limits are {limits!r}"[:80], allowed, "Say which coordinate: {'" + free[0] + "': (low, high)}."
            )
        limits = {free[0]: limits}
    made = []
    for name, pair in limits.items():
        if name not in free:
            raise InputError(label, f"limits on {name!r}", ", ".join(free), "Use one of these.")
        try:
            texts = any(isinstance(x, (str, bytes, bool)) for x in pair)
            low, high = (math.nan, math.nan) if texts else (float(x) for x in pair)
        except (TypeError, ValueError):
            low = high = math.nan
        if math.isnan(low) or math.isnan(high):
            allowed = "(low, high), two numbers, where -inf and inf leave a side free"
            raise InputError(label, f"limits of {name!r} are {pair!r}"[:80], allowed, "Pass two numbers.")
        if not low <= high:
            raise InputError(label, f"limits of {name!r} are {low:g} to {high:g}", "low at or below high", "Swap them.")
        made.append((name, low, high))
    return tuple(sorted(made, key=lambda entry: free.index(entry[0])))


def check_nodes(joint: Joint, places: Places, a: int, b: int) -> None:
    """Refuse a joint of a body with itself, and one between bodies that never move."""
    if a == b:
        found = f"a is {joint.a!r} and b is {joint.b!r}, which are the same body"
        raise InputError(joint.label, found, "two different bodies", "Change a or b.")
    if places.is_static(a) and places.is_static(b):
        found = f"neither {joint.a!r} nor {joint.b!r} can move"
        raise InputError(joint.label, found, "at least one body that moves", "Remove the joint or free a body.")


def check_place(joint: Any, places: Places, what: str, side: str, node: int, site: Site | None) -> None:
    """Refuse a point in the world beside a frame or a particle, which has its place already."""
    if getattr(joint, what) is not None and (site is not None or places.is_particle(node)):
        owner = f"the {'frame' if site is not None else 'particle'} {getattr(joint, side)!r}"
        raise InputError(joint.label, f"{what} is given beside {owner}", "one of them", f"Leave {what} out.")


def joint_sites(joint: Joint, places: Places) -> tuple[Site, Site, bool]:
    """The frames of a joint in both bodies, and whether it must be checked that they meet.

    A named frame is taken as it is. A body gets the frame that is at the same place in the world at the start (V-60):
    that of the other side, or the one that ``at``, ``axis`` and ``x_axis`` give.
    """
    node_a, site_a = places.site(joint.label, "a", joint.a)
    node_b, site_b = places.site(joint.label, "b", joint.b)
    check_nodes(joint, places, node_a, node_b)
    if places.is_particle(node_a):
        found = f"a is the particle {joint.a!r}"
        raise InputError(joint.label, found, "a body, the world or a frame", "Make the particle b.")
    if places.is_particle(node_b) and not joint.particle_b:
        raise InputError(joint.label, f"b is the particle {joint.b!r}", "a body", "Use a joint that holds points only.")
    given = [what for what in ("at", "axis", "x_axis") if getattr(joint, what) is not None]
    if site_a is not None and site_b is not None:
        if given:
            found = f"{', '.join(given)} beside two frames"
            raise InputError(joint.label, found, "frames or at and axis", "Leave them out.")
        return site_a, site_b, True
    if site_a is not None or site_b is not None:
        if given:
            raise InputError(joint.label, f"{', '.join(given)} beside a frame", "one or the other", "Leave them out.")
        p_W, q_W = (site_a or site_b).in_world(places)  # type: ignore[union-attr]
    else:
        if joint.at is None and places.is_particle(node_b):
            p_W = places.start(node_b)[0]
        elif joint.at is None:
            raise InputError(joint.label, "no joint point", "at = (x, y, z) in the world", "Pass at, or name frames.")
        else:
            p_W = Vec3(*joint.at)
        if joint.axis is None and joint.needs_axis:
            raise InputError(joint.label, "no axis", "axis = a unit vector in the world", "Pass axis, or name frames.")
        q_W = joint_axes(joint.label, joint.axis, joint.x_axis)
        if joint.axis_is_y:  # turn about x so that what is z becomes y
            q_W = q_W * Quat(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    if places.is_particle(node_b):
        particle = Site(node_b, Vec3(0.0, 0.0, 0.0), Quat(1.0, 0.0, 0.0, 0.0))
        if site_a is not None:
            return site_a, particle, True
        p_b = places.start(node_b)[0]
        if (p_b - p_W).norm() > 1e-9 * (1.0 + p_W.norm()):
            found = f"at is {(p_b - p_W).norm():.3g} m beside the particle {joint.b!r}"
            raise InputError(joint.label, found, "the place of the particle", "Leave at out.")
        return site_at(places, node_a, p_W, q_W), particle, False
    return site_a or site_at(places, node_a, p_W, q_W), site_b or site_at(places, node_b, p_W, q_W), False


def joint_axes(label: str, axis: Vector | None, x_axis: Vector | None) -> Quat:
    """Axes of a joint in the world: z along ``axis``, x along ``x_axis`` or any direction across."""
    z = Vec3(*(axis or (0.0, 0.0, 1.0)))
    if x_axis is not None:
        x = Vec3(*x_axis)
        if abs(x @ z) > 1e-6:
            found = f"x_axis is {math.degrees(math.acos(min(abs(x @ z), 1.0))):.4g} degrees from axis {tuple(z)}"
            raise InputError(label, found, "a right angle", "Choose x_axis across axis.")
        x = x - z * (x @ z)
    else:
        e = [Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)]
        start = min(e, key=lambda d: abs(d @ z)) if axis is not None and abs(z.z) < 1.0 else e[0]
        x = start - z * (start @ z)
    x = x * (1.0 / x.norm())
    y = z.cross(x)
    return quat_from_rotation(Mat3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z))
