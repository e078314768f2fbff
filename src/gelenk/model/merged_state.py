"""States of bodies that are one for now, and of their parts (V-95, virtual-worlds 3.15, trap T-19).

    merging     m v = sum m_k v_k        I w = sum ( I_k w_k + m_k t_k x v_k )        t_k = c_k - c
    parts       c_k = c + t_k,  q_k = q q_rel_k        v_k = v + w x t_k,  w_k = w

with t_k and q_rel_k constant in the axes of the one body. So momentum and angular momentum are kept both ways, and what
merging takes of the energy is that of the motion of the parts against each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model
from gelenk.state import Loads, State

OFF = 1e-9  # [m, or 1 of a quaternion] that a part may be off its place: round-off of states that were stored


class StateMap:
    """Between a state of a model and one of the model in which groups of its bodies are one each.

    Parameters
    ----------
    model, merged : all bodies; some of them as one
    state : of the model, when they became one
    into : name of the node of ``merged`` that each node of the model is in
    """

    def __init__(self, model: Model, merged: Model, state: State, into: list[str]) -> None:
        self.model, self.merged, bodies = model, merged, len(model.bodies) + 1
        self.into = np.array([merged.index(name) for name in into])
        in_one = np.bincount(self.into)[self.into] > 1
        fixed = np.array([merged.nodes.is_static(i) for i in self.into])
        in_one |= fixed & (model.system.masses.inv_mass > 0.0)  # one body that the world has taken in
        self._alone = np.flatnonzero(~in_one & ~fixed)
        self._turning = self._alone[self._alone < bodies]
        self._still = np.flatnonzero(fixed & ~in_one & (np.arange(len(into)) < bodies))
        self.parts = np.flatnonzero(in_one & ~fixed)
        self.fixed = np.flatnonzero(in_one & fixed)
        start = merged.initial_state()
        into_parts = self.into[self.parts]
        R = rotation_matrix(start.q_WB[into_parts]).reshape(-1, 3, 3)
        arm_W = state.p_WC[self.parts] - start.p_WC[into_parts]
        self.arm = np.einsum("nji,nj->ni", R, arm_W)  # centre of the one body to that of the part, its axes [m]
        turns = [
            (Quat(*start.q_WB[j].tolist()).conj() * Quat(*state.q_WB[i].tolist())).unit()
            for i, j in zip(self.parts, into_parts)
        ]
        self.turn = np.array(turns).reshape(-1, 4)  # axes of the part in those of the one body
        self._memory = memory_places(model, merged)

    def collapse(self, state: State, out: State) -> None:
        """State of the merged model from one of the parts: places of what is alone and of the first of each group,

        velocities by momentum. Refuses parts that were moved against each other.
        """
        alone, turning, into = self._alone, self._turning, self.into
        out.p_WC[into[alone]], out.v_WC[into[alone]] = state.p_WC[alone], state.v_WC[alone]
        out.q_WB[into[turning]], out.w_WB_B[into[turning]] = state.q_WB[turning], state.w_WB_B[turning]
        still = self._still  # where the state has them: ground may be moved by hand
        out.p_WC[into[still]], out.q_WB[into[still]] = state.p_WC[still], state.q_WB[still]
        nodes = into[self.parts]
        for j in np.unique(nodes):
            rows = np.flatnonzero(nodes == j)
            parts = self.parts[rows]
            name = self.merged.nodes.names[j]
            first = rows[[self.model.nodes.names[i] == name for i in parts]][0]
            out.q_WB[j] = state.q_WB[self.parts[first]]
            R = rotation_matrix(out.q_WB[j])
            out.p_WC[j] = state.p_WC[self.parts[first]] - R @ self.arm[first]
            self._check_places(state, out, rows, j)
            out.v_WC[j], out.w_WB_B[j] = self._motion(state, parts, self.arm[rows] @ R.T, j, R)
        self.remember(state, out)

    def _motion(
        self, state: State, parts: np.ndarray, t_W: np.ndarray, j: int, R: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Velocity in world axes and angular velocity in body axes that have the momentum of the parts."""
        masses, whole = self.model.system.masses, self.merged.system.masses
        m, v = masses.mass[parts][:, None], state.v_WC[parts]
        spin_W = np.einsum(
            "nij,njk,nk->ni", rotation_matrix(state.q_WB[parts]), masses.inertia_B[parts], state.w_WB_B[parts]
        )
        L_W = spin_W.sum(axis=0) + np.cross(t_W, m * v).sum(axis=0)
        return (m * v).sum(axis=0) / whole.mass[j], np.linalg.solve(whole.inertia_B[j], R.T @ L_W)

    def _check_places(self, state: State, out: State, rows: np.ndarray, j: int) -> None:
        p, q = self._places(out, rows)
        i = self.parts[rows]
        size = 1.0 + np.abs(p).max(axis=1)
        off = np.abs(state.p_WC[i] - p).max(axis=1) > OFF * size
        turned = np.minimum(np.abs(state.q_WB[i] - q).max(axis=1), np.abs(state.q_WB[i] + q).max(axis=1)) > OFF
        if (off | turned).any():
            name = self.model.nodes.names[i[np.argmax(off | turned)]]
            found = f"{name!r} was moved against the others that it is merged with"
            raise InputError("state", found, "parts in their places", "split() them before they are moved.")

    def _places(self, out: State, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """Centres of mass and orientations of parts, from the bodies that they are in."""
        j = self.into[self.parts[rows]]
        q = out.q_WB[j]
        p = out.p_WC[j] + np.einsum("nij,nj->ni", rotation_matrix(q).reshape(-1, 3, 3), self.arm[rows])
        return p, quat_products(q, self.turn[rows])

    def spread(self, merged: State, out: State) -> None:
        """State of the parts from one of the merged model. What is fixed stays where it is, at rest."""
        alone, turning, into = self._alone, self._turning, self.into
        out.p_WC[alone], out.v_WC[alone] = merged.p_WC[into[alone]], merged.v_WC[into[alone]]
        out.q_WB[turning], out.w_WB_B[turning] = merged.q_WB[into[turning]], merged.w_WB_B[into[turning]]
        if len(self.parts):
            out.p_WC[self.parts], out.q_WB[self.parts] = self._places(merged, slice(None))
        self.spread_velocities(merged, out)

    def spread_velocities(self, merged: State, out: State) -> None:
        """Velocities of parts from those of the bodies that they are in."""
        out.v_WC[self.fixed] = 0.0
        out.w_WB_B[self.fixed] = 0.0
        if len(self.parts):
            j = self.into[self.parts]
            w = merged.w_WB_B[j]
            v_B = np.cross(w, self.arm)
            out.v_WC[self.parts] = merged.v_WC[j] + np.einsum("nij,nj->ni", rotation_matrix(merged.q_WB[j]), v_B)
            out.w_WB_B[self.parts] = np.einsum("nji,nj->ni", rotation_matrix(self.turn), w)

    def remember(self, state: State, out: State) -> None:
        """What joints and drives hold, from the state of the parts to that of the merged model."""
        self._copy(state, out, self.model, self.merged, 0)

    def recall(self, merged: State, out: State) -> None:
        """The way back. Joints inside a group keep what they had, but give no force."""
        self._copy(merged, out, self.merged, self.model, 1)

    def _copy(self, source: State, out: State, of: Model, to: Model, way: int) -> None:
        old, new = of.wired.memory(source.memory), to.wired.memory(out.memory)
        for field, places in self._memory.items():
            getattr(new, field)[places[1 - way]] = getattr(old, field)[places[way]]
        if len(new.segment) == len(old.segment):
            new.segment[:] = old.segment

    def silence(self, state: State) -> None:
        """No force of what is gone in the merged model."""
        memory = self.model.wired.memory(state.memory)
        for field in ("reaction", "force", "impulse"):
            there = np.ones(len(getattr(memory, field)), bool)
            there[self._memory[field][0]] = False
            getattr(memory, field)[there] = 0.0

    def gather(self, loads: Loads, merged: State, out: Loads) -> None:
        """Add loads on parts to those on the bodies that they are in:  F = sum F_k,  T = sum ( T_k + t_k x F_k )."""
        np.add.at(out.force_W, self.into, loads.force_W)
        bodies = len(loads.torque_W)
        np.add.at(out.torque_W, self.into[:bodies], loads.torque_W)
        if len(self.parts):
            j = self.into[self.parts]
            t_W = np.einsum("nij,nj->ni", rotation_matrix(merged.q_WB[j]), self.arm)
            np.add.at(out.torque_W, j, np.cross(t_W, loads.force_W[self.parts]))


def quat_products(q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Hamilton products of rows, of unit length."""
    w, x, y, z = q.T
    a, b, c, d = r.T
    made = np.column_stack(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ]
    )
    return made / np.linalg.norm(made, axis=1)[:, None]


def memory_places(model: Model, merged: Model) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """For each field of the memory of joints, places in the model and in the merged one that hold the same."""
    old, new = model.wired, merged.wired
    inputs = [(old.inputs[name], k) for name, k in new.inputs.items() if name in old.inputs]
    joints = [(old.names.index(name), k) for k, name in enumerate(new.names) if name in old.names]
    rows = [
        pair
        for label, there in rows_of(new.labels).items()
        if len(here := rows_of(old.labels).get(label, [])) == len(there)
        for pair in zip(here, there)
    ]
    known = {(c.joint, c.name): c.place for c in old.coordinates}
    coordinates = {c.place: known[c.joint, c.name] for c in new.coordinates if (c.joint, c.name) in known}
    for j, k in joints:
        first, second = (w.joints.pair[w.joints.joint[n].pair] for w, n in ((old, j), (new, k)))
        before, now = (range(int(p["first"]), int(p["last"])) for p in (first, second))
        kinds = [w.joints.coordinate[["kind", "axis"]][list(at)].tolist() for w, at in ((old, before), (new, now))]
        if kinds[0] == kinds[1]:
            coordinates.update(zip(now, before))
    turned = [(j, k) for k, j in coordinates.items()]
    pairs: dict[str, Any] = {"inputs": inputs, "reaction": joints, "broken": joints, "coordinate": turned}
    pairs |= dict.fromkeys(("impulse", "force", "integral"), rows)
    return {field: tuple(np.array(places, int).reshape(-1, 2).T) for field, places in pairs.items()}  # type: ignore[misc]


def rows_of(labels: tuple[str, ...]) -> dict[str, list[int]]:
    """Rows by their label."""
    found: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        found.setdefault(label, []).append(row)
    return found
