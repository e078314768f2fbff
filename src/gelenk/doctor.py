"""What `gelenk doctor` reports: enough to understand a slow start or a strange machine."""

from __future__ import annotations

import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version

from gelenk import __version__, kernel_files
from gelenk import compile as compiler

PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "h5py", "matplotlib", "trimesh")


def report(*, clear: bool = False) -> list[tuple[str, str]]:
    """Lines of a table: what, and how it stands."""
    if clear:
        kernel_files.clear_cache()
    rows = [("gelenk", __version__), ("python", f"{sys.version.split()[0]} ({sys.executable})")]
    rows += [(name, _version(name)) for name in PACKAGES]
    rows += [("system", platform.platform()), ("processor", _processor()), ("cores", str(os.cpu_count()))]
    if not compiler.ENABLED:
        return [*rows, ("kernels", "interpreted: GELENK_COMPILE is off")]
    state = kernel_files.cache_state()
    rows += [
        ("kernels", "compiled"),
        ("kernel cache", state["folder"]),
        ("cached now", f"{state['kernels']} kernels, {state['bytes'] / 1e6:.1f} MB"),
        ("of older versions", f"{state['old_stamps']} folders, {state['old_bytes'] / 1e6:.1f} MB (doctor --clear)"),
        ("start of the compiler", _compiler_start()),
    ]
    times: dict[str, list[float]] = {}
    for kernel, seconds in kernel_files.compile_times():
        times.setdefault(kernel, []).append(seconds)
    if not times:
        rows.append(("compile times", "nothing compiled yet; gelenk warmup compiles everything"))
    for kernel, seconds_list in times.items():
        shown = " ".join(f"{s:.1f}" for s in seconds_list[-12:])
        rows.append((f"compiled {kernel}", f"{shown} s ({len(seconds_list)} variants)"))
    return rows


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    """Name of the processor and the vector units that matter here."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            fields = dict(line.split(":", 1) for line in f if ":" in line)
        fields = {k.strip(): v.strip() for k, v in fields.items()}
        flags = [flag for flag in ("avx", "avx2", "fma", "avx512f") if flag in fields.get("flags", "").split()]
        return f"{fields.get('model name', platform.processor())} ({' '.join(flags) or 'no vector flags'})"
    except OSError:
        return platform.processor() or platform.machine()


def _compiler_start() -> str:
    """Seconds to load the compiler and compile a kernel of one line."""
    begun = time.perf_counter()

    def one(x: float) -> float:
        return x + 1.0

    compiler.kernel(one)(1.0)
    return f"{time.perf_counter() - begun:.2f} s with a kernel of one line"
