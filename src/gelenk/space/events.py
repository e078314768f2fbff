"""Collision events: which parts began or ended to touch (V-33)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.collider import Colliders
from gelenk.collision.contacts import Contacts
from gelenk.errors import InputError
from gelenk.model.model import Model

Impulse = tuple[float, float, float]
Touch = tuple[tuple[str, int], tuple[str, int]]  # two bodies, by name, and which of their parts
Meeting = tuple[float, np.ndarray, float]  # time after the start of the step [s], impulse [N s], speed [m/s]
NO_MEETINGS: Mapping[Touch, Meeting] = MappingProxyType({})


class CollisionEvent(NamedTuple):
    """Two parts begin to touch, or end to: they touch from d <= 0 on until they are farther apart than the margin."""

    kind: str  # "begin" or "end"
    a: str  # names of the bodies, in the order of the model at the beginning
    b: str
    part_a: int
    part_b: int
    time: float | None = None  # of the state [s], of ``detect`` as given to it; None if it was not
    impulse: Impulse | None = None  # on b in the step in which a touch began, world axes [N s]; of simulations alone
    speed: float | None = None  # at which their fastest point that bounced met, along its normal [m/s]; as impulse


class EventLog:
    """Pairs of parts that touch, each by one or more pairs of pieces, and what changed in the last step."""

    def __init__(self, model: Model) -> None:
        self._names = model.nodes.names
        self._order = {name: k for k, name in enumerate(self._names)}
        self._touching: dict[Touch, int] = {}  # by how many pairs of pieces
        self._told: dict[Touch, Touch] = {}  # in which order those that touch were told
        self._before: set[Touch] | None = None  # what touched in another model before
        self._listeners: list[Callable[[CollisionEvent], Any]] = []
        self.events: list[CollisionEvent] = []

    def subscribe(self, listener: Callable[[CollisionEvent], Any]) -> None:
        """Add a function that is called with every event."""
        if not callable(listener):
            raise InputError("subscribe()", f"{listener!r}"[:100], "a function of one event", "Pass the function.")
        self._listeners.append(listener)

    def unsubscribe(self, listener: Callable[[CollisionEvent], Any]) -> None:
        """Take a function out again."""
        if listener not in self._listeners:
            found, allowed = f"{listener!r}"[:100], "a function that was given to subscribe()"
            raise InputError("unsubscribe()", found, allowed, "Keep the function, and pass the same.")
        self._listeners.remove(listener)

    def note(self, contacts: Contacts, colliders: Colliders, time: float | None = None) -> None:
        """Take over what a step changed."""
        self.events = []
        tally = contacts.tally[0]
        if not tally.changes and self._before is None:
            return
        before = set(self._touching) if self._before is None else self._before
        self._before = None
        now = contacts.pair[tally.now, : tally.pairs[tally.now]]
        gone = contacts.pair[1 - tally.now, : tally.pairs[1 - tally.now]]
        changed = [(pair, int(pair["touch"]) - int(pair["was"])) for pair in now[now["touch"] != now["was"]]]
        self._take(changed + [(pair, -1) for pair in gone[gone["was"] == 1]], colliders)
        self._report(before, time)

    def change(self, changes: Sequence[tuple[Any, int]], colliders: Colliders, time: float | None) -> None:
        """Take over events of a step (:mod:`gelenk.contact.events`), pairs that began (1) or ended (-1) to touch."""
        before = set(self._touching) if self._before is None else self._before
        self._before = None
        self._take(changes, colliders)
        self._report(before, time, self._meetings([event for event, change in changes if change > 0], colliders))

    def begin(self, pairs: Iterable[Any], colliders: Colliders) -> None:
        """Begin with pairs of colliders that touch already, of which no event is told."""
        self._take(((pair, 1) for pair in pairs), colliders)
        for key in self._touching:
            self._event("begin", key, None)

    def restart(self, inside: Callable[[str, str], bool]) -> None:
        """Contacts are found anew from the next change on: what touches before and after is no event.

        Bodies inside one merged body go on touching as they do.
        """
        self._before = set(self._touching) if self._before is None else self._before
        self._touching = {key: 1 for key in self._before if inside(key[0][0], key[1][0])}

    def _take(self, changes: Iterable[tuple[Any, int]], colliders: Colliders) -> None:
        """Count the pairs of pieces that touch."""
        for pair, change in changes:
            key, _ = self._key(pair, colliders)
            self._touching[key] = self._touching.get(key, 0) + change
            if self._touching[key] == 0:
                del self._touching[key]

    def _key(self, pair: Any, colliders: Colliders) -> tuple[Touch, bool]:
        """The parts of a pair of colliders, sorted by name, and whether the first of them is that of ``a``."""
        items = colliders.item[[pair["a"], pair["b"]]]
        a, b = ((self._names[item["node"]], int(item["part"])) for item in items)
        return ((a, b), True) if a <= b else ((b, a), False)

    def _meetings(self, events: Iterable[Any], colliders: Colliders) -> dict[Touch, Meeting]:
        """When parts met after the start of a step, and the impulse on the second; by all pairs of their pieces."""
        found: dict[Touch, Meeting] = {}
        for event in events:
            key, in_order = self._key(event, colliders)
            after, total, speed = found.get(key, (math.inf, np.zeros(3), 0.0))
            sign = 1.0 if in_order else -1.0
            fastest = max(speed, float(event["speed"]))
            found[key] = min(after, float(event["after"])), total + sign * event["impulse"], fastest
        return found

    def _report(self, before: set[Touch], time: float | None, meetings: Mapping[Touch, Meeting] = NO_MEETINGS) -> None:
        """Events by what touched before and what touches now; beginnings in the order of time."""
        after = set(self._touching)
        self.events = [self._event("end", key, time) for key in sorted(before - after)]
        begun = sorted((meetings[key][0] if key in meetings else 0.0, key) for key in after - before)
        self.events += [self._event("begin", key, time, meetings.get(key)) for _, key in begun]
        self._tell()

    def _event(self, kind: str, key: Touch, time: float | None, meeting: Meeting | None = None) -> CollisionEvent:
        """One event; an end names its bodies in the order of its beginning, also in another model."""
        if kind == "begin":
            first, second = sorted(key, key=lambda end: (self._order[end[0]], end[1]))
            self._told[key] = first, second
        (a, part_a), (b, part_b) = self._told[key] if kind == "begin" else self._told.pop(key)
        if meeting is None or time is None:
            return CollisionEvent(kind, a, b, part_a, part_b, time)
        on_b = meeting[1] if key[1] == (b, part_b) else -meeting[1]
        x, y, z = on_b.tolist()
        return CollisionEvent(kind, a, b, part_a, part_b, time + meeting[0], (x, y, z), meeting[2])

    def _tell(self) -> None:
        """Call all listeners with all events; the first error of theirs is raised when all were called."""
        errors = []
        for event in self.events:
            for listener in tuple(self._listeners):
                try:
                    listener(event)
                except Exception as error:
                    errors.append(error)
        if errors:
            if len(errors) > 1:
                errors[0].add_note(f"{len(errors) - 1} more calls of listeners failed, the last with {errors[-1]!r}")
            raise errors[0]

    def carry_over(self, model: Model) -> None:
        """Go on with another model: what touches there and touched before is no event."""
        self._before = set(self._touching) if self._before is None else self._before
        self._names, self._touching = model.nodes.names, {}
        self._order = {name: k for k, name in enumerate(self._names)}
