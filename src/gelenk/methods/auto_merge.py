"""Bodies that become one by themselves, and come apart again (V-95, V-101; virtual-worlds 4.19, 4.20).

What is looked at, every so often, is the contact graph: bodies are one that an edge ties which

* is a rigid joint that holds for good, or a joint that is blocked now,
* is a driven joint that has been idle: its bodies did not move against each other, and no set-point of it changed,
* is a contact whose two bodies have been at rest against each other, far from the bodies that are named as ``near``.

They come apart at once when a set-point of a joint between them changes, and at the next look when a body of ``near``
comes as near as ``within``. What else acts on them does not part them: a load that is at rest on a truck goes with it,
however hard it brakes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gelenk.checks import check_count, check_names, check_number
from gelenk.errors import InputError, warn_user
from gelenk.graph.graph import ContactGraph
from gelenk.joints.drive import Drive
from gelenk.joints.gear import Differential, Gear
from gelenk.joints.joint import Joint
from gelenk.joints.joint_spring import JointSpring
from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model

Pair = tuple[str, str]


class MergeWarning(UserWarning):
    """Bodies that a simulation would have made one by itself, and cannot."""


@dataclass(frozen=True, slots=True)
class Merging:
    """When a simulation makes one body of several by itself: ``gk.Simulation(model, merging=gk.Merging(idle=True))``.

    Bodies that rigid joints tie for good are one from the start; the rest is as said here.

    Parameters
    ----------
    blocked : whether bodies at joints that are blocked are one
    idle : whether bodies are one at joints with a motor, servo or gear that have not moved for long enough: the driven
        wheels of a standing car, an idle crane. Joints that nothing drives hang free, also while they are still
    resting : whether bodies are one that have rested on each other for long enough: a load
    after : how long that is [s]
    speed, turn : what moves less against each other is at rest [m/s], [rad/s]
    near : names of bodies, such as those of a gripper, near which nothing rests; with them, bodies that rest on what is
        fixed are fixed too: logs on the ground
    within : contacts and joints on the way to one of these, not through fixed bodies
    every : time between two looks [s], rounded to whole steps
    """

    blocked: bool = True
    idle: bool = False
    resting: bool = False
    after: float = 0.5
    speed: float = 1e-3
    turn: float = 1e-2
    near: tuple[str, ...] = ()
    within: int = 2
    every: float = 0.05

    def __post_init__(self) -> None:
        put = object.__setattr__
        for what in ("blocked", "idle", "resting"):
            if not isinstance(getattr(self, what), bool):
                found = f"{what} is {getattr(self, what)!r}"[:80]
                raise InputError("Merging", found, "true or false", "Pass a bool.")
        for what, unit in (("after", "s"), ("speed", "m/s"), ("turn", "rad/s"), ("every", "s")):
            put(self, what, check_number("Merging", what, getattr(self, what), unit, above=0))
        put(self, "near", check_names("Merging", "near", self.near))
        put(self, "within", check_count("Merging", "within", self.within, least=0, most=10**6))


def driven(element: Any) -> list[str]:
    """Names of the joints that a motor, servo, spring or gear acts on."""
    ends = [element.on] if isinstance(element, Drive) else []
    ends += [element.first, element.second] if isinstance(element, (Gear, Differential)) else []
    return [end.partition(".")[0] for end in ends]


class MergeHabit:
    """Looks at a simulation between its steps."""

    def __init__(self, merging: Merging, model: Model, h: float, merge: Callable[[list[frozenset[str]]], None]) -> None:
        if not isinstance(merging, Merging):
            found = f"merging is {merging!r}"[:100]
            raise InputError("Simulation", found, "gk.Merging(...) or None", "Pass gk.Merging().")
        for name in merging.near:
            model.nodes.index("Merging", "near", name)
        self.merging, self.model, self.steps = merging, model, max(1, round(merging.every / h))
        self._merge_groups = merge
        self._look_time = self.steps * h
        self._slow_for: dict[Pair | str, float] = {}  # of contacts by their bodies and of joints by their names [s]
        self._joints = [joint for joint in model.joints if isinstance(joint, Joint)]
        self._driven = {name for d in model.joints if not isinstance(d, JointSpring) for name in driven(d)}
        self._ends = {joint.name: self._nodes_of(joint) for joint in self._joints}
        followed = set(model.wired.followers)
        self._inputs = {joint.name: self._inputs_of(joint, followed) for joint in self._joints}
        self._set = np.array(sorted({k for places in self._inputs.values() for k in places}), int)
        self._before: np.ndarray | None = None

    def _nodes_of(self, joint: Joint) -> tuple[int, int]:
        a, b = (self.model.nodes.site(joint.label, "body", end)[0] for end in (joint.a, joint.b))
        return a, b

    def _inputs_of(self, joint: Joint, followed: set[str]) -> list[int]:
        """Places of the set-points of a joint and of what drives it, but those that connections set."""
        owners = {joint.name, *(d.name for d in self.model.joints if joint.name in driven(d))}
        places = self.model.wired.inputs
        return [k for name, k in places.items() if name.rpartition(".")[0] in owners and name not in followed]

    def due(self, sim: Any) -> bool:
        """Whether a set-point has changed since the last look, so that it is time for another."""
        return self._before is not None and not np.array_equal(self._before, self._inputs_now(sim))

    def _inputs_now(self, sim: Any) -> np.ndarray:
        memory = self.model.wired.memory(sim.state.memory)
        return np.array(memory.inputs[self._set])

    def look(self, t: float, sim: Any) -> None:
        """Let bodies become one and come apart, as they are now."""
        merging, state = self.merging, sim.state
        inside = {name: k for k, names in enumerate(sim.merged) for name in names}
        held = [pair for pair in self._slow_for if isinstance(pair, tuple) and self._are_one(inside, pair)]
        pairs = {(c.a, c.b) if c.a < c.b else (c.b, c.a) for c in sim.contacts} | set(held)
        known: list[Pair | str] = sorted(pairs) if merging.resting else []
        known += self._idle_joints(sim) if merging.idle else []
        timed = self._before is not None
        self._slow_for = {
            key: self._slow_for.get(key, 0.0) + (self._look_time if timed else 0.0)
            for key in known
            if self._is_slow(state, *self._nodes(key))
        }
        self._before = self._inputs_now(sim)
        graph = ContactGraph(self.model, sorted(pairs), state=state, blocked_as_one=merging.blocked)
        rested = [key for key, time in self._slow_for.items() if time >= merging.after * (1.0 - 1e-9)]
        rigid = [key for key in rested if isinstance(key, str) or self._may_rest(graph, key)]
        whole = ContactGraph(
            self.model, sorted(pairs), state=state, rigid=rigid, blocked_as_one=merging.blocked
        ).bodies_as_one()
        particles = {particle.name for particle in self.model.particles}
        self._merge([group - particles for group in whole])

    def _merge(self, groups: Iterable[frozenset[str]]) -> None:
        try:
            self._merge_groups([group for group in groups if len(group) > 1])
        except InputError as error:
            warn_user(f"bodies stay apart that would be one by themselves. {error}", MergeWarning)

    def _idle_joints(self, sim: Any) -> list[Pair | str]:
        """Joints that are not broken and whose set-points are those of the last look."""
        memory = self.model.wired.memory(sim.state.memory)
        broken = {name for name, value in zip(self.model.wired.names, memory.broken) if value != 0.0}
        now = dict(zip(self._set.tolist(), self._inputs_now(sim).tolist()))
        before = now if self._before is None else dict(zip(self._set.tolist(), self._before.tolist()))
        same = [name for name, places in self._inputs.items() if all(now[k] == before[k] for k in places)]
        return [name for name in same if name not in broken and name in self._driven]

    def _nodes(self, key: Pair | str) -> tuple[int, int]:
        return self._ends[key] if isinstance(key, str) else (self.model.index(key[0]), self.model.index(key[1]))

    def _is_slow(self, state: Any, a: int, b: int) -> bool:
        """Whether two nodes are slow against each other:  v_b - v_a - w_a x (c_b - c_a)  and  w_b - w_a  are small."""
        (v_a, w_a), (v_b, w_b) = (self._motion(state, i) for i in (a, b))
        slip = v_b - v_a - np.cross(w_a, state.p_WC[b] - state.p_WC[a])
        return bool(np.linalg.norm(slip) < self.merging.speed and np.linalg.norm(w_b - w_a) < self.merging.turn)

    def _motion(self, state: Any, i: int) -> tuple[np.ndarray, np.ndarray]:
        if self.model.nodes.is_particle(i):
            return state.v_WC[i], np.zeros(3)
        return state.v_WC[i], rotation_matrix(state.q_WB[i]) @ state.w_WB_B[i]

    def _may_rest(self, graph: ContactGraph, pair: Pair) -> bool:
        """Whether two bodies in contact may be one: both move, or a gripper is named; and none is near one."""
        if not self.merging.near:
            return not any(name in graph.fixed for name in pair)
        lengths = graph.path_lengths(self.merging.near, through_fixed=False)
        return all(lengths[name] > self.merging.within for name in pair if name not in graph.fixed)

    @staticmethod
    def _are_one(inside: dict[str, int], pair: Pair) -> bool:
        return pair[0] in inside and inside[pair[0]] == inside.get(pair[1])
