"""What the tables of `gelenk bench collide` share: a record, the least time of some rounds, a hash, aligned lines."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SCENE = "collide"
Record = dict[str, Any]


def record(table: str, case: str, engine: str, us: float, **more: Any) -> Record:
    """One measurement: microseconds of processor time for one pair, ray, body or detection, as the table says."""
    extra = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in more.items()}
    return {"scene": SCENE, "table": table, "case": case, "engine": engine, "us": float(us), **extra}


def least(run: Callable[[], Any], rounds: int) -> float:
    """Least processor time of some calls [s]."""
    best = math.inf
    for _ in range(rounds):
        begun = time.process_time()
        run()
        best = min(best, time.process_time() - begun)
    return best


def result_hash(*arrays: Any) -> str:
    """First 12 hexadecimal digits of the SHA-256 of the exact bytes of results: faster but different is seen."""
    h = hashlib.sha256()
    for array in arrays:
        a = np.ascontiguousarray(array)
        h.update(a.astype("<f8" if a.dtype.kind == "f" else "<i8").tobytes())
    return h.hexdigest()[:12]


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A heading and lines in columns, the first ``left`` of them to the left."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(w) if k < left else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return lines
