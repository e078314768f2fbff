"""A state that is not finite stops the run: body, time, and the last good state are told and kept."""

import math

import numpy as np
import pytest

import gelenk as gk
from run.models import H, assert_whole, started, with_law

BLOW = 0.5003  # between two steps: the schemes meet it inside a step


def blow_up(what, value):
    """A law that turns bad after some time."""

    def law(t, state, loads):
        if t > BLOW:
            {"force": loads.force_W, "torque": loads.torque_W}[what[0]][what[1], 0] += value

    return law


def harmless(t, state, loads):
    pass


def stiff_spring():
    """h w = 3 with h = 1e-3: beyond the limit 2 of semi-implicit Euler, a step grows by |(-7 - sqrt 45)/2| = 6.9."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("still", mass=1.0, at=(0, 1, 0))
    b.particle("shaken", mass=1.0, at=(1, 0, 0))
    b.add(gk.Spring("stiff", gk.WORLD, "shaken", stiffness=9e6, rest_length=0.5))
    return b.build()


CASES = {
    "force on a body": (("force", 1), math.inf, "velocity of body 'wheel'"),
    "force on a particle": (("force", 2), math.nan, "velocity of particle 'bead'"),
    "torque": (("torque", 1), -math.inf, "angular velocity of body 'wheel'"),
}


@pytest.mark.parametrize("to_file", [False, True], ids=["memory", "file"])
@pytest.mark.parametrize("case", CASES)
def test_a_law_that_turns_bad_stops_the_run_with_body_and_time(tmp_path, case, to_file):
    what, value, named = CASES[case]
    path = tmp_path / "run.h5"
    sim = started(with_law(blow_up(what, value)), integrator=gk.SemiImplicitEuler())
    with pytest.raises(gk.SimulationError) as caught:
        sim.run(1.0, output_dt=0.1, file=path if to_file else None, progress=False)
    # Semi-implicit Euler asks for forces at the beginning of a step: the one from 0.501 s is the first to see it.
    assert named in str(caught.value)
    assert "t = 0.501 s" in str(caught.value)
    run = caught.value.run
    assert run.status == "failed"
    assert run.message == str(caught.value)
    assert_whole(run)
    np.testing.assert_allclose(run.time, [0, 0.1, 0.2, 0.3, 0.4, 0.5], atol=1e-15)
    assert_last_good(run, sim, 501 * H, gk.SemiImplicitEuler())
    if to_file:
        with gk.load_run(path, laws={"drive": harmless}) as again:
            assert again.status == "failed"
            assert_last_good(again, sim, 501 * H, gk.SemiImplicitEuler())


def assert_last_good(run, sim, t, integrator):
    """What is kept is, bit by bit, a run that was stopped just before."""
    assert run.last_state[0] == sim.time == t
    before = started(with_law(harmless), integrator=integrator)
    before.advance(t)
    assert np.array_equal(run.last_state[1].flat, before.state.flat)
    assert np.array_equal(sim.state.flat, before.state.flat)


@pytest.mark.parametrize("value", [math.inf, math.nan], ids=str)
@pytest.mark.parametrize(
    "integrator",
    [
        gk.SemiImplicitEuler(),
        gk.ExplicitMidpoint(),
        gk.ImplicitMidpoint(),
        gk.RungeKutta4(),
        gk.Ballistic(),
        gk.DormandPrince(),
    ],
    ids=lambda i: i.kind,
)
def test_every_scheme_stops_at_a_good_state(integrator, value):
    sim = started(with_law(blow_up(("force", 1), value)), integrator=integrator)
    with pytest.raises(gk.SimulationError, match=r"t = 0\.5") as caught:
        sim.run(1.0, output_dt=0.1, progress=False)
    run = caught.value.run
    assert_whole(run)
    t, state = run.last_state
    assert 0.499 <= t <= 0.502  # schemes that look ahead stop a step earlier
    before = started(with_law(harmless), integrator=integrator)
    before.advance(t)
    assert np.array_equal(state.flat, before.state.flat)


def test_a_spring_too_stiff_for_the_step_names_what_exploded():
    sim = started(stiff_spring(), integrator=gk.SemiImplicitEuler())
    with pytest.raises(gk.SimulationError, match=r"particle 'shaken' is not finite.*smaller step") as caught:
        sim.run(2.0, output_dt=1e-3, progress=False)
    run = caught.value.run
    # The square of its distance overflows after 154 decades, at log10(6.9) = 0.836 a step. What the spring then does to
    # the world it hangs on is no answer to the question what exploded.
    assert 180 < sim.time / H < 190
    assert np.isfinite(run["shaken"].position).all()
    assert np.isfinite(sim.state.flat).all()
    assert np.array_equal(run["still"].position, np.tile([0.0, 1.0, 0.0], (len(run), 1)))
    assert len(run) == round(sim.time / H) + 1
    run.drift()  # energies overflow long before the state does: still no warning


@pytest.mark.parametrize("to_file", [False, True], ids=["memory", "file"])
def test_a_failure_in_the_shortened_last_step_names_it_too(tmp_path, to_file):
    """The law strikes after 0.5003 s, and only the last step, 0.5 to 0.5007 s, gets there."""
    file = tmp_path / "run.h5" if to_file else None
    sim = started(with_law(blow_up(("torque", 1), math.inf)))
    with pytest.raises(gk.SimulationError, match=r"body 'wheel' is not finite.*t = 0\.5 s") as caught:
        sim.run(0.5007, output_dt=0.1, file=file, progress=False)
    assert caught.value.run.status == "failed"
    np.testing.assert_allclose(caught.value.run.time, [0, 0.1, 0.2, 0.3, 0.4, 0.5], atol=1e-15)
    assert_last_good(caught.value.run, sim, 0.5, gk.RungeKutta4())


def test_advance_stops_in_the_same_way():
    sim = started(with_law(blow_up(("force", 2), math.nan)))
    with pytest.raises(gk.SimulationError, match="particle 'bead'") as caught:
        sim.advance(1.0)
    assert caught.value.run is None
    assert sim.time == 0.5
    with pytest.raises(gk.SimulationError, match="particle 'bead'"):
        sim.advance(0.0004)  # shortened, to where the law strikes
    assert sim.time == 0.5
    assert np.isfinite(sim.state.flat).all()


@pytest.mark.parametrize("integrator", [gk.SemiImplicitEuler(), gk.RungeKutta4()], ids=lambda i: i.kind)
def test_a_law_that_raises_leaves_the_state_of_a_whole_step(tmp_path, integrator):
    def law(t, state, loads):
        loads.force_W[2, 0] += 1.0
        if t > BLOW:
            raise ZeroDivisionError("no force left")

    def good(t, state, loads):
        loads.force_W[2, 0] += 1.0

    path = tmp_path / "run.h5"
    sim = started(with_law(law), integrator=integrator)
    with pytest.raises(ZeroDivisionError, match="no force left"):
        sim.run(1.0, output_dt=0.1, file=path, progress=False)
    with gk.load_run(path) as run:
        assert run.status == "failed"
        assert "ZeroDivisionError: no force left" in run.message
        assert_whole(run)
        t, state = run.last_state
    assert 0.5 <= t <= 0.501
    assert t == sim.time
    before = started(with_law(good), integrator=integrator)
    before.advance(t)
    assert np.array_equal(state.flat, before.state.flat)
    assert np.array_equal(sim.state.flat, before.state.flat)
