"""A line and how it is driven, as a small text file (B-91)."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.pilot.pilot import Pilot, Shift, shift_line

EXAMPLE = "gelenk track best TRACK --out FILE"


@dataclass(frozen=True, kw_only=True)
class BestLine:
    """A pilot with a line of his own.

    Parameters
    ----------
    track : name of the track that it is for
    pilot : how he steers
    places, shifts : places along the track and how far to the left of the line of balance he goes there [m]; local
        cubics between (:func:`shift_line`)
    notes : lines about where it comes from
    """

    track: str
    pilot: Pilot
    places: tuple[float, ...]
    shifts: tuple[float, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shift_line(self.places, self.shifts, local=True)  # checks them

    @property
    def shift(self) -> Shift:
        """Of the line, at a place."""
        return shift_line(self.places, self.shifts, local=True)

    def save(self, file: str | Path) -> Path:
        """Write it as TOML; numbers come back bit by bit."""
        feel = [f"{k} = {_quoted(v) if isinstance(v, str) else repr(float(v))}" for k, v in asdict(self.pilot).items()]
        rows = [f"    [{s!r}, {shift!r}]," for s, shift in zip(self.places, self.shifts)]
        head = [
            "# A line down a track: gelenk run bobsleigh --track TRACK --pilot FILE",
            *(f"# {x}" for x in self.notes),
        ]
        body = [f"track = {_quoted(self.track)}", "", "[pilot]", *feel, ""]
        rest = [
            "[line]",
            "# place along the track, shift to the left of the line of balance [m]",
            "shifts = [",
            *rows,
            "]",
        ]
        path = Path(file)
        path.write_text("\n".join([*head, *body, *rest]) + "\n", encoding="utf-8")
        return path

    @classmethod
    def load(cls, file: str | Path) -> BestLine:
        """Read a file that :meth:`save` wrote, or a hand."""
        path = Path(file)
        who = f"line {path.name}"
        try:
            data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(who, f"{error}"[:120], "a TOML file with a line", f"Make one with {EXAMPLE}.") from error
        try:
            rows = np.array(data["line"]["shifts"], dtype=np.float64)
            track, feel = str(data["track"]), dict(data["pilot"])
            places, shifts = rows.T.tolist()
            pilot = Pilot(**feel)
        except (KeyError, TypeError, ValueError) as error:
            found = f"{type(error).__name__}: {error}"[:120]
            allowed = "track, [pilot] with what a Pilot takes, [line] with shifts = [[place, shift], ...]"
            raise InputError(who, found, allowed, f"Compare it with one of {EXAMPLE}.") from error
        return cls(track=track, pilot=pilot, places=tuple(places), shifts=tuple(shifts))

    def check_track(self, name: str) -> None:
        """Refuse a track that the line is not for."""
        if name != self.track:
            found = f"a line for {self.track!r} on {name!r}"
            raise InputError("line", found, f"the track {self.track!r}", f"Choose it, or search one: {EXAMPLE}.")


def _quoted(text: str) -> str:
    """A TOML string."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else " " for c in plain) + '"'
