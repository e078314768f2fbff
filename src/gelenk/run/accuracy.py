"""How well a run kept its joints together: measured at every sample, stored with the run, and a warning if poorly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gelenk.errors import AccuracyWarning, warn_user
from gelenk.methods.observe_joints import JointWatch
from gelenk.model.model import Model
from gelenk.model.pose_rows import LENGTHS, held_rows
from gelenk.rows.block import NONE
from gelenk.state import State

OPEN = 1e-3  # [m] or [rad] of joints that a method without a tolerance of positions may leave
TOLERANCES, ROUND_OFF = 1e3, 1e-6  # a method with one: so many times it, and more than this [m] or [rad]
RESIDUAL = 0.1  # [m/s] or [rad/s]


class Accuracy(NamedTuple):
    """The worst of a run; not a number where there is nothing to tell."""

    distance: float = math.nan  # joints open by [m], over all samples
    angle: float = math.nan  # [rad]
    residual: float = math.nan  # of the solver [m/s] or [rad/s], over all steps of the simulation

    @property
    def opening(self) -> str:
        """How far joints were open, in words."""
        parts = ((self.distance, "m"), (self.angle, "rad"))
        return " and ".join(f"{size:.1e} {unit}" for size, unit in parts if not math.isnan(size))


class AccuracyWatch:
    """Looks at the joints of a simulation at every sample."""

    def __init__(self, model: Model, state: State, watch: JointWatch) -> None:
        joints, rows = model.wired.joints, held_rows(model)
        held = joints.row[rows]
        counts = (held["term_last"] - held["term_first"]).astype(np.int64)
        first = np.cumsum(counts) - counts
        terms = joints.term[np.arange(counts.sum()) + np.repeat(held["term_first"] - first, counts)]
        self._coordinate, self._factor = terms["coordinate"], terms["factor"]
        self._row = np.repeat(np.arange(len(rows)), counts)
        self._rest, self._count = held["rest"], len(rows)
        self._is_length = np.isin(joints.coordinate["kind"][self._coordinate[first]], LENGTHS)
        self._owners = np.stack([held["owner"], held["with_a"], held["with_b"]], axis=1)
        self._labels = [model.wired.labels[r] for r in rows]
        self._broken, self._watch = model.wired.memory(state.memory).broken, watch
        self.worst, self._begun, self._at, self._short = Accuracy(), (0.0, ""), (0.0, "", 0.0), 0.0

    def look(self, t: float, info: Mapping[str, Any]) -> Accuracy:
        """Take in the coordinates that the joint watch saw last; returns the worst so far."""
        distance, angle, residual = self.worst
        if self._count:
            value = self._watch.seen[self._coordinate]
            with np.errstate(all="ignore"):  # of a run that explodes
                error = np.bincount(self._row, weights=self._factor * value, minlength=self._count) - self._rest
            error = np.where(self._is_broken(), 0.0, np.abs(error))
            distance, angle = (
                float(np.fmax(error[of].max(), worst)) if of.any() else worst
                for of, worst in ((self._is_length, distance), (~self._is_length, angle))
            )
            k = int(error.argmax())
            if math.isnan(self.worst.distance) and math.isnan(self.worst.angle):
                self._begun = float(error[k]), self._labels[k]
            if error[k] > self._at[0]:
                self._at = float(error[k]), self._labels[k], t
        if "worst_residual" in info:
            residual, self._short = float(info["worst_residual"]), float(info["residual"])
        self.worst = Accuracy(distance, angle, residual)
        return self.worst

    def _is_broken(self) -> np.ndarray:
        if not len(self._broken):
            return np.zeros(self._count, dtype=bool)
        there = self._owners != NONE
        made: np.ndarray = (there & (self._broken[np.where(there, self._owners, 0)] != 0.0)).any(axis=1)
        return made

    def warn(self, method: Any) -> None:
        """Say so if joints came further apart than they were at the start and than the method should leave them.

        Or if the solver falls far short at the end; a single step, as when a motor jumps, does not count.
        """
        tolerance = getattr(method, "tolerance", None)
        most = OPEN if tolerance is None else max(TOLERANCES * tolerance, ROUND_OFF)
        opening, label, t = self._at
        found = []
        if opening > max(most, self._begun[0]):
            found.append(f"{label} was open by {opening:.2g} m or rad at t = {t:.6g} s")
        if not self._short <= RESIDUAL:
            found.append(f"the solver falls short by {self._short:.2g} m/s or rad/s in the last step")
        if found:
            warn_user(f"{' and '.join(found)}. {remedy(method)}", AccuracyWarning)


def remedy(method: Any) -> str:
    """What may help a method."""
    solver = getattr(method, "solver", None)
    sweeps = getattr(solver, "sweeps", None)
    iterations = getattr(method, "iterations", None) if solver is None else None
    ways = [f"more sweeps than {sweeps}"] if sweeps is not None else []
    ways += [f"more iterations than {iterations}"] if iterations is not None else []
    ways += ["solver=gk.Dantzig()"] if solver is not None and getattr(solver, "kind", "") != "dantzig" else []
    ways += [f"a step below {method.h:g} s"]
    text = " or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))
    return f"Try {text}; gk.check_joints(model) tells of joints that conflict."
