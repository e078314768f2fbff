"""Plots of the construction of a track (B-88)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.worlds.bobsleigh.track.check import Limits, Report, check_track
from gelenk.worlds.bobsleigh.track.mesh import ACROSS
from gelenk.worlds.bobsleigh.track.section import PIECES, curve_points
from gelenk.worlds.bobsleigh.track.track import CLOCK_START, Track

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEFT, RIGHT, STRAIGHT = "#b5532a", "#2a6fb5", "#8a8a8a"
PLOTS = ("plan", "heights", "loads", "sections", "net", "line")


def plot_track(track: Track, file: str | Path | None = None, only: str | None = None) -> Figure:
    """Plan with timing points, heights, loads, sections, net with triangles and the line in space, or one of them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = PLOTS if only is None else (only,)
    figure = Figure(figsize=(15.0, 12.0) if only is None else (9.0, 5.5), layout="constrained")
    FigureCanvasAgg(figure)
    report = check_track(track) if "loads" in names else None
    grid = figure.add_gridspec(3, 6, height_ratios=(0.8, 1.0, 1.2))
    rows = {"plan": (0, 0, 6), "heights": (1, 0, 3), "loads": (1, 3, 6), "sections": (2, 0, 2), "net": (2, 2, 4)}
    for name in names:
        row, first, last = rows.get(name, (2, 4, 6))
        place = grid[row, first:last] if only is None else grid[:, :]
        axes = figure.add_subplot(place, projection="3d" if name in ("net", "line") else None)
        DRAW[name](axes, track, report)
    figure.suptitle(f"{track.name}: {len(track.curves)} curves, {track.drop:.1f} m down over {track.finish:g} m")
    if file is not None:
        figure.savefig(file, dpi=110)
    return figure


def draw_plan(axes: Any, track: Track, report: Report | None) -> None:
    """The plan with the start on the left, curves coloured by their turn, with timing points."""
    for number, curve in enumerate(track.curves, start=1):
        s = np.arange(curve.begin, curve.end + 0.5, 1.0)
        at = track.line.at(s)
        bent = np.abs(at.curvature) > 1e-9
        xy = from_left(at.position)
        axes.plot(*xy.T, color=STRAIGHT, lw=1.0)
        axes.plot(*np.where(bent[:, None], xy, np.nan).T, color=LEFT if curve.turn > 0 else RIGHT, lw=2.2)
        middle = track.line.at(0.5 * (curve.bend + curve.bend_end))
        beside = from_left(middle.position + 18.0 * -curve.turn * middle.left)[0]
        axes.annotate(str(number), beside, ha="center", va="center", fontsize=8, color=STRAIGHT)
    marks = track.line.at([CLOCK_START, *track.timing])
    points = from_left(marks.position)
    axes.plot(*points.T, "o", ms=3.5, color="k")
    for place, p in zip((CLOCK_START, *track.timing), points):
        style = {"arrowstyle": "-", "lw": 0.5}
        axes.annotate(f"{place:g} m", p, (p[0], p[1] + 60.0), fontsize=8, ha="center", arrowprops=style)
    every = from_left(track.line.at(track.line.samples).position)
    axes.set_ylim(every[:, 1].min() - 35.0, max(every[:, 1].max() + 35.0, points[:, 1].max() + 80.0))
    axes.set_aspect("equal")
    axes.set(title="plan: left curves brown, right ones blue", xlabel="y [m]", ylabel="-x [m]")


def from_left(p: np.ndarray) -> np.ndarray:
    """Points as seen from above with y to the right, (n, 2)."""
    return np.stack((p[:, 1], -p[:, 0]), axis=1)


def draw_heights(axes: Any, track: Track, report: Report | None) -> None:
    """Height and gradient over the arc length."""
    s = track.line.samples
    at = track.line.at(s)
    axes.plot(s, at.position[:, 2], color="k")
    for x in (CLOCK_START, *track.timing):
        axes.axvline(x, color=STRAIGHT, lw=0.6)
    other = axes.twinx()
    other.plot(s, 100.0 * at.slope, color=LEFT, lw=1.0)
    other.set_ylabel("gradient [%]", color=LEFT)
    axes.set(title="height and gradient", xlabel="s [m]", ylabel="height above the sea [m]")


def draw_loads(axes: Any, track: Track, report: Report | None) -> None:
    """Speed and load of a point mass."""
    run = (report or check_track(track)).run
    axes.plot(run.s, 3.6 * run.speed, color="k")
    other = axes.twinx()
    other.plot(run.s, run.load, color=RIGHT, lw=1.0)
    other.axhline(Limits().load, color=RIGHT, lw=0.8, ls="--")
    other.set_ylabel("load [g]", color=RIGHT)
    axes.set(title=f"point mass, friction 0.006; limit {Limits().load:g} g", xlabel="s [m]", ylabel="speed [km/h]")


def draw_sections(axes: Any, track: Track, report: Report | None) -> None:
    """Sections of the curve with the largest turn, from its begin to its middle, with corner points."""
    patch = track.patches[int(np.argmax([abs(turned(track, c.begin, c.end)) for c in track.curves]))]
    curve = track.curves[patch.curve]
    wanted = np.linspace(curve.bend, 0.5 * (curve.bend + curve.bend_end), 7)
    v = np.linspace(0.0, PIECES, 141)
    for k in np.searchsorted(patch.s, wanted):
        xy = curve_points(patch.xy[k : k + 1], patch.weights[k : k + 1], v)[0]
        axes.plot(*xy.T, lw=1.1, color=str(0.65 * (1.0 - patch.banking[k])))
        axes.plot(*patch.xy[k, ::2].T, ".", ms=3.0, color=LEFT)
    axes.set_aspect("equal")
    axes.set(title=f"sections of curve {patch.curve + 1}", xlabel="to the right [m]", ylabel="above the line [m]")


def turned(track: Track, begin: float, end: float) -> float:
    """Angle between the headings at two places [rad]."""
    a, b = track.line.at([begin, end]).heading
    return float(b - a)


def draw_net(axes: Any, track: Track, report: Report | None) -> None:
    """Control net and triangles over three metres of a banked curve."""
    from matplotlib.ticker import MaxNLocator

    patch = track.patches[min(3, len(track.patches) - 1)]
    middle = int(patch.banking.argmax())
    rows = slice(max(middle - 3, 0), middle + 4)
    net = patch.points[rows]
    mesh = track.mesh
    low, high = patch.s[rows][0], patch.s[rows][-1]
    triangles = mesh.triangles[: mesh.boards]
    inside = ((mesh.s[triangles] >= low - 1e-9) & (mesh.s[triangles] <= high + 1e-9)).all(axis=1)
    used, number = np.unique(triangles[inside], return_inverse=True)
    p = mesh.vertices[used]
    axes.plot_trisurf(*p.T, triangles=number.reshape(-1, 3), color="#d9e6f2", edgecolor="#7a97b5", lw=0.25)
    for line in (*net, *net.transpose(1, 0, 2)):
        axes.plot(*line.T, color=LEFT, lw=0.7)
    axes.set_aspect("equal")
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MaxNLocator(3))
    axes.view_init(elev=28.0, azim=float(np.degrees(track.line.at(low).heading[0])) - 60.0)
    axes.set(title=f"net and triangles at {low:g} m, {ACROSS} a piece", xlabel="x", ylabel="y", zlabel="z")


def draw_line(axes: Any, track: Track, report: Report | None) -> None:
    """The track line in space."""
    p = track.line.at(track.line.samples).position
    axes.plot(*p.T, color="k", lw=1.2)
    marks = track.line.at([CLOCK_START, *track.timing]).position
    axes.plot(*marks.T, "o", color=LEFT, ms=3.5)
    axes.set(title="track line and timing points", xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")


DRAW = {
    "plan": draw_plan,
    "heights": draw_heights,
    "loads": draw_loads,
    "sections": draw_sections,
    "net": draw_net,
    "line": draw_line,
}
