"""A long run shows one line on a terminal and clears it; where nobody looks, nothing is shown."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import termios

import pytest

from run.processes import PATIENCE, start

# Slow on purpose: a law that sleeps, so that 1.6 s pass between few samples as well as between many.
SLOW = """
import sys, time
from run.models import started, with_law

def law(t, state, loads):
    if awake:
        time.sleep(2e-3)

awake = False
started(with_law(law)).run(2e-3, progress=False)   # compiles, if anything is left to compile
sys.stderr.write("begin|")
sys.stderr.flush()
awake = True
started(with_law(law)).run(0.2, output_dt=float(sys.argv[1]), progress=sys.argv[2] == "True")
sys.stderr.write("|end")
"""
COLUMNS = 60
# name: time between samples [s], whether progress is asked for, whether there is a terminal
CASES = {
    "many samples": (0.01, True, True),
    "no sample in between": (0.2, True, True),
    "turned off": (0.1, False, True),
    "no terminal": (0.01, True, False),
}


@pytest.fixture(scope="module")
def shown():
    """What each case wrote to standard error during its run; all run at once, as they mostly sleep."""
    jobs = {}
    for name, (output_dt, progress, terminal) in CASES.items():
        master, slave = pty.openpty() if terminal else os.pipe()
        if terminal:
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        jobs[name] = master, start(SLOW, output_dt, progress, stderr=slave)
        os.close(slave)
    texts = {}
    for name, (master, process) in jobs.items():
        text = received(master, process)
        texts[name] = re.search(r"begin\|(.*)\|end", text, re.S)[1]
    return texts


def received(master, process):
    """All that came through a terminal or a pipe."""
    data = b""
    with contextlib.suppress(OSError):  # a terminal whose other end is closed
        while part := os.read(master, 4096):
            data += part
    os.close(master)
    process.stdin.close()
    process.stdout.close()
    assert process.wait(PATIENCE) == 0, data
    return data.decode()


@pytest.mark.parametrize("case", ["many samples", "no sample in between"])
def test_a_long_run_shows_its_progress_on_a_terminal_and_clears_it(shown, case):
    text = shown[case]
    assert text.endswith("\r\x1b[K")
    lines = [line for line in text.split("\r\x1b[K") if line]
    assert lines, repr(text)
    parts = [int(re.match(r"\[[= ]+\] +(\d+) %", line)[1]) for line in lines]
    assert parts == sorted(parts)
    assert 0 < parts[0] <= parts[-1] <= 100
    # One row only: a longer line wraps, and then clearing it leaves the rest behind.
    assert max(map(len, lines)) < COLUMNS
    assert "\n" not in text


@pytest.mark.parametrize("case", ["turned off", "no terminal"])
def test_where_nobody_looks_nothing_is_shown(shown, case):
    assert shown[case] == ""


def test_a_short_run_shows_nothing():
    code = "from run.models import started, stone; import sys\n"
    code += "started(stone()).run(0.01, progress=False); sys.stderr.write('begin|')\n"
    code += "started(stone()).run(0.5); sys.stderr.write('|end')"
    master, slave = pty.openpty()
    process = start(code, stderr=slave)
    os.close(slave)
    assert received(master, process).endswith("begin||end")
