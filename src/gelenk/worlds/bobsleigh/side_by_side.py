"""Pieces of work in processes side by side: each makes its tools once and keeps them (B-90, B-91)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from types import TracebackType
from typing import Any, Generic, TypeVar

from gelenk.checks import check_count

Task = TypeVar("Task")
Made = TypeVar("Made")


class _Bench:
    """What a process keeps from task to task."""

    tools: Any
    work: Callable[[Any, Any], Any]


def _begin(equip: Callable[[Any], Any], plan: Any, work: Callable[[Any, Any], Any]) -> None:
    """In a new process: Ctrl-C is for the one that collects; tools are made once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Bench.work = staticmethod(work)
    _Bench.tools = equip(plan)


def _do(task: Any) -> Any:
    """One task."""
    return _Bench.work(_Bench.tools, task)


class Team(Generic[Task, Made]):
    """``work(equip(plan), task)`` for many tasks. What is made depends on the task alone, not on who does it.

    A context: at its end what has not begun is given up, and the processes end.

    Parameters
    ----------
    equip : function of a module that makes the tools; a process has its own
    plan : what it is given
    work : function of a module, of tools and a task
    workers : processes; one a core if left out. One works here, without a process of its own
    """

    def __init__(
        self,
        equip: Callable[[Any], Any],
        plan: Any,
        work: Callable[[Any, Task], Made],
        workers: int | None = None,
    ) -> None:
        count = check_count("side by side", "workers", workers or os.cpu_count() or 1, least=1, most=256)
        self._equip, self._plan, self._work = equip, plan, work
        self._tools: Any = None
        self._pool: ProcessPoolExecutor | None = None
        if count > 1:
            self._pool = ProcessPoolExecutor(count, get_context("spawn"), _begin, (equip, plan, work))

    def as_done(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Made]]:
        """Number of a task and what it made, in the order in which they are done."""
        if self._pool is None:
            if self._tools is None:
                self._tools = self._equip(self._plan)
            for k, task in enumerate(tasks):
                yield k, self._work(self._tools, task)
            return
        number = {self._pool.submit(_do, task): k for k, task in enumerate(tasks)}
        for future in as_completed(number):
            yield number[future], future.result()

    def all(self, tasks: Sequence[Task]) -> list[Made]:
        """What they made, in the order of the tasks."""
        made = dict(self.as_done(tasks))
        return [made[k] for k in range(len(tasks))]

    def __enter__(self) -> Team[Task, Made]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
