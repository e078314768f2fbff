"""A function that steers a run: when it is called, what it sets, and what stays when it fails."""

import math
import signal

import numpy as np
import pytest

import gelenk as gk
from run.models import H, assert_whole, bits, started, stone, tumblers


def cart(force=0.0):
    """A cart of 2 kg on a rail without gravity, with a motor that pushes."""
    b = gk.Builder(name="cart", gravity=(0, 0, 0))
    b.body("cart", mass=2.0, inertia=(1, 1, 1))
    b.add(gk.Slider(name="rail", a="world", b="cart", at=(0, 0, 0), axis=(1, 0, 0)))
    b.add(gk.ForceMotor(name="push", on="rail", force=force))
    return b.build()


@pytest.mark.parametrize(
    ("every", "t_end", "output_dt", "expected"),
    [
        (None, 0.006, None, [0, 0.001, 0.002, 0.003, 0.004, 0.005]),
        (0.003, 0.008, 0.002, [0, 0.003, 0.006]),
        (0.003, 0.0065, None, [0, 0.003, 0.006]),  # the last call is before the short last step
        (0.003, 0.0075, None, [0, 0.003, 0.006]),  # which lies between two calls
        (1.0, 0.005, None, [0]),
    ],
)
def test_it_is_called_before_steps_from_the_start_on(every, t_end, output_dt, expected):
    calls = []
    sim = started(stone())
    run = sim.run(
        t_end,
        output_dt=output_dt,
        progress=False,
        control=lambda t, sim: calls.append((t, sim.time)),
        control_every=every,
    )
    assert run.status == "finished"
    np.testing.assert_allclose([t for t, _ in calls], expected, atol=1e-15)
    assert all(t == now for t, now in calls)


def test_a_later_run_counts_from_its_own_start():
    calls = []
    sim = started(stone())
    for t_end in (0.005, 0.01):
        sim.run(t_end, progress=False, control=lambda t, sim: calls.append(t), control_every=0.004)
    np.testing.assert_allclose(calls, [0, 0.004, 0.005, 0.009], atol=1e-15)


def test_advance_takes_it_too():
    calls = []
    sim = started(stone())
    sim.advance(0.0055, control=lambda t, sim: calls.append(t), control_every=0.002)
    np.testing.assert_allclose(calls, [0, 0.002, 0.004], atol=1e-15)
    assert sim.time == 0.0055


@pytest.mark.parametrize("every", [None, 7 * H])
def test_one_that_does_nothing_does_not_show(every):
    plain = started(tumblers()).run(0.1, progress=False)
    steered = started(tumblers()).run(0.1, progress=False, control=lambda t, sim: None, control_every=every)
    assert bits(steered) == bits(plain)


@pytest.mark.parametrize("method", [gk.Impulse(h=H), gk.RowStepping(h=H)], ids=lambda m: m.kind)
def test_inputs_hold_from_the_step_on(method):
    """A force that is switched at steps: velocities are sums of h F / m, whatever the samples are."""

    def bang(t, sim):
        sim.inputs["push.force"] = 4.0 if t < 0.0155 else -4.0

    sim = gk.Simulation(cart(), method)
    run = sim.run(0.03, output_dt=0.01, progress=False, control=bang)
    # 16 steps with +4 N, the others with -4 N, on 2 kg; Impulse is within 1e-9 m/s and RowStepping within 1e-10
    expected = [0, 4 / 2 * 0.010, 4 / 2 * (0.016 - 0.004), 4 / 2 * (0.016 - 0.014)]
    np.testing.assert_allclose(run["rail"].rate, expected, atol=1e-8)
    np.testing.assert_allclose(run["push"].force, [0, 4, -4, -4], atol=1e-5)


def test_a_loop_closed_in_python_brings_the_cart_to_its_place():
    """Critically damped, w = 20 /s: x = 1 - (1 + w t) exp(-w t), held over steps of 1 ms."""

    def regulate(t, sim):
        w = 20.0
        sim.inputs["push.force"] = 2.0 * (w * w * (1.0 - sim["rail"].position) - 2 * w * sim["rail"].rate)

    run = gk.Simulation(cart(), gk.Impulse(h=H)).run(0.3, output_dt=0.1, progress=False, control=regulate)
    exact = [1 - (1 + 20 * t) * math.exp(-20 * t) for t in (0, 0.1, 0.2, 0.3)]
    # holding delays by h/2: at most h/2 times the greatest speed, w/e = 7.4 m/s, and some for the lost damping
    np.testing.assert_allclose(run["rail"].position, exact, atol=2 * 0.5 * H * 20 / math.e)


@pytest.mark.parametrize("to_file", [False, True], ids=["memory", "file"])
def test_an_error_in_it_names_the_time_and_keeps_the_run(tmp_path, to_file):
    def fail(t, sim):
        if t > 0.0335:
            raise ZeroDivisionError("no gain")

    sim = started(tumblers())
    path = tmp_path / "a.h5" if to_file else None
    with pytest.raises(gk.SimulationError, match=r"control .*t = 0\.034 s\. ZeroDivisionError: no gain") as caught:
        sim.run(0.1, output_dt=0.01, progress=False, control=fail, file=path)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    run = caught.value.run
    assert (run.status, len(run)) == ("failed", 4)
    assert "no gain" in run.message
    assert run.path == path
    assert_whole(run)
    assert run.last_state[0] == sim.time == pytest.approx(0.034)
    fresh = started(tumblers())
    fresh.advance(0.034)
    assert np.array_equal(run.last_state[1].flat, fresh.state.flat)


def test_a_wrong_input_is_answered_with_near_ones():
    def steer(t, sim):
        sim.inputs["push.forse"] = 1.0

    with pytest.raises(gk.SimulationError, match=r"t = 0 s.*'push\.forse'.*Did you mean 'push\.force'"):
        gk.Simulation(cart(), gk.Impulse(h=H)).run(0.01, progress=False, control=steer)


def test_it_may_not_take_steps_itself():
    with pytest.raises(gk.SimulationError, match="moved the simulation from t = 0 s"):
        started(stone()).run(0.01, progress=False, control=lambda t, sim: sim.advance(H))


@pytest.fixture
def listens_to_ctrl_c():
    """A shell that starts something in the background has it ignore the signal; not here."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_in_it_keeps_what_was_recorded(tmp_path, times, listens_to_ctrl_c):
    """Once: the step at work is finished. Twice: at once."""

    def press(t, sim):
        if t > 0.0335:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    sim = started(tumblers())
    path = tmp_path / "a.h5"
    options = {"output_dt": 0.01, "progress": False, "control": press, "file": path}
    if times == 1:
        sim.run(0.1, **options).close()
    else:
        with pytest.raises(KeyboardInterrupt):
            sim.run(0.1, **options)
    with gk.load_run(path) as run:
        assert (run.status, len(run)) == ("interrupted", 4)
        assert_whole(run)
        assert run.last_state[0] == sim.time == pytest.approx(0.035 if times == 1 else 0.034)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"control": 3}, "control is 3"),
        ({"control": dict}, "def f"),
        ({"control_every": 0.01}, "control_every without control"),
        ({"control": print, "control_every": 0.0015}, "control_every is 0.0015 s.*Use 0.001 or 0.002"),
        ({"control": print, "control_every": -1}, "control_every is -1"),
        ({"control": print, "control_every": "fast"}, "control_every is 'fast'"),
    ],
    ids=str,
)
def test_what_cannot_be_called_is_refused(options, words):
    sim = started(stone())
    for call in (sim.run, sim.advance):
        with pytest.raises(gk.InputError, match=words):
            call(0.01, **options)
    assert sim.time == 0
