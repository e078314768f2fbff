"""Lines and steering moments out of run files of descents (B-83 to B-86)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gelenk.errors import InputError
from gelenk.run.run import Run, load_run
from gelenk.worlds.bobsleigh.analysis.curves import Bend, bends
from gelenk.worlds.bobsleigh.analysis.lines import Line
from gelenk.worlds.bobsleigh.descent import HULL, Descent, descent_of
from gelenk.worlds.bobsleigh.run_report import descent_in
from gelenk.worlds.bobsleigh.track import Track, load_track, track_names

TITLE = "bobsleigh on "  # of the model, before the name of the track
FAR = 15.0  # [m] beside the line, where no sled of that track is


def track_of(run: Run, given: str | Path | None = None) -> Track:
    """The track of a run: what is given, what its file says, or one that ships; the sled must be on it."""
    if not run.model.name.startswith(TITLE) or HULL not in run.bodies:
        allowed = "runs of gelenk run bobsleigh, or gelenk drive bobsleigh"
        raise InputError("descents", f"run {run.title!r}", allowed, "Record one.")
    name = run.model.name.removeprefix(TITLE)
    track = load_track(given) if given is not None else _known(run, name)
    place = track.line.project(run[HULL].position[::50])
    away = float(np.hypot(place.left, place.height).max())
    if away > FAR:
        found = f"track {track.name!r}, which its sled is up to {away:.0f} m away from"
        raise InputError(f"run {run.title!r}", found, f"the track {name!r}", "Name that one: --track FOLDER.")
    return track


def _known(run: Run, name: str) -> Track:
    """The track of that name, where the file says it is, or among those that ship."""
    said = run.attributes.get("about.track")
    if said is not None and (said in track_names() or Path(str(said)).exists()):
        track = load_track(str(said))
        if track.name == name:
            return track
    known = {track.name: track for track in map(load_track, track_names())}
    if name not in known:
        remedy = "Name its files: --track FOLDER."
        raise InputError(f"run {run.title!r}", f"track {name!r}", ", ".join(known), remedy)
    return known[name]


def descent_on(run: Run, track: Track) -> Descent:
    """The descent that a run file holds; of one driven by hand, places are found beside the line of its track."""
    if "place" in run.outputs and "timing" in run.outputs:
        return descent_in(run)
    hull = run[HULL]
    at = track.line.project(hull.com, near=0.0)
    speed = np.linalg.norm(hull.velocity + np.cross(hull.angular_velocity, hull.com - hull.position), axis=1)
    seen = np.column_stack((run.time, at.s, at.left, at.height, speed, run["steering"].angle))
    return descent_of(track.timing, seen)


def lines_of(files: Sequence[Path], given: str | Path | None = None) -> tuple[Track, dict[str, Line]]:
    """Lines of several runs on one track, by the names of their files; the track of the first."""
    found: dict[str, Line] = {}
    tracks: list[Track] = []
    for file in files:
        with load_run(file) as run:
            tracks.append(track_of(run, given))
            found[file.stem if file.stem not in found else str(file)] = descent_on(run, tracks[-1]).line
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
        remedy = "Record one by gelenk run bobsleigh; runs that were driven by hand do not keep them."
        raise InputError("steering", f"run {run.title!r}", "a run with forces of contacts", remedy)
    place = load_names(run.model).index(f"{STEERING}.angle")
    s = np.maximum.accumulate(descent_in(run).s)
    return s[1:], run["loads"][1:, place], float(run.time[1] - run.time[0])
