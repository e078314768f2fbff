"""Plots of series over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelenk.errors import InputError
from gelenk.run.recorder import new_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gelenk.run.run import Run

SUFFIXES = (".png", ".svg", ".pdf")
MOST_PANELS = 100  # a picture has at most 65536 pixels from top to bottom
COLORS = ("#c44e52", "#55a868", "#4c72b0", "#8172b3")  # x red, y green, z blue, as axes are drawn


def plot_series(run: Run, names: Sequence[str], file: str | Path | None) -> Figure:
    """One panel per name over a common time axis."""
    from matplotlib.figure import Figure

    if len(names) > MOST_PANELS:
        raise InputError("plot", f"{len(names)} panels", f"at most {MOST_PANELS}", "Plot fewer series at once.")
    path = None if file is None else picture_path(run, file)
    figure = Figure(figsize=(8, 1.2 + 2.2 * len(names)), layout="constrained")
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for panel, name in zip(panels, names):
        draw_series(panel, run, name)
    panels[-1].set_xlabel("time [s]")
    figure.suptitle(run.title, fontsize=10)
    if path is not None:
        save_figure(figure, path)
    return figure


def draw_series(panel: Any, run: Run, name: str) -> None:
    """Draw a series into a panel; a vector gives a line per axis."""
    from gelenk.run.run import axis_names

    values = run.series(name)
    if values.ndim == 1:
        panel.plot(run.time, values, color="#333333", linewidth=1.2)
    else:
        table = values.reshape(len(values), -1)
        axes = axis_names(table.shape[1])
        colors = ("#333333", *COLORS) if table.shape[1] == 4 else COLORS
        for k, axis in enumerate(axes):
            panel.plot(run.time, table[:, k], label=axis, linewidth=1.2, color=colors[k % len(colors)])
        panel.legend(loc="upper right", fontsize=8, ncols=len(axes))
    unit = run.unit(name)
    panel.set_ylabel(f"{name} [{unit}]" if unit else name, fontsize=8)
    panel.grid(alpha=0.25)


def picture_path(run: Run, file: str | Path) -> Path:
    """Where a picture may be written."""
    return new_path("picture", file, SUFFIXES, not_over=run.path)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure; the suffix says how."""
    figure.savefig(path, dpi=110, format=path.suffix[1:].lower())
