"""Traces: lines that contacts draw on the ground, kept for a whole run, live and in a replay (B-71).

    trace = gk.Trace("left runner", lambda sim: point_or_None)
    gk.view(sim, traces=[trace])
    trace.save("run.traces.npz")

A point is added when it is some way from the last one; None, or a point that is no number, lifts the pen.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_name, check_number
from gelenk.errors import InputError
from gelenk.view.from_page import AskTraces
from gelenk.view.instruments import check_names
from gelenk.view.session import Session
from gelenk.view.to_page import Colour, TracePart, Traces

SEND = 0.1  # wall time between two messages [s]
MOST_POINTS = 200_000  # of one trace; then it goes on no more
LIFTED = (math.nan, math.nan, math.nan)


@friendly
class Trace:
    """A line on the ground.

    Parameters
    ----------
    name : for the page
    point : function of the simulation that gives the point now [m], or None while it draws nothing
    spacing : least way between two points [m]
    colour : red, green, blue from 0 to 1
    """

    def __init__(
        self,
        name: str,
        point: Callable[[Any], Any] | None = None,
        *,
        spacing: float = 0.1,
        colour: Colour = (0.15, 0.25, 0.45),
    ) -> None:
        self.name = check_name("trace", name)
        label = f"trace {name!r}"
        if point is not None and not callable(point):
            raise InputError(label, f"point is {point!r}"[:80], "a function of the simulation", "Pass f(sim).")
        self.point, self.colour = point, colour
        self.spacing = check_number(label, "spacing", spacing, "m", least=0.0)
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.times: list[float] = []
        self.points: list[tuple[float, float, float]] = []
        self.epoch = getattr(self, "epoch", -1) + 1

    def add(self, t: float, point: Any) -> None:
        """Draw on to a point, or lift the pen."""
        if len(self.points) >= MOST_POINTS:
            return
        new = LIFTED if point is None else tuple(float(x) for x in point)
        if len(new) != 3:
            raise ValueError(f"trace {self.name!r}: a point of {len(new)} numbers")
        down = all(map(math.isfinite, new))
        last = self.points[-1] if self.points else LIFTED
        drawing = math.isfinite(last[0])
        if not down and not drawing:
            return
        if down and drawing and math.dist(last, new) < self.spacing:
            return
        self.times.append(float(t))
        self.points.append(new if down else LIFTED)

    def part(self, first: int = 0) -> TracePart:
        """As the page is told of it, from a point on."""
        times = _text(np.array(self.times[first:], dtype="<f4"))
        points = _text(np.array(self.points[first:], dtype="<f4"))
        return TracePart(self.name, self.colour, self.epoch, first, times, points)


class LiveTraces:
    """The traces of a session."""

    def __init__(self, session: Session, traces: Iterable[Trace]) -> None:
        self.session = session
        self.all = check_names("traces", traces, (Trace,))
        self._sent = dict.fromkeys((trace.name for trace in self.all), (-1, 0))  # epoch, points
        self._sent_at = -math.inf
        if not self.all:
            return
        session.handlers[AskTraces] = self.answer
        session.after_steps.append(self.draw)
        session.on_publish.append(self.publish)
        session.on_reset.append(self.clear)

    def draw(self) -> None:
        """Look where they are, after every piece of steps."""
        sim = self.session.sim
        for trace in self.all:
            if trace.point is not None:
                point = self.session.attempt(f"trace {trace.name!r}", trace.point, sim)
                self.session.attempt(f"trace {trace.name!r}", trace.add, sim.time, point)

    def clear(self) -> None:
        """Begin all of them anew."""
        for trace in self.all:
            trace.clear()

    def answer(self, client: int, message: AskTraces) -> None:
        """All of them for one page."""
        self.session.tell(client, Traces(tuple(trace.part() for trace in self.all)))

    def publish(self, now: float) -> None:
        """What has come since the last look, for all pages."""
        if now - self._sent_at < SEND:
            return
        self._sent_at = now
        parts = []
        for trace in self.all:
            epoch, sent = self._sent[trace.name]
            first = sent if epoch == trace.epoch else 0
            if first == len(trace.points) and epoch == trace.epoch:
                continue
            parts.append(trace.part(first))
            self._sent[trace.name] = trace.epoch, len(trace.points)
        if parts:
            self.session.tell(None, Traces(tuple(parts)))


def save_traces(traces: Iterable[Trace], file: str | Path) -> Path:
    """Write traces beside a run, for its replay."""
    path = Path(file)
    arrays: dict[str, Any] = {}
    for k, trace in enumerate(check_names("traces", traces, (Trace,))):
        arrays |= {f"name{k}": trace.name, f"colour{k}": trace.colour, f"times{k}": trace.times}
        arrays[f"points{k}"] = np.array(trace.points).reshape(-1, 3)
    with path.open("wb") as opened:
        np.savez_compressed(opened, **arrays)
    return path


def load_traces(file: str | Path) -> tuple[Trace, ...]:
    """Traces that :func:`save_traces` wrote."""
    made = []
    try:
        with Path(file).open("rb") as opened, np.load(opened, allow_pickle=False) as held:
            for k in range(len(held.files) // 4):
                r, g, b = (float(c) for c in held[f"colour{k}"])
                trace = Trace(str(held[f"name{k}"]), colour=(r, g, b))
                trace.times = held[f"times{k}"].tolist()
                trace.points = [tuple(p) for p in held[f"points{k}"].tolist()]
                made.append(trace)
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        raise InputError(f"traces {Path(file).name}", f"{error}"[:120], "a file of traces", "Run again.") from error
    return tuple(made)


def _text(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")
