"""The run file: HDF5 that opens at any moment, even after a kill.

The file is made complete and closed before the first step: all series are contiguous, allocated to their full length
(a sparse file: nothing is written yet). From then on the recorder writes raw numbers straight to their places with
plain file writes, so no byte of HDF5 structure ever changes while a run is going on. ``count`` is written last and says
how many samples are whole. A run that ends early is copied to its true length and renamed over the file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gelenk.run.columns import Column

FORMAT = "gelenk-run 1"
RUNNING, FINISHED, INTERRUPTED, FAILED = "running", "finished", "interrupted", "failed"
STATUS_BYTES, MESSAGE_BYTES, NOTES_BYTES = 16, 2048, 16384
COPY_ROWS = 4096


def create(
    target: str | Path | BinaryIO,
    made: Sequence[Column],
    capacity: int,
    state_size: int,
    attributes: Mapping[str, Any],
    scene: str,
) -> None:
    """Write a whole run file with room for ``capacity`` samples, and close it."""
    import h5py

    with h5py.File(target, "w", libver=("earliest", "v108")) as f:
        for key, value in attributes.items():
            f.attrs[key] = value
        f.attrs["format"] = FORMAT
        f.create_dataset("scene", data=scene, dtype=h5py.string_dtype())
        for column in made:
            dataset = _contiguous(f, column.path, (capacity, *column.shape), "<f8")
            dataset.attrs["unit"], dataset.attrs["about"] = column.unit, column.about
        _contiguous(f, "count", (1,), "<i8")
        _contiguous(f, "status", (1,), f"S{STATUS_BYTES}")
        _contiguous(f, "message", (1,), f"S{MESSAGE_BYTES}")
        _contiguous(f, "notes", (1,), f"S{NOTES_BYTES}")
        _contiguous(f, "wall_time", (1,), "<f8")
        _contiguous(f, "accuracy", (3,), "<f8")  # joints open by [m] and [rad], residual of the solver
        # Two places for the restart state, written in turn, so that one is always whole.
        _contiguous(f, "checkpoint/state", (2, state_size), "<f8")
        _contiguous(f, "checkpoint/time", (2,), "<f8")
        _contiguous(f, "checkpoint/slot", (1,), "<i8")
        f["accuracy"][:] = np.nan
        f["count"][0], f["wall_time"][0], f["checkpoint/slot"][0] = 0, 0.0, 0
        f["status"][0], f["message"][0], f["notes"][0] = RUNNING.encode(), b"", b""


def _contiguous(f: Any, path: str, shape: tuple[int, ...], dtype: str) -> Any:
    import h5py

    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.CONTIGUOUS)
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    return f.create_dataset(path, shape=shape, dtype=np.dtype(dtype), dcpl=plist)


@contextmanager
def beside(target: str | Path) -> Iterator[Path]:
    """A hidden name in the same folder, to make a file under that is then renamed; nothing of it is left behind."""
    temporary = Path(target).with_name(f".{Path(target).name}.{os.getpid()}.part")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


class RawWriter:
    """Writes numbers into the series of an existing run file without touching its structure."""

    def __init__(self, target: str | Path | BinaryIO) -> None:
        import h5py

        self._places: dict[str, tuple[int, tuple[int, ...], np.dtype]] = {}

        def note(path: str, item: Any) -> None:
            if isinstance(item, h5py.Dataset) and item.id.get_offset() is not None:
                self._places[path] = (item.id.get_offset(), item.shape, item.dtype)

        with h5py.File(target, "r") as f:
            f.visititems(note)
        # The structure is closed; from here on the file is only memory with known places.
        self._file = open(target, "r+b", buffering=0) if isinstance(target, (str, Path)) else target  # noqa: SIM115
        self._owned = isinstance(target, (str, Path))
        self._target = target

    def replaced(self) -> bool:
        """Whether another file has taken the name of the one that is being written."""
        if not self._owned:
            return False
        try:
            return not os.path.samestat(os.fstat(self._file.fileno()), os.stat(self._target))  # type: ignore[arg-type]
        except FileNotFoundError:
            return True

    def write(self, path: str, first: int, values: Any) -> None:
        """Write rows ``first``, ``first + 1``, ... of a series."""
        offset, shape, dtype = self._places[path]
        rows = np.ascontiguousarray(values, dtype=dtype).reshape(-1, *shape[1:])
        if first + len(rows) > shape[0]:
            raise IndexError(f"{path}: row {first + len(rows) - 1} is beyond the {shape[0]} rows of the file")
        row_bytes = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
        self._file.seek(offset + first * row_bytes)
        data = memoryview(rows.tobytes())
        while data:
            data = data[self._file.write(data) :]

    def text(self, path: str, text: str) -> None:
        """Write a short text, cut to the room there is."""
        size = self._places[path][2].itemsize
        data = text.encode("utf-8")[:size].decode("utf-8", "ignore").encode("utf-8")
        self.write(path, 0, np.array([data], dtype=f"S{size}"))

    def close(self, *, sync: bool = True) -> None:
        """Close the file; by default what was written is on the disk before that."""
        if self._owned and not self._file.closed:
            if sync:
                os.fsync(self._file.fileno())
            self._file.close()


def shorten(target: str | Path | BinaryIO, out: str | Path | BinaryIO, capacity: int | None = None) -> None:
    """Copy a run file with only its whole samples, in constant memory; with room for ``capacity`` if given."""
    import h5py

    with h5py.File(target, "r") as a, h5py.File(out, "w", libver=("earliest", "v108")) as b:
        count = int(a["count"][0])
        for key, value in a.attrs.items():
            b.attrs[key] = value

        def copy(path: str, item: Any) -> None:
            if not isinstance(item, h5py.Dataset):
                return
            series = "unit" in item.attrs
            if not series:
                a.copy(item, b, name=path)
                return
            dataset = _contiguous(b, path, (max(count, capacity or 0), *item.shape[1:]), "<f8")
            for key, value in item.attrs.items():
                dataset.attrs[key] = value
            for i in range(0, count, COPY_ROWS):
                dataset[i : min(i + COPY_ROWS, count)] = item[i : min(i + COPY_ROWS, count)]

        a.visititems(copy)


def shorten_in_place(target: str | Path | BinaryIO) -> str | Path | BinaryIO:
    """Replace a run file by its shortened copy; a crash in between leaves the old one."""
    if isinstance(target, (str, Path)):
        with beside(target) as temporary:
            shorten(target, temporary)
            os.replace(temporary, target)
        return target
    memory = io.BytesIO()
    shorten(target, memory)
    return memory
