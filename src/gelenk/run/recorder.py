"""The recorder: takes samples of a running simulation and streams them to a run file in constant memory."""

from __future__ import annotations

import io
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gelenk.checks import check_name
from gelenk.errors import InputError
from gelenk.model.model import Model
from gelenk.model.scene_write import scene_text
from gelenk.run.columns import columns, fill
from gelenk.run.run_file import RawWriter, create, shorten_in_place

FLUSH_SECONDS = 0.5  # what a kill may cost at most
BUFFER_NUMBERS = 1 << 20  # 8 MiB of samples held before they are written

Output = Callable[[Any], Any]


class Recorder:
    """Samples to a file, or to memory if no file is named."""

    def __init__(
        self,
        model: Model,
        *,
        capacity: int,
        outputs: Mapping[str, Any],
        attributes: Mapping[str, Any],
        file: str | Path | None,
        overwrite: bool,
    ) -> None:
        self.model, self.capacity = model, capacity
        self._outputs = {name: np.asarray(first, dtype=np.float64).shape for name, first in outputs.items()}
        state_size = len(model.initial_state().flat)
        made = columns(model, self._outputs)
        scene = scene_text(model)
        whole = {**versions(), **attributes, "digest": sha256(scene.encode()).hexdigest()}
        whole |= {
            "bodies": json.dumps([b.name for b in model.bodies]),
            "particles": json.dumps([p.name for p in model.particles]),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.target: str | Path | BinaryIO
        if file is None:
            self.target = io.BytesIO()
            create(self.target, made, capacity, state_size, whole, scene)
        else:
            self.target = new_path(file, overwrite)
            temporary = self.target.with_name(f".{self.target.name}.{os.getpid()}.part")
            try:
                create(temporary, made, capacity, state_size, whole, scene)
                os.replace(temporary, self.target)
            finally:
                temporary.unlink(missing_ok=True)
        self._writer = RawWriter(self.target)
        width = state_size + 10 + sum(int(np.prod(s)) for s in self._outputs.values())
        self._rows = max(1, min(capacity, BUFFER_NUMBERS // width))
        self._time = np.empty(self._rows)
        self._flat = np.empty((self._rows, state_size))
        self._ledger = np.empty((self._rows, 8))
        self._values = {name: np.empty((self._rows, *shape)) for name, shape in self._outputs.items()}
        self._held = self.count = self._slot = 0
        self._begun = self._flushed = time.perf_counter()

    def take(self, t: float, flat: np.ndarray, ledger: np.ndarray, values: Mapping[str, Any]) -> None:
        """Add one sample."""
        k = self._held
        self._time[k], self._flat[k], self._ledger[k] = t, flat, ledger
        for name, shape in self._outputs.items():
            value = np.asarray(values[name], dtype=np.float64)
            if value.shape != shape:
                raise InputError(
                    f"output {name!r}",
                    f"shape {value.shape} at t = {t:g} s",
                    f"{shape}, as at the start",
                    "Return the same shape every time.",
                )
            self._values[name][k] = value
        self._held += 1
        if self._held == self._rows or time.perf_counter() - self._flushed > FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is held; the count last."""
        k = self._held
        if k:
            series = fill(self.model, self._time[:k], self._flat[:k], self._ledger[:k])
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

    def checkpoint(self, t: float, flat: np.ndarray) -> None:
        """Keep a state to restart from, beside the one before it."""
        self._slot = 1 - self._slot
        self._writer.write("checkpoint/state", self._slot, flat[None])
        self._writer.write("checkpoint/time", self._slot, [t])
        self._writer.write("checkpoint/slot", 0, [self._slot])

    def finish(self, status: str, message: str = "") -> str | Path | BinaryIO:
        """Write the rest and how the run ended; returns where the run lies."""
        self.flush()
        self._writer.text("message", message)
        self._writer.text("status", status)
        self._writer.close()
        if self.count < self.capacity:
            self.target = shorten_in_place(self.target)
        return self.target


def versions() -> dict[str, str]:
    """Versions of what shapes the numbers, for the run file."""
    made = {"python_version": sys.version.split()[0], "platform": platform.platform()}
    for name in ("gelenk", "numpy", "numba"):
        try:
            made[f"{name}_version"] = version(name)
        except PackageNotFoundError:
            made[f"{name}_version"] = "unknown"
    return made


def new_path(file: str | Path, overwrite: bool) -> Path:
    """The path of a new run file; refuses to write over one unless told to."""
    path = Path(file)
    element = f"run file {str(path)!r}"
    if not path.parent.is_dir():
        raise InputError(
            element, f"the folder {str(path.parent)!r} does not exist", "a folder that exists", "Create it."
        )
    if path.is_dir():
        raise InputError(element, "a folder of that name", "a file", "Add a file name.")
    if path.exists() and not overwrite:
        raise InputError(element, "the file exists", "a new name", "Choose another name, or pass overwrite=True.")
    return path


def check_outputs(outputs: Mapping[str, Output] | None) -> dict[str, Output]:
    """Names and functions of user outputs."""
    checked = {}
    for name, function in (outputs or {}).items():
        check_name("output", name)
        if "/" in name or not callable(function):
            raise InputError(
                f"output {name!r}", f"{function!r}"[:80], "a function of the simulation", "Pass a function."
            )
        checked[name] = function
    return checked
