"""The rows of a model at one pose, as plain arrays: what assembly and the count of freedoms look at."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gelenk.math.rotation import Mat3, rotation
from gelenk.model.model import Model
from gelenk.rows.assemble import Coordinates, evaluate, jacobian, new_coordinates, new_rows, node_rotation, quat_of
from gelenk.rows.assemble import row_error as error_of
from gelenk.rows.coordinate import CURVE, DISTANCE, FOLLOW, PLACE, SHIFT, SURFACE, TILT, TURN, axis_of
from gelenk.state import State

LENGTHS = (SHIFT, DISTANCE, CURVE, PLACE, SURFACE)  # coordinates in metres; all others are angles
HALF_SINES = (TURN, TILT, FOLLOW)  # components of a vector of length 2 sin(a/2), a the angle


class Gap(NamedTuple):
    """How far a joint stands open."""

    label: str
    distance: float  # [m]
    angle: float  # [rad]

    @property
    def worst(self) -> float:
        """The larger of both [m or rad]."""
        return max(self.distance, self.angle)

    def __str__(self) -> str:
        length = f"{self.distance:.3g} m"
        angle = f"{self.angle:.3g} rad ({math.degrees(self.angle):.3g} degrees)"
        round_off = 1e-6 * self.worst
        return " and ".join(
            text for text, size in ((length, self.distance), (angle, self.angle)) if not size < round_off
        )


def records(model: Model) -> Any:
    """The joints of a model; fields of records read as attributes, which their type does not tell."""
    return model.wired.joints


def held_rows(model: Model) -> list[int]:
    """Rows that hold places: those of joints, and of gears that tie more than rates."""
    row = records(model).row
    return np.flatnonzero((row.plain == 1) & (row.gain > 0.0)).tolist()


def coordinates_at(model: Model, state: State) -> Coordinates:
    """All coordinates and their gradients at the pose of a state."""
    wired = model.wired
    now = new_coordinates(wired.joints)
    evaluate(wired.joints, wired.memory(state.memory), state, now)
    return now


def errors(model: Model, now: Coordinates, rows: Iterable[int]) -> np.ndarray:
    """Position errors of rows [m or rad]."""
    return np.array([error_of(model.wired.joints, now, r) for r in rows], dtype=np.float64)


def dense_jacobian(model: Model, state: State, now: Coordinates, rows: Iterable[int]) -> np.ndarray:
    """J (rows, nodes, 6): the linear part first, world axes, about the centres of mass. Zero for what does not move."""
    joints, work, rows = model.wired.joints, new_rows(model.wired.joints), list(rows)
    jacobian(joints, state, now, work)
    J = np.zeros((len(rows), model.nodes.count, 6))
    for n, r in enumerate(rows):
        entries = slice(joints.row[r].entry_first, joints.row[r].entry_last)
        J[n, joints.body[entries]] = work.J[entries]
    return J


def gaps(model: Model, state: State, rows: Iterable[int]) -> list[Gap]:
    """How far the owners of rows stand open, in the order of the rows; those that are closed too."""
    joints, now = model.wired.joints, coordinates_at(model, state)
    squares: dict[str, np.ndarray] = {}  # by label: of lengths, of angles, of 2 sin(a/2)
    opposite: dict[str, float] = {}
    for r in rows:
        label, c = model.wired.labels[r], joints.coordinate[joints.term[joints.row[r].term_first].coordinate]
        which = 0 if c.kind in LENGTHS else 2 if c.kind in HALF_SINES else 1
        squares.setdefault(label, np.zeros(3))[which] += error_of(joints, now, r) ** 2
        if c.kind == TILT:
            opposite[label] = axis_angle(model, state, c.pair)
    made = []
    for label, (length, angle, half_sine) in squares.items():
        turned = 2.0 * math.asin(min(0.5 * math.sqrt(half_sine), 1.0))
        made.append(Gap(label, math.sqrt(length), max(math.sqrt(angle), opposite.get(label, turned))))
    return made


def pair_axes(model: Model, state: State, pair: int) -> tuple[Mat3, Mat3]:
    """Axes of both frames of a pair in the world, as columns."""
    at = model.wired.joints.pair[pair]
    q_a, q_b = node_rotation(state, at.a) * quat_of(at.q_a), node_rotation(state, at.b) * quat_of(at.q_b)
    return rotation(q_a), rotation(q_b)


def axis_angle(model: Model, state: State, pair: int) -> float:
    """Angle between the z axes of a pair [rad]; unlike TILT it also tells when they are opposite."""
    z_a, z_b = (axis_of(R, 2) for R in pair_axes(model, state, pair))
    return math.atan2(z_a.cross(z_b).norm(), z_a @ z_b)
