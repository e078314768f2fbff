"""A process killed at any moment leaves a file that opens, with samples and a state to go on from."""

import io
import shutil
import time

import h5py
import numpy as np
import pytest

import gelenk as gk
from gelenk.run import recorder, run_file
from run.models import assert_whole, started, tumblers
from run.nursery import simulation
from run.processes import finish, kill, start, start_cli, wait_for


@pytest.fixture
def nursery():
    process = start("from run.nursery import main; main()")
    assert process.stdout.readline() == "ready\n", finish(process)
    yield process
    process.stdin.close()
    process.stdout.close()
    process.stderr.close()
    process.wait()


def assert_restarts(run):
    """The checkpoint is, bit by bit, the state of a run that was never killed."""
    t, state = run.last_state
    assert t >= run.time[-1]
    fresh = simulation()
    fresh.advance(t)
    assert fresh.time == t
    assert np.array_equal(fresh.state.flat, state.flat)
    again = gk.Simulation(run.model, fresh.method, state=state, time=t)
    again.advance(0.01)
    fresh.advance(0.01)
    assert np.array_equal(again.state.flat, fresh.state.flat)  # no law here asks for the time


def test_a_run_killed_at_any_moment_leaves_a_file_that_opens(nursery, tmp_path):
    # From before the file is there, over its first writes, to many buffers later.
    delays = [0.0, *np.geomspace(5e-4, 0.5, 14)]
    counts = []
    for k, delay in enumerate([*delays, None]):
        path = tmp_path / f"{k}.h5"
        pid = begin(nursery, path)
        if delay is None:
            wait_for(lambda path=path: samples(path) > 1000, nursery)
        else:
            time.sleep(delay)
        kill(pid)
        assert nursery.stdout.readline() == "killed\n"
        counts.append(samples(path))
        if path.exists():
            with gk.load_run(path) as run:
                assert run.status == "running"
                assert_whole(run)
                assert_restarts(run)
    assert len(set(counts)) > 3  # the moments were different ones
    code, out, err = finish(start_cli("info", path))
    assert (code, err) == (0, "")
    assert "its process was killed" in out


def begin(nursery, path):
    """Start a run in a process of its own; returns its number."""
    nursery.stdin.write(f"{path}\n")
    nursery.stdin.flush()
    return int(nursery.stdout.readline())


def samples(path):
    """Samples in a file, read as any HDF5 reader would; 0 if there is no file."""
    if not path.exists():
        return 0
    with h5py.File(path) as f:
        count = int(f["count"][0])
        assert 1 <= count <= len(f["time"])
        return count


def test_every_single_write_leaves_a_whole_file(tmp_path, monkeypatch):
    """The same in slow motion: the file is looked at after each write, and after half of it."""
    moments = []

    class Watched(io.FileIO):
        def write(self, data):
            data = bytes(data)
            for part in (data[: len(data) // 2], data):
                at = self.tell()
                super().write(part)
                if path.exists():
                    moments.append(path.read_bytes())
                self.seek(at + len(part) if part is data else at)
            return len(data)

    path = tmp_path / "run.h5"
    monkeypatch.setattr(run_file, "open", lambda name, mode, buffering: Watched(name, "r+"), raising=False)
    monkeypatch.setattr(recorder, "FLUSH_SECONDS", 0.0)
    sim = started(tumblers())
    sim.run(0.02, output_dt=5e-3, file=path, progress=False, outputs={"twice": lambda s: 2 * s.time}).close()
    assert len(moments) > 5 * 2 * 10  # five samples, ten series and more each
    states = []
    for moment in moments:
        with gk.Run(io.BytesIO(moment)) as run:
            assert_whole(run)
            assert np.array_equal(run["twice"], 2 * run.time)
            states.append((len(run), *run.last_state))
    exact = {}
    for _, t, state in states:
        if t not in exact:
            exact[t] = started(tumblers())
            exact[t].advance(t)
        assert np.array_equal(state.flat, exact[t].state.flat)
    assert [count for count, _, _ in states] == sorted(count for count, _, _ in states)
    assert {count for count, _, _ in states} == {1, 2, 3, 4, 5}


def test_a_run_can_be_read_while_it_goes_on(nursery, tmp_path):
    path = tmp_path / "live.h5"
    pid = begin(nursery, path)
    try:
        wait_for(path.exists, nursery)
        seen = []
        while len(set(seen)) < 5 or len(seen) < 20:
            with gk.load_run(path) as run:
                # All series of one opened run have one length, also while the file grows behind them.
                lengths = {len(run.series(name)) for name in ("time", "energy", "plate.position", "p3.velocity")}
                assert lengths == {len(run)}
                assert_whole(run)
                run.drift()
                t, state = run.last_state
                assert t >= run.time[-1]
                assert np.isfinite(state.flat).all()
                seen.append(len(run))
        assert seen == sorted(seen)
        code, out, err = finish(start_cli("info", path))
        assert (code, err) == (0, "")
        assert "running now" in out
    finally:
        kill(pid)


def test_a_file_cut_off_is_refused_and_its_copy_reads_alike(tmp_path):
    path, cut, copy = tmp_path / "a.h5", tmp_path / "cut.h5", tmp_path / "copy.h5"
    started(tumblers()).run(0.1, file=path, progress=False).close()
    shutil.copy(path, copy)
    with gk.load_run(path) as a, gk.load_run(copy) as b:
        assert np.array_equal(a["plate"].position, b["plate"].position)
    data = path.read_bytes()
    for size in (0, 1, 100, 2048, len(data) // 2, len(data) - 1):
        cut.write_bytes(data[:size])
        with pytest.raises(gk.InputError, match=r"cut\.h5.*HDF5 cannot read it"):
            gk.load_run(cut)
