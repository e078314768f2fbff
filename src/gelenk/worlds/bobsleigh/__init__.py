"""The bobsleigh: an ice track from construction data, a sled of nine bodies, and runs down it.

What a world offers is here; everything is loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gelenk.checks import check_choice

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gelenk.methods.moreau_tree import MoreauTree
    from gelenk.model.model import Model
    from gelenk.run.run import Run
    from gelenk.worlds.bobsleigh.pilot.pilot import Pilot, Shift

ABOUT = "a two-man bobsleigh driven down an ice track"
T_END = 54.0
OPTIONS = {
    "track": "name or file of a track; s13 if left out",
    "pilot": "calm, nobody for a sled that is not steered, or a file with a line (gelenk track best)",
    "setup": "set-up file (.toml); the standard one if left out",
    "surface": "sheet (smooth ice) if left out; mesh, or facets, whose edges brake as in the source",
}
PILOTS = ("calm", "nobody")
NEXT = (
    (
        "gelenk drive bobsleigh{track}",
        "drive it yourself: space starts, arrows or a gamepad steer",
    ),
    ("gelenk replay {run}", "look at it, with the lines of its runners on the ice"),
    ("gelenk track lines {run}", "what kind of line it took in each curve; more runs beside it"),
    ("gelenk track steering {run}", "moment about the steering axis"),
    ("gelenk export {run} --out run.xml", "all of it as text: set-up, times, states, lines of the runners"),
    ("gelenk run bobsleigh{track} --pilot nobody", "the same sled, not steered"),
)


def build(track: str = "s13", pilot: str = "calm", setup: str = "", surface: str = "sheet") -> Model:
    """The sled on the track, at the start of the clock."""
    from gelenk.worlds.bobsleigh.descent import descent_model
    from gelenk.worlds.bobsleigh.setup import Setup
    from gelenk.worlds.bobsleigh.track import load_track

    ice = load_track(track)
    pilot_and_line(pilot, ice.name)
    return descent_model(ice, Setup.load(setup) if setup else Setup(), surface=surface)


def pilot_and_line(pilot: str, track: str) -> tuple[Pilot | None, Shift | None]:
    """A pilot by name or by a file with his line, for a track of that name; nobody is None."""
    from gelenk.worlds.bobsleigh.best.line_file import BestLine
    from gelenk.worlds.bobsleigh.pilot.pilot import CALM

    if not pilot.endswith(".toml"):
        check_choice("bobsleigh", "pilot", pilot, (*PILOTS, "FILE.toml"))
        return (CALM if pilot == "calm" else None), None
    line = BestLine.load(pilot)
    line.check_track(track)
    return line.pilot, line.shift


def method() -> MoreauTree:
    """Moreau's midpoint rule, 83 steps in a sixtieth of a second."""
    from gelenk.methods.moreau_tree import MoreauTree
    from gelenk.worlds.bobsleigh.descent import H

    return MoreauTree(h=H, order=1)


def running(track: str = "s13", pilot: str = "calm", setup: str = "", surface: str = "sheet") -> dict[str, Any]:
    """How it is run: with the pilot at the wheel, a sample every hundredth of a second, means of forces between."""
    from gelenk.worlds.bobsleigh.descent import Seat
    from gelenk.worlds.bobsleigh.pilot.banking import Banking
    from gelenk.worlds.bobsleigh.pilot.programme import guide_of
    from gelenk.worlds.bobsleigh.recording import about, recording
    from gelenk.worlds.bobsleigh.setup import Setup
    from gelenk.worlds.bobsleigh.track import load_track

    ice = load_track(track)
    steers, shift = pilot_and_line(pilot, ice.name)
    seat = Seat(ice, steers, guide_of(ice) if shift is None else Banking(ice), shift)
    chosen = Setup.load(setup) if setup else Setup()
    return {**recording(seat), "about": about(chosen, track)}


def export(run: Run, file: Path) -> None:
    """Write the record of a run that any text tool reads (.xml)."""
    from gelenk.worlds.bobsleigh.record_xml import save_xml
    from gelenk.worlds.bobsleigh.recording import record_of

    save_xml(record_of(run), file)


def report(run: Run) -> list[tuple[str, str]]:
    """Times at the measuring points beside the means of the race of 2010, and the highest speed."""
    from gelenk.worlds.bobsleigh.run_report import splits_beside_the_race

    return splits_beside_the_race(run)


def pictures(run: Run, stem: Path, track: str = "s13", **others: str) -> list[tuple[str, Path]]:
    """The driving line over the arc length, and the sled on its track."""
    from gelenk.worlds.bobsleigh.run_pictures import pictures as draw

    return draw(run, stem, track)


def dressed(
    runs: Sequence[Run], *, track: str | None = None, night: bool = False, sails: bool = False
) -> dict[str, Any] | None:
    """Track, land, cameras and lines of runners around replays of descents; None for other runs."""
    if not all(run.model.name.startswith("bobsleigh on ") for run in runs):
        return None
    from gelenk.worlds.bobsleigh.drive.replays import dressed as dressed_descents

    return dressed_descents(runs, track=track, night=night, sails=sails)
