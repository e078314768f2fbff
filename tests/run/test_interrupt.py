"""Ctrl-C keeps what was recorded: once asks for the end of a step, twice stops at once."""

import signal
import threading

import numpy as np
import pytest

import gelenk as gk
from run.models import assert_whole, started, stone, tumblers, with_law
from run.processes import finish, start_cli, wait_for


@pytest.fixture(autouse=True)
def handler():
    """A handler of the user's own, which a run must put back."""
    before = signal.getsignal(signal.SIGINT)

    def own(number, frame):
        raise KeyboardInterrupt("the user's own")

    signal.signal(signal.SIGINT, own)
    yield own
    signal.signal(signal.SIGINT, before)


def press_at(t, times=1):
    """An output that presses Ctrl-C when the time comes."""

    def output(sim):
        if sim.time >= t:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
        return sim.time

    return output


@pytest.mark.parametrize("to_file", [False, True], ids=["memory", "file"])
def test_one_press_returns_the_run_up_to_there(tmp_path, handler, to_file):
    file = tmp_path / "run.h5" if to_file else None
    sim = started(tumblers())
    run = sim.run(1.0, output_dt=0.01, file=file, progress=False, outputs={"press": press_at(0.3)})
    assert run.status == "interrupted"
    assert run.message == "Ctrl-C at t = 0.3 s"
    assert_whole(run)
    assert run.time[-1] == sim.time == 0.3
    assert len(run) == len(run._file["time"]) == 31  # cut to what was recorded
    assert signal.getsignal(signal.SIGINT) is handler
    assert np.array_equal(run.last_state[1].flat, sim.state.flat)
    # The simulation goes on where it stopped, as if nothing had happened.
    sim.run(1.0, progress=False)
    fresh = started(tumblers())
    fresh.advance(1.0)
    assert np.array_equal(sim.state.flat, fresh.state.flat)


def test_a_press_between_two_samples_keeps_the_state_of_the_step_reached():
    """The law presses inside a step, far from a sample; the checkpoint is ahead of the last sample."""

    def press(t, state, loads):
        if t >= 0.25 and not pressed:
            pressed.append(t)
            signal.raise_signal(signal.SIGINT)

    pressed = []
    sim = started(with_law(press))
    run = sim.run(1.0, output_dt=0.2, progress=False)
    assert run.status == "interrupted"
    np.testing.assert_allclose(run.time, [0, 0.2], atol=1e-15)
    t, state = run.last_state
    assert 0.25 <= t == sim.time < 1.0
    fresh = started(with_law(lambda t, state, loads: None))
    fresh.advance(t)
    assert np.array_equal(state.flat, fresh.state.flat)


@pytest.mark.parametrize("to_file", [False, True], ids=["memory", "file"])
def test_the_second_press_stops_at_once_and_the_file_is_whole(tmp_path, handler, to_file):
    path = tmp_path / "run.h5"
    sim = started(tumblers())
    with pytest.raises(KeyboardInterrupt):
        sim.run(
            1.0,
            output_dt=0.01,
            file=path if to_file else None,
            progress=False,
            outputs={"press": press_at(0.3, times=2)},
        )
    assert signal.getsignal(signal.SIGINT) is handler
    if to_file:
        with gk.load_run(path) as run:
            assert run.status == "interrupted"
            assert_whole(run)
            assert len(run) == len(run._file["time"]) == 30
            assert run.last_state[0] == 0.3
    assert not list(tmp_path.glob(".*"))


def test_the_second_press_inside_a_step_leaves_the_state_of_a_whole_step(tmp_path):
    def press(t, state, loads):
        if t >= 0.25:
            for _ in range(3):  # a third press must not harm either
                signal.raise_signal(signal.SIGINT)

    path = tmp_path / "run.h5"
    sim = started(with_law(press))
    with pytest.raises(KeyboardInterrupt):
        sim.run(1.0, output_dt=0.1, file=path, progress=False)
    fresh = started(with_law(lambda t, state, loads: None))
    fresh.advance(sim.time)
    assert 0.2 <= sim.time <= 0.25
    assert np.array_equal(sim.state.flat, fresh.state.flat)
    with gk.load_run(path) as run:
        assert run.status == "interrupted"
        t, state = run.last_state
        assert t == sim.time
        assert np.array_equal(state.flat, sim.state.flat)


def test_where_ctrl_c_is_ignored_it_stays_ignored():
    """As in a job that a shell runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = started(stone()).run(0.1, progress=False, outputs={"press": press_at(0.05)})
    assert run.status == "finished"
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_run_in_a_thread_leaves_the_handlers_alone(handler):
    runs = []
    thread = threading.Thread(target=lambda: runs.append(started(stone()).run(0.1, progress=False)))
    thread.start()
    thread.join()
    assert runs[0].status == "finished"
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_on_the_command_line_ends_with_130_and_a_file(tmp_path, presses):
    scene, path = tmp_path / "stone.toml", tmp_path / "stone.h5"
    gk.save_scene(stone(), scene)
    process = start_cli("run", scene, "--t-end", 1e7, "--output-dt", 1.0, "--out", path)

    def recording():
        if not path.exists():
            return False
        with gk.load_run(path) as run:
            return len(run) > 2

    wait_for(recording, process)
    for _ in range(presses):
        process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert code == 130, (out, err)
    assert "Traceback" not in out + err
    with gk.load_run(path) as run:
        assert run.status == "interrupted"
        assert_whole(run)
        assert len(run) < 1e7
        if presses == 1:
            assert run.message.startswith("Ctrl-C at t = ")
            assert f"stopped early ({run.message})" in out
            assert path.with_suffix(".png").exists()
