"""The recorder: takes samples of a running simulation and streams them to a run file in constant memory."""

from __future__ import annotations

import io
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from gelenk.checks import check_name
from gelenk.errors import InputError
from gelenk.model.model import Model
from gelenk.model.scene_write import scene_text
from gelenk.run.accuracy import Accuracy
from gelenk.run.columns import columns, fill, peak_columns
from gelenk.run.run_file import FAILED, RawWriter, beside, create, shorten, shorten_in_place
from gelenk.run.signals import COORDINATE, RATE, Signals

FLUSH_SECONDS = 0.5  # what a kill may cost at most
BUFFER_NUMBERS = 1 << 20  # 8 MiB of samples held before they are written
SUFFIXES = (".h5", ".hdf5")
ABOUT_MOST = 16_000  # letters: an attribute of a file has room for 64 kB

Output = Callable[[Any], Any]


class Sample(NamedTuple):
    """What is recorded at one time."""

    time: float
    flat: np.ndarray  # the state
    ledger: np.ndarray  # (8,) energies and momenta
    coordinate: np.ndarray  # (C,) free coordinates of joints
    rate: np.ndarray  # (C,) their rates
    between: np.ndarray | None  # (12 J + 2 D) means and peaks of forces, if they are recorded
    outputs: Mapping[str, Any]
    accuracy: Accuracy  # the worst so far


class Recorder:
    """Samples to a file, or to memory if no file is named. Begins with the first sample, so no file is without one."""

    def __init__(
        self,
        model: Model,
        first: Sample,
        *,
        capacity: int,
        attributes: Mapping[str, Any],
        path: Path | None,
    ) -> None:
        self.model, self.capacity = model, capacity
        values = {name: output_value(name, value, first.time) for name, value in first.outputs.items()}
        self._outputs = {name: value.shape for name, value in values.items()}
        state_size = len(first.flat)
        peaks = first.between is not None
        between = 0 if first.between is None else len(first.between)
        width = state_size + 10 + 2 * len(first.coordinate) + between + sum(value.size for value in values.values())
        self._sample_bytes = 8 * width
        self._rows = max(1, min(capacity, BUFFER_NUMBERS // width))
        self._time = np.empty(self._rows)
        self._flat = np.empty((self._rows, state_size))
        self._ledger = np.empty((self._rows, 8))
        self._coordinate, self._rate = (np.empty((self._rows, len(first.coordinate))) for _ in range(2))
        self._between = np.empty((self._rows, between)) if peaks else None
        self._values = {name: np.empty((self._rows, *shape)) for name, shape in self._outputs.items()}
        self._held = self.count = self._slot = 0
        self._begun = self._flushed = time.perf_counter()
        made = columns(model, self._outputs, peaks=peaks)
        scene = scene_text(model)
        whole = {**versions(), **attributes, "digest": sha256(scene.encode()).hexdigest()}
        whole |= {
            "bodies": json.dumps([b.name for b in model.bodies]),
            "particles": json.dumps([p.name for p in model.particles]),
            "signals": Signals.of(model, peaks=peaks).text(),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
        }

        def begin(target: str | Path | BinaryIO) -> None:
            create(target, made, capacity, state_size, whole, scene)
            self._writer = RawWriter(target)
            self.take(first)
            self.flush()

        self.target: str | Path | BinaryIO = path or io.BytesIO()
        try:
            if path is None:
                begin(self.target)
            else:
                # Made under another name, so that a file of this name is whole from its first moment.
                with beside(path) as temporary:
                    with open(temporary, "wb") as f:
                        f.truncate(8 * width * capacity)  # whether there can be a file of that size
                    begin(temporary)
                    self._writer.close(sync=False)
                    os.replace(temporary, path)
                self._writer = RawWriter(path)
        except (OSError, MemoryError, OverflowError, ValueError) as error:
            size, why = 8e-9 * width * capacity, str(error).partition("\n")[0][:200]
            raise InputError(
                "run in memory" if path is None else f"run file {str(path)!r}",
                f"it cannot be written, {size:.3g} GB for {capacity} samples ({why})",
                "a place with room that may be written to",
                "Choose another place, or a larger output_dt.",
            ) from error

    def take(self, sample: Sample) -> None:
        """Add one sample."""
        k = self._held
        self._time[k], self._flat[k], self._ledger[k] = sample.time, sample.flat, sample.ledger
        self._coordinate[k], self._rate[k] = sample.coordinate, sample.rate
        self._accuracy = sample.accuracy
        if self._between is not None:
            self._between[k] = sample.between
        for name, shape in self._outputs.items():
            value = output_value(name, sample.outputs[name], sample.time)
            if value.shape != shape:
                raise InputError(
                    f"output {name!r}",
                    f"shape {value.shape} at t = {sample.time:g} s",
                    f"{shape}, as at the start",
                    "Return the same shape every time.",
                )
            self._values[name][k] = value
        self._held += 1
        if self._held == self._rows:
            self.flush()

    def pause(self, t: float, flat: np.ndarray) -> None:
        """Between two steps: from time to time, write what is held and a state to restart from."""
        if time.perf_counter() - self._flushed > FLUSH_SECONDS:
            self.flush()
            self.checkpoint(t, flat)

    def flush(self) -> None:
        """Write what is held; the count last."""
        k = self._held
        if k:
            series = fill(self.model, self._time[:k], self._flat[:k], self._ledger[:k])
            series |= {COORDINATE: self._coordinate[:k], RATE: self._rate[:k]}
            if self._between is not None:
                series |= peak_columns(self.model, self._between[:k])
            series |= {f"outputs/{name}": values[:k] for name, values in self._values.items()}
            for path, values in series.items():
                if np.size(values):
                    self._writer.write(path, self.count, values)
            self.checkpoint(self._time[k - 1], self._flat[k - 1])
            self.count += k
            self._held = 0
        self._writer.write("count", 0, [self.count])
        self._flushed = time.perf_counter()
        self._writer.write("wall_time", 0, [self._flushed - self._begun])
        self._writer.write("accuracy", 0, self._accuracy)

    def note(self, text: str) -> None:
        """Write what else is to be known of the run, in place of what was written before; cut to the room there is."""
        self._writer.text("notes", text)

    def checkpoint(self, t: float, flat: np.ndarray) -> None:
        """Keep a state to restart from, beside the one before it."""
        slot = 1 - self._slot
        self._writer.write("checkpoint/state", slot, flat[None])
        self._writer.write("checkpoint/time", slot, [t])
        self._writer.write("checkpoint/slot", 0, [slot])
        self._slot = slot

    def grow(self, capacity: int) -> None:
        """Room for more samples: the file is copied with it, and takes the place of the old one when it is whole."""
        if not isinstance(self.target, Path):
            raise TypeError("only a recorder to a file grows")
        self.flush()
        self._writer.close(sync=False)
        try:
            with beside(self.target) as temporary:
                shorten(self.target, temporary, capacity)
                os.replace(temporary, self.target)
                self.capacity = capacity
        finally:
            self._writer = RawWriter(self.target)

    @property
    def samples(self) -> int:
        """Samples taken so far."""
        return self.count + self._held

    @property
    def size(self) -> int:
        """Bytes of the samples taken so far."""
        return self._sample_bytes * self.samples

    @property
    def full(self) -> bool:
        """Whether there is no room for another sample."""
        return self.samples >= self.capacity

    def finish(self, status: str, message: str, t: float, flat: np.ndarray) -> str | Path | BinaryIO:
        """Write the rest, the state reached and how the run ended; returns where the run lies."""
        try:
            self.flush()
            self.checkpoint(t, flat)
        except OSError as error:  # a full disk: how it ended can still be said, its place was written before
            status, message = FAILED, f"{error}"
            raise
        finally:
            self._writer.text("message", message)
            self._writer.text("status", status)
            replaced = self._writer.replaced()
            self._writer.close()
        if replaced:
            raise InputError(
                f"run file {str(self.target)!r}",
                "another file took its name while the run went on",
                "one run a file",
                "Run again with a name of its own.",
            )
        if self.count < self.capacity:
            self.target = shorten_in_place(self.target)
        return self.target


def output_value(name: str, value: Any, t: float) -> np.ndarray:
    """A user's output as numbers."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" or not array.size:
            raise TypeError
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"output {name!r}", f"{value!r} at t = {t:g} s"[:120], "a number or an array of numbers", "Return one."
        ) from None


def versions() -> dict[str, str]:
    """Versions of what shapes the numbers, for the run file."""
    from gelenk import __version__

    made = {"gelenk_version": __version__, "python_version": sys.version.split()[0], "platform": platform.platform()}
    for name in ("numpy", "numba", "h5py"):
        try:
            made[f"{name}_version"] = version(name)
        except PackageNotFoundError:
            made[f"{name}_version"] = "unknown"
    return made


def run_path(file: str | Path, overwrite: bool) -> Path:
    """The path of a new run file; refuses to write over one unless told to."""
    path = new_path("run file", file, SUFFIXES)
    if path.exists() and not overwrite:
        raise InputError(
            f"run file {str(path)!r}",
            "the file exists",
            "a new name",
            "Choose another name, or pass overwrite=True (--force).",
        )
    return path


def new_path(what: str, file: str | Path, suffixes: Sequence[str], *, not_over: Path | None = None) -> Path:
    """Where a file may be written; never over the run ``not_over`` it is made from."""
    if not isinstance(file, (str, os.PathLike)):
        raise InputError(what, f"the name is {file!r}"[:100], "a path", "Pass a string or a Path.")
    path = Path(file)
    element = f"{what} {str(path)!r}"
    if path.is_dir():
        raise InputError(element, "a folder of that name", "a file", "Add a file name.")
    if path.suffix.lower() not in suffixes:
        raise InputError(element, f"suffix {path.suffix!r}", ", ".join(suffixes), "Change the suffix.")
    if not path.parent.is_dir():
        raise InputError(
            element, f"the folder {str(path.parent)!r} does not exist", "a folder that exists", "Create it."
        )
    if not_over is not None and path.exists() and path.samefile(not_over):
        raise InputError(element, "the run itself has that name", "another file", "Choose another name.")
    return path


def check_about(about: Mapping[str, str] | None) -> dict[str, str]:
    """Texts to be kept with a run, as attributes of its file."""
    if about is not None and not isinstance(about, Mapping):
        raise InputError("run()", f"about is {about!r}"[:100], "a dict of name to text", "Pass a dict.")
    for name, text in (about or {}).items():
        check_name("text about the run", name)
        if not isinstance(text, str) or len(text) > ABOUT_MOST:
            found = f"about[{name!r}] is {text!r}"[:100]
            raise InputError("run()", found, f"a text of at most {ABOUT_MOST} letters", "Keep longer ones in a file.")
    return {f"about.{name}": text for name, text in (about or {}).items()}


def check_outputs(model: Model, outputs: Mapping[str, Output] | None) -> dict[str, Output]:
    """Names and functions of user outputs; a name may not be that of a series, a body or a joint."""
    if outputs is not None and not isinstance(outputs, Mapping):
        raise InputError("run()", f"outputs is {outputs!r}"[:100], "a dict of name to function", "Pass a dict.")
    taken = {"time", "energy", "momentum", "angular_momentum", *model.nodes.names, *(e.name for e in model.joints)}
    checked = {}
    for name, function in (outputs or {}).items():
        check_name("output", name)
        first = [name[:k] for k, letter in enumerate(name) if letter == "."] + [name]
        if taken.intersection(first):
            raise InputError(
                f"output {name!r}",
                "the name is that of a body, a joint or a series",
                "a new name",
                "Choose another name.",
            )
        if not callable(function):
            raise InputError(
                f"output {name!r}", f"{function!r}"[:80], "a function of the simulation", "Pass a function."
            )
        checked[name] = function
    return checked
