"""Other processes for the tests: they import the same package and the same tests as this one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import gelenk

PATHS = [str(Path(gelenk.__file__).parents[1]), str(Path(__file__).parents[1])]
# A shell may start background jobs with Ctrl-C ignored; the processes of these tests must not inherit that.
PRELUDE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
CLI = "import sys; sys.argv[0] = 'gelenk'; from gelenk.cli import main; main()"
PATIENCE = 120  # seconds until a process counts as hung; generous, as a cold kernel cache compiles first


def environment(**changes):
    return {**os.environ, "PYTHONPATH": os.pathsep.join(PATHS), "PYTHONWARNINGS": "error", **changes}


def start(code, *arguments, env=None, **options):
    """A Python process that runs ``code``."""
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    command = [sys.executable, "-c", PRELUDE + code, *map(str, arguments)]
    return subprocess.Popen(command, env=environment(**(env or {})), **options)


def start_cli(*arguments, **options):
    """`gelenk ARGUMENTS` in a process of its own."""
    return start(CLI, *arguments, **options)


def finish(process):
    """(exit code, stdout, stderr) of a process; it is killed if it hangs."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return process.returncode, out, err


def wait_for(condition, process):
    """Wait until ``condition()`` is true; a process that ends before that is an error."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, finish(process)
        assert time.monotonic() < deadline, "hangs"
        time.sleep(0.005)


def kill(pid):
    os.kill(pid, signal.SIGKILL)
