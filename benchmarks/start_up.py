"""How long until something happens: first run, later runs, import, warm-up, each in fresh processes.

    python benchmarks/start_up.py

A temporary kernel cache takes the place of the user's own, so that the first run compiles everything it needs. Wall
time is what a person waits for; processor time, with all processes a command starts, tells a busy machine from a
slow command.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

RUN = ("-m", "gelenk", "run", "top")
IMPORT = ("-c", "import gelenk")
WARMUP = ("-m", "gelenk", "warmup")


class Row(NamedTuple):
    """One line of the table, times in seconds."""

    what: str
    wall: float
    processor: float
    target: float | None  # wall


def once(arguments: tuple[str, ...], folder: str, cache: str) -> tuple[float, float]:
    """Wall and processor time of one fresh process [s]."""
    environment = {**os.environ, "GELENK_CACHE_DIR": cache}
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    wall = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def typical(times: list[tuple[float, float]]) -> tuple[float, float]:
    """Median of each."""
    walls, processors = zip(*times)
    return statistics.median(walls), statistics.median(processors)


def measure() -> list[Row]:
    """All rows, in the order a new user meets them."""
    with tempfile.TemporaryDirectory() as folder:
        cache, other = (os.path.join(folder, name) for name in ("cache", "other"))
        once(IMPORT, folder, cache)  # files from the disk, byte code: not ours to measure
        imported = typical([once(IMPORT, folder, cache) for _ in range(7)])
        cold = once(RUN, folder, cache)
        warm = typical([once(RUN, folder, cache) for _ in range(5)])
        plain = typical([once((*RUN, "--no-picture"), folder, cache) for _ in range(3)])
        warmup = once(WARMUP, folder, other)
        after = typical([once(RUN, folder, other) for _ in range(3)])
    return [
        Row("import gelenk", *imported, 0.5),
        Row("gelenk run top, first ever", *cold, 15.0),
        Row("gelenk run top, later", *warm, 2.0),
        Row("gelenk run top, later, without picture", *plain, None),
        Row("gelenk warmup, empty cache", *warmup, None),
        Row("gelenk run top, first after warmup", *after, 2.0),
    ]


def main() -> None:
    """Print one small table."""
    rows = measure()
    print(f"{'':40}  {'wall s':>7}  {'processor s':>11}  {'target s':>8}")
    for row in rows:
        target = "" if row.target is None else f"{row.target:g}"
        verdict = "" if row.target is None else "  met" if row.wall <= row.target else "  missed"
        print(f"{row.what:40}  {row.wall:7.2f}  {row.processor:11.2f}  {target:>8}{verdict}".rstrip())


if __name__ == "__main__":
    main()
