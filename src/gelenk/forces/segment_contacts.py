"""Contact of a body with its surroundings at points that are chosen, by segments (B-19 to B-21)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gelenk.checks import Vector, check_name, check_number, check_table, check_vector, unit
from gelenk.errors import InputError
from gelenk.forces.element import Labelled
from gelenk.forces.runner_friction import RunnerFriction

MOST_FRICTION = 1e6
SHORTEST, LONGEST = 1e-6, 1e6  # [m] of a segment: where it crosses a triangle can be told


@dataclass(frozen=True, slots=True)
class SegmentContacts(Labelled):
    """Points D of a body that touch a fixed body, each with a segment from it into the body.

    A segment is closed where it comes out of a triangle of the ground: D behind it, the end of the segment before it.
    The contact is where it does, with the normal of the triangle and the depth of D along it. Choose segments longer
    than the body can sink in: one that lies behind the ground with its whole length is lost, which is reported.

    All parts of the ground count, whether they collide or not; they may be seen alone (``collide=False``), so that
    nothing else meets them. Run by ``gk.MoreauTree()``.

    Parameters
    ----------
    name : unique name
    body : name of a body that moves, or of a frame in one; points, segments and axis are in its axes
    points : (n, 3) points D [m]
    segments : (n, 3) ways from D into the body [m]
    ground : name of a static body with shapes
    friction : coefficient of friction, or :class:`RunnerFriction`
    restitution : coefficient of restitution along the normal (Newton's law)
    slip_restitution : the same along the tangents, as far as friction lets it; 0 is usual (B-28)
    axis : body axis a that fixes the first tangent,  t = a x n;  needed with :class:`RunnerFriction`
    smooth : True for the surface that bends with the normals at the corners of the mesh, False for its flat triangles,
        whose edges brake what slides over them (bobsleigh 8.4)
    """

    kind: ClassVar[str] = "segment_contacts"

    name: str
    body: str
    points: tuple[Vector, ...]
    segments: tuple[Vector, ...]
    ground: str
    friction: float | RunnerFriction = 0.5
    restitution: float = 0.0
    slip_restitution: float = 0.0
    axis: Vector | None = None
    smooth: bool = False

    def __post_init__(self) -> None:
        put, label = object.__setattr__, f"{self.kind} {self.name!r}"[:80]
        put(self, "name", check_name(self.kind, self.name))
        for what in ("points", "segments"):
            rows = check_table(label, what, getattr(self, what), 3, "m")
            put(self, what, tuple(tuple(row) for row in rows.tolist()))
        if len(self.points) != len(self.segments):
            found = f"{len(self.points)} points and {len(self.segments)} segments"
            raise InputError(label, found, "a segment for each point", "Give both as rows of three numbers.")
        for k, way in enumerate(self.segments):
            length = math.hypot(*way)
            if not SHORTEST <= length <= LONGEST:
                found = f"segment {k} is {length:.3g} m long" if length > 0.0 else f"segment {k} has no length"
                remedy = "Let it point into the body, 5 to 10 cm far."
                raise InputError(label, found, f"{SHORTEST:g} to {LONGEST:g} m", remedy)
        put(self, "friction", _friction(label, self.friction))
        put(self, "restitution", check_number(label, "restitution", self.restitution, "1", least=0, most=1))
        put(
            self,
            "slip_restitution",
            check_number(label, "slip_restitution", self.slip_restitution, "1", least=0, most=1),
        )
        if self.axis is not None:
            axis = check_vector(label, "axis", self.axis, "1")
            if not any(axis):
                raise InputError(label, "axis is zero", "a direction", "Give the axis across the runner.")
            put(self, "axis", axis)
        elif isinstance(self.friction, RunnerFriction):
            found, allowed = "friction of a runner without axis", "the body axis across the runner"
            raise InputError(label, found, allowed, "Pass axis=(1, 0, 0) where x is to its left and z ahead.")
        if not isinstance(self.smooth, bool):
            raise InputError(label, f"smooth is {self.smooth!r}"[:80], "true or false", "Pass a bool.")

    @classmethod
    def block(cls, elements: Sequence[SegmentContacts], nodes: Any) -> None:
        """No forces by themselves: contacts take them up, see :mod:`gelenk.contact.segment_block`."""

    def check(self, nodes: Any, static_shapes: Mapping[str, int]) -> None:
        """Refuse names that do not fit the model; ``static_shapes`` are the numbers of parts of static bodies."""
        node, _ = nodes.site(self.label, "body", self.body)
        if nodes.is_particle(node) or nodes.is_static(node):
            found = f"body is {self.body!r}, which {'is a particle' if nodes.is_particle(node) else 'never moves'}"
            raise InputError(self.label, found, "a body that moves", "Name the body that carries the points.")
        ground, _ = nodes.site(self.label, "ground", self.ground)
        if static_shapes.get(nodes.names[ground], 0) == 0:
            found = f"ground is {self.ground!r}, which is no static body with a shape"
            allowed = ", ".join(repr(name) for name, count in static_shapes.items() if count) or "a static body"
            raise InputError(self.label, found, allowed[:160], "Give the ground a shape and static=True.")


def _friction(label: str, value: Any) -> float | RunnerFriction:
    """A coefficient, or what a runner has; a table is how a scene file says it."""
    if isinstance(value, RunnerFriction):
        return value
    if isinstance(value, Mapping):
        return RunnerFriction.of(label, value)
    if isinstance(value, (int, float, np.floating)) and not isinstance(value, bool):
        return check_number(label, "friction", value, "1", least=0, most=MOST_FRICTION)
    found, allowed = f"friction is {value!r}"[:120], "a number or gk.RunnerFriction(...)"
    raise InputError(label, found, allowed, "Pass one of these.")


def unit_axis(axis: Vector | None) -> Vector:
    """The axis with length 1, or zeros."""
    return (0.0, 0.0, 0.0) if axis is None else unit(axis)  # type: ignore[return-value]
