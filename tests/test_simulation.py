"""Simulation: time without drift, samples at the chosen rate, runs in pieces as in one, errors at the door."""

import sys

import numpy as np
import pytest

import gelenk as gk
from gelenk.run.steps import split_steps
from run.models import H, bits, started, stone, tumblers, with_law

FIXED = [gk.SemiImplicitEuler(), gk.ExplicitMidpoint(), gk.ImplicitMidpoint(), gk.RungeKutta4(), gk.Ballistic()]
EPS = np.finfo(float).eps


def drive(t, state, loads):
    """Depends on the time, so that a wrong time shows."""
    loads.torque_W[1, 2] += np.cos(7.0 * t)
    loads.force_W[2, 0] += np.sin(5.0 * t)


# --- samples ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [1, 2, 7, 100])
def test_samples_come_at_whole_multiples_without_drift(every):
    run = started(stone()).run(0.7, output_dt=every * H, progress=False)
    steps = np.arange(0, 701, every)
    # t0 + n h is rounded twice, however many steps came before; a sum of steps would be off by about n eps / 2.
    assert np.array_equal(run.time, 0.0 + steps * H)


def test_the_time_of_a_long_run_is_exact():
    sim = started(stone())
    for _ in range(100):
        sim.advance(1.7)
    assert sim.time == 170_000 * H == 170.0


@pytest.mark.parametrize("t_end", [1.0, 5.0, 12.345, 0.0035, 0.5])
def test_about_a_thousand_samples_unless_told(t_end):
    run = started(stone()).run(t_end, progress=False)
    steps = int(np.ceil(t_end / H - 1e-9))
    assert len(run) == 1 + min(steps, -(-steps // -(-steps // 1000)))
    assert len(run) <= 1001
    assert steps <= 1000 or len(run) > 500
    assert abs(run.time[-1] - t_end) <= 2 * EPS * t_end


@pytest.mark.parametrize("output_dt", [None, 0.01, 0.004])
@pytest.mark.parametrize("t_end", [0.0503, 0.05 + 1e-6, 1e-5, 0.1 / 3])
def test_the_last_sample_is_at_the_end_exactly_with_a_shortened_step(t_end, output_dt):
    sim = started(stone())
    run = sim.run(t_end, output_dt=output_dt, progress=False)
    assert run.time[-1] == t_end == sim.time
    # All but the last are at the chosen rate.
    every = round((output_dt or H) / H)
    assert np.array_equal(run.time[:-1], np.arange(len(run) - 1) * every * H)
    # Runge-Kutta is exact for a parabola, whatever the last step.
    exact = 10 + 2 * t_end - 0.5 * 9.81 * t_end**2
    assert run["stone"].position[-1, 2] == pytest.approx(exact, abs=1e-13)


def test_a_rate_beyond_the_end_gives_first_and_last():
    assert len(started(stone()).run(0.05, output_dt=10.0, progress=False)) == 2


@pytest.mark.parametrize(("output_dt", "suggested"), [(2.5e-3, "0.002 or 0.003"), (5e-4, "0.001 or 0.002")])
def test_a_rate_that_is_no_multiple_is_refused_with_the_next_ones(output_dt, suggested):
    with pytest.raises(gk.InputError, match=f"whole number of steps.*Use {suggested}"):
        started(stone()).run(1.0, output_dt=output_dt, progress=False)


@pytest.mark.parametrize("output_dt", [0, -1e-3, float("nan"), float("inf"), "1", [1e-3]])
def test_a_rate_that_is_no_time_is_refused(output_dt):
    with pytest.raises(gk.InputError, match="output_dt"):
        started(stone()).run(1.0, output_dt=output_dt, progress=False)


@pytest.mark.parametrize(
    ("start", "duration", "h"),
    [(0.0, 1e5, 1e-3), (0.0, 86400.0, 1e-4), (1e6, 1.0, 1e-3), (123456.7, 0.3, 1e-4), (0.0, 0.1 * 3, 0.1)],
)
def test_round_off_of_long_times_is_no_shortened_step(start, duration, h):
    end = start + duration
    whole, rest = split_steps(end - start, h, end)
    assert (whole, rest) == (round(duration / h), 0.0)


@pytest.mark.parametrize("part", [0.5, 1e-3, 1 - 1e-3])
def test_a_part_of_a_step_is_a_shortened_step(part):
    whole, rest = split_steps((1000 + part) * H, H, 10.0)
    assert whole == 1000
    assert rest == pytest.approx(part * H, rel=1e-9)


# --- pieces ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", FIXED, ids=lambda i: i.kind)
def test_a_run_in_two_pieces_is_the_run_in_one(integrator):
    whole, pieces = (started(with_law(drive), integrator=integrator) for _ in range(2))
    one = whole.run(0.5, output_dt=0.01, progress=False)
    first = pieces.run(0.2, output_dt=0.01, progress=False)
    second = pieces.run(0.5, output_dt=0.01, progress=False)
    assert np.array_equal(whole.state.flat, pieces.state.flat)
    assert np.array_equal(one.time, [*first.time, *second.time[1:]])
    for name in ("wheel.position", "wheel.orientation", "bead.velocity", "energy.kinetic"):
        assert np.array_equal(one[name], np.concatenate([first[name], second[name][1:]]))


@pytest.mark.parametrize("integrator", [*FIXED, gk.DormandPrince()], ids=lambda i: i.kind)
def test_advance_in_pieces_is_advance_in_one_and_a_run(integrator):
    sims = [started(with_law(drive), integrator=integrator) for _ in range(3)]
    sims[0].advance(0.3)
    for _ in range(30):
        sims[1].advance(0.01)
    sims[2].run(0.3, progress=False)
    assert sims[0].time == sims[1].time == sims[2].time
    assert np.array_equal(sims[0].state.flat, sims[1].state.flat)
    assert np.array_equal(sims[0].state.flat, sims[2].state.flat)


def test_batches_do_not_show(monkeypatch):
    """How many steps are taken a call depends on the clock; the result must not."""
    runs = []
    for seconds in (0.0, 1e-4, 10.0):
        monkeypatch.setattr(sys.modules["gelenk.run.stepping"], "BATCH_SECONDS", seconds)
        runs.append(bits(started(tumblers()).run(0.3, output_dt=0.1, progress=False)))
    assert runs[0] == runs[1] == runs[2]


def test_a_checkpoint_goes_on_bit_by_bit():
    """The springs and drag of the tumblers do not ask for the time."""
    sim = started(tumblers())
    t, state = sim.run(0.2, progress=False).last_state
    again = gk.Simulation(tumblers(), sim.method, state=state, time=t)
    again.advance(0.3)
    sim.advance(0.3)
    assert np.array_equal(sim.state.flat, again.state.flat)


def test_after_a_shortened_step_time_goes_on_from_there():
    sim = started(stone())
    sim.advance(0.0105)
    assert sim.time == 0.0105
    run = sim.run(0.0155, progress=False)
    assert np.array_equal(run.time, 0.0105 + np.arange(6) * H)


def test_the_state_given_is_copied_and_the_models_own_left_alone():
    model = stone()
    state = model.initial_state()
    sim = gk.Simulation(model, state=state, time=3.0)
    sim.advance(0.1)
    assert np.array_equal(state.flat, model.initial_state().flat)
    assert not np.array_equal(sim.state.flat, state.flat)
    assert sim.time == pytest.approx(3.1, abs=1e-15)


def test_the_seed_makes_the_random_numbers():
    draws = [gk.Simulation(stone(), seed=seed).random.normal() for seed in (1, 1, 2, 2**63 - 1, 2**63 - 2)]
    assert draws[0] == draws[1]
    assert len(set(draws)) == 4


def test_simulate_is_a_run_from_the_start():
    a = gk.simulate(stone(), 0.1, method=gk.FreeMotion(h=H), output_dt=0.01, progress=False)
    assert bits(a) == bits(started(stone()).run(0.1, output_dt=0.01, progress=False))


# --- the door --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": 3}, "model is 3"),
        ({"method": 3}, "method is 3"),
        ({"method": gk.FreeMotion}, "method is"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"seed": "a"}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"time": float("nan")}, "time"),
        ({"state": tumblers().initial_state()}, "state"),
        ({"state": (0.0, stone().initial_state())}, "state"),
        ({"state": np.zeros(3)}, "state"),
    ],
    ids=str,
)
def test_a_simulation_refuses_what_makes_no_sense(arguments, message):
    with pytest.raises(gk.InputError, match=message):
        gk.Simulation(**{"model": stone(), **arguments})


def test_a_state_that_is_not_finite_is_refused():
    state = stone().initial_state()
    state.p_WC[1, 0] = np.inf
    with pytest.raises(gk.InputError, match="finite"):
        gk.Simulation(stone(), state=state)


@pytest.mark.parametrize("t_end", [0.0, -1.0, float("nan"), float("inf"), "1", None, 1e300])
def test_an_end_that_is_not_ahead_is_refused(t_end):
    sim = started(stone())
    with pytest.raises(gk.InputError, match=r"run\(\)"):
        sim.run(t_end, progress=False)
    assert sim.time == 0


@pytest.mark.parametrize("duration", [-1.0, float("nan"), "1"])
def test_time_does_not_go_back(duration):
    with pytest.raises(gk.InputError, match=r"advance\(\).*duration"):
        started(stone()).advance(duration)


def test_no_time_is_no_step():
    sim = started(stone())
    sim.advance(0.0)
    assert sim.time == 0
    assert np.array_equal(sim.state.flat, stone().initial_state().flat)


def test_a_wrong_body_is_answered_with_near_ones():
    with pytest.raises(gk.InputError, match="Did you mean 'stone'"):
        started(stone())["stne"]


def bad_states():
    """States that a model with a floor and a ball cannot be in."""
    b = gk.Builder()
    b.body("floor", shape=gk.Box((1, 1, 1)), static=True)
    b.body("ball", shape=gk.Sphere(0.1), mass=1.0)
    model = b.build()
    for field, row, value, words in (
        ("q_WB", 2, (0, 0, 0, 0), "quaternion of 'ball' has length 0"),
        ("q_WB", 2, (3, 0, 0, 0), "quaternion of 'ball' has length 3"),
        ("v_WC", 0, (1, 0, 0), "'world' is not where the model has it"),
        ("p_WC", 1, (1, 0, 0), "'floor' is not where the model has it"),
        ("p_WC", 2, (np.nan, 0, 0), "position of body 'ball' is not finite"),
    ):
        state = model.initial_state()
        getattr(state, field)[row] = value
        yield pytest.param(model, state, words, id=words)


@pytest.mark.parametrize(("model", "state", "words"), list(bad_states()))
def test_a_start_that_the_model_cannot_be_in_is_refused(model, state, words):
    with pytest.raises(gk.InputError, match=words):
        gk.Simulation(model, state=state)


@pytest.mark.parametrize(
    ("duration", "h", "end", "steps"),
    [(1e-3, 1e-6, 1e-3, 1000), (1.0, 1e-6, 1e9 + 1.0, 1_000_000), (0.7, 0.1, 0.7, 7), (1.0, 0.3, 1.0, 3)],
)
def test_a_duration_is_cut_into_the_steps_it_holds(duration, h, end, steps):
    assert split_steps(duration, h, end)[0] == steps


def test_steps_below_the_resolution_of_time_are_refused():
    with pytest.raises(gk.InputError, match="Use a larger h"):
        split_steps(1e-6, 1e-9, 1e9)


def test_the_smallest_advance_moves_on():
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("p", mass=1.0, velocity=(1, 0, 0))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=1.0))
    for _ in range(10):
        sim.advance(5e-10)
    assert sim.time == pytest.approx(5e-9, rel=1e-12)
    assert sim["p"].position[0] == pytest.approx(5e-9, rel=1e-12)
