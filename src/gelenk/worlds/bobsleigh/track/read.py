"""Tracks from their files (B-34)."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from gelenk.checks import check_number, check_table, unknown
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.toml_lines import line_of, line_of_decoding
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
        where, remedy = line_of_decoding(error), "Mend that line; the format is shown in docs/bobsleigh.md."
        raise InputError("track", str(error), "TOML", remedy, file=path.name, line=where) from error
    try:
        return _track(path, values)
    except InputError as error:
        if error.file is None:
            error.file, error.line = path.name, line_of(text, error.found)
        raise


def _track(path: Path, values: dict[str, Any]) -> Track:
    name = values.get("name", path.resolve().parent.name)
    if not isinstance(name, str) or not name.strip():
        raise InputError("track", f"name is {name!r}"[:100], "a text", 'Write name = "My track", or leave it out.')
    who = f"track {name}"
    for key in values:
        if key not in KEYS:
            raise unknown(who, "key", key, KEYS, "Remove it.")
    for key in NEEDED:
        if key not in values:
            raise InputError(who, f"no {key}", f"keys {', '.join(NEEDED)}", f"Add a line with {key} = ...")
    start = check_number(who, "start", values["start"], "m", most=0.0)
    height = check_number(who, "start_height", values["start_height"], "m")
    curves = read_curves(beside(path, who, "curves", values), name)
    if abs(curves[0].begin - start) > 1e-6:
        found = f"curve 1 begins at {curves[0].begin:g} m, the track at start = {start:g}"
        raise InputError(who, found, "the same arc length", "Let curve 1 begin where the track starts.")
    finish = check_number(who, "finish", values["finish"], "m", above=0.0, most=curves[-1].end)
    if not isinstance(values.get("splits", []), list):
        found, remedy = f"splits is {values['splits']!r}"[:100], "Write splits = [50.0, 280.0]."
        raise InputError(who, found, "arc lengths in brackets [m]", remedy)
    splits = tuple(check_table(who, "splits", values.get("splits") or [finish], 0, "m"))
    splits = tuple(float(s) for s in splits if s != finish)
    if any(not a < b for a, b in zip((0.0, *splits), (*splits, finish))):
        remedy = "Let them grow, between 0 and the finish."
        raise InputError(who, f"splits are {splits}", "growing arc lengths before the finish [m]", remedy)
    transitions = read_heights(beside(path, who, "heights", values), name, start)
    line = track_line(curves, transitions, start, height)
    written = values["sections"]
    law = read_section_law(beside(path, who, "sections", values) if isinstance(written, str) else written, name)
    walls = read_walls(beside(path, who, "walls", values), name, line.end) if "walls" in values else ()
    track = Track(name, line, law, finish, splits, walls, path)
    _ = track.patches  # whose neighbours must meet
    return track


def beside(path: Path, who: str, key: str, values: dict[str, Any]) -> Path:
    """The table that a key of a track file names."""
    given = values[key]
    if not isinstance(given, str) or not given.strip():
        raise InputError(who, f"{key} is {given!r}"[:100], "the name of a file", f'Write {key} = "{key}.csv".')
    table = path.parent / given
    if not table.exists():
        found, remedy = f"{key} is {given!r}, and there is no file {table}", f"Put {table.name} there, or correct it."
        raise InputError(who, found, "an existing text file", remedy)
    return table
