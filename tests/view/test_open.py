"""Opening a view: from the command line, until Ctrl-C, and in Python."""

import os
import signal
import subprocess
import sys
import urllib.request

import pytest

import gelenk as gk
from gelenk.view.from_page import Delete
from gelenk.view.server import PAGE
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
