"""Recorded runs as they were seen when they were driven: track, land, cameras, lines on the ice, clock (B-71, B-89)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.run.run import Run
from gelenk.view.light import Daylight, Night
from gelenk.view.overlay import Overlay
from gelenk.worlds.bobsleigh.analysis.runs import track_of
from gelenk.worlds.bobsleigh.analysis.splits import crossing_times, split_times
from gelenk.worlds.bobsleigh.drive.drawn_lines import COLOURS, drawn_lines
from gelenk.worlds.bobsleigh.drive.game import DAY, FLOODLIGHT
from gelenk.worlds.bobsleigh.drive.scene import HULL, Grounds
from gelenk.worlds.bobsleigh.sled import sled_data
from gelenk.worlds.bobsleigh.steering import MAX_DEG
from gelenk.worlds.bobsleigh.track.track import Track


class Clockwork:
    """Values over the picture at any time of a recorded descent."""

    def __init__(self, run: Run, track: Track) -> None:
        hull, com = run[HULL], np.array(sled_data()["body"][HULL]["com"])
        self.t = run.time
        R = rotation_matrix(hull.orientation)
        velocity = hull.velocity + np.cross(hull.angular_velocity, R @ com)
        self.speed = np.linalg.norm(velocity, axis=1)
        s = track.line.project(hull.position + R @ com, near=0.0).s
        self.times, reached = split_times(self.t, s, np.array(track.timing)), crossing_times(self.t, s, 0.0)
        self.begun = float(np.nan_to_num(reached)[0])
        names = [f"{place:g} m" for place in track.timing[:-1]] + ["finish"]
        self.splits = [(name, float(time)) for name, time in zip(names, self.times) if np.isfinite(time)]
        felt = np.gradient(velocity, self.t, axis=0) + np.array((0.0, 0.0, 9.81)) if len(self.t) > 1 else 0 * velocity
        load = np.einsum("nji,nj->ni", R, felt) / 9.81
        self.steering = np.degrees(run["steering"].angle) / MAX_DEG if "steering" in run.signals.joints else None
        wide = min(9, len(load))
        self.load = np.stack([np.convolve(x, np.ones(wide) / wide, "same") for x in load.T], axis=1)

    def show(self, overlay: Overlay, t: float) -> None:
        """Set an overlay to a time of the run [s]."""
        overlay.speed = float(np.interp(t, self.t, self.speed))
        since = max(0.0, t - self.begun)
        passed = [(name, time, None) for name, time in self.splits if time <= since]
        overlay.splits = passed
        overlay.clock = min(since, self.splits[-1][1]) if self.splits and self.splits[-1][0] == "finish" else since
        left, up, ahead = (float(np.interp(t, self.t, x)) for x in self.load.T)
        overlay.g = (left, up, ahead)
        overlay.steering = None if self.steering is None else float(np.interp(t, self.t, self.steering))


def dressed(
    runs: Sequence[Run], *, track: str | Path | None = None, night: bool = False, sails: bool = False
) -> dict[str, Any]:
    """Options of :func:`gelenk.replay` that show descents on their track; the lines of each run in its own colour."""
    ice = track_of(runs[0], track)
    for other in runs[1:]:
        track_of(other, track)
    grounds = Grounds(ice)
    lines = [
        line
        for k, run in enumerate(runs)
        for line in drawn_lines(run, ice, f"run {k + 1} " if k else "", COLOURS[k % len(COLOURS)])
    ]
    clockwork, overlay = Clockwork(runs[0], ice), Overlay(driving=False)
    return {
        "cameras": grounds.cameras(),
        "camera": "behind",
        "light": Night(grounds.lamps, brightness=FLOODLIGHT) if night else Daylight(*DAY),
        "scenery": grounds.scenery(sails),
        "traces": lines,
        "hidden": ("ice",),
        "overlay": overlay,
        "following": lambda t: clockwork.show(overlay, t),
    }
