"""The kernel module: same bits off and on, generics, no allocation, and a cache that is never stale."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk import kernel_files
from gelenk.compile import by_number, generic, helper, kernel
from gelenk.methods.free import INTEGRATORS, FreeMotion, advance
from gelenk.methods.observe import observe_kernel

SOURCE = Path(gk.__file__).parent
compiled_only = pytest.mark.skipif(not compiler.ENABLED, reason="GELENK_COMPILE is off: there is nothing compiled")

PROBE = """
import json, sys
import numpy as np
import gelenk as gk
from gelenk import compile as compiler, kernel_files
b = gk.Builder()
b.particle("p", mass=1.0, velocity=(1, 0, 0))
sim = gk.Simulation(b.build(), gk.FreeMotion(h=0.5, integrator=gk.Ballistic()))
sim.advance(1.0)
print(json.dumps({"x": sim["p"].position.tolist(), "compiled": len(compiler.history), "numba": "numba" in sys.modules,
                  "stamp": kernel_files.stamp(), "folder": str(kernel_files.cache_dir()) if compiler.ENABLED else ""}))
"""


def probe(package_parent, cache, code=PROBE, **environment):
    """Run a small simulation in a fresh process with the package at a given place."""
    env = {
        **os.environ,
        "PYTHONPATH": str(package_parent),
        "GELENK_CACHE_DIR": str(cache),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env={**env, **environment}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1]) | {"stderr": done.stderr}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the package, its cache, and what its first run said."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(SOURCE, root / "a" / "gelenk", ignore=shutil.ignore_patterns("__pycache__"))
    return root, probe(root / "a", root / "cache")


@compiled_only
class TestCache:
    def test_second_process_compiles_nothing(self, checkout):
        root, first = checkout
        assert first["compiled"] > 5
        assert "compiling kernels for free with " in first["stderr"]
        again = probe(root / "a", root / "cache")
        assert again["compiled"] == 0
        assert again["x"] == first["x"] == [1.0, 0.0, -0.5 * 9.81]
        assert again["stderr"] == ""

    def test_moved_checkout_keeps_its_cache(self, checkout):
        root, first = checkout
        shutil.copytree(root / "a", root / "somewhere else" / "deeper")
        moved = probe(root / "somewhere else" / "deeper", root / "cache")
        assert moved["compiled"] == 0
        assert moved["stamp"] == first["stamp"]

    def test_changed_helper_in_another_file_is_never_served_stale(self, checkout):
        """The kernel lives in methods/free.py, the change in integrators/ballistic.py."""
        root, first = checkout
        shutil.copytree(root / "a", root / "changed")
        file = root / "changed" / "gelenk" / "integrators" / "ballistic.py"
        text = file.read_text(encoding="utf-8")
        assert "a * (0.5 * h * h)" in text
        file.write_text(text.replace("a * (0.5 * h * h)", "a * (0.25 * h * h)"), encoding="utf-8")
        changed = probe(root / "changed", root / "cache")
        assert changed["stamp"] != first["stamp"]
        assert changed["compiled"] > 0
        assert changed["x"][2] == pytest.approx(-0.5 * 9.81 + 2 * 0.25 * 9.81 * 0.25)  # half the fall within the steps

    def test_change_outside_the_compiled_layers_keeps_the_cache(self, checkout):
        root, _ = checkout
        shutil.copytree(root / "a", root / "cli")
        with open(root / "cli" / "gelenk" / "cli.py", "a", encoding="utf-8") as f:
            f.write("\n# a remark\n")
        assert probe(root / "cli", root / "cache")["compiled"] == 0

    def test_read_only_install_runs_from_the_users_cache(self, checkout):
        root, _ = checkout
        place = root / "read only"
        shutil.copytree(root / "a", place)
        for path in [place, *place.rglob("*")]:
            path.chmod(stat.S_IRUSR | stat.S_IXUSR if path.is_dir() else stat.S_IRUSR)
        before = sorted(place.rglob("*"))
        assert probe(place, root / "cache")["compiled"] == 0
        assert sorted(place.rglob("*")) == before
        for path in [place, *place.rglob("*")]:
            path.chmod(stat.S_IRWXU)

    def test_cache_that_cannot_be_written_costs_a_compile_only(self, checkout):
        root, first = checkout
        blocked = root / "a file, not a folder"
        blocked.write_text("x", encoding="utf-8")
        made = probe(root / "a", blocked)
        assert made["x"] == first["x"]
        assert made["stderr"].count("kernels are not kept. Set GELENK_CACHE_DIR") == 1

    def test_processes_that_save_at_once_do_not_mix_up_their_kernels(self, checkout):
        """Every signature has files of its own: nothing that two savers could number alike."""
        root, first = checkout
        other = PROBE.replace("gk.Ballistic()", "gk.SemiImplicitEuler()")
        probe(root / "a", root / "cache", code=other)
        files = sorted(f.name for f in Path(first["folder"]).glob("free.advance*.nb?"))
        assert len(files) == 4
        assert len({re.search(r"\.py\d+-([0-9a-f]{16})", f)[1] for f in files}) == 2
        assert all(".1.nbc" in f or f.endswith(".nbi") for f in files)

    def test_ctrl_c_while_machine_code_is_made_is_ctrl_c(self, monkeypatch):
        """The compiler calls back for the code it has made; what is raised in there is lost, and the code with it."""
        from numba.core.caching import FunctionCache

        from gelenk.compile.cache import kernel_cache

        def interrupted(cache, signature, data):
            raise RuntimeError("no compiled object yet for <Library 'f'>")

        cache = kernel_cache(by_number)
        monkeypatch.setattr(FunctionCache, "save_overload", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cache.save_overload((), None)

    def test_torn_cache_files_cost_a_compile_only(self, checkout):
        root, first = checkout
        shutil.copytree(root / "cache", root / "torn")
        for file in (root / "torn").rglob("*.nb[ci]"):
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        made = probe(root / "a", root / "torn")
        assert made["x"] == first["x"]
        assert made["compiled"] > 5
        assert probe(root / "a", root / "torn")["compiled"] == 0  # mended

    def test_off_switch_runs_the_same_code_without_the_compiler(self, checkout):
        root, first = checkout
        made = probe(root / "a", root / "unused", GELENK_COMPILE="0")
        assert made["x"] == first["x"]
        assert not made["numba"]
        assert not (root / "unused").exists()

    def test_times_are_logged_for_the_doctor(self, checkout):
        _, first = checkout
        lines = (Path(first["folder"]) / "times.jsonl").read_text(encoding="utf-8").splitlines()
        assert {json.loads(line)["kernel"] for line in lines} == {"methods.free.advance"}


def test_import_does_not_load_the_compiler_or_the_plotter():
    heavy = ("numba", "scipy", "matplotlib", "h5py", "trimesh")
    code = f"import sys, gelenk; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@compiled_only
def test_generated_code_counts_no_references_and_allocates_nothing():
    b = gk.Builder()
    b.particle("p", mass=1.0)
    model = b.build()
    for integrator in INTEGRATORS.values():
        gk.Simulation(model, FreeMotion(h=1e-3, integrator=integrator())).advance(2e-3)
    _ = gk.Simulation(model).ledger
    for entry in (advance, observe_kernel):
        dispatcher = entry.dispatcher
        fresh = dispatcher.__class__(dispatcher.py_func, targetoptions=dispatcher.targetoptions)
        for signature in dispatcher.signatures:  # code from the cache has no text: compile again to look at it
            fresh.compile(signature)
            text = fresh.inspect_llvm(signature)
            assert "define" in text
            assert "NRT_" not in text


class Left(NamedTuple):
    x: np.ndarray


class Right(NamedTuple):
    x: np.ndarray


@generic
def mark(block, out):
    """Write who was here."""


@mark.register(Left)
def _(block, out):
    out[0] = out[0] * 10.0 + block.x[0]


@mark.register(Right)
def _(block, out):
    out[0] = out[0] * 10.0 + 2.0 * block.x[0]


@kernel
def mark_all(blocks, out):
    mark(blocks, out)


@pytest.mark.parametrize("entry", [mark_all, mark_all.python], ids=["compiled", "python"])
def test_generic_tells_blocks_of_equal_layout_apart_and_keeps_their_order(entry):
    one = np.array([1.0])
    for blocks, expected in (((Left(one), Right(one)), 12.0), ((Right(one), Left(one), Left(one)), 211.0), ((), 0.0)):
        out = np.zeros(1)
        entry(blocks, out)
        assert out[0] == expected


@compiled_only
def test_kinds_of_worlds_and_of_users_are_not_cached():
    """The stamp does not cover their sources."""
    from gelenk.compile.cache import kernel_cache
    from gelenk.kernel_files import stamped

    assert stamped("gelenk.forces.spring")
    assert stamped("gelenk.compile.kernels")
    assert not stamped("gelenk.worlds.top")
    assert not stamped("gelenk.cli")
    assert not stamped("users_own")
    from numba import typeof

    assert kernel_cache(advance.python).foreign((typeof(Left(np.ones(1))),))


def test_generic_refuses_what_it_does_not_know():
    class Other(NamedTuple):
        x: np.ndarray

    with pytest.raises(TypeError, match="no implementation for Other"):
        mark(Other(np.ones(1)), np.zeros(1))


def make_left(factor):
    """A notebook cell that defines a block and its law, run once more."""

    class Left(NamedTuple):
        x: np.ndarray

    @mark.register(Left)
    def _(block, out):
        out[0] = factor * block.x[0]

    return Left


def test_a_block_defined_twice_under_one_name_is_not_mistaken_for_the_first():
    """The compiler tells NamedTuples apart by their names, so a second class of the name is given another."""
    for factor in (3.0, 4.0):
        out = np.zeros(1)
        mark_all((make_left(factor)(np.array([2.0])),), out)
        assert out[0] == 2.0 * factor
    out = np.zeros(1)
    mark_all((Left(np.array([1.0])),), out)
    assert out[0] == 1.0


def test_built_in_kinds_cannot_be_replaced_from_outside():
    from gelenk.forces.block import add_energy

    class Fake(NamedTuple):
        x: np.ndarray

    Fake.__module__ = "gelenk.forces.fake"
    with pytest.raises(TypeError, match="is built in"):
        add_energy.register(Fake)(lambda block, masses, state, t, energy_out: None)


def test_no_kernel_may_live_where_the_stamp_does_not_look():
    def stray():
        pass

    stray.__module__ = "gelenk.run.stray"
    with pytest.raises(TypeError, match=r"no kernel may live in gelenk\.run\.stray"):
        kernel(stray)


@helper
def twice(x):
    return x + x


@kernel
def count_up(out):
    for i in range(out.shape[0]):
        out[i] = twice(float(i))


@helper
def half(x):
    return 0.5 * x


pick = by_number({4: twice, 7: half})


@kernel
def pick_all(out):
    for i in range(out.shape[0]):
        out[i] = pick(i, 2.0)


@pytest.mark.parametrize("entry", [pick_all, pick_all.python], ids=["compiled", "python"])
def test_a_function_is_chosen_by_its_number_and_the_last_for_all_others(entry):
    out = np.zeros(9)
    entry(out)
    assert [i for i in range(9) if out[i] == 4.0] == [4]
    assert set(np.delete(out, 4)) == {1.0}


@compiled_only
def test_progress_names_what_is_being_compiled():
    seen = []

    @kernel
    def fresh(out):
        count_helper(out)

    with compiler.watch(lambda name, done: seen.append((name, done))):
        fresh(np.zeros(3))
    assert seen[0][1] is None
    assert any("fresh" in name for name, _ in seen)
    assert [d.depth for _, d in seen if d is not None][-1] == 0
    assert all(d.seconds >= 0 for _, d in seen if d is not None)


@helper
def count_helper(out):
    for i in range(out.shape[0]):
        out[i] = i


def test_kernel_runs_the_same_compiled_and_as_python():
    a, b = np.zeros(5), np.zeros(5)
    count_up(a)
    count_up.python(b)
    assert np.array_equal(a, b)
    assert a[4] == 8.0


def test_clearing_touches_only_folders_named_like_a_stamp(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_files, "cache_root", lambda: tmp_path)
    for folder in ("0123456789abcdef", kernel_files.stamp(), "my photos"):
        (tmp_path / folder).mkdir()
    kernel_files.clear_cache()
    assert {p.name for p in tmp_path.iterdir()} == {kernel_files.stamp(), "my photos"}
    kernel_files.clear_cache(everything=True)
    assert {p.name for p in tmp_path.iterdir()} == {"my photos"}


def test_kernels_out_of_use_go_and_others_stay(tmp_path, monkeypatch):
    """Of other versions: after a month, or after a day if ten are newer. Their folder's time is when they were used."""
    monkeypatch.setattr(kernel_files, "cache_root", lambda: tmp_path)
    now = time.time()
    days = [0.1] * 5 + [2.0, 20.0, 29.0] + [31.0, 400.0]
    for k, age in enumerate([*days, 500.0]):
        folder = tmp_path / (kernel_files.stamp() if k == len(days) else f"{k:016x}")
        folder.mkdir()
        (folder / "a.nbc").write_bytes(b"x")
        os.utime(folder, (now - 86400 * age,) * 2)
    kernel_files.drop_unused()
    left = {p.name for p in tmp_path.iterdir()}
    assert left == {kernel_files.stamp(), *(f"{k:016x}" for k in range(8))}
    for k in range(20, 26):  # six more in use today: those of 2 days ago and before are beyond ten
        (tmp_path / f"{k:016x}").mkdir()
    kernel_files.drop_unused()
    left -= {f"{k:016x}" for k in (5, 6, 7)}
    assert {p.name for p in tmp_path.iterdir()} == left | {f"{k:016x}" for k in range(20, 26)}


def test_use_is_noted_and_a_cache_that_is_not_there_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_files, "cache_root", lambda: tmp_path / "cache")
    kernel_files.mark_used()
    kernel_files.drop_unused()
    assert not (tmp_path / "cache").exists()
    folder = tmp_path / "cache" / kernel_files.stamp()
    folder.mkdir(parents=True)
    os.utime(folder, (1e9, 1e9))
    kernel_files.mark_used()
    assert folder.stat().st_mtime > 1.5e9
