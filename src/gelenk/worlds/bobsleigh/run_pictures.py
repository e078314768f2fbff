"""Pictures of a recorded descent: its line over the arc length, and the sled on its track (B-84, B-89)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gelenk.run.run import Run
from gelenk.worlds.bobsleigh.analysis.curves import bends
from gelenk.worlds.bobsleigh.analysis.runs import track_of
from gelenk.worlds.bobsleigh.drive.sketch import sketch
from gelenk.worlds.bobsleigh.run_report import descent_in
from gelenk.worlds.bobsleigh.track.track import Track


def pictures(run: Run, stem: Path, track: str | Path | None = None) -> list[tuple[str, Path]]:
    """Draw both beside a run file; gives what each shows, and its file."""
    ice = track_of(run, track)
    lines, sled = stem.with_name(f"{stem.stem}_lines.png"), stem.with_name(f"{stem.stem}_sled.png")
    plot_descent(run, ice, lines)
    sketch(run, ice, most_banked(run), sled)
    return [("driving line", lines), ("the sled", sled)]


def most_banked(run: Run) -> int:
    """The sample at which the sled is highest above the track line."""
    return int(np.argmax(descent_in(run).height))


def plot_descent(run: Run, track: Track, file: Path) -> None:
    """Height, offset, speed and steering angle over the arc length, with the curves marked (bobsleigh 3.15)."""
    from gelenk.worlds.bobsleigh.analysis.plots import plot_columns
    from gelenk.worlds.bobsleigh.track.track import CLOCK_START

    made = descent_in(run)
    on = (made.s >= CLOCK_START) & (made.s <= track.finish)
    columns = {
        "height h_S [m]": made.height[on],
        "offset b_S [m], left +": made.left[on],
        "speed [km/h]": 3.6 * made.speed[on],
        "steering [deg]": np.degrees(made.steering[on]),
    }
    curves = bends(track.line.samples, track.line.at(track.line.samples).curvature)
    file.unlink(missing_ok=True)
    plot_columns(made.s[on], columns, f"driving line on {track.name}", bends=curves, file=file)
