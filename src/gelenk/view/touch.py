"""What hands do to bodies: drag, push, freeze, delete, add."""

from __future__ import annotations

import math

import numpy as np

from gelenk.errors import InputError
from gelenk.model.parts import WORLD
from gelenk.view.from_page import Add, Delete, Drag, Freeze, Push, Release
from gelenk.view.grab import Grip
from gelenk.view.reshape import add_body, remove_body
from gelenk.view.session import Session
from gelenk.view.to_page import Frozen

FASTEST_PUSH, FASTEST_TURN = 1000.0, 1000.0  # most that a push may change the velocities [m/s], [rad/s]
GROUP = "frozen in the view"


class Touch:
    """Obeys the messages of hands in a session. One thing at a time is held."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.grip: Grip | None = None
        self._holder: int | None = None
        self.frozen: tuple[str, ...] = ()
        session.handlers |= {
            Drag: self.drag,
            Release: lambda client, message: self.release(client),
            Push: lambda client, message: self.push(message),
            Freeze: lambda client, message: self.freeze(message),
            Delete: lambda client, message: self.delete(message),
            Add: lambda client, message: self.add(message),
        }
        session.hands_off.append(self.release)
        session.on_reset.append(self.start_anew)
        session.on_exchange.append(self.go_on)

    # hold

    def drag(self, client: int, message: Drag) -> None:
        """Take hold of a point, or move what is held."""
        if message.body in self.frozen:
            raise InputError("drag", f"{message.body!r}, which is frozen", "a body that moves", "Unfreeze it first.")
        held = self.grip
        if held is None or (held.body, held.point) != (message.body, message.point) or self._holder != client:
            self.release()
            self._take(Grip(self.session.sim, message.body, message.point, message.target, message.strength), client)
        else:
            held.target[:] = message.target

    def _take(self, grip: Grip, holder: int | None) -> None:
        self.grip, self._holder = grip, holder
        self.session.before_each.append(self._pull)

    def release(self, client: int | None = None) -> None:
        """Let go, if this client holds."""
        if self.grip is not None and client in (None, self._holder):
            self.grip, self._holder = None, None
            self.session.before_each.remove(self._pull)
            self.session.count_energy()

    def _pull(self) -> None:
        if self.grip is not None:
            self.grip.pull(self.session.sim)

    # push

    def push(self, message: Push) -> None:
        """An impulse at a point."""
        sim = self.session.sim
        inv_mass = float(sim.model.system.masses.inv_mass[sim.model.index(message.body)])
        if inv_mass == 0.0 or message.body in self.frozen:
            raise InputError("push", f"{message.body!r}, which is fixed", "a body that moves", "Take another one.")
        speed = inv_mass * math.hypot(*message.impulse)
        if speed > FASTEST_PUSH:
            found = f"an impulse that changes the velocity by {speed:.3g} m/s"
            raise InputError("push", found, f"at most {FASTEST_PUSH:g} m/s", "Push less.")
        now = sim[message.body]
        before, kept = now.angular_velocity, sim.state.flat.copy()
        now.apply_impulse(message.impulse, at=message.point)
        turned = float(np.linalg.norm(now.angular_velocity - before))
        if not turned <= FASTEST_TURN:
            sim.state.flat[:] = kept
            found = f"a push that changes the angular velocity by {turned:.3g} rad/s"
            raise InputError("push", found, f"at most {FASTEST_TURN:g} rad/s", "Push less, or nearer to the body.")
        self.session.count_energy()

    # freeze

    def freeze(self, message: Freeze) -> None:
        """Let a body be one with the world, or move by itself again."""
        sim, body = self.session.sim, message.body
        if sim.model.body(body).static:
            raise InputError("freeze", f"{body!r}, which is static", "a body that moves", "Take another one.")
        wanted = tuple(name for name in self.frozen if name != body) + ((body,) if message.on else ())
        if self.grip is not None and self.grip.body == body:
            self.release()
        self._hold(wanted)

    def _hold(self, bodies: tuple[str, ...]) -> None:
        sim = self.session.sim
        if GROUP in sim.groups:
            sim.split(GROUP)
        self.frozen = ()
        try:
            if bodies:
                sim.merge(GROUP, WORLD, *bodies)
                self.frozen = bodies
        finally:
            self.session.count_energy()
            self.session.tell(None, Frozen(self.frozen))

    def start_anew(self) -> None:
        """After a reset nothing is held any more."""
        self.release()
        if self.frozen:
            self._hold(())

    def go_on(self) -> None:
        """In a changed model, what is still there is held as before."""
        sim, held, holder = self.session.sim, self.grip, self._holder
        there = {body.name for body in sim.model.bodies}
        self.release()
        if held is not None and held.body in there:
            self._take(Grip(sim, held.body, held.point, held.target, held.strength), holder)
        if self.frozen:
            self._hold(tuple(name for name in self.frozen if name in there))

    # another model

    def delete(self, message: Delete) -> None:
        """Take a body out, with its joints, drives and forces."""
        sim = self.session.sim
        self.session.exchange(sim.changed(lambda builder: remove_body(builder, sim.model, message.body)))

    def add(self, message: Add) -> None:
        """Put a body in."""
        sim = self.session.sim
        self.session.exchange(sim.changed(lambda builder: add_body(builder, sim.model, message)))
