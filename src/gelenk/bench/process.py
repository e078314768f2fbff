"""Run one measurement in a process of its own, with one thread and a time limit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

LIMIT = 300.0  # [s] of wall time for one worker, building the scene included
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


class WorkerError(RuntimeError):
    """A worker that crashed or took too long; the text goes on after the name of the engine."""


def run_worker(scene: str, engine: str, variant: str, size: int, limit: float = LIMIT) -> dict[str, Any]:
    """The record of a worker, or ``{"missing": why}`` if the engine cannot be imported."""
    command = [sys.executable, "-m", "gelenk.bench.worker", scene, engine, variant, str(size)]
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, timeout=limit)
    except subprocess.TimeoutExpired:
        raise WorkerError(f"took longer than {limit:g} s and was stopped") from None
    if done.returncode < 0:
        raise WorkerError(f"crashed with {signal.Signals(-done.returncode).name}")
    if done.returncode > 0 or not done.stdout.strip():
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise WorkerError(f"failed: {lines[-1][:200]}")
    record: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return record
