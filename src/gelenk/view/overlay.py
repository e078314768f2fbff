"""What a driver sees over the picture: speed, clock, splits, forces, steering and words (B-68).

    overlay = gk.Overlay()

    def control(t, sim):
        overlay.speed = 27.3
        overlay.clock = t

    overlay.say("Start")
    gk.view(sim, control=control, overlay=overlay)

What is None is not shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.view.replay import Replay
from gelenk.view.session import Session
from gelenk.view.to_page import Hud, Split

SHOW = 0.05  # wall time between two looks [s]
MOST_SPLITS = 12


@friendly
class Overlay:
    """Values over the picture; written by a ``control`` function, shown twenty times a second.

    Parameters
    ----------
    driving : whether the page begins with its panels put away, for the picture alone; Escape brings them back

    Attributes
    ----------
    speed : [m/s], shown in km/h
    clock : [s]
    splits : names, times [s] and differences to the best [s] or None, of those passed so far
    g : accelerations to the left, up and ahead, in the weight of a body
    steering : from -1, right, to 1, left
    note : a line that stays, such as a warning; empty for none
    """

    def __init__(self, *, driving: bool = True) -> None:
        if not isinstance(driving, bool):
            raise InputError("overlay", f"driving is {driving!r}"[:80], "true or false", "Pass a bool.")
        self.driving = driving
        self.speed: float | None = None
        self.clock: float | None = None
        self.splits: Sequence[tuple[str, float, float | None]] = ()
        self.g: tuple[float, float, float] | None = None
        self.steering: float | None = None
        self.note = ""
        self._words, self._number, self._seconds = "", 0, 0.0

    def say(self, words: str, *, seconds: float = 2.5) -> None:
        """Show some words for a while."""
        if not isinstance(words, str):
            raise InputError("overlay", f"words are {words!r}"[:80], "a text", "Pass str.")
        self._seconds = check_number("overlay", "seconds", seconds, "s", above=0.0, most=3600.0)
        self._words, self._number = words[:120], self._number + 1

    def clear(self) -> None:
        """Show nothing but what is said next."""
        self.speed = self.clock = self.g = self.steering = None
        self.splits = ()

    def told(self) -> Hud:
        """As the page is told of it."""
        splits = tuple(
            Split(str(name)[:40], _number(time) or 0.0, _number(behind)) for name, time, behind in self.splits
        )[-MOST_SPLITS:]
        g = None if self.g is None else tuple(_number(x) or 0.0 for x in self.g)
        values = _number(self.speed), _number(self.clock), splits, g, _number(self.steering)
        return Hud(self.driving, *values, self._words, self._number, self._seconds, str(self.note)[:120])  # type: ignore[arg-type]

    def join(self, session: Session | Replay) -> None:
        """Be shown by a session from now on."""
        shown: dict[str, Any] = {"at": -math.inf, "hud": None}

        def publish(now: float) -> None:
            if now - shown["at"] < SHOW:
                return
            hud = self.told()
            if hud != shown["hud"]:
                shown["at"], shown["hud"] = now, hud
                session.tell(None, hud)

        session.on_publish.append(publish)


def _number(value: Any) -> float | None:
    """Rounded to what can be read, so that what looks the same is not sent again; None where it is no number."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return round(found, 3) if math.isfinite(found) else None
