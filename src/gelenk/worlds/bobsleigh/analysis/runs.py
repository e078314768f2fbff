"""Lines and steering moments out of run files of descents (B-83 to B-86)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gelenk.errors import InputError
from gelenk.run.run import Run, load_run
from gelenk.worlds.bobsleigh.analysis.curves import Bend, bends
from gelenk.worlds.bobsleigh.analysis.lines import Line
from gelenk.worlds.bobsleigh.run_report import descent_in
from gelenk.worlds.bobsleigh.track import Track, load_track


def track_of(run: Run) -> Track:
    """The track that a run was on."""
    name = run.attributes.get("about.track")
    if run.attributes.get("about.world") != "bobsleigh" or name is None:
        raise InputError("descents", f"run {run.path}", "runs of gelenk run bobsleigh", "Record one.")
    return load_track(str(name))


def lines_of(files: Sequence[Path]) -> tuple[Track, dict[str, Line]]:
    """Lines of several runs on one track, by the names of their files; the track of the first."""
    found: dict[str, Line] = {}
    tracks: list[Track] = []
    for file in files:
        with load_run(file) as run:
            tracks.append(track_of(run))
            found[file.stem if file.stem not in found else str(file)] = descent_in(run).line
    names = {track.name for track in tracks}
    if len(names) != 1:
        raise InputError("descents", f"runs on {', '.join(sorted(names))}", "runs on one track", "Leave others out.")
    return tracks[0], found


def bends_of(track: Track) -> list[Bend]:
    """Curves of a track, from the curvature of its line every half metre."""
    s = np.arange(0.0, track.line.end, 0.5)
    return bends(s, track.line.at(s).curvature)


def steering_moment(run: Run) -> tuple[np.ndarray, np.ndarray, float]:
    """Arc lengths [m], moment of all contacts about the steering axis as mean since the sample before [N m], and the

    time between samples [s] (bobsleigh 6.5).
    """
    from gelenk.worlds.bobsleigh.recording import STEERING, load_names

    if "loads" not in run.outputs:
        raise InputError("steering", f"run {run.path}", "a run with forces of contacts", "Record one.")
    place = load_names(run.model).index(f"{STEERING}.angle")
    s = np.maximum.accumulate(descent_in(run).s)
    return s[1:], run["loads"][1:, place], float(run.time[1] - run.time[0])
