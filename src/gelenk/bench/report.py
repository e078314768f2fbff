"""Records as a table for people and as a file for programs."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gelenk.errors import InputError


def report(
    records: Sequence[dict[str, Any]], figures: str, notes: Sequence[str], skipped: Mapping[str, str]
) -> Iterator[str]:
    """Lines: a table, fastest first, what its columns mean, what went wrong, what was left out and why."""
    yield ""
    yield from table(records)
    yield ""
    unit = "{engine} {variant}".format(**reference(records)) if records else "nothing"
    yield f"time: processor time of one thread, of the whole scene and a step; ratio: to {unit}; errors: {figures}"
    yield from notes
    for name, why in skipped.items():
        yield f"skipped {name}: {why}"


def table(records: Sequence[dict[str, Any]]) -> list[str]:
    """Aligned lines, names to the left, numbers to the right."""
    if not records:
        return ["nothing was measured"]
    unit = reference(records)["ms_per_step"]
    errors = list(records[0]["accuracy"])
    heading = ["engine", "variant", "whole s", "ms/step", "ns/body/step", "x real time", "ratio"]
    heading += [name.removesuffix("_error").replace("_", " ") for name in errors] + ["state hash"]
    rows = [heading]
    for r in sorted(records, key=lambda r: r["ms_per_step"]):
        ms = r["ms_per_step"]
        row = [r["engine"], r["variant"], f"{r['seconds']:.3g}", f"{ms:.4g}", f"{1e6 * ms / r['size']:.1f}"]
        row += [f"{r['real_time_factor']:.3g}", f"{ms / unit:.3g}"]
        row += ["-" if r["accuracy"][name] is None else f"{r['accuracy'][name]:.1e}" for name in errors]
        rows.append([*row, r["state_hash"]])
    widths = [max(len(row[k]) for row in rows) for k in range(len(heading))]
    lines = [
        "  ".join(cell.ljust(w) if k < 2 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return lines


def reference(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What the others are compared with: Gelenk in its first variant, or the fastest where Gelenk was not measured."""
    own = next((r for r in records if r["engine"] == "gelenk"), None)
    return own or min(records, key=lambda r: r["ms_per_step"])


def check_target(path: Path) -> Path:
    """Refuse a place where no file can be written, before minutes of measuring."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise InputError(
            "bench", f"--json {path}: {error.strerror}", "a file to write", "Choose another place."
        ) from None
    if path.is_dir():
        raise InputError("bench", f"--json {path} is a folder", "a file to write", "Give a name with .json.")
    return path


def write_json(path: Path, records: Sequence[dict[str, Any]]) -> None:
    """The whole list or nothing: written beside the target, then moved there."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as f:
            json.dump(list(records), f, indent=2, allow_nan=False)
            f.write("\n")
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # a temporary file is private; a result is as readable as any file
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
