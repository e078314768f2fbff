"""What is being compiled, what was, and how long it took: for progress, the log of times and the tests."""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gelenk.kernel_files import drop_unused, log_time


class Compiled(NamedTuple):
    """One finished compilation."""

    name: str
    seconds: float
    depth: int  # 0: an entry point; above: a function compiled for it


Progress = Callable[[str, "Compiled | None"], None]
_listeners: list[Progress] = []


class Compiling(NamedTuple):
    """One compilation at work."""

    name: str
    start: float
    ours: bool  # made by a decorator of this folder
    entry: bool  # has machine code of its own: a kernel, a unit, or not made by us and called from Python
    qualname: str


at_work: list[Compiling] = []
history: list[Compiled] = []  # what this process compiled
uncached: list[str] = []  # kernels over classes of a user's own files, compiled anew in every process


def notify(message: str) -> None:
    """Tell the user in a line."""
    print(f"gelenk: {message}", file=sys.stderr)  # noqa: T201


@contextlib.contextmanager
def watch(listener: Progress) -> Iterator[None]:
    """Call ``listener(name, None)`` when a compilation begins and ``listener(name, Compiled)`` when it ends."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def install_listener() -> None:
    """Have the compiler say when it begins and ends."""
    from numba.core import event

    class Listener(event.Listener):
        own = False  # whether the entry point at work is the package's
        collects = False  # whether garbage is collected; not while compiling: it takes a tenth of the time

        def on_start(self, e: Any) -> None:
            dispatcher = e.data["dispatcher"]
            function = dispatcher.py_func
            if not at_work:
                self.own = function.__module__.split(".")[0] == "gelenk"
                self.collects = gc.isenabled()
                gc.disable()
            name = f"{function.__module__}.{function.__qualname__}".replace("gelenk.", "", 1)
            ours = dispatcher.targetoptions.get("_nrt") is False
            entry = not at_work or getattr(dispatcher, "is_entry", False)
            at_work.append(Compiling(name, time.perf_counter(), ours, entry, function.__qualname__))
            for listener in list(_listeners):
                listener(name, None)

        def on_end(self, e: Any) -> None:
            name, start, *_ = at_work.pop()
            if not at_work and self.collects:
                gc.enable()
            done = Compiled(name, time.perf_counter() - start, len(at_work))
            history.append(done)
            if done.depth == 0 and self.own:
                log_time(done.name, done.seconds)
                drop_unused()
            for listener in list(_listeners):
                listener(name, done)

    event.register("numba:compile", Listener())
