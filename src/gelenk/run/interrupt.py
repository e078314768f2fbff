"""Ctrl-C that waits for a whole step: the first press asks, the second interrupts at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Interrupt:
    """Context in which Ctrl-C only sets ``pressed``.

    Outside the main thread it does nothing, nor where Ctrl-C is ignored, as in a background job of a shell.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and before not in (signal.SIG_IGN, None):
            self._before = before
            signal.signal(signal.SIGINT, self._press)
        return self

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
