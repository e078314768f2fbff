"""Tracks from their files (B-34)."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from gelenk.checks import check_number, check_table, unknown
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.track.read_curves import read_curves, read_heights
from gelenk.worlds.bobsleigh.track.read_sections import read_section_law, read_walls
from gelenk.worlds.bobsleigh.track.table_file import read_text
from gelenk.worlds.bobsleigh.track.track import Track, track_line

KEYS = ("name", "start", "start_height", "finish", "splits", "curves", "heights", "walls", "sections")
NEEDED = ("start", "start_height", "finish", "curves", "heights", "sections")


def track_names() -> tuple[str, ...]:
    """Tracks that come with the package."""
    folder = files(__package__).joinpath("data")
    return tuple(sorted(entry.name for entry in folder.iterdir() if entry.joinpath("track.toml").is_file()))


def track_file(what: str | Path) -> Path:
    """Track file of a name, a folder, or a file."""
    if str(what).lower() in track_names():
        return Path(str(files(__package__).joinpath("data", str(what).lower(), "track.toml")))
    path = Path(what)
    if path.is_dir():
        path = path / "track.toml"
    if not path.is_file():
        remedy = "Write a name that there is, or the way to a track.toml."
        raise unknown("track", "track", str(what), track_names(), remedy)
    return path


def load_track(what: str | Path) -> Track:
    """The track of that name, or of a file written as docs/bobsleigh.md says.

    Mistakes in the files are refused with the line they stand in.
    """
    path = track_file(what)
    text = read_text(path, f"track {path.name}")
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        where = int(at.group(1)) if at else None
        remedy = "Mend that line; the format is shown in docs/bobsleigh.md."
        raise InputError("track", str(error), "TOML", remedy, file=path.name, line=where) from error
    try:
        return _track(path, values)
    except InputError as error:
        if error.file is None:
            error.file, error.line = path.name, line_of(text, error.found)
        raise


def _track(path: Path, values: dict[str, Any]) -> Track:
    name = str(values.get("name", path.parent.name))
    who = f"track {name}"
    for key in values:
        if key not in KEYS:
            raise unknown(who, "key", key, KEYS, "Remove it.")
    for key in NEEDED:
        if key not in values:
            raise InputError(who, f"no {key}", f"keys {', '.join(NEEDED)}", f"Add a line with {key} = ...")
    start = check_number(who, "start", values["start"], "m", most=0.0)
    height = check_number(who, "start_height", values["start_height"], "m")
    curves = read_curves(path.parent / str(values["curves"]), name)
    if abs(curves[0].begin - start) > 1e-6:
        found = f"curve 1 begins at {curves[0].begin:g} m, the track at start = {start:g}"
        raise InputError(who, found, "the same arc length", "Let curve 1 begin where the track starts.")
    finish = check_number(who, "finish", values["finish"], "m", above=0.0, most=curves[-1].end)
    splits = tuple(check_table(who, "splits", values.get("splits") or [finish], 0, "m"))
    splits = tuple(float(s) for s in splits if s != finish)
    if any(not a < b for a, b in zip((0.0, *splits), (*splits, finish))):
        remedy = "Let them grow, between 0 and the finish."
        raise InputError(who, f"splits are {splits}", "growing arc lengths before the finish [m]", remedy)
    transitions = read_heights(path.parent / str(values["heights"]), name, start)
    line = track_line(curves, transitions, start, height)
    law = read_section_law(path.parent, values["sections"], name)
    walls = read_walls(path.parent / str(values["walls"]), name, line.end) if "walls" in values else ()
    return Track(name, line, law, finish, splits, walls, path)


def line_of(text: str, found: str) -> int | None:
    """Line of a file that sets what an error speaks of first."""
    for word in re.findall(r"[A-Za-z]\w*", found):
        at = re.search(rf"(?m)^\s*\"?{re.escape(word)}\"?\s*=", text)
        if at:
            return text.count("\n", 0, at.end()) + 1
    return None
