"""Recording: what was seen is in a run file, to the bit, whatever ends it."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import gelenk as gk
from gelenk.run.run import load_run
from gelenk.view import recording
from gelenk.view.from_page import Drag, Edit, Push, Record, Reset, Step
from gelenk.view.recording import free_path
from gelenk.view.server import PAGE
from gelenk.view.session import Session
from view.models import H, falling, falling_simulation
from view.pages import LONG, Page, viewed
from view.test_session import Heard, turn_until
from view.test_touch import equipped, take


def begun(tmp_path, sim=None, **options):
    session = Session(sim or falling_simulation(), playing=False, runs=tmp_path / "runs", **options)
    heard = Heard(session)
    session.begin()
    return session, heard


def recorded(heard):
    return [message for _, message in heard.told if message.kind == "recorded"]


def step(session, n):
    target = session.steps + n
    session.send(1, Step(n))
    turn_until(session, lambda: session.steps == target)


def test_samples_are_those_of_a_run_to_the_bit(tmp_path):
    session, heard = begun(tmp_path)
    session.send(1, Record(True, 10 * H))
    step(session, 95)
    session.send(1, Record(False))
    turn_until(session, lambda: recorded(heard))
    with load_run(recorded(heard)[0].file) as run:
        assert run.status == "finished"
        assert run.path == tmp_path / "runs" / "falling.h5"
        other = falling_simulation().run(95 * H, output_dt=10 * H)
        assert np.array_equal(run.time, other.time)
        for name in ("ball.position", "box.orientation", "energy.total"):
            assert np.array_equal(run.series(name), other.series(name))
        assert recorded(heard)[0].samples == len(run) == 11, "every ten steps, and the last one"
        assert run.model.name == "falling"


def test_what_hands_did_in_place_is_noted_in_the_file(tmp_path):
    """Edits, pushes and drags do not end a recording; its model alone would not move so, and the file says so."""
    session, _, _ = equipped(runs=tmp_path)
    take(session, Push("ball", (0.0, 0.0, 2.0), (1.0, 0.0, 0.0)), steps=5)
    take(session, Record(True, 10 * H), steps=20)
    take(session, Edit("body", "ball", "position", (3.0,), part=1), steps=20)
    place = session.sim["ball"].position
    take(session, Edit("body", "nobody", "position", (3.0,), part=1), Edit("body", "box", "velocity", (0.0, 0.0, 5.0)))
    for k in range(3):
        take(session, Drag("ball", (0.0, 0.0, 0.0), (1.0, 0.1 * k, 2.0)), steps=10)
    path = session.recording.path
    with load_run(path) as run:  # as after a kill
        assert "edit of body 'ball': position[1] = 3" in run.notes
    take(session, Record(False))
    with load_run(path) as run:
        assert run.status == "finished"
        assert run.notes.splitlines() == [
            "0.025 s: edit of body 'ball': position[1] = 3",
            "0.045 s: edit of body 'box': velocity = 0, 0, 5",
            "0.045 to 0.065 s: drag of 'ball', 3 times",
        ]
        k = int(np.argmin(np.abs(run.time - 0.045)))
        np.testing.assert_array_equal(run["ball"].position[k], place, "samples are the motion as it was")
    take(session, Record(True, 10 * H), steps=10)
    path = session.recording.path
    take(session, Record(False))
    with load_run(path) as run:
        assert run.notes == "", "another file begins anew"


def test_the_step_is_the_same_whether_it_is_recorded_or_not(tmp_path):
    session, _ = begun(tmp_path)
    session.send(1, Record(True))
    step(session, 137)
    other = falling_simulation()
    other.step(137)
    assert np.array_equal(session.sim.state.flat, other.state.flat)
    session.end()


def test_the_page_hears_the_name_and_the_size(tmp_path):
    session, heard = begun(tmp_path)
    session.send(1, Record(True, H))
    step(session, 50)
    session.recording._told_at = -1e9
    session.turn()
    told = [message for _, message in heard.told if message.kind == "recording"][-1]
    assert told.on
    assert told.file.endswith("falling.h5")
    assert told.samples == 51
    assert told.bytes > 51 * 8 * 26
    assert told.interval == H
    assert session.status().recording
    session.end()
    assert not session.status().recording


def test_names_are_free_and_suit_a_file(tmp_path):
    assert free_path(tmp_path, "../../etc/pass wd").name == "etc_pass_wd.h5"
    assert free_path(tmp_path, "../../etc/pass wd").name == "etc_pass_wd-2.h5"
    assert free_path(tmp_path, "…").name == "view.h5"
    assert all(path.parent == tmp_path for path in tmp_path.iterdir())


def test_a_second_start_is_refused_and_the_first_goes_on(tmp_path):
    session, heard = begun(tmp_path)
    session.send(1, Record(True))
    session.send(1, Record(True))
    turn_until(session, lambda: heard.problems())
    assert "one at a time" in heard.problems()[0]
    assert session.recording.on
    session.end()
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_an_end_without_a_beginning_is_nothing(tmp_path):
    session, heard = begun(tmp_path)
    session.send(1, Record(False))
    turn_until(session, lambda: session.commands.empty())
    assert not heard.problems()
    assert not (tmp_path / "runs").exists()


def test_a_file_grows_as_long_as_it_must(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "FEWEST", 4)
    monkeypatch.setattr(recording, "FIRST_BYTES", 0.0)
    session, heard = begun(tmp_path)
    session.send(1, Record(True, H))
    step(session, 100)
    session.end()
    with load_run(recorded(heard)[0].file) as run:
        assert len(run) == 101
        assert np.array_equal(run.time, np.arange(101) * H)
        other = falling_simulation().run(100 * H, output_dt=H)
        assert np.array_equal(run["box"].orientation, other["box"].orientation)
        assert run.status == "interrupted"
        assert "closed" in run.message


def test_a_reset_ends_the_file_before_it(tmp_path):
    session, heard = begun(tmp_path)
    session.send(1, Record(True, H))
    step(session, 20)
    session.send(1, Reset())
    turn_until(session, lambda: recorded(heard))
    assert recorded(heard)[0].why == "reset"
    with load_run(recorded(heard)[0].file) as run:
        assert run.time[-1] == 20 * H


def test_a_failure_keeps_what_was_recorded(tmp_path):
    def control(t, sim):
        if t > 0.0105:
            raise RuntimeError("broken on purpose")

    session, heard = begun(tmp_path, control=control)
    session.send(1, Record(True, H))
    session.send(1, Step(100))
    turn_until(session, lambda: session.failure)
    with load_run(recorded(heard)[0].file) as run:
        assert run.status == "failed"
        assert "broken on purpose" in run.message
        assert run.time[-1] == 11 * H


def test_a_folder_that_cannot_be_made_is_a_problem_and_nothing_else(tmp_path):
    (tmp_path / "runs").write_text("a file")
    session, heard = begun(tmp_path)
    session.send(1, Record(True))
    turn_until(session, lambda: heard.problems())
    assert not session.recording.on
    step(session, 3)
    assert session.steps == 3


def test_a_full_disk_ends_the_recording_alone(tmp_path, monkeypatch):
    session, heard = begun(tmp_path)
    session.send(1, Record(True, H))
    step(session, 5)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(session.recording._recorder, "take", full)
    step(session, 5)
    assert not session.recording.on
    assert any("No space" in text for text in heard.problems())
    assert session.steps == 10


@pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")
def test_over_the_socket_and_the_end_of_the_view(tmp_path):
    with viewed(falling_simulation(), playing=False, runs=tmp_path) as view, Page(view) as page:
        page.send(Record(True, H))
        page.send(Step(40))
        page.until(lambda: page.status["steps"] == 40 and page.status["recording"] and "recording" in page.newest)
        name = page.newest["recording"]["file"]
        with Page(view) as late:
            late.until(lambda: "recording" in late.newest)
            assert late.newest["recording"]["file"] == name
    with load_run(name) as run:
        assert len(run) == 41
        assert run.status == "interrupted"


PROGRAM = """
import sys, threading
import gelenk as gk
from gelenk.view.from_page import Record
model = gk.load_scene(sys.argv[1])
view = gk.view(gk.Simulation(model, gk.FreeMotion(h=1e-3)), wait=False, browser=False, runs=sys.argv[2])
view.session.send(0, Record(True))
if sys.argv[3] == "wait":
    view._thread.join()
else:
    while view.session.sim.time < 0.5:
        pass
"""


def started(tmp_path, how):
    scene = tmp_path / "falling.toml"
    gk.save_scene(falling(), scene)
    command = [sys.executable, "-c", PROGRAM, str(scene), str(tmp_path / "runs"), how]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"PYTHONUNBUFFERED": "1"})


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")
def test_a_kill_loses_no_more_than_a_moment(tmp_path):
    file = tmp_path / "runs" / "falling.h5"
    with started(tmp_path, "wait") as process:
        try:
            end = time.monotonic() + LONG
            count = 0
            while count < 60:
                assert time.monotonic() < end
                time.sleep(0.05)
                if file.exists() and file.stat().st_size > 0:
                    with load_run(file) as run:
                        count = len(run)
            process.send_signal(signal.SIGKILL)
            process.wait(LONG)
        finally:
            process.kill()
    with load_run(file) as run:
        assert len(run) >= count
        assert run.status == "running"
        h = run.attributes["output_dt"]
        np.testing.assert_allclose(np.diff(run.time), h, rtol=1e-9)


@pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")
def test_a_program_that_ends_ends_its_view_and_its_file(tmp_path):
    """As the kernel of a notebook does."""
    with started(tmp_path, "end") as process:
        try:
            assert process.wait(2 * LONG) == 0
        finally:
            process.kill()
    with load_run(tmp_path / "runs" / "falling.h5") as run:
        assert run.status == "interrupted"
        assert run.time[-1] >= 0.5
