"""How many threads work on one step. Results are the same to the last bit for any number."""

from __future__ import annotations

import os
import warnings

from gelenk.checks import check_count
from gelenk.compile import ENABLED, thread_runner
from gelenk.errors import InputError

MOST = 256
_threads: int | None = None  # None until asked for: then that of the environment, or one
_home: int | None = None  # the process that has threads; they do not come along when it is copied by a fork


def set_threads(count: int) -> None:
    """Let so many threads work on a step of each simulation made from now on, where it has enough to do.

    Heaps of thousands of contacts gain; a small scene does not, nor does a machine whose cores are busy.
    """
    global _threads
    _threads = check_count("set_threads", "count", count, least=1, most=MOST)


def get_threads() -> int:
    """As many as were set, or as GELENK_THREADS says, or one."""
    if _threads is not None:
        return _threads
    said = os.environ.get("GELENK_THREADS", "1").strip()
    if not said.isdecimal() or not 1 <= int(said) <= MOST:
        raise InputError(
            "GELENK_THREADS", f"it is {said!r}"[:80], f"a whole number from 1 to {MOST}", "Set it to 1, or unset it."
        )
    return int(said)


def team_of_threads() -> tuple[int, int]:
    """Address of what runs parts on threads, and their number; (0, 1) for one after the other."""
    global _home
    threads = get_threads()
    if threads > 1 and _home not in (None, os.getpid()):
        warnings.warn(
            "This process was forked from one with threads, which do not come along; taking one.", stacklevel=2
        )
        return 0, 1
    runner = thread_runner() if threads > 1 else 0
    if threads > 1 and ENABLED and runner == 0:
        warnings.warn("Several threads need OpenMP, which is not installed here (libgomp); taking one.", stacklevel=2)
    if not runner:
        return 0, 1
    _home = os.getpid()
    return runner, threads
