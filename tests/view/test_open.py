"""Opening a view: from the command line, until Ctrl-C, and in Python."""

import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

import gelenk as gk
from gelenk.run.interrupt import Interrupt
from gelenk.view.camera import read_camera
from gelenk.view.desk import PATIENCE
from gelenk.view.from_page import Delete
from gelenk.view.server import PAGE
from gelenk.view.session import Session
from view.models import falling, falling_simulation
from view.pages import LONG, Page, viewed

pytestmark = pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")


def heed_ctrl_c():
    """As in a terminal, also where the tests run in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_command_prints_an_address_and_ends_with_ctrl_c(tmp_path):
    scene = tmp_path / "falling.toml"
    gk.save_scene(falling(), scene)
    command = [sys.executable, "-m", "gelenk", "view", str(scene), "--method", "free", "--no-browser", "--paused"]
    own = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=own, preexec_fn=heed_ctrl_c) as run:
        try:
            line = run.stdout.readline()
            address = line.split()[3]
            assert address.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(address, timeout=LONG) as answer:
                assert b"Gelenk" in answer.read()
            run.send_signal(signal.SIGINT)
            assert run.wait(LONG) == 0
        finally:
            run.kill()


def test_a_view_moves_the_simulation_it_was_given():
    sim = falling_simulation()
    with viewed(sim, speed=10.0) as view:
        while sim.time == 0.0:
            pass
        assert view.session.sim is sim
    reached = sim.time
    sim.step(1)
    assert sim.time > reached


def test_wrong_arguments_are_refused():
    with pytest.raises(gk.InputError, match="a Simulation"):
        gk.view(falling())
    with pytest.raises(gk.InputError, match="speed"):
        gk.view(falling_simulation(), speed=0.0)
    with pytest.raises(gk.InputError, match="wait"):
        gk.view(falling_simulation(), wait="no")


def test_a_restart_is_a_new_beginning():
    sim = falling_simulation()
    sim.step(30)
    state = sim.state.flat.copy()
    sim.restart()
    assert sim.time == 0.0
    sim.step(30)
    assert (sim.state.flat == state).all()


def test_the_simulation_of_a_view_is_the_one_that_plays_now():
    sim = falling_simulation()
    with viewed(sim, playing=False) as view, Page(view) as page:
        assert view.sim is sim
        page.send(Delete("box"))
        page.until(lambda: len(page.newest["scene"]["nodes"]) == 2)
        assert [body.name for body in view.sim.model.bodies] == ["ball"]


def test_a_program_changes_the_model_while_it_plays():
    """From another thread it is done when the call returns, and what is wrong is raised (V-103, V-104)."""
    with viewed(falling_simulation()) as view:
        view.change(lambda b: b.add(gk.Spring("cord", "world", "ball", stiffness=10.0, rest_length=1.0)))
        assert [force.name for force in view.sim.model.forces] == ["cord"]
        view.change(lambda b: b.remove("cord"))
        assert not view.sim.model.forces
        with pytest.raises(gk.InputError, match="nothing"):
            view.change(lambda b: b.remove("nothing"))
        at = view.sim.time
        while view.sim.time < at + 0.05:
            time.sleep(0.01)


def test_a_control_function_changes_the_model_between_steps():
    """As a joint that breaks by a rule of its own: done as soon as the step at work is over."""
    made = []

    def control(t, sim):
        if t > 0.02 and len(sim.model.bodies) == 2 and made:
            made[0].change(lambda b: b.remove("box"))

    with viewed(falling_simulation(), control=control, setup=made.append) as view:
        end = time.monotonic() + LONG
        while len(view.sim.model.bodies) == 2:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert [body.name for body in view.sim.model.bodies] == ["ball"]


def test_a_model_that_no_view_plays_yet_is_changed_when_it_does():
    view = []
    with viewed(falling_simulation(), setup=lambda v: view.append(v.change(lambda b: b.remove("box")))) as made:
        end = time.monotonic() + LONG
        while len(made.sim.model.bodies) == 2:
            assert time.monotonic() < end
            time.sleep(0.01)
    assert view == [None]


def test_a_change_right_after_the_view_opened_is_waited_for(monkeypatch):
    """However late the thread that plays begins: whoever changes the model then finds it changed."""

    class Late(Interrupt):
        def __enter__(self):
            time.sleep(0.2)
            return super().__enter__()

    monkeypatch.setattr(sys.modules["gelenk.view.open"], "Interrupt", Late)
    with viewed(falling_simulation(), playing=False) as view:
        view.change(lambda b: b.remove("box"))
        assert [body.name for body in view.sim.model.bodies] == ["ball"]


def test_a_change_after_the_view_was_closed_is_refused():
    with viewed(falling_simulation()) as view:
        pass
    with pytest.raises(gk.InputError, match="closed"):
        view.change(lambda b: b.remove("box"))
    assert len(view.sim.model.bodies) == 2


def test_a_change_that_waits_when_the_view_closes_is_refused():
    """The view is busy with something else when it is asked, and closes before the turn of the change."""
    heard, busy, go_on = [], threading.Event(), threading.Event()
    with viewed(falling_simulation(), playing=False) as view:

        def work():
            busy.set()
            go_on.wait(LONG)
            time.sleep(2 * PATIENCE)  # longer than commands are carried out in a row
            view._closed.set()

        def ask():
            try:
                view.change(lambda b: b.remove("box"))
            except gk.InputError as error:
                heard.append(str(error))

        working, asking = threading.Thread(target=lambda: view.session.call(work)), threading.Thread(target=ask)
        working.start()
        assert busy.wait(LONG)
        asking.start()
        while view.session.commands.empty():
            time.sleep(0.01)
        go_on.set()
        asking.join(LONG)
        working.join(LONG)
    assert len(heard) == 1
    assert "closed" in heard[0]


def test_places_to_look_from_are_counted_one_by_one():
    """From several threads at once: every number is told once, and in order."""
    session, told = Session(falling_simulation()), []

    class Outlet:
        def frame(self, data): ...

        def tell(self, client, message):
            told.append(message.number)

    session.outlets.append(Outlet())
    look = read_camera("front")
    threads = [threading.Thread(target=lambda: [session.look(look) for _ in range(300)]) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert told == list(range(1, 1201))
