"""Whether a state is one that a model can be in, and which part of it is no number."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from gelenk.checks import UNIT_TOLERANCE
from gelenk.errors import InputError
from gelenk.forces.law import Law
from gelenk.model.model import Model
from gelenk.state import State, like_state, new_loads, state_of


def check_state(model: Model, state: Any) -> State:
    """A state that this model can be in: finite, unit quaternions, the world and static nodes in their places."""
    own = model.initial_state()

    def refuse(found: str, allowed: str) -> InputError:
        return InputError("Simulation", f"state: {found}", allowed, "Check where the state comes from.")

    if not isinstance(state, State) or state.flat.shape != own.flat.shape:
        raise refuse("it does not fit", f"a gk.State of {len(own.flat)} numbers for {model!r}")
    if not np.isfinite(state.flat).all():
        raise refuse(f"{first_bad(model, state)} is not finite", "finite numbers")
    length = np.linalg.norm(state.q_WB, axis=1)
    if np.abs(length - 1.0).max() > UNIT_TOLERANCE:
        worst = int(np.abs(length - 1.0).argmax())
        raise refuse(f"quaternion of {model.nodes.names[worst]!r} has length {length[worst]:.6g}", "length 1")
    for i in np.flatnonzero(model.system.masses.inv_mass == 0.0):
        rows = [(table[i], mine[i]) for table, mine in zip(state[1:5], own[1:5]) if i < len(table)]
        if not all(np.array_equal(a, b) for a, b in rows):
            raise refuse(f"{model.nodes.names[i]!r} is not where the model has it", "static nodes in their places")
    return state


def first_bad(model: Model, state: State) -> str:
    """Name of the first body, particle or joint whose state is not finite, with what of it, or ''."""
    nodes, bodies = len(state.p_WC), len(state.q_WB)
    view = state_of(state.flat, nodes, bodies)
    fixed = model.system.masses.inv_mass == 0.0  # named last: an infinite force on them has its cause elsewhere
    for i in np.argsort(fixed, kind="stable"):
        name = model.nodes.names[i]
        for what, table in (
            ("velocity", view.v_WC),  # rates first: what they spoil comes later
            ("angular velocity", view.w_WB_B),
            ("position", view.p_WC),
            ("orientation", view.q_WB),
        ):
            if i < len(table) and not np.isfinite(table[i]).all():
                return f"{what} of {'particle' if model.nodes.is_particle(i) else 'body'} {name!r}"
    bad = np.flatnonzero(~np.isfinite(model.wired.memory(state.memory).force))
    return f"force of {model.wired.labels[bad[0]]}" if len(bad) else ""


def cause_of(model: Model, state: State, t: float, h: float) -> str:
    """The force law that gives no finite numbers at a good state, at the start, in the middle or at the end of a step.

    Numbers of all other forces are checked when they are given.
    """
    for law in [force for force in model.forces if isinstance(force, Law)]:
        for when in (t, t + 0.5 * h, t + h):
            loads, given = new_loads(state), like_state(state)
            given.flat[:] = state.flat
            with np.errstate(all="ignore"), contextlib.suppress(Exception):
                law.function(when, given, loads)
            bad = [int(np.argwhere(~np.isfinite(rows))[0, 0]) for rows in loads[1:] if not np.isfinite(rows).all()]
            if bad:
                return f"{law.label} gives {model.nodes.names[bad[0]]!r} a force that is not finite"
    return ""
