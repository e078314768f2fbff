"""How a model can move, which of its rows say what others say already, and which cannot all be met (I-074).

    formula   6 bodies + 3 particles - rows          what a count of rows leaves free
    actual    6 bodies + 3 particles - rank J        what is free at the start

More freedom than the formula tells means that rows are redundant:  a_i = sum c_j a_j  for rows of J. Such a row is met
by itself if its right side b agrees with those of the others, and conflicts with them if not:

    b_i - sum c_j b_j = 0        b = -e for places, b = target for velocities

Reactions of redundant rows are not unique, and conflicting rows are met by no motion at all, so that a solver ends in
between, or pushes without end. Everything is judged at the start and to first order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gelenk.model.model import Model
from gelenk.model.pose_rows import LENGTHS, coordinates_at, dense_jacobian, errors, records
from gelenk.model.start_velocities import given_rates
from gelenk.rows.assemble import target_of
from gelenk.rows.block import DRIVE, LED, LOCK, SERVO
from gelenk.rows.conditions import locked
from gelenk.rows.coordinate import (
    ANGLE_X,
    ANGLE_Y,
    CURVE,
    DISTANCE,
    FOLLOW,
    PLACE,
    SHIFT,
    SKEW,
    SPIN,
    SURFACE,
    SWING,
    TILT,
    TURN,
    TWIST,
)
from gelenk.rows.guides import VELOCITY
from gelenk.state import State

# A unit row nearer than this to the span of others: J M^-1 J^T squares it, down to the round-off of its numbers.
DEPENDENT = 1e-8
DISAGREES = 1e-9  # [m, rad, m/s, rad/s] between right sides; above the round-off of models of metres
WORDS = {
    SHIFT: "shift",
    TURN: "turn",
    TILT: "tilt",
    SKEW: "right angle",
    TWIST: "twist",
    SWING: "swing",
    ANGLE_X: "angle",
    ANGLE_Y: "angle",
    DISTANCE: "distance",
    SPIN: "spin",
    CURVE: "offset from the curve",
    PLACE: "place on the curve",
    FOLLOW: "turn against the curve",
    SURFACE: "distance from the surface",
}
WITH_AXIS = (SHIFT, TURN, TILT, TWIST, ANGLE_X, ANGLE_Y, SPIN)


class RowName(NamedTuple):
    """A row as a person would call it."""

    label: str  # of its joint, motor or gear
    what: str  # such as "shift x"
    unit: str  # m or rad

    def __str__(self) -> str:
        return f"{self.label} ({self.what})"


class Conflict(NamedTuple):
    """A row that cannot be met together with others."""

    row: RowName
    others: tuple[RowName, ...]
    gap: float  # what is missing
    unit: str  # m, rad, m/s or rad/s

    def __str__(self) -> str:
        others = ", ".join(map(str, self.others[:6])) or "what does not move"
        more = f" and {len(self.others) - 6} more" if len(self.others) > 6 else ""
        return f"{self.row} against {others}{more}: {abs(self.gap):.3g} {self.unit} apart"


@dataclass(frozen=True)
class JointReport:
    """What :func:`check_joints` found."""

    coordinates: int  # 6 for each body that moves, 3 for each particle
    rows: int  # of joints, gears, and locks in force
    formula: int  # degrees of freedom by the count of rows
    actual: int  # degrees of freedom at the start
    redundant: tuple[RowName, ...]  # rows that follow from rows of joints added before
    sharing: tuple[str, ...]  # everything that shares a load with a redundant row: their reactions are not unique
    conflicts: tuple[Conflict, ...]

    @property
    def good(self) -> bool:
        """Whether no row is redundant and none conflicts."""
        return not self.redundant and not self.conflicts

    def __str__(self) -> str:
        lines = [
            f"{self.actual} degree{'' if self.actual == 1 else 's'} of freedom; {self.formula} by the formula "
            f"{self.coordinates} - {self.rows} (coordinates of the bodies - rows)"
        ]
        if self.redundant:
            many = "s, which follow" if len(self.redundant) > 1 else ", which follows"
            lines.append(f"{len(self.redundant)} redundant row{many} from rows added before:")
            for label, count in Counter(row.label for row in self.redundant).items():
                whats = ", ".join(row.what for row in self.redundant if row.label == label)
                lines.append(f"  {label}: {count} ({whats})")
            lines.append(f"  reactions are shared, and not unique, among {', '.join(self.sharing)}")
        else:
            lines.append("no redundant rows")
        count = len(self.conflicts)
        lines.append(f"{count} conflict{'s' if count > 1 else ''}:" if count else "no conflicts")
        return "\n".join([*lines, *(f"  {conflict}" for conflict in self.conflicts)])


def check_joints(model: Model) -> JointReport:
    """Count the degrees of freedom of a model and name redundant and conflicting rows.

    Looks at joints, gears and locks in force; for conflicts also at motors that nothing bounds. Limits, springs, and
    motors with a greatest force give way and conflict with nothing. Dense, for some hundred bodies.
    """
    state, nodes, row = model.initial_state(), model.nodes, records(model).row
    memory, now = model.wired.memory(state.memory), coordinates_at(model, state)
    hold = [r for r in range(len(row)) if row[r].plain == 1 or (row[r].mode == LOCK and locked(row[r], memory))]
    drive = [r for r in range(len(row)) if row[r].mode in (DRIVE, LED, SERVO) and _unbounded(row[r])]
    rows = [*hold, *drive]
    A, lengths = unit_rows(model, state, dense_jacobian(model, state, now, rows))
    e = errors(model, now, rows)
    placed = [n for n, r in enumerate(rows) if row[r].plain == 1 and row[r].gain > 0.0]
    led = {int(guide.row): guide for guide in records(model).guides.guide if guide.kind == VELOCITY}
    speed = np.array([_speed(row[r], memory, error) for r, error in zip(rows, e)]) + given_rates(model)[rows]
    speed += np.array([memory.inputs[led[r].input] if r in led else 0.0 for r in rows])
    names = [row_name(model, r) for r in rows]

    _, shares = independent(A)
    redundant = [n for n in shares if n < len(hold)]
    sharing = dict.fromkeys(names[m].label for n in redundant for m in (*shares[n], n))
    coordinates = sum(3 if nodes.is_particle(i) else 6 for i in range(nodes.count) if not nodes.is_static(i))
    return JointReport(
        coordinates=coordinates,
        rows=len(hold),
        formula=coordinates - len(hold),
        actual=coordinates - len(hold) + len(redundant),
        redundant=tuple(names[n] for n in redundant),
        sharing=tuple(sharing),
        conflicts=(
            *conflicts([names[n] for n in placed], independent(A[placed])[1], lengths[placed], -e[placed], ""),
            *conflicts(names, shares, lengths, speed, "/s"),
        ),
    )


def _unbounded(row: Any) -> bool:
    return bool(row.low == -np.inf and row.high == np.inf)


def _speed(row: Any, memory: Any, error: float) -> float:
    """Velocity that a row asks for at the start, from a standstill."""
    if row.mode == DRIVE:
        return float(target_of(row, memory))
    return float(row.kp * (target_of(row, memory) - error)) if row.mode == SERVO else 0.0


def row_name(model: Model, r: int) -> RowName:
    """Whose row it is, and what it measures."""
    joints, label = records(model), model.wired.labels[r]
    first, last = joints.row[r].term_first, joints.row[r].term_last
    c = joints.coordinate[joints.term[first].coordinate]
    unit = "m" if c.kind in LENGTHS else "rad"
    if last - first > 1:
        return RowName(label, "ratio", unit)
    return RowName(label, WORDS[c.kind] + (f" {'xyz'[c.axis]}" if c.kind in WITH_AXIS else ""), unit)


def unit_rows(model: Model, state: State, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of J scaled to length 1, and their lengths, with turns as arcs at the radius of gyration.

    So neither units nor masses decide about the rank.
    """
    masses, n = model.system.masses, len(state.q_WB)
    moving = np.flatnonzero(masses.inv_mass[:n] > 0.0)
    radius = np.sqrt(np.trace(masses.inertia_B[moving], axis1=1, axis2=2) / (2.0 * masses.mass[moving]))
    A = J.copy()
    A[:, moving, 3:] /= radius[:, None]
    A = A.reshape(len(J), A.shape[1] * 6)
    lengths = np.linalg.norm(A, axis=1)
    return A / np.where(lengths > 0.0, lengths, 1.0)[:, None], lengths


def independent(A: np.ndarray) -> tuple[list[int], dict[int, dict[int, float]]]:
    """Rows that do not follow from rows before them; and every other row, with its shares in them.

    Gram and Schmidt, each row made orthogonal twice, which suffices to round-off (W. Kahan's "twice is enough").
    """
    Q = np.zeros((min(A.shape), A.shape[1]))
    T = np.zeros((len(A), len(Q)))  # A = T Q, lower triangular in the rows that are kept
    kept: list[int] = []
    for n, row in enumerate(A):
        k = len(kept)
        part = Q[:k] @ row
        rest = row - part @ Q[:k]
        again = Q[:k] @ rest
        rest, T[n, :k] = rest - again @ Q[:k], part + again
        length = float(np.linalg.norm(rest))
        if length > DEPENDENT:
            Q[k], T[n, k] = rest / length, length
            kept.append(n)
    others = sorted({*range(len(A))} - {*kept})
    k = len(kept)
    C = np.linalg.solve(T[kept, :k].T, T[others, :k].T).T
    return kept, {n: {m: c for m, c in zip(kept, row) if abs(c) > 1e-6} for n, row in zip(others, C.tolist())}


def conflicts(
    names: Sequence[RowName], shares: dict[int, dict[int, float]], lengths: np.ndarray, b: np.ndarray, per: str
) -> Iterator[Conflict]:
    """Dependent rows whose right side b is not the sum of the others'; ``per`` is added to the unit.

    Of the rows as they are, row n has the share  c_m |row n| / |row m|  in row m.
    """
    for n, others in shares.items():
        gap = b[n] - sum(c * lengths[n] / lengths[m] * b[m] for m, c in others.items())
        if abs(gap) > DISAGREES:
            yield Conflict(names[n], tuple(names[m] for m in others), float(gap), names[n].unit + per)
