"""Draw a run in a second process that loads the plotter while the first one still computes: half a second saved."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


class PictureProcess:
    """A process that waits for a run file to draw; it ends by itself when this one does."""

    def __init__(self, wanted: bool = True) -> None:
        self._process = None
        if wanted:
            # A session of its own, so that Ctrl-C reaches only the run.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gelenk.run.picture_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def __enter__(self) -> PictureProcess:
        return self

    def __exit__(self, *error: object) -> None:
        self._send("")

    def draw(self, run_file: Path, picture: Path) -> bool:
        """Draw and wait; False if it did not work, and then the caller may draw for himself and see why."""
        return self._send(f"{run_file.resolve()}\n{picture.resolve()}\n") == 0

    def _send(self, text: str) -> int | None:
        """Say what to draw, or nothing, and wait for the end; its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        try:
            process.communicate(text.encode(), timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.communicate()
        return process.returncode


def main() -> None:
    """Load what a picture needs, then draw what the first two lines of standard input name."""
    import matplotlib.backends.backend_agg
    import matplotlib.collections
    import matplotlib.figure  # noqa: F401

    from gelenk.run.run import load_run

    lines = sys.stdin.read().splitlines()
    if len(lines) == 2:
        with load_run(lines[0]) as run:
            run.picture(lines[1])


if __name__ == "__main__":
    main()
