"""Which bodies of a simulation are one for now, by the names of their groups (V-95, V-101)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gelenk.checks import check_name, unknown
from gelenk.contact.setup import options_for
from gelenk.errors import InputError
from gelenk.methods.merged_stepper import begin_merged
from gelenk.methods.method import Method, Stepper
from gelenk.model.model import Model
from gelenk.model.parts import WORLD
from gelenk.state import State


class Merger:
    """Groups that a user named, and groups that a habit found."""

    def __init__(self, model: Model, method: Method, state: State) -> None:
        self._model, self._state = model, state
        contact = getattr(method, "contact", None)  # that of all bodies, also where few are left
        self._method: Any = replace(method, contact=options_for(model, contact)) if contact is not None else method  # type: ignore[type-var]
        self.named: dict[str, tuple[str, ...]] = {}
        self.found: tuple[frozenset[str], ...] = ()

    def merge(self, name: str, bodies: Iterable[Any]) -> Stepper:
        """A stepper in which these bodies are one more group, called ``name``; refused if it cannot be."""
        check_name("merge()", name)
        if name in self.named:
            raise InputError("merge()", f"{name!r} is merged already", "a new name", f"split({name!r}) first.")
        chosen = tuple(dict.fromkeys(bodies))
        there = [WORLD, *(body.name for body in self._model.bodies)]
        for body in chosen:
            if not isinstance(body, str) or body not in there:
                raise unknown("merge()", "body", body, there)
            for other, parts in self.named.items():
                if body in parts:
                    found = f"{body!r} is part of {other!r}"
                    raise InputError("merge()", found, "bodies of one group each", f"split({other!r}) first.")
        if len(chosen) < 2:
            raise InputError("merge()", f"{len(chosen)} bodies for {name!r}", "two bodies or more", "Name them all.")
        if all(body == WORLD or self._model.body(body).static for body in chosen):
            raise InputError("merge()", f"{', '.join(chosen)}, of which none moves", "a body that moves", "Name one.")
        return self._try(self.named | {name: chosen}, self.found)

    def split(self, name: str) -> Stepper:
        """A stepper in which the bodies of a group move by themselves again."""
        if name not in self.named:
            raise unknown("split()", "group", name, self.named)
        return self._try({key: bodies for key, bodies in self.named.items() if key != name}, self.found)

    def follow(self, other: Merger) -> Stepper | None:
        """A stepper with the named groups of another model, as far as they are here; None if there are none."""
        there = {WORLD, *(body.name for body in self._model.bodies)}
        named = {name: tuple(b for b in bodies if b in there) for name, bodies in other.named.items()}
        named = {name: bodies for name, bodies in named.items() if len(bodies) > 1}
        return self._try(named, self.found) if named else None

    def find(self, groups: Iterable[frozenset[str]]) -> Stepper | None:
        """A stepper with these groups beside the named ones; None if they are as before."""
        found = tuple(groups)
        return None if set(found) == set(self.found) else self._try(self.named, found)

    def _try(self, named: dict[str, tuple[str, ...]], found: tuple[frozenset[str], ...]) -> Stepper:
        """The stepper of these groups; they are kept if there is one."""
        stepper = begin_merged(self._model, self._method, self._state, self._united([*named.values(), *found]))
        self.named, self.found = named, found
        return stepper

    def _united(self, groups: Iterable[Iterable[str]]) -> list[list[str]]:
        """Groups that share a body are one, and so are all that do not move; each in the order of the model."""
        order = {name: k for k, name in enumerate(self._model.nodes.names)}
        fixed = {name for name, k in order.items() if self._model.nodes.is_static(k)}
        made: list[set[str]] = []
        for group in map(set, groups):
            shared = [other for other in made if other & group or (other & fixed and group & fixed)]
            made = [other for other in made if other not in shared] + [group.union(*shared)]
        return [sorted(group, key=order.__getitem__) for group in made]

    def groups(self) -> list[list[str]]:
        """What is one now."""
        return self._united([*self.named.values(), *self.found])
