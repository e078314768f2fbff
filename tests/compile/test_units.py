"""Units: compiled once for all kernels that call them, in one process and through the cache."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk.compile import kernel, unit
from gelenk.math.vec3 import Vec3

SOURCE = Path(gk.__file__).parent
compiled_only = pytest.mark.skipif(not compiler.ENABLED, reason="GELENK_COMPILE is off: there is nothing compiled")


@unit
def scaled(v, factor, out):
    """A value, a number and an array in, several values out."""
    out[0] += 1.0
    return v * factor, v.norm() * factor, out[0] > 1.0


@kernel
def once(out):
    w, size, again = scaled(Vec3(3.0, 0.0, 4.0), 2.0, out)
    out[1], out[2], out[3] = w.z, size, again


@kernel
def twice(out):
    scaled(Vec3(3.0, 0.0, 4.0), 2.0, out)
    w, size, again = scaled(Vec3(6.0, 0.0, 8.0), 0.5, out)
    out[1], out[2], out[3] = w.z, size, again


@pytest.mark.parametrize("how", ["compiled", "python"])
def test_a_unit_takes_and_gives_any_values(how):
    for entry, expected in ((once, [1.0, 8.0, 10.0, 0.0]), (twice, [2.0, 4.0, 5.0, 1.0])):
        out = np.zeros(4)
        (entry if how == "compiled" else entry.python)(out)
        assert out.tolist() == expected


@compiled_only
def test_two_kernels_share_the_code_of_a_unit():
    once(np.zeros(4))
    twice(np.zeros(4))
    assert [done.name for done in compiler.history].count(f"{scaled.__module__}.scaled") == 1


MODULE = """
from gelenk.compile import kernel, routine, unit

@unit
def cube(x):
    return x * x * x

@routine
def above(x):
    return cube(x) + 1.0

@kernel
def first(out):
    out[0] = cube(out[0])

@kernel
def second(out):
    out[0] = above(out[0])
"""
PROBE = """
import json, sys
import numpy as np
from gelenk import compile as compiler
from gelenk.math import cubes
out = np.array([2.0])
getattr(cubes, sys.argv[1])(out)
print(json.dumps([out[0], [done.name.rpartition(".")[2] for done in compiler.history]]))
"""


@compiled_only
def test_a_unit_in_the_cache_serves_other_kernels_and_other_processes(tmp_path):
    shutil.copytree(SOURCE, tmp_path / "gelenk", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "gelenk" / "math" / "cubes.py").write_text(MODULE)
    paths = {"PYTHONPATH": str(tmp_path), "GELENK_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(name):
        command = [sys.executable, "-c", PROBE, name]
        done = subprocess.run(command, env={**os.environ, **paths}, capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    value, compiled = run("first")
    assert value == 8.0
    assert "cube" in compiled
    value, compiled = run("second")
    assert value == 9.0
    assert "above" in compiled
    assert "cube" not in compiled
    assert run("second") == [9.0, []]
