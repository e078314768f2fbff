"""Measure engines in turn, round by round, so that a disturbance of the machine hits all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gelenk.bench.process import WorkerError
from gelenk.bench.scenes import SCENES

LONG = 5.0  # [s] of processor time for the whole scene; what takes longer is measured once

Pair = tuple[str, str]  # engine and variant
Runner = Callable[[str, str, str, int], dict[str, Any]]
Say = Callable[[str], None]


class Rounds:
    """What is known so far of one scene: the best record of each engine and variant, notes, missing engines."""

    def __init__(self, scene: str, size: int, pairs: Sequence[Pair], run: Runner) -> None:
        self.best: dict[Pair, dict[str, Any]] = {}
        self.notes: list[str] = []
        self.missing: dict[str, str] = {}
        self._scene, self._size, self._waiting, self._run = scene, size, list(pairs), run

    def take(self, say: Say | None = None) -> None:
        """One more round over everything that is worth another measurement."""
        again = []
        for pair in self._waiting:
            if pair[0] not in self.missing and self._measure(pair):
                again.append(pair)
            if say and pair in self.best:
                say(f"  {' '.join(pair)}: {self.best[pair]['ms_per_step']:.4g} ms a step")
        self._waiting = again

    def _measure(self, pair: Pair) -> bool:
        """Measure once; whether to do so again."""
        try:
            record = self._run(self._scene, *pair, self._size)
        except WorkerError as failure:
            self._note(f"{' '.join(pair)} {failure}")
            return False
        if "missing" in record:
            self.missing[pair[0]] = record["missing"]
            return False
        before = self.best.setdefault(pair, record)
        if record["state_hash"] != before["state_hash"]:
            self._note(f"{' '.join(pair)} ends in another state from round to round")
        if record["ms_per_step"] < before["ms_per_step"]:
            self.best[pair] = record
        return SCENES[self._scene].t_end <= LONG * record["real_time_factor"]

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
