"""Draw a run in a second process that loads the plotter while the first one still computes: half a second saved."""

from __future__ import annotations

import os
import threading
import warnings
from pathlib import Path


class PictureProcess:
    """A fork of this process that waits for a run file to draw; it ends when this one does.

    Only where a process can be forked safely: where there is ``fork``, and from a process with one thread.
    """

    def __init__(self, wanted: bool = True) -> None:
        self._child, self._pipe = 0, -1
        if wanted and hasattr(os, "fork") and threading.active_count() == 1:
            reading, self._pipe = os.pipe()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # threads of the linear algebra, asleep here
                self._child = os.fork()
            if self._child == 0:
                os.close(self._pipe)
                _serve(reading)
            os.close(reading)

    def __enter__(self) -> PictureProcess:
        return self

    def __exit__(self, *error: object) -> None:
        self._send("")

    def draw(self, run_file: Path, picture: Path) -> bool:
        """Draw and wait; False if it did not work, and then the caller may draw for himself and see why."""
        return self._send(f"{run_file.resolve()}\n{picture.resolve()}\n") == 0

    def _send(self, text: str) -> int | None:
        """Say what to draw, or nothing, and wait for the end; its exit code."""
        child, self._child = self._child, 0
        if not child:
            return None
        try:
            os.write(self._pipe, text.encode())
        except BrokenPipeError:
            pass
        finally:
            os.close(self._pipe)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _serve(reading: int) -> None:
    """In the fork: load what a picture needs, draw what two lines of the pipe name, and be gone."""
    code = 1
    try:
        os.setsid()  # Ctrl-C is for the run
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        import h5py  # noqa: F401
        import matplotlib.backends.backend_agg
        import matplotlib.collections
        import matplotlib.figure  # noqa: F401

        from gelenk.run.run import load_run

        with open(reading, encoding="utf-8") as pipe:
            lines = pipe.read().splitlines()
        if len(lines) == 2:
            with load_run(lines[0]) as run:
                run.picture(lines[1])
        code = 0
    finally:
        os._exit(code)
