"""Contact forces and events of a simulation, by the names of its bodies (V-33, V-114)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gelenk.contact.report import ContactForce, ContactImpact
from gelenk.errors import InputError
from gelenk.methods.method import Method, Stepper
from gelenk.model.model import Model
from gelenk.space.events import CollisionEvent, EventLog

Listener = Callable[[CollisionEvent], Any]


class Touch:
    """What the contacts of a stepper tell to users."""

    def __init__(self, model: Model, method: Method, stepper: Stepper) -> None:
        self._model, self._method, self._stepper = model, method, stepper
        self._log: EventLog | None = None
        self._done, self._restarted = 0, False  # steps that the stepper had done when it was listened to

    def contacts(self) -> list[ContactForce]:
        """Points that pressed in the last step."""
        contacts = getattr(self._stepper, "contacts", None)
        return [] if contacts is None else contacts()

    def impacts(self) -> list[ContactImpact]:
        """Points that met and bounced in the last step."""
        impacts = getattr(self._stepper, "impacts", None)
        return [] if impacts is None else impacts()

    def force(self, body: str, other: str | None = None) -> np.ndarray:
        """Sum of the contact forces on a body in the last step, or of those by another body alone [N]."""
        for name in (body,) if other is None else (body, other):
            self._model.body(name)
        total = np.zeros(3)
        for c in self.contacts():
            if body in (c.a, c.b) and other in (None, c.a if c.b == body else c.b):
                total += c.force if c.b == body else -c.force
        return total

    def subscribe(self, listener: Listener) -> None:
        """Call a function with every event from now on."""
        if self._log is None:
            if getattr(self._stepper, "listen", None) is None:
                found = f"events of the method {self._method.kind!r}"
                raise InputError("subscribe()", found, "a method with contact", "Use gk.RowStepping() or gk.Impulse().")
            self._log = EventLog(self._model)
            self._log.begin(*self._listen())
        self._log.subscribe(listener)

    def unsubscribe(self, listener: Listener) -> None:
        """Call a function no longer."""
        (self._log or EventLog(self._model)).unsubscribe(listener)

    def _listen(self) -> tuple[Any, Any]:
        """Have events noted from now on; returns the pairs of colliders that touch now, and the colliders."""
        stepper: Any = self._stepper
        stepper.listen()
        _, colliders, self._done = stepper.events()
        return stepper.touching(), colliders

    def go_on(self, stepper: Stepper, inside: Callable[[str, str], bool]) -> None:
        """Go on with another stepper of the same bodies; ``inside`` tells whether two of them are merged there."""
        self._stepper = stepper
        if self._log is not None and self._hears:
            self._listen()
            self._log.restart(inside)
            self._restarted = True

    def follow(self, other: Touch) -> None:
        """Tell those who listened to another one, of another model; what touches here and touched there is no event."""
        self._log = other._log
        if self._log is not None:
            self._log.carry_over(self._model)
            if self._hears:
                self._listen()
                self._restarted = True

    @property
    def _hears(self) -> bool:
        """Whether the stepper notes events; one for bodies that cannot touch does not."""
        return getattr(self._stepper, "listen", None) is not None

    def tell(self, t_start: float, h: float, taken: int) -> None:
        """Tell what touched or parted since the last call, each with the time at which its step begins.

        Steps of length h [s] are counted from t_start [s], and so many are taken.
        """
        if self._log is None or not self._hears:
            return
        noted, colliders, done = self._stepper.events()  # type: ignore[attr-defined]
        steps = set(noted["step"].tolist())
        if self._restarted and done > self._done:
            steps.add(self._done)  # its first step: what ended by then is told, also if nothing began
            self._restarted = False
        for step in sorted(steps):
            here = noted[noted["step"] == step]
            self._log.change([(e, int(e["change"])) for e in here], colliders, t_start + (taken - int(done - step)) * h)
