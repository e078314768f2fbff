"""Recording of a session to a run file, as long as somebody wants it.

The file lies in one folder under a name of its own, chosen here. It is a run file from its first moment, and holds
what was recorded up to half a second ago whatever happens to the process. It grows by itself.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gelenk.errors import InputError
from gelenk.run.recorder import Recorder, Sample
from gelenk.run.run_file import FAILED, FINISHED, INTERRUPTED
from gelenk.view.hand_notes import HandNotes, words
from gelenk.view.messages import Message
from gelenk.view.to_page import Problem, Recorded, Recording

if TYPE_CHECKING:
    from gelenk.view.session import Session

INTERVAL = 1.0 / 60.0  # time between samples if none is asked for [s]
FEWEST, MOST = 1000, 36_000  # samples that there is room for at first
FIRST_BYTES = 256e6  # about what that room may take, as a file with holes
TOLD_EVERY = 0.5  # wall time between two messages of how much there is [s]


class LiveRecorder:
    """Takes samples while the session moves.

    Parameters
    ----------
    session : whose simulation is recorded
    folder : where files are made
    """

    def __init__(self, session: Session, folder: Path) -> None:
        self._session, self.folder = session, folder
        self.path: Path | None = None  # of the file that is being written
        self._recorder: Recorder | None = None
        self._sample: Callable[[], Sample] | None = None
        self._every, self._left = 1, 1  # steps between samples, steps to the next one
        self._last = 0.0  # time of the last sample [s]
        self._told_at = -1e9
        self._notes, self._noted_at = HandNotes(), -1e9

    @property
    def on(self) -> bool:
        """Whether it records."""
        return self._recorder is not None

    def start(self, interval: float | None = None) -> Path:
        """Begin a new file with a sample of now; samples are a whole number of steps apart."""
        if self._recorder is not None:
            raise InputError("record", "a recording goes on", "one at a time", "End it first.")
        sim = self._session.sim
        h = sim.method.h
        self._every = self._left = max(1, round((INTERVAL if interval is None else interval) / h))
        numbers = 2 * len(sim.state.flat) + 20
        capacity = int(max(FEWEST, min(MOST, FIRST_BYTES / (8 * numbers))))
        path = free_path(self.folder, sim.model.name)
        try:
            self._recorder, self._sample = sim.recorder(path, self._every * h, capacity)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        self.path, self._last = path, sim.time
        self._notes, self._noted_at = HandNotes(), -1e9
        self._tell()
        return path

    def stop(self, status: str = FINISHED, why: str = "") -> None:
        """End the file, if there is one; the last sample is that of now."""
        recorder, path = self._recorder, self.path
        if recorder is None or path is None:
            return
        sim = self._session.sim
        try:
            if sim.time > self._last and self._sample is not None:
                recorder.take(self._sample())
            recorder.note(self._notes.text())
        finally:
            self._recorder = self._sample = self.path = None
            try:
                recorder.finish(status, why, sim.time, sim.state.flat)
            finally:
                size = path.stat().st_size if path.exists() else 0
                self._session.tell(None, Recorded(str(path), sim.time, size, recorder.count, why))
                self._session.tell(None, Recording())

    def note(self, message: Message) -> None:
        """A command was carried out: if it changed the motion, the file says what it was and when."""
        recorder, what = self._recorder, words(message)
        if recorder is None or what is None:
            return
        now = time.perf_counter()
        if self._notes.add(what, self._session.sim.time) or now - self._noted_at > TOLD_EVERY:
            self._noted_at = now
            try:
                recorder.note(self._notes.text())
            except OSError as error:
                self._give_up(error)

    def most(self, count: int) -> int:
        """How many of so many steps may be taken before a sample is due."""
        return min(count, self._left) if self.on else count

    def stepped(self, count: int) -> None:
        """So many steps were taken; perhaps a sample is due."""
        if self.on:
            self._left -= count
            if self._left <= 0:
                self._left = self._every
                self._take()

    def _take(self) -> None:
        """One sample; a disk that is full ends the recording, not the simulation."""
        recorder, sample = self._recorder, self._sample
        if recorder is None or sample is None:
            return
        try:
            recorder.take(sample())
            self._last = self._session.sim.time
            if recorder.full:
                recorder.grow(2 * recorder.capacity)
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._session.tell(None, Problem(f"the recording has ended: {error}"[:500]))
        with suppress(OSError):  # what was written before is in the file
            self.stop(FAILED, str(error)[:200])

    def tick(self) -> None:
        """Between steps: write what is held from time to time, and tell how much there is."""
        recorder, sim = self._recorder, self._session.sim
        if recorder is None:
            return
        try:
            recorder.pause(sim.time, sim.state.flat)
        except OSError as error:
            self._give_up(error)
            return
        if time.perf_counter() - self._told_at > TOLD_EVERY:
            self._tell()

    def _tell(self) -> None:
        self._told_at = time.perf_counter()
        recorder, path = self._recorder, self.path
        if recorder is not None and path is not None:
            samples = recorder.samples
            interval = self._every * self._session.sim.method.h
            self._session.tell(None, Recording(True, str(path), recorder.size, samples, interval))

    def end(self) -> None:
        """The session ends."""
        self.stop(INTERRUPTED, f"the view was closed at t = {self._session.sim.time:g} s")


def free_path(folder: Path, name: str) -> Path:
    """A name in the folder that nobody has, taken at once; only letters that suit a file are left of the model's."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "view"
    folder.mkdir(parents=True, exist_ok=True)
    k = 1
    while True:
        path = folder / (f"{stem}.h5" if k == 1 else f"{stem}-{k}.h5")
        try:
            path.touch(exist_ok=False)
            return path
        except FileExistsError:
            k += 1
