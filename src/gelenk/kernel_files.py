"""Where compiled kernels lie on the disk, and which sources they belong to. Knows files, not the compiler."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent
KEPT, UNUSED_DAYS = 10, 30.0  # versions beside this one whose kernels stay, and for how long without use
NEVER_COMPILED = (
    *("bench", "run", "study", "view", "worlds"),
    *("__main__.py", "cli.py", "cli_track.py", "instants.py", "simulate.py"),
)


@functools.cache
def stamp() -> str:
    """Hash over all sources that can hold compiled code and over the versions that shape it; no path enters."""
    h = hashlib.sha256()
    for name in ("numba", "llvmlite", "numpy"):
        h.update(f"{name} {version(name)}\n".encode())
    h.update(f"{sys.version_info[:2]} {platform.machine()} {sys.platform}\n".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        if relative.parts[0] not in NEVER_COMPILED:
            h.update(relative.as_posix().encode())
            h.update(path.read_bytes())
    return h.hexdigest()[:16]


def cache_root() -> Path:
    """Where kernels are kept: GELENK_CACHE_DIR, else the user's cache folder. It need not be writable."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.environ.get("GELENK_CACHE_DIR") or Path(home, "gelenk", "kernels"))


def cache_dir() -> Path:
    """Folder of the kernels that belong to this version of the sources."""
    return cache_root() / stamp()


def stamped(module: str) -> bool:
    """Whether the stamp covers the source of a module."""
    parts = module.split(".")
    return parts[0] == "gelenk" and not {*parts[1:2], f"{parts[1]}.py" if len(parts) > 1 else ""} & set(NEVER_COMPILED)


def log_time(kernel: str, seconds: float) -> None:
    """Append to the times beside the cache, which `gelenk doctor` reads."""
    try:
        cache_dir().mkdir(parents=True, exist_ok=True)
        with open(cache_dir() / "times.jsonl", "a", encoding="utf-8") as f:
            f.write(json.dumps({"kernel": kernel, "seconds": round(seconds, 3)}) + "\n")
    except OSError:
        pass


def compile_times() -> list[tuple[str, float]]:
    """Entry points compiled into the current cache with their seconds, oldest first."""
    try:
        lines = (cache_dir() / "times.jsonl").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    times = []
    for line in lines:
        try:
            record = json.loads(line)
            times.append((str(record["kernel"]), float(record["seconds"])))
        except (ValueError, KeyError, TypeError):
            continue  # a line cut off by a crash
    return times


def cache_state() -> dict[str, Any]:
    """Folder, stamp, number and size of kernels, and what older versions left behind."""
    root, here = cache_root(), cache_dir()
    exists = root.is_dir()

    def size(folder: Path) -> int:
        return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())

    old = [d for d in root.iterdir() if d.is_dir() and d.name != here.name] if exists else []
    return {
        "folder": str(here),
        "kernels": len(list(here.glob("*.nbc"))) if here.is_dir() else 0,
        "bytes": size(here) if here.is_dir() else 0,
        "old_stamps": len(old),
        "old_bytes": sum(size(d) for d in old),
    }


def clear_cache(*, everything: bool = False) -> None:
    """Remove kernels of older versions, or all of them. Only folders named like a stamp are touched."""
    _remove([folder for folder in _folders() if everything or folder.name != stamp()])


def mark_used() -> None:
    """Note that the kernels of this version are in use; the time of their folder is when they last were."""
    with contextlib.suppress(OSError):
        os.utime(cache_dir())


def drop_unused() -> None:
    """Remove kernels of other versions that nobody used for long, and beyond the newest few those of a day ago."""
    now, others = time.time(), []
    for folder in _folders():
        with contextlib.suppress(OSError):  # another process may remove it at the same time
            if folder.name != stamp():
                others.append(((now - folder.stat().st_mtime) / 86400.0, folder))
    others.sort(key=lambda entry: entry[0])
    _remove([folder for k, (days, folder) in enumerate(others) if days > (UNUSED_DAYS if k < KEPT else 1.0)])


def _folders() -> list[Path]:
    """Folders named like a stamp."""
    try:
        found = list(cache_root().iterdir())
    except OSError:
        return []
    return [f for f in found if len(f.name) == 16 and set(f.name) <= set("0123456789abcdef") and f.is_dir()]


def _remove(folders: list[Path]) -> None:
    import shutil

    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
