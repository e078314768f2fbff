"""Progress on long work: one line on the terminal that is rewritten, or nothing at all where nobody looks."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gelenk import compile as compiler

QUIET_SECONDS = 1.0  # shorter work shows nothing
BETWEEN_SECONDS = 0.1


class Line:
    """A line on standard error that is rewritten in place; nothing is shown unless that is a terminal."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._begun, self._last, self._shown = time.perf_counter(), 0.0, False

    def show(self, text: str) -> None:
        """Show a text, at most ten times a second."""
        now = time.perf_counter()
        if not self._terminal or now - self._begun < QUIET_SECONDS or now - self._last < BETWEEN_SECONDS:
            return
        self._last, self._shown = now, True
        sys.stderr.write(f"\r\x1b[K{text[: columns() - 1]}")  # a longer line wraps and cannot be cleared
        sys.stderr.flush()

    def done(self, text: str = "") -> None:
        """Clear the line; leave a last text, if there is one, also where nothing was shown."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
        if text:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()


def columns() -> int:
    """Width of the terminal."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


class RunProgress:
    """How far a run is, and how long it will take."""

    def __init__(self, t_start: float, t_end: float, enabled: bool) -> None:
        self._start, self._span = t_start, t_end - t_start
        self._line = Line() if enabled else None
        self._begun = time.perf_counter()

    def at(self, t: float) -> None:
        """Show the state at time t."""
        if self._line is None:
            return
        part = (t - self._start) / self._span
        used = time.perf_counter() - self._begun
        left = used / part - used if part > 0 else 0.0
        bar = "=" * int(30 * part)
        self._line.show(
            f"[{bar:<30}] {100 * part:3.0f} %  {left:.0f} s left  t = {t:.4g} s  (Ctrl-C keeps what is recorded)"
        )

    def done(self) -> None:
        """Clear the line."""
        if self._line is not None:
            self._line.done()


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Show what is being compiled while kernels are made ready for ``what``, and say how long it took.

    On a terminal one line shows the function at work; elsewhere one line says that compiling begins, since the wait
    would puzzle otherwise. Nothing is shown when everything comes from the cache.
    """
    line = Line()
    begun = time.perf_counter()
    before = len(compiler.uncached)
    count, seconds = 0, 0.0
    entry = ""

    def listen(name: str, done: compiler.Compiled | None) -> None:
        nonlocal count, entry, seconds
        if done is None:
            if not count and not sys.stderr.isatty():
                sys.stderr.write(f"gelenk: compiling kernels for {what}\n")
                sys.stderr.flush()
            count += 1
            entry = entry or name
            used = time.perf_counter() - begun
            line.show(f"compiling {what}: {count} functions, {used:.0f} s, now {name} for {entry}")
        elif done.depth == 0:
            entry = ""
            seconds += done.seconds

    try:
        with compiler.watch(listen):
            yield
    finally:
        if count:
            kept = "kept for later runs" if len(compiler.uncached) == before else "not kept for later runs"
            line.done(f"gelenk: compiled {count} functions for {what} in {seconds:.1f} s, {kept}")
