"""The session: exact steps, exact resets, failures that do not end it."""

import threading
import time

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.frame import read_frame
from gelenk.view.from_page import Add, Pause, Play, Push, Reset, SetInput, Speed, Step
from gelenk.view.session import Session
from view.models import H, falling, falling_simulation


class Heard:
    """An outlet that keeps everything."""

    def __init__(self, session):
        self.frames, self.told = [], []
        session.outlets.append(self)

    def frame(self, data):
        self.frames.append(read_frame(data))

    def tell(self, client, message):
        self.told.append((client, message))

    def problems(self):
        return [message.text for _, message in self.told if message.kind == "problem"]


def begun(sim=None, **options):
    session = Session(sim or falling_simulation(), playing=False, **options)
    heard = Heard(session)
    session.begin()
    return session, heard


def turn_until(session, condition, most=10_000):
    for _ in range(most):
        if condition():
            return
        session.turn()
    raise AssertionError("it did not come to that")


def test_it_begins_with_a_frame_of_the_start():
    session, heard = begun()
    assert heard.frames[0].time == 0.0
    assert session.status().run == "paused"


def test_steps_are_exact_to_the_bit():
    session, heard = begun()
    session.send(1, Step(37))
    session.send(1, Step(5))
    turn_until(session, lambda: session.clock.asked == 0 and session.steps)
    other = falling_simulation()
    other.step(42)
    assert session.steps == 42
    assert np.array_equal(session.sim.state.flat, other.state.flat)
    assert heard.frames[-1].time == 42 * H


def test_a_reset_gives_the_same_bits_again():
    session, _ = begun()
    session.send(1, Step(100))
    turn_until(session, lambda: session.steps == 100)
    first = session.sim.state.flat.copy()
    session.send(1, Reset())
    turn_until(session, lambda: session.steps == 0)
    assert session.sim.time == 0.0
    session.send(1, Step(100))
    turn_until(session, lambda: session.steps == 100)
    assert np.array_equal(session.sim.state.flat, first)


def test_a_view_from_the_middle_of_a_run_resets_to_there():
    sim = falling_simulation()
    sim.step(50)
    session, _ = begun(sim)
    session.send(1, Step(10))
    session.send(1, Reset())
    turn_until(session, lambda: session.commands.empty())
    assert sim.time == 50 * H


def test_it_plays_whole_steps_and_pauses():
    session, heard = begun()
    session.send(1, Play())
    turn_until(session, lambda: session.steps > 100)
    session.send(1, Pause())
    turn_until(session, lambda: not session.clock.playing)
    steps = session.steps
    for _ in range(5):
        session.turn()
    assert session.steps == steps
    assert session.sim.time == steps * H
    assert heard.frames[-1].time == session.sim.time
    assert heard.frames[-1].flags == 0


def test_sequence_numbers_rise():
    session, heard = begun()
    session.send(1, Play())
    turn_until(session, lambda: len(heard.frames) > 3)
    numbers = [frame.sequence for frame in heard.frames]
    assert numbers == sorted(set(numbers))


def test_commands_that_cannot_be_obeyed_are_answered_to_their_sender():
    session, heard = begun()
    for message in (Push("nobody", (0, 0, 0), (0, 0, 1)), SetInput("none", 1.0), Add("box", (1.0,), (0, 0, 0))):
        session.send(9, message)
    turn_until(session, lambda: len(heard.problems()) == 3)
    assert all(client == 9 for client, message in heard.told if message.kind == "problem")
    assert np.array_equal(session.sim.state.flat, falling_simulation().state.flat)


def test_a_push_changes_the_motion():
    session, _ = begun()
    ball = session.sim["ball"]
    mass = falling().body("ball").mass
    before = ball.velocity
    session.send(1, Push("ball", tuple(ball.com), (mass, 0.0, 0.0)))
    turn_until(session, lambda: session.commands.empty())
    np.testing.assert_allclose(ball.velocity - before, (1, 0, 0), atol=1e-9)


def test_a_failure_pauses_and_a_reset_goes_on():
    def control(t, sim):
        if t > 0.0105:
            raise RuntimeError("broken on purpose")

    session, heard = begun(control=control)
    session.send(1, Step(100))
    turn_until(session, lambda: session.failure)
    assert session.steps == 11
    assert session.status().run == "failed"
    assert "broken on purpose" in session.status().note
    session.send(1, Play())
    turn_until(session, lambda: heard.problems())
    session.send(1, Reset())
    session.send(1, Step(5))
    turn_until(session, lambda: session.steps == 5)
    assert session.status().run == "paused"


def test_a_joint_that_breaks_is_told_of():
    b = gk.Builder()
    b.body("lamp", shape=gk.Sphere(0.1), density=1000, at=(0, 0, -1))
    b.add(gk.Hinge(name="hook", a="world", b="lamp", at=(0, 0, 0), axis=(0, 1, 0), break_force=1.0))
    session, heard = begun(gk.Simulation(b.build()))
    session.send(1, Play())
    turn_until(session, lambda: any("'hook' broke" in text for text in heard.problems()))
    assert session.sim.broken == ("hook",)


def test_control_every_goes_on_over_batches():
    called = []
    session, _ = begun(control=lambda t, sim: called.append(round(t / H)), control_every=7 * H)
    for _ in range(10):
        session.send(1, Step(3))
    turn_until(session, lambda: session.steps == 30)
    assert called == [0, 7, 14, 21, 28]


def test_a_full_queue_says_so():
    session, _ = begun()
    assert all(session.send(1, Pause()) for _ in range(256))
    assert not session.send(1, Pause())


def test_speed_is_shown():
    session, _ = begun()
    session.send(1, Speed(0.25))
    turn_until(session, lambda: session.clock.speed == 0.25)
    assert session.status().speed == 0.25


def test_another_model_is_another_scene():
    session, heard = begun()
    b = gk.Builder.from_model(session.sim.model)
    b.body("more", shape=gk.Sphere(0.1), at=(3, 0, 0), density=1000)
    larger = b.build()
    state = larger.state_from(session.sim.model, session.sim.state)
    session.exchange(gk.Simulation(larger, gk.FreeMotion(h=H), state=state))
    turn_until(session, lambda: heard.frames[-1].scene == 1)
    assert len(heard.frames[-1].poses) == 4
    assert [m.number for _, m in heard.told if m.kind == "scene"] == [1]


def test_only_a_simulation_can_be_viewed():
    with pytest.raises(gk.InputError, match="a Simulation"):
        Session(falling())


def test_what_a_call_raises_is_raised_also_if_it_is_a_timeout():
    """A change that fails with TimeoutError must not be taken for the wait itself."""
    session = Session(falling_simulation())
    over = threading.Event()
    thread = threading.Thread(target=session.run, args=(over.is_set,))
    thread.start()

    def late():
        raise TimeoutError("too late")

    try:
        while session._thread is None:
            time.sleep(0.001)
        with pytest.raises(TimeoutError, match="too late"):
            session.call(late)
    finally:
        over.set()
        thread.join()
