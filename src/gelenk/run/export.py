"""Tables of comma-separated values."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gelenk.run.recorder import new_path

if TYPE_CHECKING:
    from gelenk.run.run import Run


def flat_columns(run: Run, names: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Headings and a table (samples, columns); a vector series gives a column per axis."""
    from gelenk.run.run import axis_names

    headings, table = ["time"], [run.time[:, None]]
    for name in names:
        series = run.series(name)
        values = series.reshape(len(run), -1)
        headings += [name] if series.ndim == 1 else [f"{name}.{axis}" for axis in axis_names(values.shape[1])]
        table.append(values)
    return headings, np.hstack(table)


def write_csv(run: Run, file: str | Path, names: Sequence[str]) -> Path:
    """Write named series, or all, with full precision; refuses any other suffix than .csv."""
    path = new_path("table", file, (".csv",), not_over=run.path)
    wanted = [n for n in names or run.names if n != "time" and (names or n != "energy")]
    headings, table = flat_columns(run, wanted)
    with open(path, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(headings)
        writer.writerows([repr(x) for x in row] for row in table.tolist())
    return path
