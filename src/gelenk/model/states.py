"""States and models: whether a state is one of a model, and a state of one model taken over to another by names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.checks import UNIT_TOLERANCE
from gelenk.errors import InputError
from gelenk.math.rotation import rotation_matrix
from gelenk.state import State

if TYPE_CHECKING:
    from gelenk.model.model import Model

# How far off a static node may be, of 1 m and its distance from the origin: round-off where states are computed anew.
ROUND_OFF = 1e-9


class StateCheck:
    """Where a model lets its nodes be. Made once for a model: it looks at a state in microseconds."""

    def __init__(self, model: Model) -> None:
        self.model, own = model, model.initial_state()
        self._still = np.flatnonzero(model.system.masses.inv_mass == 0.0)
        self._turns = self._still[self._still < len(own.q_WB)]
        self._p, self._q = own.p_WC[self._still], own.q_WB[self._turns]

    def fault(self, state: Any) -> tuple[str, str, str] | None:
        """What was found, what is allowed and what to do, if nodes are not where they can be; else None."""
        nodes, bodies, names = self.model.nodes.count, len(self.model.bodies) + 1, self.model.nodes.names
        if not isinstance(state, State):
            near = isinstance(getattr(state, "state", None), State)
            remedy = "Pass sim.state." if near else "Pass the state of a simulation of it, or its initial_state()."
            return f"state is {state!r}"[:100], f"a state of the model {self.model.name!r}", remedy
        if state.p_WC.shape != (nodes, 3) or state.q_WB.shape != (bodies, 4):
            allowed = f"a state of the model {self.model.name!r}, which has {nodes} nodes"
            return f"a state of {len(state.p_WC)} nodes", allowed, "Make it one with model.state_from(other, state)."
        if not (good := np.isfinite(state.p_WC).all(axis=1)).all():
            k = int(np.argmin(good))
            found = f"the position of {names[k]!r} in the state is {state.p_WC[k].tolist()}"
            return found, "finite positions", "Check where the state comes from."
        size = np.sqrt((state.q_WB * state.q_WB).sum(axis=1))
        if not (good := np.abs(size - 1.0) < UNIT_TOLERANCE).all():
            k = int(np.argmin(good))
            found = f"the quaternion of {names[k]!r} in the state is {state.q_WB[k].tolist()}, of length {size[k]:.6g}"
            return found, "quaternions of length 1", "Check where the state comes from."
        here = (np.abs(state.p_WC[self._still] - self._p) <= ROUND_OFF * (1.0 + np.abs(self._p))).all(axis=1)
        q = state.q_WB[self._turns]
        off = np.minimum(np.abs(q - self._q).max(axis=1), np.abs(q + self._q).max(axis=1))  # q and -q turn alike
        here[: len(self._turns)] &= off <= 2.0 * UNIT_TOLERANCE
        if not here.all():
            name = names[self._still[np.argmin(here)]]
            found = f"{name!r} is static and not where the model {self.model.name!r} has it"
            remedy = "Check which model the state is of; static bodies move with Builder.from_model and exchange()."
            return found, "static bodies in their places", remedy
        return None

    def check(self, call: str, state: Any) -> None:
        """Refuse what is no state of the model."""
        if fault := self.fault(state):
            raise InputError(call, *fault)


def state_from(model: Model, other: Model, state: State) -> State:
    """State of ``model`` in which all is as in a state of another model, by names.

    What moves in both is where it was and as fast, its frame where its frame was; all else is as ``model`` begins.
    Set-points, turned angles, breaks, and what rows remember are kept where names and numbers of rows are the same.
    """
    StateCheck(other).check("state_from()", state)
    made = model.initial_state()
    bodies = {body.name: body for body in other.bodies}
    for name in model.nodes.names:
        if name not in other.nodes.names:
            continue
        new, old = model.index(name), other.index(name)
        both = (model.nodes, new), (other.nodes, old)
        particles = [nodes.is_particle(k) for nodes, k in both]
        if any(nodes.is_static(k) for nodes, k in both) or particles[0] != particles[1]:
            continue
        made.p_WC[new], made.v_WC[new] = state.p_WC[old], state.v_WC[old]
        if not particles[0]:
            q_WB, w_B = state.q_WB[old], state.w_WB_B[old]
            made.q_WB[new], made.w_WB_B[new] = q_WB, w_B
            moved_B = np.array(model.bodies[new - 1].com) - np.array(bodies[name].com)
            if moved_B.any():
                R_WB = rotation_matrix(q_WB)
                made.p_WC[new] += R_WB @ moved_B
                made.v_WC[new] += R_WB @ np.cross(w_B, moved_B)
    _carry_memory(model, made, other, state)
    return made


def _carry_memory(model: Model, made: State, other: Model, state: State) -> None:
    """What joints and drives hold from step to step, by names."""
    new, old = model.wired, other.wired
    now, before = new.memory(made.memory), old.memory(state.memory)
    for name in new.inputs.keys() & old.inputs.keys():
        now.inputs[new.inputs[name]] = before.inputs[old.inputs[name]]
    known = {(c.joint, c.name): c.place for c in old.coordinates}
    for c in new.coordinates:
        if (c.joint, c.name) in known:
            now.coordinate[c.place] = before.coordinate[known[c.joint, c.name]]
    for k, name in enumerate(new.names):
        if name in old.names:
            j = old.names.index(name)
            now.reaction[k], now.broken[k] = before.reaction[j], before.broken[j]
    rows, known_rows = _rows_by_label(new.labels), _rows_by_label(old.labels)
    for label in rows.keys() & known_rows.keys():
        if len(rows[label]) == len(known_rows[label]):
            for field in ("impulse", "force", "integral"):
                getattr(now, field)[rows[label]] = getattr(before, field)[known_rows[label]]


def _rows_by_label(labels: tuple[str, ...]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        found.setdefault(label, []).append(row)
    return found
