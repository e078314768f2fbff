"""Large meshes: the work of a step is nearly independent of the number of triangles (H-10).

Work is counted, not timed: the calls of functions in a step of the very code that is compiled, run without compiling.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("mesh_work.py")


def counted(how, *cells):
    """Rows of triangles, calls and contacts."""
    run = [sys.executable, str(SCRIPT), how, *map(str, cells)]
    made = subprocess.run(run, env=os.environ | {"GELENK_COMPILE": "0"}, capture_output=True, text=True, check=True)
    return [tuple(map(int, line.split())) for line in made.stdout.splitlines()]


def test_triangles_that_are_only_seen_cost_nothing():
    (few, first, touching), (many, second, also) = counted("visual", 10, 160)
    assert (few, many) == (400, 102_400)
    assert touching == also > 1
    assert first == second


def test_triangles_that_touch_cost_little_where_nothing_lies_on_them():
    """Six times as many of one size about the same bodies: a tree has three levels more, of which a walk sees few."""
    (few, first, touching), (many, second, also) = counted("physical", 30, 76)
    assert (few, many) == (3_600, 23_104)
    assert touching == also > 1
    assert second < 1.1 * first


@pytest.mark.proof
def test_a_hundred_thousand_triangles_cost_as_much_as_twenty_thousand():
    (few, first, touching), (many, second, also) = counted("physical", 76, 160)
    assert (few, many) == (23_104, 102_400)
    assert touching == also > 1
    assert second < 1.1 * first
