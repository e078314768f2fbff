"""A replay: recorded runs instead of a simulation, for the same page.

The first run is shown as it was, further ones as ghosts beside it. Time is that of the first run; the others are moved
so that all begin together, unless their own times are to be kept.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.run.run import Run
from gelenk.view.desk import Desk
from gelenk.view.frame import GHOST, PLAYING, Section, pack_poses
from gelenk.view.from_page import (
    FASTEST,
    SLOWEST,
    AskTraces,
    Pause,
    Play,
    Release,
    Replaying,
    Reset,
    Seek,
    Show,
    Speed,
    Step,
    StepSamples,
    Subscribe,
    Watch,
)
from gelenk.view.recorded import RecordedPoses
from gelenk.view.scene import describe
from gelenk.view.to_page import Colour, Figures, Ghost, Playback, Scene, Status, Traces, Trails
from gelenk.view.traces import Trace
from gelenk.view.trails import trails

Align = Literal["start", "time"]
FRAME = 1.0 / 30.0  # least wall time between two frames [s]
STATUS = 0.2  # wall time between two statuses [s]
MOST_RUNS = 16
GHOSTS: tuple[Colour, ...] = (  # apart from each other and from the colours of bodies by their light
    (0.86, 0.30, 0.24), (0.16, 0.50, 0.73), (0.18, 0.60, 0.34), (0.62, 0.36, 0.71), (0.85, 0.55, 0.10),
    (0.10, 0.62, 0.62),
)  # fmt: skip


class Replay(Desk):
    """Plays recorded runs.

    Parameters
    ----------
    runs : open runs, the first of which is no ghost; whoever opened them closes them
    speed : recorded seconds a second
    playing : whether it plays from the start
    loop : whether it begins again at the end
    align : "start" lets all runs begin together, "time" keeps their times
    hidden : names of bodies that are not drawn, as what scenery shows in their place
    wall : what tells wall time [s]
    """

    def __init__(
        self,
        runs: Sequence[Run],
        *,
        speed: float = 1.0,
        playing: bool = True,
        loop: bool = False,
        align: Align = "start",
        hidden: Iterable[str] = (),
        wall: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__()
        _check(runs, align)
        self._poses = [RecordedPoses(run) for run in runs]
        first = self._poses[0]
        self._shift = [first.start - poses.start if align == "start" else 0.0 for poses in self._poses]
        self.start = min(poses.start + shift for poses, shift in zip(self._poses, self._shift))
        self.stop = max(poses.end + shift for poses, shift in zip(self._poses, self._shift))
        self.time = self.start
        self.speed = check_number("replay", "speed", speed, "1", least=SLOWEST, most=FASTEST)
        self.playing, self.loop, self.backwards, self.exact = playing, loop, False, False
        self._wall, self._last = wall, wall()
        self._sequence, self._frame_at = 0, -1e9
        self.runs = [run.title for run in runs]
        h = float(np.median(np.diff(first.time))) if len(first.time) > 1 else 0.0
        told = [describe(run.parts, h, blobs=self.blobs) for run in runs]
        ghosts = tuple(ghost_of(scene, name, colour_of(k)) for k, (scene, name) in enumerate(zip(told, self.runs)) if k)
        unseen = {node for node, one in enumerate(told[0].nodes) if one.name in set(hidden)}
        items = tuple(item for item in told[0].items if item.node not in unseen)
        self.scene: Scene = replace(told[0], items=items, duration=self.stop - self.start, ghosts=ghosts)
        self.on_publish: list[Callable[[float], None]] = []  # called with the wall time [s] for every frame and status
        self._traces = Traces(())
        self._trails = Trails(
            tuple(
                trail
                for k, run in enumerate(runs)
                for trail in trails(run, told[k], k, colour_of(k) if k else None, self._shift[k], len(runs))
            )
        )
        self.handlers = {
            Play: lambda client, message: self.play(),
            Pause: lambda client, message: self.pause(),
            Step: lambda client, message: self.by_samples(message.n),
            StepSamples: lambda client, message: self.by_samples(message.n),
            Seek: lambda client, message: self.seek(message.t),
            Reset: lambda client, message: self.seek(self.start),
            Speed: lambda client, message: setattr(self, "speed", message.factor),
            Replaying: lambda client, message: self._play_as(message),
            AskTraces: lambda client, message: self.tell(client, self._traces),
        }
        # there is nothing to plot, to unfold or to let go of
        self.handlers.update(dict.fromkeys((Subscribe, Watch, Show, Release), lambda client, message: None))

    def put_traces(self, traces: Iterable[Trace]) -> None:
        """Lines on the ground that were kept with a run."""
        self._traces = Traces(tuple(trace.part() for trace in traces))

    # the loop

    def begin(self) -> None:
        """Show the start."""
        self.tell(None, self._trails)
        self._last = self._wall()
        self._publish(force=True)

    def turn(self) -> None:
        """Once round the loop: commands, time, a frame; then wait until there is something to do again."""
        now = time.perf_counter()
        due = self._status_at + STATUS
        if self.playing or self._changed:
            due = min(due, self._frame_at + FRAME)
        self.take_commands(max(0.0, due - now))
        self._move()
        self._publish()

    def _move(self) -> None:
        now = self._wall()
        passed, self._last = now - self._last, now
        if not self.playing:
            return
        reached = self.time + (-passed if self.backwards else passed) * self.speed
        span = self.stop - self.start
        if self.start <= reached <= self.stop:
            self.time = reached
        elif self.loop and span > 0.0:
            self.time = self.start + (reached - self.start) % span
        else:
            self.time = min(max(reached, self.start), self.stop)
            self.playing = False
        self._changed = True

    # what it is asked for

    def play(self) -> None:
        """Go on; from the end it begins again."""
        if self.time == (self.start if self.backwards else self.stop):
            self.time = self.stop if self.backwards else self.start
        self.playing, self._last = True, self._wall()

    def pause(self) -> None:
        """Stay where it is."""
        self.playing = False

    def seek(self, t: float) -> None:
        """Go to a time, or to the nearer end."""
        self.time = min(max(t, self.start), self.stop)
        self._last = self._wall()

    def by_samples(self, n: int) -> None:
        """Pause, and go so many samples of the first run on or back; from between two, to the nearer ones first."""
        self.playing = False
        times = self._poses[0].time
        k = self._poses[0].sample_at(self.time)
        if n < 0 and self.time > times[k]:
            k += 1
        self.time = float(times[min(max(k + n, 0), len(times) - 1)])

    def _play_as(self, wanted: Replaying) -> None:
        self.backwards, self.loop, self.exact = wanted.backwards, wanted.loop, wanted.exact

    # what others hear

    def poses(self, run: int = 0) -> np.ndarray:
        """(nodes, 7) poses of a run that are shown now."""
        return self._poses[run].at(self.time - self._shift[run], exact=self.exact)

    def frame(self) -> bytes:
        """The frame of this moment."""
        self._sequence += 1
        ghosts = (
            Section(GHOST, struct.pack("<I", k) + np.ascontiguousarray(self.poses(k), dtype="<f4").tobytes())
            for k in range(1, len(self._poses))
        )
        shown = self.time
        if self.exact:
            first = self._poses[0]
            shown = float(first.time[first.sample_at(self.time)])
        flags = PLAYING if self.playing else 0
        return pack_poses(self.poses(), shown, self._sequence, flags=flags, sections=ghosts)

    def _publish(self, *, force: bool = False) -> None:
        now = time.perf_counter()
        for act in self.on_publish:
            act(now)
        if self._changed and (force or not self.playing or now - self._frame_at >= 0.9 * FRAME):
            self._frame_at, self._changed = now, False
            self.show(self.frame())
            if not self.playing:
                self._status_at = -1e9
        if force or now - self._status_at >= STATUS:
            self._status_at = now
            for message in (self.status(), self.playback(), Figures(tuple(self._figures()))):
                self.tell(None, message)

    def status(self) -> Status:
        """Where it is; who drives is known to the server alone."""
        run: Literal["playing", "paused", "ended"] = "playing"
        if not self.playing:
            run = "ended" if self.time == (self.start if self.backwards else self.stop) else "paused"
        factor = (-self.speed if self.backwards else self.speed) if self.playing else 0.0
        sample = self._poses[0].sample_at(self.time)
        return Status(run, self.time, sample, round(self.speed, 6), factor, False, None, 0)

    def playback(self) -> Playback:
        """What is shown and how."""
        first = self._poses[0]
        sample = first.sample_at(self.time)
        how = self.backwards, self.loop, self.exact
        return Playback(self.start, self.stop, len(first.time), sample, *how, tuple(self.runs))

    def _figures(self) -> list[tuple[str, str]]:
        first = self._poses[0]
        rows = [("sample", f"{first.sample_at(self.time)} of 0 to {len(first.time) - 1}")]
        for poses, name in zip(self._poses, self.runs):
            rows.append((name, f"{poses.start:g} to {poses.end:g} s, {poses.run.status}"))
        return rows


def colour_of(ghost: int) -> Colour:
    """The colour of a ghost, by its number from 1."""
    return GHOSTS[(ghost - 1) % len(GHOSTS)]


def ghost_of(scene: Scene, name: str, colour: Colour) -> Ghost:
    """A run beside the first: what moves of it, in one colour."""
    items = (replace(item, colour=colour) for item in scene.items if item.visual and not scene.nodes[item.node].static)
    return Ghost(name, colour, scene.nodes, scene.geometries, tuple(items))


def _check(runs: Sequence[Run], align: str) -> None:
    if not 1 <= len(runs) <= MOST_RUNS:
        raise InputError("replay", f"{len(runs)} runs", f"1 to {MOST_RUNS}", "Name fewer or more run files.")
    for run in runs:
        if not isinstance(run, Run):
            raise InputError("replay", f"{run!r}"[:80], "runs", "Pass gk.load_run(...).")
        if not len(run):
            raise InputError(f"run {run.title!r}", "no sample in it", "a run with samples", "Run it again.")
    if align not in ("start", "time"):
        raise InputError("replay", f"align is {align!r}"[:80], "'start' or 'time'", "Use one of these.")
