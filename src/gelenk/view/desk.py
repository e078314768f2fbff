"""The desk: where commands of pages wait, are carried out one by one, and are answered.

What a session of any kind has in common: a bounded queue that other threads put commands into, handlers by the class of
the message, and outlets that hear of it.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any, Protocol

from gelenk.errors import InputError
from gelenk.view.messages import Message, Problem, Scene

MOST_COMMANDS = 256  # that wait


class Outlet(Protocol):
    """Who hears of a session; called from its thread, and returns at once."""

    def frame(self, data: bytes) -> None:
        """A new frame, which takes the place of the last one."""
        ...

    def tell(self, client: int | None, message: Message) -> None:
        """A message for one client, or for all."""
        ...


class Desk:
    """Takes commands and tells what happens."""

    scene: Scene

    def __init__(self) -> None:
        self.commands: queue.Queue[tuple[int, Message]] = queue.Queue(MOST_COMMANDS)
        self.outlets: list[Outlet] = []
        self.handlers: dict[type, Callable[[int, Any], None]] = {}
        self._changed = True  # since the last frame
        self._status_at = -1e9  # wall time of the last status [s]

    def send(self, client: int, message: Message) -> bool:
        """Put a command into the queue, from any thread; returns whether there was room."""
        try:
            self.commands.put_nowait((client, message))
        except queue.Full:
            return False
        return True

    def leave(self, client: int) -> None:
        """A client is gone; called from any thread."""

    def run(self, stop: Callable[[], bool]) -> None:
        """Play until ``stop()``, and end well."""
        self.begin()
        try:
            while not stop():
                self.turn()
        finally:
            self.end()

    def begin(self) -> None:
        """Before the first turn."""

    def turn(self) -> None:
        """Once round the loop."""
        raise NotImplementedError

    def end(self) -> None:
        """After the last turn, whatever ended it."""

    def take_commands(self, wait: float) -> None:
        """Carry out what is asked for, and wait up to ``wait`` seconds for the first of it."""
        try:
            client, message = self.commands.get(timeout=wait) if wait > 0.0 else self.commands.get_nowait()
            while True:
                self.obey(client, message)
                client, message = self.commands.get_nowait()
        except queue.Empty:
            pass

    def obey(self, client: int, message: Message) -> None:
        """Carry out one command, or tell the client why not."""
        handler = self.handlers.get(type(message))
        try:
            if handler is None:
                raise InputError("view", f"a command {message.kind!r}", ", ".join(self.words), "Use one of these.")
            handler(client, message)
        except Exception as error:  # whatever a client asks for, the simulation goes on
            self.tell(client, Problem(str(error)[:500]))
        self._changed = True
        self._status_at = -1e9

    @property
    def words(self) -> list[str]:
        """Kinds of commands that it obeys."""
        return [kind.kind for kind in self.handlers]  # type: ignore[attr-defined]

    def tell(self, client: int | None, message: Message) -> None:
        """Tell one client, or all."""
        for outlet in self.outlets:
            outlet.tell(client, message)

    def refresh(self) -> None:
        """Show what is there now, whenever the last frame was."""
        self._changed = True
        self._publish(force=True)

    def _publish(self, *, force: bool = False) -> None:
        """A frame and a status, if they are due."""
        raise NotImplementedError

    def show(self, frame: bytes) -> None:
        """Show a frame to all."""
        for outlet in self.outlets:
            outlet.frame(frame)
