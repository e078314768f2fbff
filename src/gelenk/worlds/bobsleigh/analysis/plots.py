"""Plots of runs over the arc length, of split times, of the steering moment (B-82, B-84, B-86)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gelenk.errors import InputError
from gelenk.run.plot import SUFFIXES, save_figure
from gelenk.run.recorder import new_path
from gelenk.worlds.bobsleigh.analysis.curves import Bend
from gelenk.worlds.bobsleigh.analysis.filters import low_pass
from gelenk.worlds.bobsleigh.analysis.lines import Line, compare
from gelenk.worlds.bobsleigh.analysis.statistics import SplitStatistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHADES = {1: "#4c72b0", -1: "#c44e52"}  # left and right curves


def plot_lines(
    runs: Mapping[str, Line],
    reference: str,
    begin: float,
    end: float,
    *,
    bends: Sequence[Bend] = (),
    file: str | Path | None = None,
) -> Figure:
    """Four panels over s: dv and dt to the reference, height above and offset from the track line (bobsleigh 7).

    Of one run alone its speed in place of the first two.
    """
    if reference not in runs:
        found = f"reference {reference!r}"
        raise InputError("plot of lines", found, ", ".join(map(repr, runs)) or "a run", "Name one of the runs.")
    place = "height h_S [m]", "offset b_S [m], left +"
    alone = len(runs) == 1
    names = ("speed [m/s]", *place) if alone else ("dv [m/s]", "dt [s]", *place)
    what = reference if alone else f"runs beside {reference}"
    figure, panels = _panels(names, f"{what}, {begin:.0f} to {end:.0f} m")
    for name, run in runs.items():
        beside = compare(run, runs[reference], begin, end)
        here = run.at(beside.s)
        first = (here.speed,) if alone else (beside.speed, beside.t)
        for panel, values in zip(panels, (*first, here.height, here.offset)):
            panel.plot(beside.s, values, label=name, linewidth=1.2)
    _shade(panels, bends, begin, end)
    if not alone:
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", fontsize=8, ncols=4)
    panels[-1].set_xlabel("s [m]")
    return _saved(figure, file)


def plot_columns(
    s: ArrayLike,
    columns: Mapping[str, ArrayLike],
    title: str,
    *,
    bends: Sequence[Bend] = (),
    file: str | Path | None = None,
) -> Figure:
    """Panels above each other over s, one for each column of a run, with the curves marked."""
    at = np.asarray(s, dtype=np.float64)
    figure, panels = _panels(tuple(columns), title)
    for panel, values in zip(panels, columns.values()):
        panel.plot(at, np.asarray(values), color="#2a6fb5", linewidth=1.2)
    _shade(panels, bends, float(at.min()), float(at.max()))
    panels[-1].set_xlabel("s [m]")
    return _saved(figure, file)


def plot_splits(
    times: ArrayLike, race: SplitStatistics, file: str | Path | None = None, *, most_bins: int = 20
) -> Figure:
    """Histograms of the times at every measuring point; lines at the means, bands of one sigma, race in grey (B-82)."""
    table = np.asarray(times, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(race.places):
        found, allowed = f"times of shape {table.shape}", f"(n, {len(race.places)})"
        raise InputError("histograms", found, allowed, "A row for each run.")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6), layout="constrained")
    for k, panel in enumerate(figure.subplots(2, -(-table.shape[1] // 2)).ravel()):
        if k >= table.shape[1]:
            panel.set_axis_off()
            continue
        values = table[np.isfinite(table[:, k]), k]
        panel.hist(values, bins=min(most_bins, max(5, round(np.sqrt(len(values))))), color="#4c72b0", alpha=0.8)
        mean, sigma = race.mean[k], race.sigma[k]
        panel.axvspan(mean - sigma, mean + sigma, color="#999999", alpha=0.25)
        panel.axvline(mean, color="#666666", linestyle="--", linewidth=1)
        if len(values):
            panel.axvline(values.mean(), color="#c44e52", linewidth=1.2)
        panel.set_title(f"{race.places[k]:g} m", fontsize=9)
        panel.set_xlabel("time [s]", fontsize=8)
    return _saved(figure, file)


def plot_steering(
    s: ArrayLike,
    moment: ArrayLike,
    h: float,
    *,
    bends: Sequence[Bend] = (),
    corner: float = 2.0,
    file: str | Path | None = None,
) -> Figure:
    """The moment in the steering over s: as it is, and what is slower than 2 Hz, with the curves marked (B-86)."""
    at, raw = np.asarray(s, dtype=np.float64), np.asarray(moment, dtype=np.float64)
    figure, panels = _panels(("moment [N m]", f"below {corner:g} Hz [N m]"), "moment in the steering")
    panels[0].plot(at, raw, color="#999999", linewidth=0.6)
    panels[1].plot(at, low_pass(raw, h, corner), color="#333333", linewidth=1.2)
    _shade(panels, bends, float(at.min()), float(at.max()))
    panels[-1].set_xlabel("s [m]")
    return _saved(figure, file)


def _panels(names: Sequence[str], title: str) -> tuple[Figure, Any]:
    """Panels above each other over one axis."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 1.0 + 2.1 * len(names)), layout="constrained")
    panels = figure.subplots(len(names), 1, sharex=True)
    for panel, name in zip(panels, names):
        panel.set_ylabel(name, fontsize=8)
        panel.grid(alpha=0.25)
    figure.suptitle(title, fontsize=10)
    return figure, panels


def _shade(panels: Sequence[Any], bends: Sequence[Bend], begin: float, end: float) -> None:
    """Mark the curves that are seen, left ones blue and right ones red, with their numbers."""
    for bend in bends:
        if bend.exit <= begin or bend.entry >= end:
            continue
        a, b = max(bend.entry, begin), min(bend.exit, end)
        for panel in panels:
            panel.axvspan(a, b, color=SHADES[bend.side], alpha=0.08, linewidth=0)
        place = panels[0].get_xaxis_transform()
        panels[0].text(0.5 * (a + b), 0.97, str(bend.number), transform=place, ha="center", va="top", fontsize=8)


def _saved(figure: Figure, file: str | Path | None) -> Figure:
    """Write it if a file is named."""
    if file is not None:
        save_figure(figure, new_path("picture", file, SUFFIXES))
    return figure
