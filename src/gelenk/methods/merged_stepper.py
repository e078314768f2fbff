"""One run of any method in which some bodies are one: it moves the merged model, and all parts follow (V-95).

The state that others see is that of all parts. Between calls it may be changed: an impulse on a part is one on the
whole. While nobody does, the merged model goes on with its own bits, so how many steps a call takes does not show.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gelenk.collision.broad.pair_filter import exclusion_table
from gelenk.contact.problem import ContactProblem
from gelenk.contact.report import ContactForce, ContactImpact, with_segment_rows
from gelenk.contact.segment_parts import segments_of_parts
from gelenk.errors import InputError
from gelenk.forces.law import check_laws
from gelenk.joints.drive import DriveWarning
from gelenk.methods.method import Method, Stepper
from gelenk.model.colliders import GroupWarning, excluded_pairs
from gelenk.model.merged_now import MergedModel, merged_now
from gelenk.model.model import Model
from gelenk.state import State


class MergedStepper:
    """Moves a state of all parts in place."""

    def __init__(self, model: Model, method: Method, state: State, groups: list[list[str]]) -> None:
        self.model, self.state, self._groups = model, state, groups
        with warnings.catch_warnings():
            for said in (DriveWarning, GroupWarning):  # of the model of all bodies, when it was built
                warnings.simplefilter("ignore", said)
            self.merged: MergedModel = merged_now(model, state, groups)
            self._map = self.merged.map
            self._inner_state = self.merged.model.initial_state()
            self._map.collapse(state, self._inner_state)
            stepper: Any = self._method(method).begin(self.merged.model, self._inner_state)
        self.stepper = stepper
        self._map.spread_velocities(self._inner_state, state)
        self._map.silence(state)
        self._told = state.flat.copy()
        self._owners: np.ndarray | None = None
        contact = getattr(getattr(self.stepper, "work", None), "contact", None)
        if contact is not None and contact.address[0]:
            self._tell_parts_apart()
            self.stepper.looked = True  # what is to be said of the start was said at the start
        if getattr(self.stepper, "listen", None) is None:
            for what in ("contacts", "impacts", "asleep", "listen", "touching", "events", "problem"):
                self.__dict__[what] = None

    def _method(self, method: Any) -> Method:
        """The method without what it says of joints within bodies that are one now."""
        gone = {joint.name for joint in self.model.joints} - {joint.name for joint in self.merged.model.joints}
        fitted: Method = method.without_joints(gone) if hasattr(method, "without_joints") else method
        return fitted

    def advance(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take up to ``count`` steps; fewer only if one failed, see :meth:`why`."""
        self._take_over()
        done = int(self.stepper.advance(t_start, h, first, count))
        check_laws(self.merged.model.system.forces)
        if count > 0:
            self._map.spread(self._inner_state, self.state)
            self._map.recall(self._inner_state, self.state)
            self._told[:] = self.state.flat
        return done

    def _take_over(self) -> None:
        """What was changed from outside since the last call: inputs alone, as a rule."""
        if np.array_equal(self._told, self.state.flat):
            return
        moving = len(self.state.flat) - len(self.state.memory)
        if np.array_equal(self._told[:moving], self.state.flat[:moving]):
            self._map.remember(self.state, self._inner_state)
        else:
            self._map.collapse(self.state, self._inner_state)
        self._told[:] = self.state.flat

    def memory(self) -> Any:
        """What is remembered from step to step beside the state."""
        return self._inner_state.flat.copy(), self._told.copy(), self.stepper.memory()

    def restore(self, memory: Any) -> None:
        """Go back to what :meth:`memory` gave, and forget a failure."""
        self._inner_state.flat[:], self._told[:] = memory[:2]
        self.stepper.restore(memory[2])

    def why(self) -> str:
        """Why the last call fell short."""
        return str(self.stepper.why())

    def info(self) -> dict[str, Any]:
        """Figures of the merged model; those since the start count from the last merging or splitting on."""
        made: dict[str, Any] = self.stepper.info()
        return made

    # --- contact, by the names of the parts --------------------------------------------------------------------------

    def _tell_parts_apart(self) -> None:
        """Shapes are those of the parts: what they may touch, and whose contacts theirs are.

        Within a group nothing meets. All else is as before: that a load may not touch what the bed hangs on by a joint
        is not said by merging it with the bed.
        """
        work, names = self.stepper.work, self.model.nodes.names
        space = work.contact.space
        item = space.colliders.item
        owners = self._owners_of_parts()
        merged = self.merged.model.nodes.names
        rows = [owners[merged[x.node]][x.part] for x in item]
        own = item.copy()
        own["node"], own["part"] = np.array(rows, np.uint32).reshape(-1, 2).T
        pairs = set(excluded_pairs(self.model, {node for node, _ in rows}))
        colliding = {node for node, _ in rows}
        for names_ in self._groups:
            nodes = sorted({self.model.index(name) for name in names_} & colliding)
            pairs |= {(a, b) for k, a in enumerate(nodes) for b in nodes[k + 1 :]}
        space.filter.element["body"][: len(own)] = own["node"]  # a table without shapes has a row too
        table = exclusion_table(sorted(pairs), len(names))
        space = space._replace(filter=space.filter._replace(excluded_first=table[0], excluded=table[1]))
        segments = segments_of_parts(work.contact.segments, self.merged.model, self.model, owners)
        stages = work.contact._replace(space=space, segments=segments.sets)
        self.stepper.work = work._replace(contact=stages)
        self.stepper.owners = [names[node] for node, _ in (*rows, *segments.rows)]
        self._owners = with_segment_rows(own, segments.rows)

    def _owners_of_parts(self) -> dict[str, list[tuple[int, int]]]:
        """For each body of the merged model and each of its parts, the node and part that it was."""
        into, merged = self._map.into, self.merged.model.nodes.names
        found: dict[str, list[tuple[int, int]]] = {name: [] for name in merged}
        for node, body in enumerate(self.model.bodies, start=1):
            found[merged[into[node]]] += [(node, part) for part in range(len(body.parts))]
        return found

    def contacts(self) -> list[ContactForce]:
        """Points that pressed in the last step."""
        made: list[ContactForce] = self.stepper.contacts()
        return made

    def impacts(self) -> list[ContactImpact]:
        """Points that met and bounced in the last step."""
        made: list[ContactImpact] = self.stepper.impacts()
        return made

    def problem(self) -> ContactProblem:
        """Refused: the rows would be those of bodies that the model does not have."""
        found = f"bodies that are one for now: {'; '.join(', '.join(names) for names in self._groups)}"
        remedy = "Call sim.split() first and take a step, or leave merging= out."
        raise InputError("contact_problem()", found, "bodies that move by themselves", remedy)

    def asleep(self) -> tuple[str, ...]:
        """Names of the parts that sleep."""
        asleep, names = set(self.stepper.asleep()), self.merged.model.nodes.names
        return tuple(name for k, name in enumerate(self.model.nodes.names) if names[self._map.into[k]] in asleep)

    def listen(self) -> None:
        """Note from now on which shapes begin and end to touch."""
        self.stepper.listen()

    def touching(self) -> list[dict[str, int]]:
        """Pairs of colliders that touch now."""
        made: list[dict[str, int]] = self.stepper.touching()
        return made

    def events(self) -> tuple[np.ndarray, Any, int]:
        """What happened since the last call, by steps; the shapes as parts of their own bodies; the steps done."""
        noted, colliders, done = self.stepper.events()
        return noted, colliders if self._owners is None else colliders._replace(item=self._owners), done


def begin_merged(model: Model, method: Method, state: State, groups: list[list[str]]) -> Stepper:
    """A stepper in which each group of bodies is one body; without groups that of the method itself."""
    return MergedStepper(model, method, state, groups) if groups else method.begin(model, state)
