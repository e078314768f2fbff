"""The desk: where commands of pages wait, are carried out one by one, and are answered.

What a session of any kind has in common: a bounded queue that other threads put commands into, handlers by the class of
the message, and outlets that hear of it.
"""

from __future__ import annotations

import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

from gelenk.errors import InputError
from gelenk.view.blobs import Blobs
from gelenk.view.messages import Message
from gelenk.view.to_page import Look, Problem, Scene

MOST_COMMANDS = 256  # that wait
PATIENCE = 1.0 / 30.0  # wall time for commands before the simulation gets its turn again [s]


@dataclass(frozen=True, slots=True)
class HandsOff:
    """A page steers no longer; said by the server, never by a page."""

    kind: ClassVar[str] = "hands off"


@dataclass(frozen=True, slots=True)
class Left:
    """A page is gone; said by the server, never by a page."""

    kind: ClassVar[str] = "left"


@dataclass(frozen=True, slots=True)
class Call:
    """Something to be done between steps; put by the program itself, never by a page."""

    kind: ClassVar[str] = "call"
    act: Callable[[], Any]
    done: Future[Any]


def _too_late() -> InputError:
    remedy = "Do it while the view plays, or change the simulation itself: sim = view.sim.changed(f)."
    return InputError("view", "the view is closed", "a view that plays", remedy)


class Outlet(Protocol):
    """Who hears of a session; called from its thread, and returns at once."""

    def frame(self, data: bytes) -> None:
        """A new frame, which takes the place of the last one."""
        ...

    def tell(self, client: int | None, message: Message) -> None:
        """A message for one client, or for all."""
        ...


class Desk(ABC):
    """Takes commands and tells what happens."""

    scene: Scene

    def __init__(self) -> None:
        self.blobs = Blobs()
        self.commands: queue.Queue[tuple[int, Message]] = queue.Queue()
        self.outlets: list[Outlet] = []
        self.handlers: dict[type, Callable[[int, Any], None]] = {}
        self.hands_off: list[Callable[[int], None]] = []  # called with a client that steers no longer, or is gone
        self.obeyed: list[Callable[[Any], None]] = []  # called with every command that was carried out
        self.leaving: list[Callable[[int], None]] = []  # called with one that is gone
        self._said: set[str] = set()  # of what it was told that it fails
        self._changed = True  # since the last frame
        self._status_at = -1e9  # wall time of the last status [s]
        self.looks = 0  # how often it was said where to look from
        self._looking = threading.Lock()
        self._thread: int | None = None  # that it plays in
        self.begun = threading.Event()  # that it plays, from when on calls are waited for
        self._ended = False

    def look(self, look: Look | None) -> None:
        """Let all pages look from somewhere, also those that come later; called from any thread."""
        if look is not None:
            with self._looking:  # numbers are told in their order
                self.looks += 1
                self.tell(None, replace(look, number=self.looks))

    def is_open(self, message: Message) -> bool:
        """Whether a page that does not drive may say this too; called from any thread."""
        return False

    def send(self, client: int, message: Message) -> bool:
        """Put a command into the queue, from any thread; returns whether there was room."""
        if self.commands.qsize() >= MOST_COMMANDS:
            return False
        self.commands.put_nowait((client, message))
        return True

    # these have room however much waits, and come after all that the client has sent before

    def let_go(self, client: int) -> None:
        """A client steers no longer; called from any thread."""
        self.commands.put_nowait((client, HandsOff()))

    def leave(self, client: int) -> None:
        """A client is gone; called from any thread."""
        self.commands.put_nowait((client, Left()))

    def call(self, act: Callable[[], Any]) -> Any:
        """Do something between steps, from any thread, and give what it gives or raise what it raises.

        Before it plays, and in the thread that plays, it is done as soon as that goes on, and nothing is given. When it
        has ended, that is refused.
        """
        done: Future[Any] = Future()
        self.commands.put_nowait((0, Call(act, done)))
        if not self._ended and (self._thread is None or self._thread == threading.get_ident()):
            return None
        while not done.done():
            if self._ended:  # after all that waited was refused
                raise _too_late()
            wait([done], timeout=0.5)
        return done.result()

    def run(self, stop: Callable[[], bool]) -> None:
        """Play until ``stop()``, and end well."""
        self._thread, self._ended = threading.get_ident(), False
        self.begun.set()
        try:
            self.begin()
            while not stop():
                self.turn()
        finally:
            self._ended, self._thread = True, None
            self._refuse_calls()
            self.end()

    def _refuse_calls(self) -> None:
        """Whoever waits for something to be done hears that it will not be; what pages asked for is dropped."""
        with suppress(queue.Empty):
            while True:
                _, message = self.commands.get_nowait()
                if isinstance(message, Call):
                    message.done.set_exception(_too_late())

    def begin(self) -> None:  # noqa: B027 - not all have something to do then
        """Before the first turn."""

    @abstractmethod
    def turn(self) -> None:
        """Once round the loop."""

    def end(self) -> None:  # noqa: B027
        """After the last turn, whatever ended it."""

    def take_commands(self, wait: float) -> None:
        """Carry out what is asked for, and wait up to ``wait`` seconds for the first of it.

        Whatever takes long, and however much comes, the rest of the loop has its turn after a moment.
        """
        try:
            client, message = self.commands.get(timeout=wait) if wait > 0.0 else self.commands.get_nowait()
            end = time.perf_counter() + PATIENCE
            self.obey(client, message)
            while time.perf_counter() < end:
                self.obey(*self.commands.get_nowait())
        except queue.Empty:
            pass

    def obey(self, client: int, message: Message) -> None:
        """Carry out one command, or tell the client why not."""
        if isinstance(message, (HandsOff, Left)):
            for forget in (*self.hands_off, *(self.leaving if isinstance(message, Left) else ())):
                self.attempt("leave", forget, client)
            return
        if isinstance(message, Call):
            self._do(message)
            return
        handler = self.handlers.get(type(message))
        try:
            if handler is None:
                raise InputError("view", f"a command {message.kind!r}", ", ".join(self.words), "Use one of these.")
            handler(client, message)
            for hear in self.obeyed:
                hear(message)
        except Exception as error:  # whatever a client asks for, the simulation goes on
            self.tell(client, Problem(str(error)[:500]))
        self._changed = True
        self._status_at = -1e9

    def _do(self, call: Call) -> None:
        try:
            call.done.set_result(call.act())
        except Exception as error:  # of the program that called, which hears of it; pages do too
            call.done.set_exception(error)
            self.tell(None, Problem(str(error)[:500]))
        self._changed = True

    def attempt(self, what: str, act: Callable[..., Any], *arguments: Any) -> Any:
        """Call what may fail, as functions of users do, and go on without it, which gives None; it is told once."""
        try:
            return act(*arguments)
        except Exception as error:
            if what not in self._said:
                self._said.add(what)
                self.tell(None, Problem(f"{what}: {str(error) or type(error).__name__}"[:500]))
            return None

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

    @abstractmethod
    def _publish(self, *, force: bool = False) -> None:
        """A frame and a status, if they are due."""

    def show(self, frame: bytes) -> None:
        """Show a frame to all."""
        for outlet in self.outlets:
            outlet.frame(frame)
