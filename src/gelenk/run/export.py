"""Tables of comma-separated values."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gelenk.errors import InputError
from gelenk.run.recorder import new_path

if TYPE_CHECKING:
    from gelenk.run.run import Run


def flat_columns(run: Run, names: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Headings and a table (samples, columns); a vector series gives a column per axis."""
    from gelenk.run.run import AXES

    headings, table = ["time"], [run.time[:, None]]
    for name in names:
        values = run.series(name).reshape(len(run), -1)
        axes = AXES.get(values.shape[1], tuple(str(k) for k in range(values.shape[1])))
        headings += [name] if run.series(name).ndim == 1 else [f"{name}.{axis}" for axis in axes]
        table.append(values)
    return headings, np.hstack(table)


def write_csv(run: Run, file: str | Path, names: Sequence[str]) -> Path:
    """Write named series, or all, with full precision; refuses any other suffix than .csv."""
    if Path(file).suffix.lower() != ".csv":
        raise InputError(f"export {str(file)!r}", f"suffix {Path(file).suffix!r}", ".csv", "Change the suffix.")
    path = new_path(file, overwrite=True)
    headings, table = flat_columns(run, names or [n for n in run.names if n not in ("time", "energy")])
    with open(path, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(headings)
        writer.writerows([repr(x) for x in row] for row in table.tolist())
    return path
