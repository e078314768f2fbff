"""The explorer's hand: takes joints, drives and forces out, attaches others, edits properties (V-104, V-108, V-148)."""

from __future__ import annotations

import math

from gelenk.view.attach import attach
from gelenk.view.from_page import Attach, Edit, Remove, Watch
from gelenk.view.properties import edited, owners_named
from gelenk.view.session import Session
from gelenk.view.to_page import Properties

SHOW = 0.2  # wall time between two looks at properties [s]


class Editor:
    """Obeys the messages of explorers in a session, and tells them the properties of what they show."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._watched: dict[int, tuple[str, ...]] = {}  # client -> names
        self._told: dict[int, Properties] = {}
        self._looked_at = -math.inf
        watch = session.handlers[Watch]

        def watch_too(client: int, message: Watch) -> None:
            self.watch(client, message)
            watch(client, message)

        session.handlers |= {
            Watch: watch_too,
            Remove: lambda client, message: self.remove(message),
            Attach: lambda client, message: self.attach(message),
            Edit: lambda client, message: self.edit(message),
        }
        session.on_publish.append(self.publish)
        session.leaving.append(self.forget)

    def remove(self, message: Remove) -> None:
        """Take out a joint, drive or force; what it did ends, all else goes on."""
        name, what = message.name, message.what
        self.session.exchange(self.session.sim.changed(lambda b: b.remove(name, kind=what, dependents=True)))

    def attach(self, message: Attach) -> None:
        """Put on a joint, spring or motor where bodies are now; a reset goes back to this moment."""
        sim = self.session.sim
        made = sim.changed(lambda builder: attach(builder, sim, message), from_now=True)
        self.session.exchange(made, begins=True)

    def edit(self, message: Edit) -> None:
        """Give a property another value; pages are told what it is then, also where that was refused."""
        self._told.clear()
        self._looked_at = -math.inf
        made = edited(self.session.sim, message)
        if made is not self.session.sim:
            self.session.exchange(made)
        self.session.count_energy()

    def watch(self, client: int, message: Watch) -> None:
        """Whose properties a page shows."""
        self.forget(client)
        if message.names:
            self._watched[client] = tuple(dict.fromkeys(message.names))
        self._looked_at = -math.inf

    def forget(self, client: int) -> None:
        """A page is gone, and wants nothing any more."""
        self._watched.pop(client, None)
        self._told.pop(client, None)

    def publish(self, now: float) -> None:
        """Tell what has changed since the last look."""
        if not self._watched or now - self._looked_at < SHOW:
            return
        self._looked_at, sim = now, self.session.sim
        for client, names in self._watched.items():
            owners = tuple(owner for name in names if name for owner in owners_named(sim, name))
            told = Properties(owners)
            if told != self._told.get(client):
                self._told[client] = told
                self.session.tell(client, told)
